/* Does the arithmetic of tensor cores: d = a * b + c. */
#ifndef GPU_EXECUTE_TENSOR_H
#define GPU_EXECUTE_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/ptx/module.h"

#define TENSOR_MOST 1024u /* numbers in the largest matrix, which is 16 x 64 */

struct tensor_product {
    unsigned m, n, k;       /* for b1, k counts 32-bit words */
    unsigned step;          /* number of products of floats that one step adds */
    enum ptx_type types[4]; /* types of d, a, b and c */
    bool saturates;         /* sums of integers saturate */
    bool is_quad;           /* one of the four products of mma.m8n8k4 of f16 */
    bool is_and;            /* for b1: counts the bits of a & b instead of a ^ b */
};

/* Multiplies matrices, given as arrays of the numbers' bits. a, c and d are stored row by row, b
 * column by column. */
void tensor_multiply(const struct tensor_product *product, const uint64_t *a, const uint64_t *b,
                     const uint64_t *c, uint64_t *d);

#endif
