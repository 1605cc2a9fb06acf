/* Reads and writes the case and result files by which the grader and a submission exchange named
 * arrays of numbers.
 *
 * shared/lab.h describes the format and implements the submission's side. This module is the
 * grader's side. A file may come from a broken or hostile program. So every size in it is checked
 * before use, and files larger than the caller allows are rejected. */
#ifndef RECORD_CASE_H
#define RECORD_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum case_type { CASE_INT = 1, CASE_FLOAT = 2, CASE_DOUBLE = 3, CASE_U64 = 4, CASE_BYTE = 5 };

#define CASE_NAME_SIZE  24 /* maximum number of bytes of a name, including its NUL */
#define CASE_MAX_ARRAYS 32

struct case_array {
    char name[CASE_NAME_SIZE];
    enum case_type type;
    size_t count;       /* number of elements */
    const void *values; /* belongs to the case; aligned to 8 bytes */
};

struct case_data;

/* Returns an empty case, or NULL when out of memory. */
struct case_data *case_new(void);
void case_free(struct case_data *data); /* accepts NULL */

/* Appends an array with a copy of COUNT values. Fails if memory runs out, if there are too many
 * arrays, or if the name is too long or already used. */
bool case_add(struct case_data *data, const char *name, enum case_type type, const void *values,
              size_t count);
/* Appends an array and returns the memory for its values, which the caller must fill in before the
 * next call. Returns NULL if case_add() would fail. */
void *case_add_room(struct case_data *data, const char *name, enum case_type type, size_t count);

/* Returns the array NAME, or NULL. */
const struct case_array *case_find(const struct case_data *data, const char *name);
/* case_int() returns the first number of the array NAME, of type CASE_INT. case_floats() returns
 * all numbers of the array NAME, of type CASE_FLOAT. The array must exist. */
int case_int(const struct case_data *data, const char *name);
const float *case_floats(const struct case_data *data, const char *name);

/* Returns the total number of bytes of the elements of all arrays. */
size_t case_bytes(const struct case_data *data);

/* Returns array number INDEX, counted from 0, or NULL if there is none. */
const struct case_array *case_at(const struct case_data *data, size_t index);

/* Writes the case to PATH. Fails if PATH exists. On failure returns false with the reason in
 * errno. */
bool case_write(const struct case_data *data, const char *path);

/* Reads PATH, a regular file of at most MAX_BYTES bytes. On failure returns NULL, and ERROR (SIZE
 * bytes) gets a short description such as "is empty" or "is cut off or malformed". */
struct case_data *case_read(const char *path, size_t max_bytes, char *error, size_t size);

/* Returns the bytes of one element of TYPE, or 0 if there is no such type. */
size_t case_type_size(enum case_type type);

#endif
