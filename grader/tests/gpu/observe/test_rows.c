/* Tests the tool "rows" with the accesses of one warp. The tool counts accesses to rows from
 * cudaMallocPitch(). */
#include <criterion/criterion.h>
#include <stdio.h>

#include "gpu/tools.h"
#include "tests/support/emulator_fixture.h"

#define WIDTH 1000u /* bytes of a row, which fit into two multiples of EMU_PITCH */
#define PITCH 2048u /* the pitch of such rows if emu_options.wider_pitch is 2 */

/* A kernel with one access of each thread: t is tid.x, a = rows + SCALE * t + SHIFT; p is true for
 * threads 4 to 11; v, w and d hold values. If `plain` is true, the memory was not allocated as
 * rows. */
static const struct {
    const char *name, *access;
    unsigned scale, shift;
    bool plain;
    unsigned outside, gap, lines, sectors; /* expected */
} patterns[] = {
    {"a line", "ld.global.u32 v, [a];", 4, 0, false, 0, 0, 0, 0},
    {"from within a sector", "ld.global.u32 v, [a];", 4, 36, false, 0, 0, 1, 1},
    {"from within a line", "ld.global.u32 v, [a];", 4, 32, false, 0, 0, 1, 0},
    {"16 bytes each, from within a line", "ld.global.v4.u32 {v, w, v, w}, [a];", 16, 16, false, 0,
     0, 1, 1},
    {"a store", "st.global.u32 [a], t;", 4, 36, false, 0, 0, 1, 1},
    {"an atomic", "atom.global.add.u32 v, [a], 1;", 4, 36, false, 0, 0, 1, 1},
    {"a reduction", "red.global.add.u32 [a], 1;", 4, 36, false, 0, 0, 1, 1},
    {"through a generic address", "ld.u32 v, [a];", 4, 36, false, 0, 0, 1, 1},
    {"part of a line", "@p ld.global.u32 v, [a];", 4, 36, false, 0, 0, 0, 1},
    {"part of a line, from a sector on", "@p ld.global.u32 v, [a];", 4, 16, false, 0, 0, 0, 0},
    {"across two lines, few lanes", "@p ld.global.u32 v, [a];", 4, 108, false, 0, 0, 1, 1},
    {"every other word", "ld.global.u32 v, [a];", 8, 36, false, 0, 0, 0, 0},
    {"a word for all", "ld.global.u32 v, [a];", 0, 36, false, 0, 0, 0, 0},
    {"backwards", "sub.u32 v, 31, t; mad.wide.u32 a, v, 4, rows; ld.global.u32 v, [a + 36];", 0, 0,
     false, 0, 0, 1, 1},
    {"neighbours change places",
     "xor.b32 v, t, 1; mad.wide.u32 a, v, 4, rows;"
     "ld.global.u32 v, [a + 36];",
     0, 0, false, 0, 0, 1, 1},
    {"a column", "ld.global.u32 v, [a];", PITCH, 4, false, 0, 0, 0, 0},
    {"up to the end of the row", "ld.global.u32 v, [a];", 4, WIDTH - 128, false, 0, 0, 1, 1},
    {"what any pitch has behind a row", "ld.global.u32 v, [a];", 4, 896, false, 0, 0, 0, 0},
    {"behind that", "ld.global.u32 v, [a];", 4, 1024, false, 0, 128, 0, 0},
    {"half of it behind that", "ld.global.u32 v, [a];", 4, 960, false, 0, 64, 1, 0},
    {"behind the second row", "@p ld.global.u64 d, [a];", 8, PITCH + 1536, false, 0, 64, 0, 0},
    {"rows with the usual pitch", "ld.global.u32 v, [a];", 1024, 0, false, 0, 64, 0, 0},
    {"shared memory", "st.shared.u32 [s], t; ld.shared.u32 v, [s];", 0, 0, false, 0, 0, 0, 0},
    {"other memory", "ld.global.u32 v, [a];", 4, 36, true, 128, 0, 1, 1},
    {"one word of other memory", "@p st.global.u32 [a], t;", 0, 0, true, 32, 0, 0, 0},
};

