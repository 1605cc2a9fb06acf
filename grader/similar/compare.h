/* Decides whether two submissions have so much code in common that a human should compare them. The
 * functions are pure. */
#ifndef SIMILAR_COMPARE_H
#define SIMILAR_COMPARE_H

#include "similar/fingerprint.h"

/* A pair is shown because of its sources if they share at least SIMILAR_STATEMENTS_LEAST
 * statements, and these are at least the fraction SIMILAR_STATEMENTS_SHARE of all statements. A
 * pair with similar compiled kernels is shown even if it shares fewer statements. Kernels alone
 * prove little, because different short sources can compile to the same long code.
 * tests/similar/test_similar.c tests these limits on copies and on independent work.
 *
 * If submissions contain little code besides the skeleton's, no pair is shown: two people who solve
 * a lab of five lines write the same program. */
#define SIMILAR_STATEMENTS_LEAST 6u
#define SIMILAR_STATEMENTS_SHARE 0.75
/* the least number of shared statements if the kernels are alike */
#define SIMILAR_STATEMENTS_FEWER 5u
#define SIMILAR_STATEMENTS_LOWER 0.4 /* the least share of statements if the kernels are alike */
#define SIMILAR_KERNELS_LEAST    10u /* marks */
#define SIMILAR_KERNELS_SHARE    0.55
/* A submission that renames names in this many statements or more did so deliberately. Only
 * statements in functions that the skeleton already contains count. */
#define SIMILAR_RENAMED_LEAST 6u

enum similar_measure { SIMILAR_STATEMENTS, SIMILAR_KERNELS, SIMILAR_MEASURES };

/* A submission's own code, after the common code was subtracted (similar/fingerprint.h). */
struct similar_own_code {
    struct fingerprint fingerprints[SIMILAR_MEASURES];
};

/* Returns true if a human should look at this pair, and sets MEASURE to the reason. */
bool similar_compare(const struct similar_own_code *left, const struct similar_own_code *right,
                     enum similar_measure *measure);

#endif
