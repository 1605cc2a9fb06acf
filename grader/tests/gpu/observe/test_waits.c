/* Tests the tool "waits", which finds the loads whose values a warp uses too soon. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "gpu/tools.h"
#include "tests/support/emulator_fixture.h"

#define ROUNDS(n)                                                                                  \
    "mov.u32 i, 0;\nR" #n ": add.u32 i, i, 1;\nsetp.lt.u32 p, i, " #n ";\n@p bra R" #n ";\n"
#define LOAD "ld.global.u32 v, [a];\n"
#define USE  "add.u32 w, w, v;\n"

/* Two blocks of two warps execute BODY. a is an address in global memory, and t is tid.x. ROUNDS(n)
 * executes 3 n + 1 instructions. */
static const struct {
    const char *name, *body;
    unsigned waits; /* expected number of waits of each warp */
} rows[] = {
    {"at once", LOAD USE, 1},
    {"never used", LOAD, 0},
    {"too soon", LOAD ROUNDS(60) USE, 1},
    {"one instruction too soon", LOAD ROUNDS(66) USE, 1},
    {"late enough", LOAD ROUNDS(67) USE, 0},
    {"only the first use counts", LOAD USE USE ROUNDS(67) USE, 1},
    {"a store is a use", LOAD "st.shared.u32 [s], v;\n", 1},
    {"so is an address", LOAD "cvt.u64.u32 d, v;\nand.b64 d, d, 0;\nadd.u64 a, a, d;\n" LOAD USE,
     2},
    {"so is a predicate of a guard", LOAD "setp.eq.u32 p, v, 7;\n@p add.u32 w, w, 1;\n", 1},
    {"a copy is none", LOAD "mov.u32 w, v;\n" ROUNDS(67) "add.u32 w, w, w;\n", 0},
    {"but the copy's use is", LOAD "mov.u32 w, v;\nadd.u32 w, w, w;\n", 1},
    {"the value is lost before", LOAD "mov.u32 v, 1;\n" USE, 0},
    {"it may be lost before", LOAD "setp.eq.u32 p, t, 0;\n@p mov.u32 v, 1;\n" USE, 1},
    {"one part of a vector", "ld.global.v4.u32 {w, x, y, v}, [a];\nadd.u32 y, y, 1;\n", 1},
    {"all parts are one load", "ld.global.v2.u32 {w, v}, [a];\nadd.u32 v, v, 1;\n" USE, 1},
    {"two loads", LOAD "ld.global.u32 w, [a + 4];\n" USE, 2},
    {"in a loop, for the next round",
     LOAD "mov.u32 j, 0;\nL: " ROUNDS(67) USE LOAD
     "add.u32 j, j, 1;\nsetp.lt.u32 q, j, 5;\n@q bra L;\n",
     0},
    {"in a loop, for this round",
     "mov.u32 j, 0;\nL: " ROUNDS(67) LOAD USE "add.u32 j, j, 1;\nsetp.lt.u32 q, j, 5;\n@q bra L;\n",
     5},
    {"a guard skips the load", "setp.gt.u32 p, t, 63;\n@p " LOAD USE, 0},
    {"a guard skips it in one warp", "setp.gt.u32 p, t, 31;\n@p " LOAD ROUNDS(67) USE, 0},
    {"used on one of two paths",
     LOAD "setp.gt.u32 p, t, 63;\n@p bra ELSE;\n" ROUNDS(67) USE "bra END;\nELSE: " USE "END:\n",
     0},
    {"on the other one",
     LOAD "setp.lt.u32 p, t, 64;\n@p bra ELSE;\n" ROUNDS(67) USE "bra END;\nELSE: " USE "END:\n",
     1},
    {"through a generic address", "cvta.global.u64 a, a;\nld.u32 v, [a];\n" USE, 1},
    {"an atomic", "atom.global.add.u32 v, [a], 1;\n" USE, 1},
    {"an atomic without a result", "red.global.add.u32 [a], 1;\n" USE, 0},
    {"from shared memory", "ld.shared.u32 v, [s];\n" USE, 0},
    {"a store", "st.global.u32 [a], t;\n" USE, 0},
};

