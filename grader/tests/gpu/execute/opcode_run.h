/* Makes a kernel of one row of the opcode tables and judges its results: for the tests, and for
 * the recorded answers of a GPU (hardware/answers.h). */
#ifndef TESTS_GPU_EXECUTE_OPCODE_RUN_H
#define TESTS_GPU_EXECUTE_OPCODE_RUN_H

#include <stdbool.h>

#include "tests/gpu/execute/opcode_rows.h"

/* The kernels "plain", "guarded" and "aliased" of one row, where the row has them, without a
 * header. Parameters: the addresses of 5 words per thread (a, b, c, e, old d) and of one word
 * per thread for d. The caller frees it. */
char *opcode_ptx(const struct opcode_row *row);

/* Whether GOT matches WANT for the row HEAD: the same bits, a NaN where any NaN is accepted, or
 * close enough for an approximation. */
bool opcode_is_right(const struct opcode_row *head, uint64_t got, uint64_t want);

#endif
