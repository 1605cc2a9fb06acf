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

static uint64_t count(const char *body)
{
    struct fixture f;
    struct emu_counters counters;
    char ptx[2000];
    snprintf(
        ptx, sizeof ptx,
        ".visible .entry k(.param .u64 block)\n{\n.shared .align 4 .b8 s[4];\n.reg .pred p, q;\n"
        ".reg .b32 t, v, w, x, y, i, j;\n.reg .b64 a, d;\nld.param.u64 a, [block];\n"
        "mov.u32 t, %%tid.x;\nmov.u32 v, 0;\nmov.u32 w, 0;\n%sret;\n}\n",
        body);
    fixture_open(&f, &(struct emu_options){.tools = EMU_WAITS});
    fixture_load(&f, ptx);
    emu_addr words = fixture_upload(&f, NULL, 1 << 16);
    fixture_run(&f, (struct fixture_launch){
                        .grid = {2}, .block = {64}, .params = {words}, .counters = &counters});
    fixture_close(&f);
    return counters.value[EMU_waits_for_loads];
}

Test(waits, patterns)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t waits = count(rows[i].body);
        cr_expect(waits == 4 * rows[i].waits, "%s: %lu", rows[i].name, waits);
    }
}
