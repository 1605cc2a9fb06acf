/* Answers are the results of each mnemonic of the opcode tables for ten thousand operand sets,
 * reduced to one number (the digest).
 *
 * The same kernels run on a GPU, whose results are in answers.tsv, and on the emulator, which must
 * compute the same bits. A row of answers.tsv is
 *
 *   exact  row  digest                   of all results; NaNs are equal if the form says so
 *   close  row  ulps  result result …    the first results of an approximation, in hex
 *
 * where row is the mnemonic, form and text of a row of the opcode table, separated by tabs. */
#ifndef TESTS_HARDWARE_ANSWERS_H
#define TESTS_HARDWARE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/gpu/execute/opcode_run.h"

#define ANSWERS_SETS  10240u /* operand sets of each mnemonic; each has its own thread */
#define ANSWERS_BLOCK 256u
#define ANSWERS_SLOTS 5u   /* words of input for each thread: a, b, c, e, old d */
#define ANSWERS_SHOWN 256u /* number of results recorded for an approximation */

/* Returns the row's key in answers.tsv, including tabs. The caller frees it. */
char *answers_key(const struct opcode_row *row);

/* Visits every mnemonic once: the tables' rows, then atomics, shuffles and votes. */
typedef void answers_visitor(const struct opcode_row *row, void *context);
void answers_each(answers_visitor *visit, void *context);

/* Returns PTX text with the row's kernels, without the header. Only the kernel "plain" is to be
 * run. Its parameters are the addresses of the inputs and of the outputs. The caller frees the
 * text. */
char *answers_ptx(const struct opcode_row *row);

/* Fills ANSWERS_SETS * ANSWERS_SLOTS words. They are the same on every machine, and for all
 * mnemonics except those of 16-bit floats. */
void answers_inputs(const struct opcode_row *row, uint64_t *inputs);

/* Returns the next number of a sequence (splitmix64), and advances its STATE. */
uint64_t answers_random(uint64_t *state);

/* Returns whether the result GOT for the operand A is as good as the GPU's result WANT. The row of
 * the table has the allowed difference. If the PTX manual allows an absolute error instead, both
 * results may differ that much from the exact value. */
bool answers_is_right(const struct opcode_row *row, uint64_t a, uint64_t got, uint64_t want);

/* Reduces ANSWERS_SETS results to one number. */
uint64_t answers_digest(const struct opcode_row *row, const uint64_t *outputs);

/* Runs the row's plain kernel on the emulator, for ANSWERS_SETS results. */
void answers_emulate(const struct opcode_row *row, const uint64_t *inputs, uint64_t *outputs);

#endif
