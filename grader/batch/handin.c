/* Reads all files of a hand-in. Each file gets a time. If folders around it have a time in their
 * name, the nearest one's time is taken, otherwise the time of the file's last change. Files in an
 * archive have the archive's time, because a student can forge the times in an archive. */
#include "batch/handin.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistr.h>

/* Longer endings come first, so that ".tar.gz" is found before ".gz". Some of these formats cannot
 * be read; batch_archive_read() then records a problem. */
static const char *const archive_endings[] = {
    ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar.lz", ".tar.lzma", ".tar.lz4", ".tar.Z",
    ".tgz",    ".tbz2",    ".txz",    ".zip",     ".tar",    ".7z",       ".rar",     ".zipx",
    ".lzh",    ".cab",     ".arj",    ".ace",     ".gz",     ".bz2",      ".xz",      ".zst"};

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcasecmp(name + length - tail, ending) == 0;
}

bool batch_is_archive(const char *name, size_t *length)
{
    for (size_t i = 0; i < sizeof archive_endings / sizeof *archive_endings; ++i) {
        if (!ends_with(name, archive_endings[i]))
            continue;
        if (length)
            *length = strlen(name) - strlen(archive_endings[i]);
        return true;
    }
    return false;
}

bool batch_is_source(const char *name)
{
    return ends_with(name, ".cu") || ends_with(name, ".cu.txt"); /* some systems hide ".txt" */
}

/* Students often hand in more than their own files: other parts of the kit, and files that an
 * operating system or a tool has created. */
bool batch_is_ignored(const char *path)
{
    static const char *const folders[] = {"solutions/", "grader/", "handouts/", "build/",
                                          "__MACOSX/"};
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        if (at[0] == '.' && at[1] != '/' && strncmp(at, "../", 3) != 0)
            return true;
        for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
            if (strncmp(at, folders[i], strlen(folders[i])) == 0)
                return true;
    }
    return false;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Returns the length in bytes of the character at TEXT, or 0 if it is not allowed. */
static int good_character(const char *text)
{
    ucs4_t character;
    int length = u8_strmbtouc(&character, (const uint8_t *)text);
    bool control = character < 0x20 || (character >= 0x7f && character < 0xa0) ||
                   (character >= 0x200b && character <= 0x200f) ||
                   (character >= 0x2028 && character <= 0x202e) ||
                   (character >= 0x2066 && character <= 0x2069) || character == 0xfeff;
    return length > 0 && !control && character != '%' ? length : 0;
}

char *batch_clean_name(const char *name)
{
    char *clean = malloc(3 * strlen(name) + 1), *to = clean;
    while (clean && *name) {
        int length = good_character(name);
        if (length == 0)
            to += sprintf(to, "%%%02X", (unsigned char)*name++);
        for (; length > 0; --length)
            *to++ = *name++;
    }
    if (clean)
        *to = 0;
    return clean;
}

