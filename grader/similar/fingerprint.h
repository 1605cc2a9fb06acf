/* A fingerprint is a set of hashes of pieces of a program, called marks. Similar programs share
 * many marks. similar/kernels.h makes the fingerprints of compiled kernels, and similar/source.h
 * those of sources.
 *
 * Code that all students have in common proves nothing. So the caller first subtracts the
 * fingerprints of the lab's skeleton, of its solution (the handout leads to it), and of code that
 * many students in the class share. The rest is a submission's own code. */
#ifndef SIMILAR_FINGERPRINT_H
#define SIMILAR_FINGERPRINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distinct marks in ascending order. Starts as {0}; fingerprint_free() frees it. */
struct fingerprint {
    uint64_t *marks;
    size_t count;
};

/* Appends MARK without keeping the order, which fingerprint_sort() restores. Returns false when out
 * of memory. */
bool fingerprint_append(struct fingerprint *fingerprint, uint64_t mark);
/* Sorts the marks and removes duplicates. */
void fingerprint_sort(struct fingerprint *fingerprint);
/* Compares two marks for qsort(). */
int fingerprint_compare_marks(const void *left, const void *right);

/* Adds all marks of OTHER. Returns false when out of memory; FINGERPRINT is unchanged then. */
bool fingerprint_join(struct fingerprint *fingerprint, const struct fingerprint *other);
/* Removes the marks that KNOWN has too. */
void fingerprint_subtract(struct fingerprint *fingerprint, const struct fingerprint *known);
void fingerprint_free(struct fingerprint *fingerprint);

/* Returns the number of marks that LEFT and RIGHT share. */
size_t fingerprint_shared(const struct fingerprint *left, const struct fingerprint *right);
/* Returns the number of shared marks divided by the number of marks of the larger fingerprint, or 0
 * if one is empty. */
double fingerprint_likeness(const struct fingerprint *left, const struct fingerprint *right);

/* Convert a fingerprint to a JSON string, and back. A malformed string reads as an empty
 * fingerprint. Return NULL or false when out of memory. */
json_t *fingerprint_json(const struct fingerprint *fingerprint);
bool fingerprint_read(const json_t *text, struct fingerprint *fingerprint);

#endif
