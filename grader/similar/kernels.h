/* How much of the code of two submissions is the same? Pure functions over PTX.
 *
 * Names, layout and comments are easily changed, and PTX has lost them. What is compared is windows of
 * WINDOW instructions. Inside of one, registers, labels and names are numbered in the order in which
 * they appear there, so that code which is renamed, or moved as a whole, has the same windows:
 *
 *     ld.global.u32 %r7, [%rd9];  mad.lo.s32 %r8, %r7, %r7, %r8;   -> ld.global.u32 a,[b];mad.lo.s32 c,a,a,c
 *
 * Of their hashes some are kept, the print, in such a way that a run of WINDOW + STEP - 1 equal
 * instructions is sure to leave an equal one ("winnowing", Schleimer, Wilkerson and Aiken 2003).
 *
 * What everybody has proves nothing: the caller takes off the prints of the lab's skeleton and of its
 * solution, to which the handout leads, and what too many in the class have in common. What is left is a
 * submission's own. Where that is too little, nothing is said: two people who solve a lab of five lines
 * well write the same program. */
#ifndef SIMILAR_KERNELS_H
#define SIMILAR_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FINGERPRINT_TEXT (4u << 20) /* longer PTX is not looked at: no student writes that */

/* The sum of all: kernels are near if they have so many marks in common that nobody else has, and so large a share
 * of both prints. similar/source.h says what else it takes until a pair is shown. */
#define FINGERPRINT_MARKS 10u
#define FINGERPRINT_LINE  0.55

/* Distinct hashes in ascending order. Begins as {0}; fingerprint_free() frees it. */
struct fingerprint {
    uint64_t *marks;
    size_t count;
};

/* Adds the marks of PTX (SIZE bytes). False: out of memory, or the text is too long; PRINT is as it was. */
bool fingerprint_add(struct fingerprint *print, const char *ptx, size_t size);
/* Adds one mark, or all marks of OTHER. False: out of memory. */
bool fingerprint_join(struct fingerprint *print, const struct fingerprint *other);
/* Takes off those that KNOWN has, too. */
void fingerprint_subtract(struct fingerprint *print, const struct fingerprint *known);
void fingerprint_free(struct fingerprint *print);

/* How many marks both have. */
size_t fingerprint_shared(const struct fingerprint *left, const struct fingerprint *right);
/* That, as a share of the larger print, from 0 to 1; 0 if one is empty. */
double fingerprint_likeness(const struct fingerprint *left, const struct fingerprint *right);
/* Are these near? */
bool fingerprint_near(const struct fingerprint *left, const struct fingerprint *right);

#endif
