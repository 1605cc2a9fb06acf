/* Explains which mistake makes a matrix wrong. Pure functions try simple hypotheses, such as "the
 * result is the transpose of the right result", and name the wrong rows or columns.
 *
 * A hypothesis is reported only if it fits all wrong numbers, and is very unlikely to fit them by
 * chance. */
#ifndef JUDGE_WRONG_MATRIX_H
#define JUDGE_WRONG_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* An input matrix of the same size as the result. */
struct judge_input {
    const char *name;
    const float *values; /* NULL at the end of a list */
};

#define JUDGE_INPUTS 4
#define JUDGE_SIDES  8

struct judge_matrix {
    size_t height, width;
    const float *got;
    const double *want;
    /* the largest error allowed for each number, or NULL if no error is allowed */
    const double *bounds;
    /* result of a second run in which newly allocated memory had other contents, or NULL if
     * unknown */
    const float *again;
    /* main() got another input than the kernels, but the same input in the second run */
    bool hides;
    struct judge_input inputs[JUDGE_INPUTS + 1];
    size_t threads;      /* threads in a block of the launch, or 0 if unknown */
    size_t grid_threads; /* threads in each launch, or 0 if unknown or not always the same */
    /* for the only launch, blocks of the grid and threads of a block, in x and in y; otherwise 0 */
    size_t grid[2], block[2];
    /* sizes above 1 of the blocks of all launches, in x or in y; 0 ends the list */
    size_t sides[JUDGE_SIDES + 1];
};

/* Writes explanations, separated by semicolons. Returns false if no hypothesis fits. */
bool judge_wrong_matrix(const struct judge_matrix *matrix, char *text, size_t size);

/* Returns whether the result is OTHER: each number is within the error bound of the number in
 * OTHER, and this is very unlikely by chance. */
bool judge_is_matrix(const struct judge_matrix *matrix, const double *other);

#endif
