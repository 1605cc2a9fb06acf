/* Answers: the results of each mnemonic of the opcode tables for ten thousand operand sets, as
 * one number.
 *
 * The same kernels run on a GPU, whose results answers.tsv records, and on the emulator, which
 * must give the same bits. A row of the table is
 *
 *   exact  row  digest                   all results; all NaNs are equal where the form says so
 *   close  row  ulps  result result …    of approximations: the first results, in hex
 *
 * where row is mnemonic, form and text of the opcode table, separated by tabs. */
#ifndef TESTS_HARDWARE_ANSWERS_H
#define TESTS_HARDWARE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/gpu/execute/opcode_run.h"

#define ANSWERS_SETS  10240u /* operand sets of each mnemonic; one thread each */
#define ANSWERS_BLOCK 256u
#define ANSWERS_SLOTS 5u   /* words of input for each thread: a, b, c, e, old d */
#define ANSWERS_SHOWN 256u /* recorded results of an approximation */

/* The row's key in answers.tsv, including tabs; the caller frees it. */
char *answers_key(const struct opcode_row *row);

/* Visits every mnemonic once: the tables' rows, then atomics, shuffles and votes. */
typedef void answers_visitor(const struct opcode_row *row, void *context);
void answers_each(answers_visitor *visit, void *context);

/* The row's kernels; "plain" is the one to run. Parameters: the addresses of inputs and of
 * outputs. Without a header; the caller frees it. */
char *answers_ptx(const struct opcode_row *row);

/* Fills ANSWERS_SETS * ANSWERS_SLOTS words: the same on every machine, and for every mnemonic
 * except those of 16-bit floats. */
void answers_inputs(const struct opcode_row *row, uint64_t *inputs);

/* Whether GOT, for the operand A, is as good as a GPU's result WANT: by the table's row or,
 * where the PTX manual bounds the absolute error, if both can be that far from the exact value. */
bool answers_is_right(const struct opcode_row *row, uint64_t a, uint64_t got, uint64_t want);

/* One number for ANSWERS_SETS results. */
uint64_t answers_digest(const struct opcode_row *row, const uint64_t *outputs);

/* Runs the row's plain kernel on the emulator, for ANSWERS_SETS results. */
void answers_emulate(const struct opcode_row *row, const uint64_t *inputs, uint64_t *outputs);

#endif
