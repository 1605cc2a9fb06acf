/* What is wrong with a matrix? A pure function that tries small hypotheses, such as "equal to the
 * transpose", and names the rows or columns that are wrong.
 *
 * A hypothesis is told only if it fits all wrong numbers, and if it would hardly fit them by
 * chance. */
#ifndef JUDGE_WRONG_MATRIX_H
#define JUDGE_WRONG_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* An input of the same size. */
struct judge_input {
    const char *name;
    const float *values; /* NULL: the end of a list */
};

#define JUDGE_INPUTS 4

struct judge_matrix {
    size_t height, width;
    const float *got;
    const double *want;
    const double *bounds; /* the largest error of each; NULL: 0 */
    const float *again;   /* what another run handed in, with other fresh memory; NULL: unknown */
    struct judge_input inputs[JUDGE_INPUTS + 1];
};

/* Writes explanations, separated by semicolons. False: there is none. */
bool judge_wrong_matrix(const struct judge_matrix *matrix, char *text, size_t size);

/* Whether OTHER explains the result: all numbers are near OTHER's, and hardly by chance. */
bool judge_is_matrix(const struct judge_matrix *matrix, const double *other);

#endif