int64_t batch_time_in_name(const char *name)
{
    for (; *name; ++name) {
        struct tm when = {.tm_isdst = -1};
        int end = 0, seconds_end = 0;
        if (sscanf(name, "%4d-%2d-%2d%*1[T_ -]%2d%*1[:.h-]%2d%n", &when.tm_year, &when.tm_mon,
                   &when.tm_mday, &when.tm_hour, &when.tm_min, &end) != 5 ||
            end == 0 || when.tm_year < 1970 || when.tm_mon > 12 || when.tm_mday > 31)
            continue;
        if (sscanf(name + end, "%*1[:.m-]%2d%n", &when.tm_sec, &seconds_end) == 1)
            end += seconds_end;
        when.tm_year -= 1900;
        when.tm_mon -= 1;
        return name[end] == 'Z' ? timegm(&when) : mktime(&when);
    }
    return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

void batch_handin_add(struct batch_handin *handin, const char *path, int64_t time, struct text text,
                      const char *problem)
{
    if (handin->count == handin->room) {
        size_t room = handin->room ? 2 * handin->room : 8;
        struct batch_file *files = reallocarray(handin->files, room, sizeof *files);
        if (!files) {
            free(text.bytes);
            return;
        }
        handin->files = files;
        handin->room = room;
    }
    handin->files[handin->count++] =
        (struct batch_file){.path = batch_clean_name(path),
                            .time = time,
                            .text = text,
                            .problem = problem ? strdup(problem) : NULL};
}

void batch_handin_free(struct batch_handin *handin)
{
    for (size_t i = 0; i < handin->count; ++i) {
        free(handin->files[i].path);
        free(handin->files[i].text.bytes);
        free(handin->files[i].problem);
    }
    free(handin->files);
    free(handin->passed);
    *handin = (struct batch_handin){0};
}

bool batch_holds_nothing(const struct batch_file *file)
{
    if (file->problem)
        return strcmp(file->problem, BATCH_LINK) == 0 ||
               strcmp(file->problem, BATCH_EMPTY_ARCHIVE) == 0;
    return strspn(file->text.bytes, " \t\r\n") == file->text.size;
}

void batch_handin_pass(struct batch_handin *handin, const char *path)
{
    if (!handin->passed && !batch_is_ignored(path))
        handin->passed = strdup(path);
}

static void add_problem(struct batch_handin *handin, const char *path, int64_t time,
                        const char *problem)
{
    batch_handin_add(handin, path, time, (struct text){0}, problem);
}

/* Adds the existing file at PATH; SHOWN is its name in the hand-in. */
static void add_file(struct batch_handin *handin, const char *path, const char *shown, int64_t time)
{
    struct text text;
    char why[100];
    if (batch_is_archive(shown, NULL))
        batch_archive_read(path, shown, time, handin);
    else if (base_read_no_link(path, BATCH_SOURCE_BYTES, &text, why, sizeof why))
        batch_handin_add(handin, shown, time, text, NULL);
    else
        add_problem(handin, shown, time, why);
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static int64_t time_of(const FTSENT *entry)
{
    for (const FTSENT *at = entry; at->fts_level >= 0; at = at->fts_parent) {
        int64_t told = batch_time_in_name(at->fts_name);
        if (told)
            return told;
        if (at->fts_level == 0)
            break;
    }
    return entry->fts_statp->st_mtime;
}

/* Handles one entry of the folder: reads a source or an archive, and records a problem or a skipped
 * file. */
static void take_entry(struct batch_handin *handin, FTS *walk, FTSENT *entry, const char *shown)
{
    bool wanted = (batch_is_source(entry->fts_name) || batch_is_archive(entry->fts_name, NULL)) &&
                  !batch_is_ignored(shown);
    switch (entry->fts_info) {
    case FTS_F:
        if (wanted)
            add_file(handin, entry->fts_accpath, shown, time_of(entry));
        else
            batch_handin_pass(handin, shown);
        break;
    case FTS_SL:
    case FTS_SLNONE:
        if (wanted)
            add_problem(handin, shown, entry->fts_statp->st_mtime, BATCH_LINK);
        break;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        add_problem(handin, shown, 0, strerror(entry->fts_errno));
        break;
    case FTS_DEFAULT:
        if (wanted)
            add_problem(handin, shown, entry->fts_statp->st_mtime, "is not a regular file");
    }
}

static int by_path(const void *left, const void *right)
{
    return strcmp(((const struct batch_file *)left)->path,
                  ((const struct batch_file *)right)->path);
}

void batch_handin_read(const char *path, struct batch_handin *handin)
{
    char *roots[] = {(char *)path, NULL};
    const char *name = strrchr(path, '/');
    size_t entries = 0;
    FTSENT *entry;
    *handin = (struct batch_handin){0};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!walk)
        add_problem(handin, "", 0, strerror(errno));
    while (walk && (entry = fts_read(walk))) {
        const char *below = entry->fts_path + strlen(path);
        if (handin->count >= BATCH_HANDIN_FILES || ++entries > BATCH_HANDIN_ENTRIES) {
            add_problem(handin, "", 0, "has too many files; the rest were skipped");
            break;
        }
        take_entry(handin, walk, entry, *below == '/' ? below + 1 : name ? name + 1 : path);
    }
    if (walk)
        fts_close(walk);
    /* If nothing was found, report a file, so that the student is not listed as one without a
     * hand-in. */
    if (handin->count == 0 && handin->passed)
        add_problem(handin, handin->passed, 0, "is not a .cu file, and no .cu file is next to it");
    if (handin->count > 0)
        qsort(handin->files, handin->count, sizeof *handin->files, by_path);
}
