/* Tests counters of loads and stores in global memory: which of them reach the host's memory, and
 * how many lanes want the same word. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/emulator_fixture.h"

#define BYTES 65536

/* Runs ACCESS in a warp. g is an address in page-locked memory of the host or, if MANAGED, in managed
 * memory, and d an address in the GPU's memory. Both grow by 4 bytes from lane to lane, and b is
 * the beginning of the GPU's memory. t is tid.x, and p is true for t = 9. */
static struct emu_counters count(const char *access, bool managed)
{
    static char lent[BYTES] __attribute__((aligned(4096)));
    struct fixture f;
    struct emu_counters counters;
    char ptx[2000];
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 host, .param .u64 own)\n{\n.shared .b8 s[4];\n"
             ".reg .pred p, q;\n.reg .b32 t, v, n;\n.reg .b64 b, g, d, i;\nmov.u32 t, %%tid.x;\n"
             "ld.param.u64 g, [host];\nld.param.u64 b, [own];\nmul.wide.u32 i, t, 4;\n"
             "add.s64 g, g, i;\nadd.s64 d, b, i;\nsetp.eq.u32 p, t, 9;\nmov.u32 n, 0;\n"
             "%s\nret;\n}\n",
             access);
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    emu_addr own = fixture_upload(&f, NULL, BYTES);
    emu_addr at = managed ? fixture_upload(&f, NULL, BYTES) : (emu_addr)lent;
    cr_assert_eq(emu_lend(f.device, at, lent, BYTES), EMU_OK);
    fixture_run(&f, (struct fixture_launch){.params = {at, own}, .counters = &counters});
    cr_expect_eq(emu_free(f.device, at), EMU_OK);
    fixture_close(&f);
    return counters;
}

#define NINE_TIMES(what) what "add.u32 n, n, 1;\nsetp.lt.u32 q, n, 9;\n@q bra L;"

static const struct {
    const char *name, *access;
    unsigned on_host, collisions;
} rows[] = {
    {"a load", "ld.global.u32 v, [g];", 4, 0},
    {"a store", "st.global.u32 [g], t;", 4, 0},
    {"an atomic", "atom.global.add.u32 v, [g], t; st.global.u32 [d], v;", 4, 0},
    {"a reduction", "red.global.add.u32 [g], t;", 0, 0},
    {"the GPU's own memory", "ld.global.u32 v, [d];\nst.global.u32 [d], v;", 0, 0},
    {"through a generic address", "ld.u32 v, [g];", 4, 0},
    {"one lane of 32", "@p mov.u64 d, g;\nld.global.u32 v, [d];", 5, 0},
    {"nine times",
     NINE_TIMES("L: ld.global.u32 v, [g];\nld.global.u32 v, [d];\nadd.s64 g, g, 128;\n"), 36, 0},
    {"nine times with gaps",
     NINE_TIMES("add.s64 g, g, i;\nL: ld.global.u32 v, [g];\nadd.s64 g, g, 256;\n"), 72, 0},
    {"one word", "ld.global.u32 v, [b];", 0, 31},
    {"one word for some", "@!p ld.global.u32 v, [b];", 0, 30},
    {"a byte each", "sub.s64 g, g, i;\ncvt.u64.u32 i, t;\nadd.s64 g, g, i;\nld.global.u8 v, [g];",
     1, 0},
    {"one word after another", NINE_TIMES("L: ld.global.u32 v, [b];\nadd.s64 b, b, 4;\n"), 0,
     9 * 31},
    {"one word of the store", "st.global.u32 [b], t;", 0, 0},
    {"one word of the reduction", "red.global.add.u32 [b], t;", 0, 0},
    {"one word of shared memory", "ld.shared.u32 v, [s];", 0, 0},
};

Test(host_sectors, patterns)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_counters mapped = count(rows[i].access, false),
                            managed = count(rows[i].access, true);
        cr_expect_eq(mapped.value[EMU_host_sectors], rows[i].on_host, "%s: %lu", rows[i].name,
                     mapped.value[EMU_host_sectors]);
        cr_expect_eq(managed.value[EMU_host_sectors], 0, "managed: %s", rows[i].name);
        cr_expect_eq(mapped.value[EMU_load_collisions], rows[i].collisions, "%s: %lu", rows[i].name,
                     mapped.value[EMU_load_collisions]);
    }
}
