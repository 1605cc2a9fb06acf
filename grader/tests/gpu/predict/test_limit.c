/* Tests how the unit that limits a launch is found from the work of each unit. */
#include <criterion/criterion.h>

#include "gpu/predict/sample.h"
#include "tests/gpu/predict/round_chip.h"

/* A launch that executes for 100 us on a chip with 4 multiprocessors and a clock of 1,000 MHz. The
 * launch itself takes 2 us, and Nsight Compute would report 101.3 us for the kernel. */
static const struct row {
    const char *name;
    double us[PREDICT_PART_COUNT];
    struct sm_traffic traffic; /* cycles, at most 400,000 (multiprocessors) or 810,400 (slices) */
    double dram_bytes;         /* bytes; at most 2,026,000 are possible */
    double across; /* if not 0, only half as many sectors cross the second-level cache per cycle */
    enum predict_part limit, also; /* `also` is 0 if no other unit nearly limits it */
} rows[] = {
    {"no unit is busy", .us = {[PREDICT_fp32] = 55}, .limit = PREDICT_latency},
    {"a unit is nearly busy", .us = {[PREDICT_fp32] = 66}, .limit = PREDICT_latency,
     .also = PREDICT_fp32},
    {"schedulers lose cycles", .us = {[PREDICT_issue] = 69}, .limit = PREDICT_issue},
    {"work is uneven", .us = {[PREDICT_issue] = 90, [PREDICT_tail] = 40}, .limit = PREDICT_latency},
    {"DRAM", .us = {[PREDICT_dram] = 95}, .traffic = {.received = 1e5}, .dram_bytes = 1.8e6,
     .limit = PREDICT_dram},
    {"DRAM's peak is in the data sheet", .us = {[PREDICT_dram] = 70}, .dram_bytes = 1.2e6,
     .limit = PREDICT_latency, .also = PREDICT_dram},
    {"sectors cross the cache", .traffic = {.crossed = 7.5e5}, .dram_bytes = 1.8e6, .across = 8,
     .limit = PREDICT_l2, .also = PREDICT_dram},
    {"the cache has no halves", .traffic = {.crossed = 7.5e5}, .dram_bytes = 1.8e6,
     .limit = PREDICT_dram},
    {"sectors leave the cache", .traffic = {.sent = 6e5}, .limit = PREDICT_l2},
    {"passes", .us = {[PREDICT_l1] = 50, [PREDICT_shared] = 20}, .traffic = {.passes = 3e5},
     .limit = PREDICT_l1},
    {"passes in shared memory", .us = {[PREDICT_l1] = 20, [PREDICT_shared] = 50},
     .traffic = {.passes = 3e5}, .limit = PREDICT_shared},
    {"requests of the first-level cache", .us = {[PREDICT_l1] = 10},
     .traffic = {.passes = 4e4, .received = 3e5}, .limit = PREDICT_l1},
};

static struct prediction predict_row(const struct row *row, double us)
{
    struct emu_chip chip = round_chip();
    struct prediction p = {.dram_bytes = row->dram_bytes};
    chip.l2_store_bytes_cycle = 256;
    chip.l2_cross_bytes_cycle = 32 * row->across;
    for (int i = 0; i < PREDICT_PART_COUNT; i++)
        p.part_us[i] = row->us[i];
    p.part_us[PREDICT_launch] = 2;
    predict_use(&p, &chip, &row->traffic, us);
    predict_limit(&p, us);
    return p;
}

Test(predict_limit, is_the_busiest_unit)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct prediction p = predict_row(&rows[i], 100);
        cr_expect_eq(p.limit, rows[i].limit, "%s: %s", rows[i].name, predict_part_name(p.limit));
        enum predict_part also = rows[i].also ? rows[i].also : PREDICT_PART_COUNT;
        cr_expect_eq(p.also, also, "%s: also %d", rows[i].name, p.also);
    }
}

Test(predict_limit, of_a_short_kernel_is_the_launch)
{
    cr_expect_eq(predict_row(&rows[0], 1.9).limit, PREDICT_fp32);
    cr_expect_eq(predict_row(&(struct row){.name = "empty"}, 1.9).limit, PREDICT_launch);
}
