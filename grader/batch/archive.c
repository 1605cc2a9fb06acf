/* Reads a zip, tar, 7z or rar file with libarchive, in a child process, the "reader". The kernel
 * lets the reader only read the file and write to a pipe, and refuses all other system calls. So an
 * archive that exploits a bug of libarchive can only send wrong sources, which harm only the
 * student who sent the archive.
 *
 *     reader:   archive --libarchive--> struct record, path, bytes --pipe--> the parent process
 *
 * Nothing is unpacked onto the disk, so paths inside the archive are only names. */
#include "batch/handin.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/process.h"

#define READER_SECONDS 60 /* maximum CPU time of the reader */
#define READER_BYTES   ((rlim_t)2 << 30)

/* The message about a file that is too large. It does not say how large, because some archives do
 * not store sizes. */
#define TOO_LARGE "is too large: the limit is 1048576 bytes"
_Static_assert(BATCH_SOURCE_BYTES == 1048576, "TOO_LARGE names this limit");

enum kind { SOURCE, PROBLEM, PASSED, END };

/* The header of a message in the pipe. The file's path follows, then its bytes, or the text of a
 * problem with the file. The reader sends at most one PASSED (a skipped file): for the first file
 * that is neither a source nor an archive. */
struct record {
    uint32_t kind, path_bytes, bytes;
};

/* --- the reader ------------------------------------------------------------------------------- */

static void put(int pipe, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(pipe, at, size);
        if (written <= 0)
            _exit(1);
        at += written;
        size -= (size_t)written;
    }
}

static void tell(int pipe, enum kind kind, const char *path, const void *bytes, size_t size)
{
    struct record record = {kind, (uint32_t)strlen(path), (uint32_t)size};
    put(pipe, &record, sizeof record);
    put(pipe, path, record.path_bytes);
    put(pipe, bytes, size);
}

static void tell_problem(int pipe, const char *path, const char *problem)
{
    tell(pipe, PROBLEM, path, problem, strlen(problem));
}

/* Allows only the system calls that the reader needs after it has opened its file. All other calls
 * fail with EPERM. */
static bool confine_reader(void)
{
    static const int allowed[] = {
        SCMP_SYS(read),          SCMP_SYS(write),        SCMP_SYS(lseek),     SCMP_SYS(close),
        SCMP_SYS(fstat),         SCMP_SYS(newfstatat),   SCMP_SYS(brk),       SCMP_SYS(mmap),
        SCMP_SYS(munmap),        SCMP_SYS(mremap),       SCMP_SYS(mprotect),  SCMP_SYS(madvise),
        SCMP_SYS(futex),         SCMP_SYS(rt_sigreturn), SCMP_SYS(getrandom), SCMP_SYS(exit_group),
        SCMP_SYS(getpid),        SCMP_SYS(gettid),       SCMP_SYS(exit),      SCMP_SYS(sched_yield),
        SCMP_SYS(clock_gettime), SCMP_SYS(sigaltstack)};
    struct rlimit seconds = {READER_SECONDS, READER_SECONDS};
    setrlimit(RLIMIT_CPU, &seconds);
#ifndef __SANITIZE_ADDRESS__ /* the address sanitizer reserves more memory than READER_BYTES */
    struct rlimit memory = {READER_BYTES, READER_BYTES};
    setrlimit(RLIMIT_AS, &memory);
#endif
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    bool good = filter && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    for (size_t i = 0; good && i < sizeof allowed / sizeof *allowed; ++i)
        good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) == 0;
    good = good && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return good;
}

/* Accepts the formats that students send, but not those for which libarchive starts another
 * program. */
static struct archive *open_archive(int fd)
{
    struct archive *archive = archive_read_new();
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_zip(archive);
    archive_read_support_format_7zip(archive);
    archive_read_support_format_rar(archive);
    archive_read_support_format_rar5(archive);
    /* a failure here is reported when the first header is read */
    archive_read_open_fd(archive, fd, 64 << 10);
    return archive;
}

/* Sends one file of the archive if it is a source, or a problem if the file cannot be read. */
static void take_entry(struct archive *archive, struct archive_entry *entry, int pipe)
{
    static char bytes[(1 << 20) + 1];
    static bool passed;
    const char *path = archive_entry_pathname_utf8(entry);
    path = path ? path : archive_entry_pathname(entry);
    if (!path || batch_is_ignored(path))
        return;
    bool source = batch_is_source(path);
    if (strlen(path) >= PATH_SIZE) {
        if (source)
            tell_problem(pipe, "", "has a file nested in too many folders; it was skipped");
        return;
    }
    if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) {
        if (source)
            tell_problem(pipe, path,
                         archive_entry_hardlink(entry) ? "is a hard link to another file"
                                                       : BATCH_LINK);
    } else if (archive_entry_filetype(entry) != AE_IFREG) {
        if (source && archive_entry_filetype(entry) != AE_IFDIR)
            tell_problem(pipe, path, "is not a regular file");
    } else if (batch_is_archive(path, NULL))
        tell_problem(pipe, path, "is an archive inside an archive");
    else if (archive_entry_is_encrypted(entry))
        tell_problem(pipe, path, "is encrypted");
    else if (source) {
        la_ssize_t size = archive_read_data(archive, bytes, sizeof bytes);
        if (size < 0)
            tell_problem(pipe, path, "is damaged");
        else if ((size_t)size > BATCH_SOURCE_BYTES)
            tell_problem(pipe, path, TOO_LARGE);
        else
            tell(pipe, SOURCE, path, bytes, (size_t)size);
    } else if (!passed) {
        passed = true;
        tell(pipe, PASSED, path, "", 0);
    }
}