static void run_pattern(size_t i, struct emu_counters *counters)
{
    struct fixture f;
    char ptx[1000];
    emu_addr rows;
    uint64_t pitch;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 block)\n{\n.shared .align 4 .b8 s[4];\n.reg .pred p;\n"
             ".reg .b32 t, v, w;\n.reg .b64 rows, a, d;\nld.param.u64 rows, [block];\n"
             "mov.u32 t, %%tid.x;\nsub.u32 v, t, 4;\nsetp.lt.u32 p, v, 8;\n"
             "mad.wide.u32 a, t, %u, rows;\nadd.u64 a, a, %u;\n%s\nret;\n}\n",
             patterns[i].scale, patterns[i].shift, patterns[i].access);
    fixture_open(&f,
                 &(struct emu_options){.deterministic = true, .tools = EMU_ROWS, .wider_pitch = 2});
    fixture_load(&f, ptx);
    cr_assert_eq(emu_alloc_rows(f.device, WIDTH, 40, &rows, &pitch), EMU_OK);
    cr_assert_eq(pitch, PITCH);
    if (patterns[i].plain)
        rows = fixture_upload(&f, NULL, 1 << 16);
    fixture_run(&f, (struct fixture_launch){.params = {rows}, .counters = counters});
    fixture_close(&f);
}

Test(rows, patterns)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct emu_counters counters;
        run_pattern(i, &counters);
        const unsigned want[] = {patterns[i].outside, patterns[i].gap, patterns[i].lines,
                                 patterns[i].sectors};
        for (unsigned j = 0; j < 4; j++)
            cr_expect_eq(counters.value[EMU_rows_outside_bytes + j], want[j], "%s: %s is %lu",
                         patterns[i].name, emu_counter_name(EMU_rows_outside_bytes + j),
                         (unsigned long)counters.value[EMU_rows_outside_bytes + j]);
    }
}

/* Every worker counts, and each line of the record has its own counts. */
Test(rows, of_many_blocks)
{
    struct fixture f;
    emu_addr rows;
    uint64_t pitch;
    struct emu_counters counters;
    fixture_open(&f, &(struct emu_options){.workers = 4, .tools = EMU_ROWS});
    fixture_load(&f, ".visible .entry k(.param .u64 block)\n{\n.reg .b32 t, v;\n.reg .b64 r, a;\n"
                     ".loc 1 7 0\nmov.u32 t, %tid.x;\nld.param.u64 r, [block];\n"
                     "mad.wide.u32 a, t, 4, r;\nld.global.u32 v, [a + 36];\nret;\n}\n"
                     ".file 1 \"a.cu\"\n");
    cr_assert_eq(emu_alloc_rows(f.device, WIDTH, 1, &rows, &pitch), EMU_OK);
    cr_assert_eq(pitch, 1024);
    fixture_run(&f,
                (struct fixture_launch){.grid = {1000}, .params = {rows}, .counters = &counters});
    cr_expect_eq(counters.value[EMU_rows_lines_excess], 1000);
    cr_expect_eq(counters.value[EMU_rows_outside_bytes], 0);
    json_t *record = fixture_record(&f, 0);
    json_t *launch = json_object_get(record, "launch");
    json_t *line = json_array_get(json_object_get(launch, "lines"), 0);
    json_t *all = json_object_get(launch, "counters"), *own = json_object_get(line, "counters");
    cr_expect_eq(json_integer_value(json_object_get(all, "rows_lines_excess")), 1000);
    cr_expect_eq(json_integer_value(json_object_get(own, "rows_lines_excess")), 1000);
    cr_expect(!json_object_get(all, "rows_outside_bytes"), "zeros are left out");
    json_decref(record);
    fixture_close(&f);
}

/* Without the tool, nothing is counted. Without the option, cudaMallocPitch() returns the usual
 * pitch. */
Test(rows, not_asked_for)
{
    struct fixture f;
    emu_addr rows;
    uint64_t pitch;
    unsigned tools = 0;
    struct emu_counters counters;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k(.param .u64 block)\n{\n.reg .b32 v;\n.reg .b64 a;\n"
                     "ld.param.u64 a, [block];\nld.global.u32 v, [a];\nret;\n}\n");
    cr_assert_eq(emu_alloc_rows(f.device, WIDTH, 3, &rows, &pitch), EMU_OK);
    cr_expect_eq(pitch, 1024);
    fixture_run(&f, (struct fixture_launch){.params = {fixture_upload(&f, NULL, 4)},
                                            .counters = &counters});
    cr_expect_eq(counters.value[EMU_rows_outside_bytes], 0);
    fixture_close(&f);
    cr_expect(emu_find_tools("origins,rows", &tools) && tools == (EMU_ORIGINS | EMU_ROWS));
}
