/* The format of the tables in opcodes_*.inc, and the functions that run them.
 *
 *   ROW("add.s32", "w=ww")               a mnemonic, and the types of its result and operands:
 *                                        d = a, b, c, e
 *       V2(1, 2, 3) V2(5, 6, 11)         its operand sets: a, b, and the expected d
 *   ROWT("mov.b64", "d=ww", "@mov.b64 d, {a, b};")   the instruction's text, if it is not simply
 *                                        "mnemonic d, a, b;"; @ is replaced by the guard
 *   ROWU("ex2.approx.f32", "w=w", 4)     the result may be off by 4 units in the last place
 *   ROWTU("…", "h=w", 2, "…")            both
 *
 * Types are letters: h, w, d are 16, 32 and 64 bits, p is a predicate (0 or 1). Results can also be
 * F or D (w or d, where any NaN is accepted) or P (a pair of predicates p|q, as p + 2 q). */
#ifndef TESTS_GPU_EXECUTE_OPCODE_ROWS_H
#define TESTS_GPU_EXECUTE_OPCODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "tests/support/emulator_fixture.h"

struct opcode_row {
    const char *name; /* NULL if this is another operand set of the row before */
    const char *form, *text;
    uint64_t ulps;
    uint64_t in[4], want;
};

#define ROW(name, form)               {name, form, NULL, 0, {0}, 0},
#define ROWT(name, form, text)        {name, form, text, 0, {0}, 0},
#define ROWU(name, form, ulps)        {name, form, NULL, ulps, {0}, 0},
#define ROWTU(name, form, ulps, text) {name, form, text, ulps, {0}, 0},
#define V1(a, want)                   {NULL, NULL, NULL, 0, {a}, want},
#define V2(a, b, want)                {NULL, NULL, NULL, 0, {a, b}, want},
#define V3(a, b, c, want)             {NULL, NULL, NULL, 0, {a, b, c}, want},
#define V4(a, b, c, e, want)          {NULL, NULL, NULL, 0, {a, b, c, e}, want},
#define OPCODE_ROWS_LENGTH(rows)      (sizeof(rows) / sizeof *(rows))

struct opcode_table {
    const struct opcode_row *rows;
    size_t length;
};

/* Runs every row three times: with all lanes active, with half of the lanes active, and with an
 * operand's register as the result's register. */
void opcode_run_table(struct opcode_table table);

/* The tables of test_opcodes.c, so that another test can check that every opcode is tested. An
 * entry without rows ends the list. */
const struct opcode_table *opcode_tables(void);

#endif
