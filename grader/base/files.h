/* Small file operations: reading a whole file, replacing a file atomically, private folders, and
 * SHA-256. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_SIZE 65 /* a SHA-256 in lower-case hex, and a NUL */
#define PATH_SIZE 4096

struct text {
    char *bytes; /* the text, which may contain NULs, followed by a NUL; the caller frees it */
    size_t size; /* number of bytes without the final NUL */
};

/* Reads the regular file PATH, which may have at most MAX_BYTES bytes. On failure returns false,
 * sets TEXT->bytes to NULL, and writes a short reason such as "is a folder" to WHY (SIZE bytes). */
bool base_read_file(const char *path, size_t max_bytes, struct text *text, char *why, size_t size);

/* Does the same as base_read_file(), for a PATH that is not trusted. If PATH is a link, fails with
 * BASE_IS_LINK as the reason. */
#define BASE_IS_LINK "is a link: hand in the file itself"
bool base_read_no_link(const char *path, size_t max_bytes, struct text *text, char *why,
                       size_t size);

/* Replaces the file PATH by one that contains SIZE bytes. Writes a temporary file next to PATH and
 * renames it, so a half-written file is never visible. MODE is the new file's mode. On failure
 * returns false with the reason in errno, and leaves PATH unchanged. */
bool base_write_file(const char *path, const void *bytes, size_t size, unsigned mode);

/* Does the same as base_write_file(), for a PATH that a user has given. If PATH is a pipe, a device
 * or the like, such as /dev/stdout, writes to it instead of replacing it. */
bool base_write_output(const char *path, const void *bytes, size_t size, unsigned mode);

/* Removes the file that an earlier run has written to PATH. Leaves a pipe, a device or the like,
 * which base_write_output() would not replace. On failure returns false with the reason in
 * errno. */
bool base_remove_output(const char *path);

/* Returns whether this user can write BYTES bytes to FOLDER. Returns true if that is unknown. If it
 * returns false, errno is ENOSPC if the disk is full, or EDQUOT if the user's quota is used up. */
bool base_has_room(const char *folder, uint64_t bytes);

/* Returns the folder for temporary files: $TMPDIR or /tmp. If no program can be started there,
 * because it is mounted with noexec, returns /var/tmp or a folder in the user's cache. */
const char *base_temporary_folder(void);

/* Creates a folder that only this user can list, in the folder for temporary files. The first call
 * also removes the private folders that ended processes of this user have left there. On failure
 * returns false with the reason in errno. */
bool base_private_folder(char path[PATH_SIZE]);
/* Creates a folder in PARENT. Its name is PREFIX and six random characters. On failure returns
 * false with the reason in errno. */
bool base_new_folder(const char *parent, const char *prefix, char path[PATH_SIZE]);
/* Creates the folder PATH inside a private folder. On failure returns false with the reason in
 * errno. */
bool base_make_folder(const char *path);
/* Removes PATH and everything in it, without following links. */
void base_remove_tree(const char *path);

/* Formats a path. Returns false if it does not fit. */
bool base_path(char path[PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the part of PATH after its last slash. */
const char *base_name(const char *path);
/* Returns PATH relative to the working directory. Returns PATH unchanged if it is outside that
 * directory. */
const char *base_shorten_path(const char *path);

/* The state of a SHA-256 computation over several pieces of data. */
struct base_hash;
struct base_hash *base_hash_new(void); /* returns NULL when out of memory */
void base_hash_add(struct base_hash *hash, const void *bytes, size_t size);
void base_hash_end(struct base_hash *hash, char hex[HASH_SIZE]); /* frees HASH */
/* Writes the SHA-256 of TEXT, or "" when out of memory. */
void base_text_hash(const struct text *text, char hex[HASH_SIZE]);

/* Computes the HMAC-SHA256 of TEXT under KEY. */
#define BASE_HMAC_SIZE 32
void base_hmac(const void *key, size_t key_size, const char *text, uint8_t hmac[BASE_HMAC_SIZE]);

#endif
