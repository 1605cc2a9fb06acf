/* A fingerprint is a set of hashes of pieces of a program. Such a hash is called a mark. Similar
 * programs have many marks in common. similar/kernels.h makes the fingerprints of compiled kernels,
 * and similar/source.h those of sources.
 *
 * Code that all students have in common proves nothing. So the caller first subtracts the
 * fingerprints of the lab's skeleton, of its solution (to which the handout leads), and of code
 * that many students in the class share. The rest is the submission's own code. */
#ifndef SIMILAR_FINGERPRINT_H
#define SIMILAR_FINGERPRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distinct marks in ascending order. Must be initialised with {0}, and freed by
 * fingerprint_free(). */
struct fingerprint {
    uint64_t *marks;
    size_t count;
};

/* Appends MARK at the end. fingerprint_sort() must be called afterwards. Returns false when out of
 * memory. */
bool fingerprint_append(struct fingerprint *fingerprint, uint64_t mark);
/* Sorts the marks and removes duplicates. */
void fingerprint_sort(struct fingerprint *fingerprint);
/* Compares two marks for qsort(). */
int fingerprint_compare_marks(const void *left, const void *right);

/* Adds all marks of OTHER. If memory runs out, returns false and leaves FINGERPRINT unchanged. */
bool fingerprint_join(struct fingerprint *fingerprint, const struct fingerprint *other);
/* Removes all marks that are also in KNOWN. */
void fingerprint_subtract(struct fingerprint *fingerprint, const struct fingerprint *known);
void fingerprint_free(struct fingerprint *fingerprint);

/* Returns the number of marks that are in both LEFT and RIGHT. */
size_t fingerprint_shared(const struct fingerprint *left, const struct fingerprint *right);
/* Returns the number of shared marks divided by the number of marks of the larger fingerprint, or 0
 * if one is empty. */
double fingerprint_likeness(const struct fingerprint *left, const struct fingerprint *right);

/* fingerprint_json() converts a fingerprint to a JSON string, and returns NULL when out of memory.
 * fingerprint_read() converts it back, and returns false when out of memory. It reads a malformed
 * string as an empty fingerprint. */
json_t *fingerprint_json(const struct fingerprint *fingerprint);
bool fingerprint_read(const json_t *text, struct fingerprint *fingerprint);

#endif
