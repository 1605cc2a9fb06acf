/* Tests every opcode that computes a value, with the tables in opcodes_*.inc. opcode_rows.h
 * describes their format. */
#include <criterion/criterion.h>

#include "opcode_compare.h"
#include "opcode_rows.h"

static const struct opcode_row integer_rows[] = {
#include "opcodes_integer.inc"
};
static const struct opcode_row bit_rows[] = {
#include "opcodes_bits.inc"
};
static const struct opcode_row float_rows[] = {
#include "opcodes_float.inc"
};
static const struct opcode_row convert_rows[] = {
#include "opcodes_convert.inc"
};
static const struct opcode_row half_rows[] = {
#include "opcodes_half.inc"
};
static const struct opcode_row half_convert_rows[] = {
#include "opcodes_half_convert.inc"
};
static const struct opcode_row float8_rows[] = {
#include "opcodes_float8.inc"
};
static const struct opcode_row move_rows[] = {
#include "opcodes_move.inc"
};
static const struct opcode_row video_rows[] = {
#include "opcodes_video.inc"
};

#define TABLE(rows)                                                                                \
    {                                                                                              \
        rows, OPCODE_ROWS_LENGTH(rows)                                                             \
    }

enum {
    INTEGER,
    BITS,
    FLOATS,
    CONVERSIONS,
    HALVES,
    HALF_CONVERSIONS,
    FLOATS8,
    MOVES,
    VIDEO,
    COMPARISONS,
    TABLES
};

const struct opcode_table *opcode_tables(void)
{
    static struct opcode_table tables[TABLES + 1] = {
        [INTEGER] = TABLE(integer_rows),
        [BITS] = TABLE(bit_rows),
        [FLOATS] = TABLE(float_rows),
        [MOVES] = TABLE(move_rows),
        [CONVERSIONS] = TABLE(convert_rows),
        [HALVES] = TABLE(half_rows),
        [HALF_CONVERSIONS] = TABLE(half_convert_rows),
        [FLOATS8] = TABLE(float8_rows),
        [VIDEO] = TABLE(video_rows),
    };
    tables[COMPARISONS] = opcode_compare_table();
    return tables;
}

Test(opcodes, integer)
{
    opcode_run_table(opcode_tables()[INTEGER]);
}

Test(opcodes, bits)
{
    opcode_run_table(opcode_tables()[BITS]);
}

Test(opcodes, floating_point)
{
    opcode_run_table(opcode_tables()[FLOATS]);
}

Test(opcodes, conversion)
{
    opcode_run_table(opcode_tables()[CONVERSIONS]);
}

Test(opcodes, half)
{
    opcode_run_table(opcode_tables()[HALVES]);
}

Test(opcodes, half_conversion)
{
    opcode_run_table(opcode_tables()[HALF_CONVERSIONS]);
}

Test(opcodes, float8)
{
    opcode_run_table(opcode_tables()[FLOATS8]);
}

Test(opcodes, move)
{
    opcode_run_table(opcode_tables()[MOVES]);
}

Test(opcodes, video)
{
    opcode_run_table(opcode_tables()[VIDEO]);
}

Test(opcodes, comparison)
{
    opcode_run_table(opcode_tables()[COMPARISONS]);
}
