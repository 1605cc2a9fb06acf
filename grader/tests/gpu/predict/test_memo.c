/* Tests that launches share a prediction if and only if all of its data are equal. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gpu/predict/round_chip.h"

TestSuite(predict_memo, .timeout = 100);

/* Each thread reads N words, %rd4 bytes apart. */
#define READS(more)                                                                                \
    ".visible .entry k(.param .u64 p, .param .u64 q) {\n"                                          \
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"                                       \
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.global.u32 %r1, [%rd2];\n"                 \
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 64; add.s64 %rd1, %rd1, %rd3;\n"                 \
    "L: ld.global.u32 %r3, [%rd1]; add.s64 %rd1, %rd1, 4; sub.u32 %r1, %r1, 1;\n" more             \
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\nret;\n}\n"

static void open_device(struct fixture *f, struct emu_chip *chip)
{
    *chip = round_chip();
    fixture_open(f, &(struct emu_options){.workers = 1, .chip = chip});
}

static double cycles(struct fixture *f, unsigned ctas, emu_addr data, emu_addr count)
{
    json_t *p = round_predict(
        f, (struct fixture_launch){.grid = {ctas}, .block = {64}, .params = {data, count}});
    double result = round_number(p, "cycles");
    json_decref(p);
    return result;
}

static bool repeats(struct fixture *f)
{
    json_t *line = fixture_record(f, -1);
    bool result = json_object_get(line, "repeats");
    json_decref(line);
    return result;
}

/* The first launch fills the second-level cache. */
Test(predict_memo, a_repeated_launch_has_a_short_line)
{
    struct fixture f;
    struct emu_chip chip;
    open_device(&f, &chip);
    fixture_load(&f, READS(""));
    emu_addr data = fixture_upload(&f, NULL, 1 << 16);
    emu_addr count = fixture_upload(&f, &(uint32_t){8}, 4);
    double cold = cycles(&f, 8, data, count), warm = cycles(&f, 8, data, count);
    cr_expect(warm < cold && !repeats(&f), "%.1f cycles, then %.1f", cold, warm);
    cr_expect_eq(cycles(&f, 8, data, count), warm);
    cr_expect(repeats(&f));
    fixture_close(&f);
}

/* The launches after a change have the prediction of a device without earlier predictions, but with
 * the same contents of the cache. */
