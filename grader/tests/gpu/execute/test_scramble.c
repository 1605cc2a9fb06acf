/* emu_options.scrambles_shared: loads from shared memory return wrong values, and all others do not. */
#include <criterion/criterion.h>

#include "tests/support/emulator_fixture.h"

/* Thread t writes t + 1 to shared memory and loads it in one way; the row says whether that load is
 * scrambled. */
static const struct {
    const char *name, *load;
    bool is_scrambled;
} rows[] = {
    {"shared", "ld.shared.u32 v, [si];", true},
    {"volatile", "ld.volatile.shared.u32 v, [si];", true},
    {"one byte", "ld.shared.u8 v, [si];", true},
    {"a vector", "ld.shared.v2.u32 {v, w}, [s];", true},
    {"generic", "cvt.u64.u32 g, si; cvta.shared.u64 g, g; ld.u32 v, [g];", true},
    {"into its own address",
     "cvt.u64.u32 g, si; cvta.shared.u64 g, g; ld.u32 g, [g]; cvt.u32.u64 v, g;", true},
    {"some lanes", "mov.u32 v, w; @p ld.shared.u32 v, [si];", false}, /* lane 0 does not load */
    {"global", "st.global.u32 [go], w; ld.global.u32 v, [go];", false},
    {"generic, of global memory", "st.global.u32 [go], w; cvta.global.u64 g, go; ld.u32 v, [g];",
     false},
};

static uint32_t first_value(const char *load, bool scrambles)
{
    char ptx[1500];
    struct fixture f;
    uint32_t value;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 s[256];\n.reg .pred p;\n"
             ".reg .b32 t, si, v, w;\n.reg .b64 go, g;\nmov.u32 t, %%tid.x;\n"
             "ld.param.u64 go, [out];\nmul.wide.u32 g, t, 4;\nadd.s64 go, go, g;\n"
             "mad.lo.u32 si, t, 4, 0;\nmov.u32 w, s;\nadd.u32 si, si, w;\nadd.u32 w, t, 1;\n"
             "setp.ne.u32 p, t, 0;\nst.shared.u32 [si], w;\nbar.warp.sync -1;\n%s\n"
             "st.global.u32 [go], v;\nret;\n}\n",
             load);
    fixture_open(&f, &(struct emu_options){.deterministic = true, .scrambles_shared = scrambles});
    fixture_load(&f, ptx);
    emu_addr out = fixture_upload(&f, NULL, 128);
    fixture_run(&f, (struct fixture_launch){.params = {out}});
    value = fixture_word(&f, out, 0);
    fixture_close(&f);
    return value;
}

Test(scramble, only_loads_from_shared_memory)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t right = first_value(rows[i].load, false), got = first_value(rows[i].load, true);
        cr_expect_eq(right, 1, "%s: %u", rows[i].name, right);
        cr_expect_eq(got != right, rows[i].is_scrambled, "%s: %u", rows[i].name, got);
    }
}
