/* Small file jobs: read a whole file, write one atomically, private folders, hashes. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_SIZE 65 /* SHA-256 in lower-case hex, and a NUL */
#define PATH_SIZE 4096

struct text {
    char *bytes; /* NUL-terminated; may hold NUL bytes before that; the caller frees it */
    size_t size; /* without the NUL */
};

/* Reads the regular file PATH of at most MAX_BYTES. False: WHY (SIZE bytes) says why in a few words,
 * such as "is a folder", and TEXT->bytes is NULL. */
bool base_read_file(const char *path, size_t max_bytes, struct text *text, char *why, size_t size);

/* Replaces PATH by SIZE bytes: into a new file beside it, then renamed, so that nobody ever sees a
 * half-written one. MODE is that of the new file. False: errno says why, and PATH is unchanged. */
bool base_write_file(const char *path, const void *bytes, size_t size, unsigned mode);

/* The same for a PATH that a user named: what is no ordinary file there, such as /dev/stdout or a pipe, is
 * written to and not replaced. */
bool base_write_output(const char *path, const void *bytes, size_t size, unsigned mode);

/* Is there room for BYTES more on PATH's disk? */
bool base_has_room(const char *path, uint64_t bytes);

/* Makes a folder that only this user can enter, in $TMPDIR or /tmp. False: errno says why. */
bool base_private_folder(char path[PATH_SIZE]);
/* Makes a folder in PARENT that no other has been, called PREFIX and six random characters. False: errno says why. */
bool base_new_folder(const char *parent, const char *prefix, char path[PATH_SIZE]);
/* Makes a folder inside of one. False: errno says why. */
bool base_make_folder(const char *path);
/* Removes PATH and what is in it, without following links. */
void base_remove_tree(const char *path);

/* Formats a path. False if it does not fit. */
bool base_path(char path[PATH_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A SHA-256 that grows with each piece. */
struct base_hash;
struct base_hash *base_hash_new(void); /* NULL when out of memory */
void base_hash_add(struct base_hash *hash, const void *bytes, size_t size);
void base_hash_end(struct base_hash *hash, char hex[HASH_SIZE]); /* frees it */
/* The SHA-256 of TEXT; "" when out of memory. */
void base_text_hash(const struct text *text, char hex[HASH_SIZE]);

#endif
