/* Compares the bytes that a launch reports as accessed with the bytes that each of its threads
 * accesses. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/tools.h"
#include "tests/support/emulator_fixture.h"

enum { BLOCKS = 6, THREADS = 96, ROUNDS = 5, BYTES = 1 << 17 };

/* In each round, thread t accesses WIDTH bytes at t * STRIDE + round * STEP. */
struct row {
    const char *name, *instruction; /* on the address a */
    unsigned stride, step, width;
    enum emu_touch_kind kind;
};

static const struct row rows[] = {
    {"words", "ld.global.u32 w, [a];", 4, 0, 4, EMU_READS},
    {"words, further on in each round", "ld.global.u32 w, [a];", 4, 2304, 4, EMU_READS},
    {"words that are not neighbours", "st.global.u32 [a], w;", 12, 0, 4, EMU_WRITES},
    {"words that fill the gaps later", "st.global.u32 [a], w;", 8, 4, 4, EMU_WRITES},
    {"bytes", "st.global.u8 [a], w;", 1, 576, 1, EMU_WRITES},
    {"bytes far apart", "st.global.u8 [a], w;", 200, 1, 1, EMU_WRITES},
    {"one word", "ld.global.u32 w, [a];", 0, 4, 4, EMU_READS},
    {"vectors", "ld.global.v4.u32 {w, w1, w2, w3}, [a];", 16, 9216, 16, EMU_READS},
    {"atomics", "atom.global.add.u32 w, [a], 1;", 4, 0, 4, EMU_UPDATES},
    {"reductions", "red.global.add.u32 [a], 1;", 64, 4, 4, EMU_UPDATES},
    {"atomics of the system", "atom.global.sys.add.u32 w, [a], 1;", 4, 0, 4, EMU_SIGNALS},
    {"volatile", "st.volatile.global.u32 [a], w;", 4, 0, 4, EMU_SIGNALS},
    {"acquire", "ld.acquire.gpu.global.u32 w, [a];", 4, 0, 4, EMU_SIGNALS},
    {"generic", "st.u32 [a], w;", 4, 0, 4, EMU_WRITES},
};

static void load(struct fixture *fixture, const struct row *row)
{
    char ptx[2000];
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 out)\n{\n.reg .pred p;\n.reg .b64 a;\n"
             ".reg .b32 t, b, n, i, w, w1, w2, w3;\nmov.u32 w, 7;\nmov.u32 i, 0;\n"
             "mov.u32 t, %%tid.x;\nmov.u32 b, %%ctaid.x;\nmov.u32 n, %%ntid.x;\n"
             "mad.lo.u32 t, b, n, t;\nld.param.u64 a, [out];\nmad.wide.u32 a, t, %u, a;\n"
             "again:\n%s\nadd.s64 a, a, %u;\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, %d;\n"
             "@p bra again;\nret;\n}\n",
             row->stride, row->instruction, row->step, ROUNDS);
    fixture_load(fixture, ptx);
}

static void mark(bool *map, uint64_t begin, uint64_t end)
{
    cr_assert_leq(end, (uint64_t)BYTES);
    for (uint64_t i = begin; i < end; i++)
        map[i] = true;
}

static void check(const struct row *row, unsigned workers)
{
    static bool expected[BYTES], found[BYTES];
    struct emu_options options = {.workers = workers};
    struct fixture fixture;
    struct emu_touch *list;
    size_t count;
    fixture_open(&fixture, &options);
    load(&fixture, row);
    emu_addr out = fixture_upload(&fixture, NULL, BYTES);
    fixture_run(&fixture, (struct fixture_launch){.grid = {BLOCKS},
                                                  .block = {THREADS},
                                                  .params = {out},
                                                  .touches = EMU_TOUCHES_ALL});
    emu_touched(fixture.device, &list, &count);
    memset(expected, 0, sizeof expected);
    memset(found, 0, sizeof found);
    for (uint64_t t = 0; t < BLOCKS * THREADS; t++)
        for (uint64_t i = 0; i < ROUNDS; i++)
            mark(expected, t * row->stride + i * row->step,
                 t * row->stride + i * row->step + row->width);
    for (size_t i = 0; i < count; i++) {
        mark(found, list[i].begin - out, list[i].end - out);
        cr_expect_eq(list[i].kind, row->kind, "%s: kind %d", row->name, list[i].kind);
        cr_expect(!i || list[i].begin > list[i - 1].end, "%s: not merged", row->name);
    }
    cr_expect(memcmp(found, expected, sizeof found) == 0, "%s, %u workers", row->name, workers);
    free(list);
    emu_touched(fixture.device, &list, &count);
    cr_expect(!list && !count, "%s: told twice", row->name);
    fixture_close(&fixture);
}

Test(footprint, has_the_bytes_of_each_thread)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&rows[i], 1);
        check(&rows[i], 3);
    }
}

/* A launch reports all its accesses, only those in memory that the program lends, or none. */
Test(footprint, is_of_the_memory_that_is_asked_for)
{
    static char lent[8192] __attribute__((aligned(4096)));
    const emu_addr at = (emu_addr)lent;
    struct fixture fixture;
    struct emu_touch *list;
    size_t count;
    fixture_open(&fixture, NULL);
    load(&fixture, &rows[0]);
    emu_addr own = fixture_upload(&fixture, NULL, BYTES);
    cr_assert_eq(emu_lend(fixture.device, at, lent, sizeof lent), EMU_OK);
    for (uint8_t touches = EMU_TOUCHES_NONE; touches <= EMU_TOUCHES_ALL; touches++)
        for (int is_lent = 0; is_lent < 2; is_lent++) {
            fixture_run(&fixture, (struct fixture_launch){.params = {is_lent ? at : own},
                                                          .touches = touches});
            emu_touched(fixture.device, &list, &count);
            bool wanted = touches == EMU_TOUCHES_ALL || (touches == EMU_TOUCHES_LENT && is_lent);
            cr_expect_eq(count, wanted, "%d, lent %d: %zu", touches, is_lent, count);
            free(list);
        }
    cr_expect_eq(emu_free(fixture.device, at), EMU_OK);
    fixture_close(&fixture);
}