Test(predict_memo, other_data_has_another_prediction)
{
    static const struct {
        const char *name;
        unsigned ctas;
        uint32_t count, offset;
    } rows[] = {
        {"more CTAs", 9, 8, 0},
        {"more instructions", 8, 9, 0},
        {"other sectors", 8, 8, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct emu_chip chip;
        double last[2];
        for (unsigned shares = 0; shares < 2; shares++) {
            open_device(&f, &chip);
            fixture_load(&f, READS(""));
            emu_addr data = fixture_upload(&f, NULL, 1 << 16);
            emu_addr few = fixture_upload(&f, &(uint32_t){8}, 4);
            emu_addr count = fixture_upload(&f, &rows[i].count, 4);
            for (unsigned k = 0; k < 3 && shares; k++)
                cycles(&f, 8, data, few);
            cycles(&f, rows[i].ctas, data + rows[i].offset, count);
            last[shares] = cycles(&f, rows[i].ctas, data + rows[i].offset, count);
            fixture_close(&f);
        }
        cr_expect_eq(last[0], last[1], "%s: %.1f cycles, want %.1f", rows[i].name, last[1],
                     last[0]);
    }
}

/* Two kernels that differ only in the speed of an instruction take turns. Each is freed before the
 * next one is loaded. After some turns, malloc() reuses the address of a kernel. */
Test(predict_memo, a_freed_kernel_is_forgotten)
{
    static const char *const kernels[] = {READS("add.u32 %r3, %r3, %r2;\n"),
                                          READS("rem.u32 %r3, %r3, %r2;\n")};
    struct fixture f;
    struct emu_chip chip;
    open_device(&f, &chip);
    emu_addr data = fixture_upload(&f, NULL, 1 << 16);
    emu_addr count = fixture_upload(&f, &(uint32_t){8}, 4);
    double last[2] = {0};
    for (unsigned i = 0; i < 40; i++) {
        fixture_load(&f, kernels[i % 2]);
        for (unsigned k = 0; k < 2; k++)
            last[i % 2] = cycles(&f, 8, data, count);
        cr_assert_eq(emu_unload(f.device, f.module), EMU_OK);
        cr_expect(!last[1] || last[1] > last[0], "%.1f and %.1f cycles", last[0], last[1]);
    }
    fixture_close(&f);
}

/* --- the sectors of loops ----------------------------------------------------------------------- */

enum { CTAS = 16, ROUNDS = 12, REGION = 1 << 14, HALF = 64 };

/* Returns how many bytes DRAM reads for loads of words that lie LANE bytes apart, and move on by
 * STEP bytes in each round. */
static double moved_bytes(int lane, int step)
{
    static bool halves[CTAS * REGION / HALF];
    double bytes = 0;
    memset(halves, 0, sizeof halves);
    for (int cta = 0; cta < CTAS; cta++)
        for (int l = 0; l < 32; l++)
            for (int n = 0; n < ROUNDS; n++)
                halves[(cta * REGION + REGION / 2 + l * lane + n * step) / HALF] = true;
    for (size_t i = 0; i < sizeof halves; i++)
        bytes += halves[i] ? HALF : 0;
    return bytes;
}

/* Most CTAs are not in the sample, so the model gets their accesses as series. */
Test(predict_memo, series_record_all_sectors)
{
    static const int rows[][2] = {{64, 4},  {64, -4},  {4, 128},  {4, -128},  {4, 20},
                                  {0, 4},   {0, 36},   {128, 64}, {128, -64}, {8, 40},
                                  {100, 4}, {200, -8}, {4, 512},  {-8, -512}, {-64, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct emu_chip chip;
        char ptx[1000];
        open_device(&f, &chip);
        snprintf(ptx, sizeof ptx,
                 ".visible .entry k(.param .u64 p) {\n"
                 ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<2>;\n"
                 "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x;\n"
                 "mad.wide.s32 %%rd2, %%r1, %d, %%rd1; mad.wide.s32 %%rd3, %%r2, %d, %%rd2;\n"
                 "mov.u32 %%r3, %d;\n"
                 "L: ld.global.u32 %%r4, [%%rd3]; add.s64 %%rd3, %%rd3, %d;\n"
                 "sub.u32 %%r3, %%r3, 1; setp.ne.u32 %%p1, %%r3, 0; @%%p1 bra L;\nret;\n}\n",
                 REGION, rows[i][0], ROUNDS, rows[i][1]);
        fixture_load(&f, ptx);
        emu_addr data = fixture_upload(&f, NULL, CTAS * REGION);
        json_t *p = round_predict(
            &f, (struct fixture_launch){.grid = {CTAS}, .params = {data + REGION / 2}});
        double bytes = round_number(p, "dram_bytes"), want = moved_bytes(rows[i][0], rows[i][1]);
        cr_expect_eq(bytes, want, "lanes %d, steps %d: %.0f bytes, want %.0f", rows[i][0],
                     rows[i][1], bytes, want);
        json_decref(p);
        fixture_close(&f);
    }
}

/* Lanes read from the last page of the address space and far below it. */
Test(predict_memo, wild_addresses_end_the_launch)
{
    struct fixture f;
    struct emu_chip chip;
    open_device(&f, &chip);
    fixture_load(&f, ".visible .entry k() {\n"
                     ".reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                     "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1;\n"
                     "mul.lo.u64 %rd2, %rd1, 0x7ffffffffffffffc; ld.global.u32 %r2, [%rd2];\n"
                     "ret;\n}\n");
    cr_expect_neq(fixture_launch(&f, (struct fixture_launch){0}), EMU_OK);
    fixture_close(&f);
}
