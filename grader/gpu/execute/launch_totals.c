/* At the end of a launch, adds up its workers' counts and joins its observers' states. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"
#include "gpu/execute/stretch.h"
#include "gpu/execute/wide.h"
#include "gpu/tools.h"

static void worker_close(struct worker *worker)
{
    free(worker->profile);
    free(worker->patterns);
    free(worker->quads);
}

static void join_worker(struct worker *into, struct worker *worker)
{
    const struct launch *launch = into->launch;
    for (uint32_t pc = 0; pc <= launch->kernel->code_count; pc++) {
        into->profile[pc].warps += worker->profile[pc].warps;
        into->profile[pc].threads += worker->profile[pc].threads;
        into->profile[pc].divergent += worker->profile[pc].divergent;
        into->profile[pc].sectors += worker->profile[pc].sectors;
        into->profile[pc].means += worker->profile[pc].means;
        into->profile[pc].exposed += worker->profile[pc].exposed;
        into->profile[pc].uncovered += worker->profile[pc].uncovered;
    }
    if (worker->longest > into->longest)
        into->longest = worker->longest;
    into->occupied += worker->occupied;
    into->executed += worker->executed;
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (worker->observer_state[i])
            launch->observers[i]->join(into->observer_state[i], worker->observer_state[i]);
    worker_close(worker);
}

/* Returns the value of the counter wide_operations. A matrix product counts as its number of
 * multiply-adds. */
static uint64_t wide_operations(const struct inst *inst, const struct profile *profile)
{
    if (!inst->is_wide)
        return profile->means;
    return inst->run == matrix_multiply_run
               ? profile->warps * inst->warp.m * inst->warp.n * inst->warp.k
               : profile->threads;
}

/* Returns the PTX instruction at PC, or NULL if PC is the exit that the decoder adds at the end of
 * a function. */
static const struct ptx_instruction *instruction_at(const struct kernel *kernel, uint32_t pc)
{
    const struct image *image = kernel_image(kernel, pc);
    return pc < image->end ? &image->function->code[pc - image->start] : NULL;
}

/* Returns whether the instruction counts as a barrier. For a cluster's barrier, only waits count.
 * For an mbarrier, only arrivals count, because a wait polls repeatedly. */
static bool is_barrier(const struct inst *inst, const struct ptx_instruction *in)
{
    if (inst->kind == KIND_BARRIER)
        return !(inst->barrier.of_cluster && inst->barrier.arrives);
    return in &&
           (in->opcode == PTX_OP_mbarrier_arrive || in->opcode == PTX_OP_mbarrier_arrive_drop ||
            in->opcode == PTX_OP_cp_async_mbarrier_arrive);
}

static bool is_block_vote(const struct ptx_instruction *in)
{
    return in && (in->opcode == PTX_OP_bar_red || in->opcode == PTX_OP_bar_cta_red ||
                  in->opcode == PTX_OP_barrier_red || in->opcode == PTX_OP_barrier_cta_red);
}

static bool is_constant_request(const struct inst *inst, const struct ptx_instruction *in)
{
    return in && in->opcode == PTX_OP_ld && inst->mem.space == PTX_CONST;
}

/* Sets the counters that are computed from the workers' profiles. */
static void count_instructions(const struct worker *worker, struct emu_counters *counters)
{
    const struct kernel *kernel = worker->launch->kernel;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        const struct profile *profile = &worker->profile[pc];
        uint64_t *value = counters[pc].value;
        value[EMU_warp_instructions] = profile->warps;
        value[EMU_thread_instructions] = profile->threads;
        const struct ptx_instruction *in = profile->threads ? instruction_at(kernel, pc) : NULL;
        if (in && wide_adds_in(in, PTX_f32))
            value[EMU_float_operations] = profile->threads;
        if (in && wide_adds_in(in, PTX_f64))
            value[EMU_double_operations] = profile->threads;
        if (in && in->opcode == PTX_OP_shfl)
            value[EMU_shuffle_requests] = profile->warps;
        value[EMU_wide_operations] = wide_operations(&kernel->code[pc], profile);
        if (inst_is_texture(&kernel->code[pc])) {
            value[EMU_texture_requests] = profile->warps;
            value[EMU_texture_sectors] = profile->sectors;
        }
        if (kernel->code[pc].run == copy_run) {
            value[EMU_async_copies] = profile->warps;
            value[EMU_async_copies_exposed] = profile->exposed;
            if (worker->launch->options->tools & EMU_WAITS)
                value[EMU_waits_uncovered] = profile->uncovered;
        }
        if (is_constant_request(&kernel->code[pc], in))
            value[EMU_constant_requests] = profile->warps;
        if (kernel->code[pc].kind == KIND_BRANCH) {
            value[EMU_branches] = profile->warps;
            value[EMU_divergent_branches] = profile->divergent;
        } else if (is_barrier(&kernel->code[pc], in)) {
            value[EMU_barriers] = profile->warps;
            value[EMU_block_votes] = is_block_vote(in) ? profile->warps : 0;
        }
    }
}

/* Makes the counters of each instruction. Returns NULL if they are not needed, or when out of
 * memory. */
static struct emu_counters *make_counters(struct launch *launch, struct worker *all)
{
    const struct kernel *kernel = launch->kernel;
    if (!launch->is_counted)
        return NULL;
    struct emu_counters *counters = calloc((size_t)kernel->code_count + 1, sizeof *counters);
    stretches_add_up(kernel, all->profile);
    if (counters)
        count_instructions(all, counters);
    else
        launch_fail(launch, EMU_INTERNAL);
    return counters;
}

void launch_join_workers(struct launch *launch, struct worker *workers, unsigned count)
{
    struct worker *all = &workers[0];
    for (unsigned i = 1; i < count; i++)
        join_worker(all, &workers[i]);
    struct emu_counters *counters = make_counters(launch, all);
    for (unsigned i = 0; i < launch->observer_count; i++)
        launch->observers[i]->end(all->observer_state[i], &launch->view, counters);
    launch->per_instruction = counters;
    launch->longest = all->longest;
    launch->occupied = all->occupied;
    launch->instructions = all->executed;
    launch->watch_cost = all->watch_cost;
    worker_close(all);
}

void launch_totals(const struct launch *launch, struct emu_counters *totals)
{
    memset(totals, 0, sizeof *totals);
    uint32_t end = launch->kernel->code_count;
    for (uint32_t pc = 0; launch->per_instruction && pc <= end; pc++)
        if (pc == end || launch->per_instruction[pc].value[EMU_warp_instructions])
            emu_counters_add(totals, &launch->per_instruction[pc]);
    totals->value[EMU_longest_warp_instructions] = launch->longest;
    totals->value[EMU_occupied_instructions] = launch->occupied;
}
