/* Makes the kernels of one row of the opcode tables, and judges the results. It is used by tests,
 * and to record the results of a GPU (hardware/answers.h). */
#ifndef TESTS_GPU_EXECUTE_OPCODE_RUN_H
#define TESTS_GPU_EXECUTE_OPCODE_RUN_H

#include <stdbool.h>

#include "tests/gpu/execute/opcode_rows.h"

/* Returns the PTX text, without a header, of the kernels "plain", "guarded" and "aliased" of one
 * row; a row may lack some of them. The kernels' parameters are two addresses: 5 words per thread
 * (a, b, c, e, old d), and one word per thread for d. The caller frees the text. */
char *opcode_ptx(const struct opcode_row *row);

/* Returns whether the result GOT is right for the row HEAD that expects WANT: the same bits, any
 * NaN where the row accepts it, or close enough for an approximation. */
bool opcode_is_right(const struct opcode_row *head, uint64_t got, uint64_t want);

#endif
