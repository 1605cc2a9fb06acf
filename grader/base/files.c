/* Handles files and folders. The nettle library computes the hashes. */
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool base_path(char path[PATH_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, PATH_SIZE, format, arguments);
    va_end(arguments);
    return length >= 0 && length < PATH_SIZE;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *base_shorten_path(const char *path)
{
    char here[PATH_SIZE];
    size_t length;
    if (!getcwd(here, sizeof here))
        return path;
    length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

/* --- reading ---------------------------------------------------------------------------------- */

static const char *describe_type(mode_t mode)
{
    return S_ISDIR(mode) ? "is a folder" : "is not a regular file";
}

/* Reads SIZE bytes, or fewer if the file ends earlier. Sets *TOTAL to the number of bytes read. */
static bool read_up_to(int fd, char *bytes, size_t size, size_t *total)
{
    *total = 0;
    while (*total < size) {
        ssize_t got = read(fd, bytes + *total, size - *total);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        *total += (size_t)got;
    }
    return true;
}

/* Reads the open file FD. Returns NULL, or a description of the error. If the description needs a
 * buffer, it is in TOO_LARGE (SIZE bytes). */
static const char *read_open_file(int fd, size_t max_bytes, struct text *text, char *too_large,
                                  size_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return describe_type(status.st_mode);
    if ((uint64_t)status.st_size > max_bytes) {
        snprintf(too_large, size, "is too large: it has %lld bytes, and the limit is %zu",
                 (long long)status.st_size, max_bytes);
        return too_large;
    }
    text->bytes = malloc((size_t)status.st_size + 1);
    if (!text->bytes)
        return "is too large to fit into memory";
    if (!read_up_to(fd, text->bytes, (size_t)status.st_size, &text->size))
        return strerror(errno);
    text->bytes[text->size] = 0;
    return NULL;
}

static bool read_file(const char *path, int flags, size_t max_bytes, struct text *text, char *why,
                      size_t size)
{
    *text = (struct text){0};
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
    const char *wrong;
    char too_large[100];
    if (fd < 0)
        wrong = errno == ENOENT                         ? "does not exist"
                : errno == EACCES                       ? "cannot be read: permission denied"
                : errno == ELOOP && flags == O_NOFOLLOW ? BASE_IS_LINK
                                                        : strerror(errno);
    else
        wrong = read_open_file(fd, max_bytes, text, too_large, sizeof too_large);
    if (wrong) {
        snprintf(why, size, "%s", wrong);
        free(text->bytes);
        *text = (struct text){0};
    }
    if (fd >= 0)
        close(fd);
    return !wrong;
}

bool base_read_file(const char *path, size_t max_bytes, struct text *text, char *why, size_t size)
{
    return read_file(path, 0, max_bytes, text, why, size);
}

bool base_read_no_link(const char *path, size_t max_bytes, struct text *text, char *why,
                       size_t size)
{
    return read_file(path, O_NOFOLLOW, max_bytes, text, why, size);
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool base_write_file(const char *path, const void *bytes, size_t size, unsigned mode)
{
    char temporary[PATH_SIZE];
    if (!base_path(temporary, "%s.XXXXXX", path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = write_all(fd, bytes, size) && fchmod(fd, mode) == 0;
    good = close(fd) == 0 && good;
    if (good && rename(temporary, path) == 0)
        return true;
    int reason = errno;
    unlink(temporary);
    errno = reason;
    return false;
}

/* Tries to allocate a temporary file of BYTES bytes in FOLDER. Returns 0 on success, or the errno.
 * There is no other way to find out whether the user's quota is used up. On NFS, the error can come
 * as late as fsync(). */
static int try_to_write(const char *folder, uint64_t bytes)
{
    char path[PATH_SIZE];
    if (!base_path(path, "%s/XXXXXX", folder))
        return ENAMETOOLONG;
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return errno;
    int reason = fallocate(fd, 0, 0, (off_t)bytes) == 0 ? 0 : errno;
    if (reason == EOPNOTSUPP) {
        reason = posix_fallocate(fd, 0, (off_t)bytes);
        if (reason == 0 && fsync(fd) != 0)
            reason = errno;
    }
    close(fd);
    unlink(path);
    return reason;
}

bool base_has_room(const char *folder, uint64_t bytes)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < bytes) {
        errno = ENOSPC;
        return false;
    }
    int reason = try_to_write(folder, bytes);
    errno = reason;
    return reason != ENOSPC && reason != EDQUOT;
}

/* Returns whether base_write_output() replaces PATH by a new file. It does not replace pipes,
 * devices and links to descriptors, but writes to them. */
static bool is_replaced(const char *path)
{
    struct stat status, link;
    return stat(path, &status) != 0 || lstat(path, &link) != 0 ||
           (S_ISREG(status.st_mode) && (S_ISREG(link.st_mode) || strncmp(path, "/dev/", 5) != 0));
}

bool base_remove_output(const char *path)
{
    return !is_replaced(path) || unlink(path) == 0 || errno == ENOENT;
}

/* Writes an output file. PATH must be in a folder to which submissions cannot write. Otherwise they
 * could put a pipe or a link there. */
bool base_write_output(const char *path, const void *bytes, size_t size, unsigned mode)
{
    if (is_replaced(path))
        return base_write_file(path, bytes, size, mode);
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool good = write_all(fd, bytes, size);
    return close(fd) == 0 && good;
}

/* --- folders ---------------------------------------------------------------------------------- */

/* Lets the sandbox enter the folder. If the grader is root, each sandbox runs as a separate
 * user, who must be able to enter it. Other users can still neither list the folder nor guess
 * its name. */
static bool let_sandbox_enter(const char *path)
{
    return geteuid() != 0 || chmod(path, 0711) == 0;
}

bool base_new_folder(const char *parent, const char *prefix, char path[PATH_SIZE])
{
    if (!base_path(path, "%s/%sXXXXXX", parent, prefix)) {
        errno = ENAMETOOLONG;
        return false;
    }
    return mkdtemp(path) != NULL && let_sandbox_enter(path);
}

bool base_make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 && let_sandbox_enter(path);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    remove(path);
    return 0;
}

/* --- private folders -------------------------------------------------------------------------- */

/* If a process is killed, its private folders remain, and a later process deletes them. The process
 * that made a folder holds a lock on it (flock), which its children inherit. So a folder is
 * abandoned if its lock is free. A process id in the name would not be enough, because containers
 * that share /tmp number their processes independently. */
#define PRIVATE "lanewise-work-"

static int locks[8]; /* descriptors of this process's private folders, or 0 for a free slot */
#define LOCKS (sizeof locks / sizeof *locks)

static bool is_open_at(int fd, const char *path)
{
    struct stat there, opened;
    return lstat(path, &there) == 0 && fstat(fd, &opened) == 0 && there.st_dev == opened.st_dev &&
           there.st_ino == opened.st_ino;
}

/* Returns whether the process that made the open folder has ended. If the file system has no locks,
 * as on NFS, the folder counts as abandoned when nothing in it has been created or removed for a
 * day. */
static bool is_abandoned(int fd)
{
    struct stat status;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    return errno != EWOULDBLOCK && fstat(fd, &status) == 0 &&
           time(NULL) - status.st_mtime > 24 * 3600;
}

/* Removes the folder PATH in a child process that runs as OWNER. While the folder is removed, OWNER
 * could replace parts of it by links, so this must not run with more rights than OWNER has. */
static void remove_as(uid_t owner, const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        if (setgroups(0, NULL) == 0 && setresgid(owner, owner, owner) == 0 &&
            setresuid(owner, owner, owner) == 0)
            base_remove_tree(path);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Removes the folder NAME in PARENT if the process that made it has ended. Never follows a link. If
 * root's grading was killed, the folder may still belong to the user as whom its sandbox ran. */
static void sweep_one(const char *parent, const char *name)
{
    char path[PATH_SIZE];
    struct stat status;
    if (!base_path(path, "%s/%s", parent, name) || lstat(path, &status) != 0 ||
        (status.st_uid != geteuid() && geteuid() != 0))
        return;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_abandoned(fd) && is_open_at(fd, path)) {
        if (status.st_uid == geteuid())
            base_remove_tree(path);
        else
            remove_as(status.st_uid, path);
    }
    close(fd);
}

static void sweep(const char *parent)
{
    DIR *folder = opendir(parent);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strncmp(entry->d_name, PRIVATE, strlen(PRIVATE)) == 0)
            sweep_one(parent, entry->d_name);
    if (folder)
        closedir(folder);
}

/* Opens and locks the new folder PATH. Returns its descriptor, or -1 with the reason in errno.
 * ENOENT means that another process has deleted the folder meanwhile. */
static int lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    if (is_open_at(fd, path)) /* true even if the file system does not support locks */
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

static bool can_start_programs(const char *path)
{
    struct statvfs disk;
    return statvfs(path, &disk) == 0 && !(disk.f_flag & ST_NOEXEC) && access(path, W_OK) == 0;
}

const char *base_temporary_folder(void)
{
    static char cache[PATH_SIZE];
    const char *named = getenv("TMPDIR"), *home = getenv("HOME");
    const char *first = named && named[0] == '/' ? named : "/tmp";
    if (access(first, W_OK) != 0 || can_start_programs(first))
        return first;
    if (can_start_programs("/var/tmp"))
        return "/var/tmp";
    if (!home || !base_path(cache, "%s/.cache", home))
        return first;
    mkdir(cache, 0700);
    return can_start_programs(cache) ? cache : first;
}

bool base_private_folder(char path[PATH_SIZE])
{
    static bool swept;
    const char *parent = base_temporary_folder();
    size_t i = 0;
    while (i < LOCKS && locks[i])
        ++i;
    if (i == LOCKS || !base_path(path, "%s/" PRIVATE "XXXXXX", parent)) {
        errno = i == LOCKS ? EMFILE : ENAMETOOLONG;
        return false;
    }
    if (!swept)
        sweep(parent);
    swept = true;
    while (mkdtemp(path)) {
        int fd = lock_folder(path);
        if (fd >= 0) {
            locks[i] = fd;
            return let_sandbox_enter(path);
        }
        if (errno != ENOENT)
            return false;
        memcpy(path + strlen(path) - 6, "XXXXXX", 6);
    }
    return false;
}

void base_remove_tree(const char *path)
{
    size_t i = 0;
    while (i < LOCKS && !(locks[i] && is_open_at(locks[i], path)))
        ++i;
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (i < LOCKS) {
        close(locks[i]);
        locks[i] = 0;
    }
}

/* --- hashes ----------------------------------------------------------------------------------- */

struct base_hash {
    struct sha256_ctx state;
};

struct base_hash *base_hash_new(void)
{
    struct base_hash *hash = malloc(sizeof *hash);
    if (hash)
        sha256_init(&hash->state);
    return hash;
}

void base_hash_add(struct base_hash *hash, const void *bytes, size_t size)
{
    sha256_update(&hash->state, size, bytes);
}

void base_hash_end(struct base_hash *hash, char hex[HASH_SIZE])
{
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_digest(&hash->state, sizeof digest, digest);
    base16_encode_update(hex, sizeof digest, digest);
    hex[HASH_SIZE - 1] = '\0';
    free(hash);
}

void base_text_hash(const struct text *text, char hex[HASH_SIZE])
{
    struct base_hash *hash = base_hash_new();
    hex[0] = 0;
    if (!hash)
        return;
    base_hash_add(hash, text->bytes, text->size);
    base_hash_end(hash, hex);
}

void base_hmac(const void *key, size_t key_size, const char *text, uint8_t hmac[BASE_HMAC_SIZE])
{
    struct hmac_sha256_ctx state;
    hmac_sha256_set_key(&state, key_size, key);
    hmac_sha256_update(&state, strlen(text), (const uint8_t *)text);
    hmac_sha256_digest(&state, BASE_HMAC_SIZE, hmac);
    explicit_bzero(&state, sizeof state);
}