/* Makes N multiply-adds in each lane. */
#define ADDS(n)                                                                                    \
    "mov.u32 i, 0;\nA" #n ": fma.rn.f32 f, f, f, f;\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, " #n      \
    ";\n@p bra A" #n ";\n"
#define LOADS "ld.global.u32 v, [a];\nld.global.u32 x, [a + 4];\n"
#define BOTH  "add.u32 w, v, x;\n"
#define COPY  "cp.async.ca.shared.global [s], [a], 4;\ncp.async.commit_group;\n"
#define WAIT  "cp.async.wait_group 0;\n"

/* The same for the counter waits_uncovered. */
static const struct {
    const char *name, *body;
    unsigned waits;
} uncovered[] = {
    {"at once", LOAD USE, 1},
    {"one multiply-add too soon", LOAD ADDS(199) USE, 1},
    {"late enough", LOAD ADDS(200) USE, 0},
    {"other instructions do not count", LOAD ROUNDS(1000) USE, 1},
    {"the use is far away", LOAD ROUNDS(66) ROUNDS(67) ROUNDS(68) USE, 1},
    {"half of the lanes count half",
     "and.b32 x, t, 1;\nsetp.eq.u32 q, x, 0;\n" LOAD "@q bra END;\n" ADDS(200) "END: " USE, 1},
    {"two loads, one multiply-add too soon", LOADS ADDS(207) BOTH, 1},
    {"two loads, late enough", LOADS ADDS(208) BOTH, 0},
    {"after a wait, all data have arrived", LOAD USE LOAD ADDS(200) USE, 1},
    {"a copy, at once", COPY WAIT, 1},
    {"a copy, one multiply-add too soon", COPY ADDS(199) WAIT, 1},
    {"a copy, late enough", COPY ADDS(200) WAIT, 0},
    {"a copy and other instructions", COPY ROUNDS(67) WAIT, 1},
    {"two copies, one multiply-add too soon", COPY COPY ADDS(207) WAIT, 1},
    {"two copies, late enough", COPY COPY ADDS(208) WAIT, 0},
};

static uint64_t count(const char *body, enum emu_counter counter)
{
    struct fixture f;
    struct emu_counters counters;
    char ptx[2000];
    snprintf(
        ptx, sizeof ptx,
        ".visible .entry k(.param .u64 block)\n{\n.shared .align 4 .b8 s[4];\n.reg .pred p, q;\n"
        ".reg .f32 f;\nmov.f32 f, 1.0;\n.reg .b32 t, v, w, x, y, i, j;\n.reg .b64 a, d;\nld.param.u64 a, [block];\n"
        "mov.u32 t, %%tid.x;\nmov.u32 v, 0;\nmov.u32 w, 0;\n%sret;\n}\n",
        body);
    fixture_open(&f, &(struct emu_options){.tools = EMU_WAITS});
    fixture_load(&f, ptx);
    emu_addr words = fixture_upload(&f, NULL, 1 << 16);
    fixture_run(&f, (struct fixture_launch){
                        .grid = {2}, .block = {64}, .params = {words}, .counters = &counters});
    fixture_close(&f);
    return counters.value[counter];
}

Test(waits, patterns)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t waits = count(rows[i].body, EMU_waits_for_loads);
        cr_expect(waits == 4 * rows[i].waits, "%s: %lu", rows[i].name, waits);
    }
}

Test(waits, only_multiply_adds_cover)
{
    for (size_t i = 0; i < sizeof uncovered / sizeof *uncovered; i++) {
        uint64_t waits = count(uncovered[i].body, EMU_waits_uncovered);
        cr_expect(waits == 4 * uncovered[i].waits, "%s: %lu", uncovered[i].name, waits);
    }
}
