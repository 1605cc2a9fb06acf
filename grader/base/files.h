/* Provides small file operations: reading a whole file, replacing a file atomically, private
 * folders, and SHA-256. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_SIZE 65 /* a SHA-256 in lower-case hex, and a NUL */
#define PATH_SIZE 4096

struct text {
    char *bytes; /* a NUL follows the text, which may itself contain NULs; the caller frees it */
    size_t size; /* without the final NUL */
};

/* Reads the regular file PATH of at most MAX_BYTES. On failure returns false; WHY (SIZE bytes) then
 * gets a short reason such as "is a folder", and TEXT->bytes is NULL. */
bool base_read_file(const char *path, size_t max_bytes, struct text *text, char *why, size_t size);

/* Does the same as base_read_file(), for a PATH that somebody else may have made. If PATH is a
 * link, does not follow it, but fails with BASE_IS_LINK as WHY. */
#define BASE_IS_LINK "is a link: hand in the file itself"
bool base_read_no_link(const char *path, size_t max_bytes, struct text *text, char *why,
                       size_t size);

/* Replaces the file PATH by one that contains SIZE bytes. Writes a temporary file next to PATH and
 * renames it, so a half-written file is never visible. MODE is the new file's mode. On failure
 * returns false with the reason in errno, and leaves PATH unchanged. */
bool base_write_file(const char *path, const void *bytes, size_t size, unsigned mode);

/* Does the same as base_write_file(), for a PATH that a user named. If PATH is /dev/stdout, a pipe
 * or the like, writes to it instead of replacing it. */
bool base_write_output(const char *path, const void *bytes, size_t size, unsigned mode);

/* Removes the output of an earlier run at PATH, unless base_write_output() would not replace it. On
 * failure returns false with the reason in errno. */
bool base_remove_output(const char *path);

/* Returns true if this user can write BYTES bytes into FOLDER, or if that is unknown. Otherwise
 * errno is ENOSPC if the disk is full, and EDQUOT if the user's quota is used up. */
bool base_has_room(const char *folder, uint64_t bytes);

/* Returns the folder for temporary files: $TMPDIR or /tmp. If no program can be started there,
 * because it is mounted with noexec, returns /var/tmp or a folder in the user's cache. */
const char *base_temporary_folder(void);

/* Makes a folder that only this user can list, in the folder for temporary files. The first call
 * also removes the private folders that dead processes of this user left there. On failure returns
 * false with the reason in errno. */
bool base_private_folder(char path[PATH_SIZE]);
/* Makes a new folder in PARENT, named PREFIX and six random characters. On failure returns false
 * with the reason in errno. */
bool base_new_folder(const char *parent, const char *prefix, char path[PATH_SIZE]);
/* Makes the folder PATH inside a private folder. On failure returns false with the reason in
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

/* Computes the SHA-256 of several pieces of data. */
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
