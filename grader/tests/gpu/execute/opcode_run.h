/* One row of the opcode tables as a kernel, and its results judged: for the tests, and for the record
 * of a GPU's answers (hardware/answers.h). */
#ifndef TESTS_GPU_EXECUTE_OPCODE_RUN_H
#define TESTS_GPU_EXECUTE_OPCODE_RUN_H

#include <stdbool.h>

#include "tests/gpu/execute/opcode_rows.h"

/* The kernels "plain", "guarded" and "aliased" of one row, as far as it has them, without a header.
 * Parameters: the addresses of 5 words a thread (a, b, c, e, old d) and of one word a thread for d.
 * The caller frees it. */
char *opcode_ptx(const struct opcode_row *row);

/* Whether GOT is as good as WANT for the row HEAD: the same bits, a NaN where any will do, or close
 * enough for an approximation. */
bool opcode_is_right(const struct opcode_row *head, uint64_t got, uint64_t want);

#endif
