/* Tests emu_options.scrambles: loads from shared or constant memory return wrong values, but all
 * other loads return the right ones. */
#include <criterion/criterion.h>

#include "tests/support/emulator_fixture.h"

/* Thread t writes t + 1 to shared memory, and loads it as the row says. The row also says whether
 * the loaded value must be wrong. */
static const struct {
    const char *name, *load;
    bool is_scrambled; /* by EMU_SCRAMBLE_SHARED */
    bool is_constant;  /* by EMU_SCRAMBLE_CONSTANT */
} rows[] = {
    {"shared", "ld.shared.u32 v, [si];", true, false},
    {"volatile", "ld.volatile.shared.u32 v, [si];", true, false},
    {"one byte", "ld.shared.u8 v, [si];", true, false},
    {"a vector", "ld.shared.v2.u32 {v, w}, [s];", true, false},
    {"generic", "cvt.u64.u32 g, si; cvta.shared.u64 g, g; ld.u32 v, [g];", true, false},
    {"into its own address",
     "cvt.u64.u32 g, si; cvta.shared.u64 g, g; ld.u32 g, [g]; cvt.u32.u64 v, g;", true, false},
    {"some lanes", "mov.u32 v, w; @p ld.shared.u32 v, [si];", false,
     false}, /* lane 0 does not execute this load */
    {"global", "st.global.u32 [go], w; ld.global.u32 v, [go];", false, false},
    {"generic, of global memory", "st.global.u32 [go], w; cvta.global.u64 g, go; ld.u32 v, [g];",
     false, false},
};

static uint32_t first_value(const char *load, enum emu_scramble scrambles)
{
    char ptx[1500];
    struct fixture f;
    uint32_t value;
    snprintf(
        ptx, sizeof ptx,
        ".const .u32 c = 1;\n.visible .entry k(.param .u64 out, .param .u64 one)\n{\n.shared .align 8 .b8 s[256];\n.reg .pred p;\n"
        ".reg .b32 t, si, v, w;\n.reg .b64 go, g;\nmov.u32 t, %%tid.x;\n"
        "ld.param.u64 go, [out];\nmul.wide.u32 g, t, 4;\nadd.s64 go, go, g;\n"
        "mad.lo.u32 si, t, 4, 0;\nmov.u32 w, s;\nadd.u32 si, si, w;\nadd.u32 w, t, 1;\n"
        "setp.ne.u32 p, t, 0;\nst.shared.u32 [si], w;\nbar.warp.sync -1;\n%s\n"
        "st.global.u32 [go], v;\nret;\n}\n",
        load);
    fixture_open(&f, &(struct emu_options){.deterministic = true, .scrambles = scrambles});
    fixture_load(&f, ptx);
    emu_addr out = fixture_upload(&f, NULL, 128);
    fixture_run(&f, (struct fixture_launch){.params = {out, 1}});
    value = fixture_word(&f, out, 0);
    fixture_close(&f);
    return value;
}

Test(scramble, only_loads_from_that_memory)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t right = first_value(rows[i].load, EMU_SCRAMBLE_NOTHING);
        uint32_t got = first_value(rows[i].load, EMU_SCRAMBLE_SHARED);
        uint32_t constant = first_value(rows[i].load, EMU_SCRAMBLE_CONSTANT);
        cr_expect_eq(right, 1, "%s: %u", rows[i].name, right);
        cr_expect_eq(got != right, rows[i].is_scrambled, "%s: %u", rows[i].name, got);
        cr_expect_eq(constant != right, rows[i].is_constant, "%s: %u", rows[i].name, constant);
    }
}
