#include "similar/compare.h"

/* Returns whether LEFT and RIGHT share at least LEAST hashes ("marks"), and at least the fraction
 * SHARE of all. */
static bool share_enough(const struct fingerprint *left, const struct fingerprint *right,
                         size_t least, double share)
{
    return fingerprint_shared(left, right) >= least && fingerprint_likeness(left, right) >= share;
}

bool similar_compare(const struct similar_own_code *left, const struct similar_own_code *right,
                     enum similar_measure *measure)
{
    const struct fingerprint *one = left->fingerprints, *other = right->fingerprints;
    bool kernels = share_enough(&one[SIMILAR_STATEMENTS], &other[SIMILAR_STATEMENTS],
                                SIMILAR_STATEMENTS_FEWER, SIMILAR_STATEMENTS_LOWER) &&
                   share_enough(&one[SIMILAR_KERNELS], &other[SIMILAR_KERNELS],
                                SIMILAR_KERNELS_LEAST, SIMILAR_KERNELS_SHARE);
    *measure = kernels ? SIMILAR_KERNELS : SIMILAR_STATEMENTS;
    return kernels || share_enough(&one[SIMILAR_STATEMENTS], &other[SIMILAR_STATEMENTS],
                                   SIMILAR_STATEMENTS_LEAST, SIMILAR_STATEMENTS_SHARE);
}
