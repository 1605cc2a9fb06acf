#include "tests/gpu/predict/round_chip.h"

#include <criterion/criterion.h>

struct emu_chip round_chip(void)
{
    struct emu_chip chip;
    char why[200];
    cr_assert(emu_find_chip("h200", &chip, why, sizeof why), "%s", why);
    chip.sms = 4;
    chip.clock_mhz = 1000;
    chip.fp32_cycles = chip.lsu_cycles = 1;
    chip.alu_cycles = chip.imad_cycles = 2;
    chip.alu_latency = 4;
    chip.shared_latency = 30;
    chip.l1_latency = 40;
    chip.l2_latency = 300;
    chip.dram_latency = 700;
    chip.barrier_latency = 10;
    chip.barrier_warp_cycles = 2;
    chip.branch_latency = 8;
    chip.block_cycles = chip.code_latency = chip.start_latency = chip.predicate_latency = 0;
    chip.launch_us = 2;
    chip.dram_gbs = 16; /* 4 bytes per cycle for each multiprocessor */
    chip.dram_peak_gbs = 20;
    chip.l2_bytes_cycle = 256;
    chip.sm_l2_bytes = 64;
    chip.l2_bytes = 1 << 20;
    chip.l2_cross_bytes_cycle = 0;
    return chip;
}

/* Returns the record's last line about a launch or, if it repeats an earlier line, that line. */
static json_t *last_launch(struct fixture *f)
{
    json_t *last = fixture_record(f, -1), *id = json_object_get(last, "repeats");
    for (int i = 0; id; i++) {
        json_t *line = fixture_record(f, i);
        if (json_equal(json_object_get(line, "id"), id)) {
            json_decref(last);
            return line;
        }
        json_decref(line);
    }
    return last;
}

json_t *round_predict(struct fixture *f, struct fixture_launch launch)
{
    fixture_run(f, launch);
    json_t *line = last_launch(f);
    json_t *predicted = json_incref(json_object_get(json_object_get(line, "launch"), "predicted"));
    cr_assert(predicted, "the launch has no prediction");
    json_decref(line);
    return predicted;
}

double round_number(const json_t *object, const char *name)
{
    cr_assert(json_is_number(json_object_get(object, name)), "no number %s", name);
    return json_number_value(json_object_get(object, name));
}