static void read_entries(struct archive *archive, int pipe)
{
    struct archive_entry *entry;
    size_t entries = 0, sources = 0;
    la_int64_t total = 0;
    int code;
    while ((code = archive_read_next_header(archive, &entry)) == ARCHIVE_OK ||
           code == ARCHIVE_WARN) {
        const char *path = archive_entry_pathname(entry);
        la_int64_t size = archive_entry_size(entry);
        sources += path && batch_is_source(path);
        total += size > 0 ? size : 0;
        if (++entries > BATCH_HANDIN_ENTRIES || sources > BATCH_HANDIN_FILES) {
            tell_problem(pipe, "", "has too many files; the rest were skipped");
            return;
        }
        if (total > (la_int64_t)BATCH_ARCHIVE_BYTES) {
            tell_problem(pipe, "", "is too large when unpacked; the rest was skipped");
            return;
        }
        take_entry(archive, entry, pipe);
    }
    if (code != ARCHIVE_EOF)
        tell_problem(pipe, "",
                     entries ? "is damaged; the rest was skipped"
                             : "is damaged, or is not a zip, tar, 7z or rar file");
    else if (entries == 0)
        tell_problem(pipe, "", BATCH_EMPTY_ARCHIVE);
}

static void read_archive(const char *path, int pipe, pid_t parent)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (!process_end_with(parent, SIGKILL))
        _exit(1);
    setlocale(LC_CTYPE, "C.UTF-8"); /* libarchive converts names to this encoding */
    if (fd < 0)
        tell_problem(pipe, "", strerror(errno));
    else if (!confine_reader())
        tell_problem(pipe, "", "cannot be read safely on this machine");
    else
        read_entries(open_archive(fd), pipe);
    tell(pipe, END, "", "", 0);
    _exit(0);
}

/* --- the parent process, which checks everything that the reader sends ------------------------ */

static bool get(FILE *pipe, void *bytes, size_t size)
{
    return fread(bytes, 1, size, pipe) == size;
}

/* Reads one record with its path and bytes. Returns false if it is malformed, or if the reader has
 * ended. */
static bool get_record(FILE *pipe, struct record *record, char path[PATH_SIZE], struct text *text)
{
    *text = (struct text){0};
    if (!get(pipe, record, sizeof *record) || record->path_bytes >= PATH_SIZE ||
        record->bytes > BATCH_SOURCE_BYTES || !get(pipe, path, record->path_bytes))
        return false;
    path[record->path_bytes] = 0;
    text->size = record->bytes;
    text->bytes = malloc(text->size + 1);
    if (!text->bytes || !get(pipe, text->bytes, text->size)) {
        free(text->bytes);
        return false;
    }
    text->bytes[text->size] = 0;
    return true;
}

static void add_record(struct batch_handin *handin, const char *shown, int64_t time,
                       const struct record *record, const char *path, struct text text)
{
    char full[2 * PATH_SIZE];
    snprintf(full, sizeof full, "%s%s%s", shown, *path ? "/" : "", path);
    if (record->kind == SOURCE) {
        batch_handin_add(handin, full, time, text, NULL);
        return;
    }
    if (record->kind == PASSED)
        batch_handin_pass(handin, full);
    else
        batch_handin_add(handin, full, time, (struct text){0}, text.bytes);
    free(text.bytes);
}

/* Reads the reader's records until it ends. Returns true if it ended normally. */
static bool take_records(FILE *pipe, const char *shown, int64_t time, struct batch_handin *handin)
{
    struct record record;
    struct text text;
    char path[PATH_SIZE];
    for (size_t i = 0; i < BATCH_HANDIN_ENTRIES && get_record(pipe, &record, path, &text); ++i) {
        if (record.kind == END) {
            free(text.bytes);
            return true;
        }
        add_record(handin, shown, time, &record, path, text);
    }
    return false;
}

void batch_archive_read(const char *path, const char *shown, int64_t time,
                        struct batch_handin *handin)
{
    int ends[2];
    bool open = pipe2(ends, O_CLOEXEC) == 0;
    fflush(NULL); /* without this, the child would write the buffered output a second time */
    pid_t parent = getpid(), child = open ? fork() : -1;
    if (child == 0) {
        close(ends[0]);
        read_archive(path, ends[1], parent);
    }
    if (open)
        close(ends[1]);
    FILE *pipe = open ? fdopen(ends[0], "r") : NULL;
    bool ended = child > 0 && pipe && take_records(pipe, shown, time, handin);
    if (pipe)
        fclose(pipe);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!ended)
        batch_handin_add(handin, shown, time, (struct text){0},
                         "cannot be read: unpack it by hand");
}
