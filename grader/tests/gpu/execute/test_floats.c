/* Tests results that differ between CPUs unless the emulator takes care (gpu/execute/floats.h):
 * NaNs of f64, and results of .ftz that round up to the smallest normal number. */
#include <criterion/criterion.h>

#include "opcode_rows.h"

/* A and B are quiet NaNs. S is a signalling NaN, and QS is the quiet NaN that S becomes. NEW is the
 * NaN that an invalid operation returns. */
#define A   0x7ff8000000000aaaull
#define B   0xfff8000000000bbbull
#define S   0x7ff0000000000cccull
#define QS  0x7ff8000000000cccull
#define NEW 0xfff8000000000000ull
#define INF 0x7ff0000000000000ull
#define ONE 0x3ff0000000000000ull

static const struct opcode_row nan_rows[] = {
    ROW("add.f64", "d=dd") /* the first NaN is the result, even if the other is signalling */
    V2(A, B, A) V2(B, A, B) V2(A, S, A) V2(S, B, QS) V2(ONE, B, B) V2(ONE, S, QS)
        V2(INF, INF | 1ull << 63, NEW) ROW("sub.f64", "d=dd") V2(A, B, A) V2(B, S, B) V2(ONE, S, QS)
            V2(INF, INF, NEW) ROW("mul.f64", "d=dd") V2(A, B, A) V2(B, S, B) V2(S, A, QS)
                V2(ONE, B, B) V2(INF, 0, NEW) ROW("div.rn.f64", "d=dd") V2(A, B, A) V2(B, S, B)
                    V2(S, A, QS) V2(ONE, B, B) V2(0, 0, NEW) V2(INF, INF, NEW)
                        ROW("fma.rn.f64", "d=ddd") V3(A, B, S, A) V3(B, S, A, B) V3(S, A, B, QS)
                            V3(ONE, B, A, B) V3(ONE, ONE, S, QS) V3(INF, 0, A, A)
                                V3(INF, 0, ONE, NEW) V3(INF, ONE, INF | 1ull << 63, NEW)
                                    ROW("fma.rz.f64", "d=ddd") V3(A, B, S, A) V3(ONE, ONE, S, QS)
                                        V3(INF, 0, ONE, NEW) ROW("rcp.rn.f64", "d=d") V1(A, A)
                                            V1(B, B) V1(S, QS) ROW("sqrt.rn.f64", "d=d") V1(A, A)
                                                V1(B, B) V1(S, QS) V1(ONE | 1ull << 63, NEW)};

/* 0x20800001 * 0x1f7ffffe is 2^-126 * (1 - 2^-46), which rounds to 2^-126. 0x20800000 * 0x1f7fffff is
 * 2^-126 * (1 - 2^-24), which needs no rounding and is flushed. */
static const struct opcode_row edge_rows[] = {
    ROW("mul.ftz.f32", "w=ww") V2(0x20800001, 0x1f7ffffe, 0x00800000)
        V2(0xa0800001, 0x1f7ffffe, 0x80800000) V2(0x20800000, 0x1f7fffff, 0x00000000)
            V2(0x20800000, 0x1f800000, 0x00800000) V2(0x00000000, 0x1f800000, 0x00000000)
                V2(0x007fffff, 0x40000000, 0x00000000) V2(0x7f800000, 0x00000001, 0x7fffffff) ROW(
                    "mul.rz.ftz.f32", "w=ww") V2(0x20800001, 0x1f7ffffe,
                                                 0x00000000) V2(0xa0800001, 0x1f7ffffe, 0x80000000)
                    ROW("mul.rp.ftz.f32", "w=ww") V2(0x20800001, 0x1f7ffffe, 0x00800000) V2(
                        0xa0800001, 0x1f7ffffe, 0x80000000) V2(0x20800000, 0x1f7fffff, 0x00000000)
                        ROW("mul.rm.ftz.f32", "w=ww") V2(0x20800001, 0x1f7ffffe, 0x00000000)
                            V2(0xa0800001, 0x1f7ffffe, 0x80800000) ROW("fma.rn.ftz.f32", "w=www")
                                V3(0x20800001, 0x1f7ffffe, 0x00000000,
                                   0x00800000) V3(0x20800001, 0x1f7ffffe, 0x80000000, 0x00800000)
                                    V3(0x20800000, 0x1f7fffff, 0x80000001, 0x00000000)
                                        V3(0xa0800001, 0x1f7ffffe, 0x00000001, 0x80800000) ROW(
                                            "div.rn.ftz.f32",
                                            "w=ww") /* these quotients are the nearest to 2^-126 */
    V2(0x00ffffff, 0x40000000, 0x00000000) V2(0x00fffffe, 0x3fffffff, 0x00000000)};

Test(floats, the_first_nan_of_f64_wins)
{
    opcode_run_table((struct opcode_table){nan_rows, OPCODE_ROWS_LENGTH(nan_rows)});
}

Test(floats, ftz_flushes_after_rounding)
{
    opcode_run_table((struct opcode_table){edge_rows, OPCODE_ROWS_LENGTH(edge_rows)});
}
