/* Decides whether two submissions have so much code in common that a person should compare them.
 * The functions have no side effects. */
#ifndef SIMILAR_COMPARE_H
#define SIMILAR_COMPARE_H

#include "similar/fingerprint.h"

/* A pair of submissions is reported because of its sources if it shares at least
 * SIMILAR_STATEMENTS_LEAST statements, and these are at least the fraction SIMILAR_STATEMENTS_SHARE
 * of all. If the compiled kernels are similar, fewer shared statements are enough. Similar kernels
 * alone prove little, because different short sources can compile to the same long code.
 * tests/similar/test_similar.c tests these limits with copies and with independent work.
 *
 * If the submissions add little code to the skeleton, no pair is reported: two people who solve a
 * lab of five lines write the same program. */
#define SIMILAR_STATEMENTS_LEAST 6u
#define SIMILAR_STATEMENTS_SHARE 0.75
/* minimum number of shared statements if the kernels are similar */
#define SIMILAR_STATEMENTS_FEWER 5u
/* minimum fraction of shared statements if the kernels are similar */
#define SIMILAR_STATEMENTS_LOWER 0.4
#define SIMILAR_KERNELS_LEAST    10u /* marks */
#define SIMILAR_KERNELS_SHARE    0.55
/* At least this many statements with changed names show that names were changed deliberately.
 * Counts only statements of functions that the skeleton already contains. */
#define SIMILAR_RENAMED_LEAST 6u

enum similar_measure { SIMILAR_STATEMENTS, SIMILAR_KERNELS, SIMILAR_MEASURES };

/* The code of a submission without the common code, which has been subtracted
 * (similar/fingerprint.h). */
struct similar_own_code {
    struct fingerprint fingerprints[SIMILAR_MEASURES];
};

/* Returns whether a person should compare this pair. If so, sets MEASURE to the reason. */
bool similar_compare(const struct similar_own_code *left, const struct similar_own_code *right,
                     enum similar_measure *measure);

#endif
