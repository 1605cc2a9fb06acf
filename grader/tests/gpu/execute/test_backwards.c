/* Tests emu_options.backwards. With this option, lanes that use the old value of an atomic run
 * separately after it, until they wait for each other. */
#include <criterion/criterion.h>

#include "tests/support/emulator_fixture.h"

#define COUNT "atom.shared.add.u32 x, [si], 1;"     /* a lane adds 1 to its own word ... */
#define LOOK  "atom.shared.add.u32 v, [si + 4], 0;" /* ... and reads its neighbour's */

static const struct {
    const char *name, *code;
    bool goes_apart; /* if true, lane 0 reads before lane 1 has added */
} rows[] = {
    {"two atomics", COUNT LOOK, true},
    {"in global memory", "atom.global.add.u32 x, [go], 1; atom.global.add.u32 v, [go + 4], 0;",
     true},
    {"a plain load", COUNT "ld.shared.u32 v, [si + 4];", true},
    {"a branch", COUNT "@p bra there;" LOOK "there:", true},
    {"__syncwarp() between", COUNT "bar.warp.sync -1;" LOOK, false},
    {"a barrier between", COUNT "bar.sync 0;" LOOK, false},
    {"a shuffle between", COUNT "shfl.sync.idx.b32 x, x, 0, 31, -1;" LOOK, false},
    {"an old value that nobody uses", "red.shared.add.u32 [si], 1; mov.u32 x, 0;" LOOK, false},
    {"one lane", "mov.u32 x, 0; @!p atom.shared.add.u32 x, [si + 4], 1; ld.shared.u32 v, [si + 4];",
     false},
};

static uint32_t first_value(const char *code, bool backwards)
{
    char ptx[1500];
    struct fixture f;
    uint32_t value;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 s[256];\n.reg .pred p;\n"
             ".reg .b32 t, si, v, x;\n.reg .b64 base, go, g;\nmov.u32 t, %%tid.x;\n"
             "ld.param.u64 base, [out];\nmul.wide.u32 g, t, 4;\nadd.s64 go, base, g;\n"
             "mov.u32 v, s;\nmad.lo.u32 si, t, 4, v;\nsetp.ne.u32 p, t, 0;\nmov.u32 v, 0;\n"
             "st.shared.u32 [si], v;\nbar.warp.sync -1;\n%s\nadd.u32 v, v, x;\n@p ret;\n"
             "st.global.u32 [base + 512], v;\nret;\n}\n",
             code);
    fixture_open(&f, &(struct emu_options){.deterministic = true, .backwards = backwards});
    fixture_load(&f, ptx);
    emu_addr out = fixture_upload(&f, NULL, 1024);
    fixture_run(&f, (struct fixture_launch){.params = {out}});
    value = fixture_word(&f, out, 128);
    fixture_close(&f);
    return value;
}

Test(backwards, lanes_go_apart_until_they_wait_for_each_other)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t usual = first_value(rows[i].code, false), got = first_value(rows[i].code, true);
        cr_expect_eq(usual, 1, "%s: %u", rows[i].name, usual);
        cr_expect_eq(got, !rows[i].goes_apart, "%s: %u", rows[i].name, got);
    }
}
