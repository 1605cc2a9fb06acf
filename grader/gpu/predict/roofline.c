/* Computes the data of a roofline: the chip's peak rates, and the number of operations of a
 * launch. */
#include "gpu/predict/sample.h"

/* The number of bytes that shared memory delivers in a pass. */
#define PASS_BYTES 128.0

/* The fraction of the second-level cache's rate that moves data. A request for a line takes as long
 * as one sector, so a whole line, which has four sectors, takes the time of five. */
#define USEFUL_PART 0.8

struct predict_roofs predict_roofs(const struct emu_chip *chip)
{
    double issues = chip->sms * chip->schedulers * chip->clock_mhz / 1e3;
    return (struct predict_roofs){
        .instructions = issues,
        .flops = 64 * issues / chip->fp32_cycles,
        .dram = chip->dram_gbs,
        .l2 = chip->l2_bytes ? chip->l2_bytes_cycle * chip->clock_mhz / 1e3 * USEFUL_PART : 0,
        .shared = chip->sms * PASS_BYTES * chip->clock_mhz / 1e3,
    };
}

/* Returns the number of single-precision operations of one lane that executes IN. IN may be
 * NULL. */
static unsigned flops_of(const struct ptx_instruction *in)
{
    if (!in || !in->type_count || in->types[0] != PTX_f32)
        return 0;
    switch (in->opcode) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_div:
        return 1;
    case PTX_OP_fma:
    case PTX_OP_mad:
        return 2;
    default:
        return 0;
    }
}

double predict_flops(const struct launch_view *launch, const struct emu_counters *counters)
{
    double flops = 0;
    for (uint32_t pc = 0; counters && pc < launch->code_count; pc++)
        flops +=
            flops_of(view_ptx(launch, pc)) * (double)counters[pc].value[EMU_thread_instructions];
    return flops;
}
