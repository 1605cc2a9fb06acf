/* The functions that execute one instruction for the lanes of a warp. The decoder stores pointers
 * to these functions in struct inst. */
#ifndef GPU_EXECUTE_OPERATIONS_H
#define GPU_EXECUTE_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/kernel.h"

/* A mnemonic as alu.def spells it, such as "add_s32", and the function that executes it. */
struct alu_row {
    const char *name;
    lane_fn *run;
    uint8_t sources;
    uint8_t bytes[5]; /* width of the destination, then of each source, in bytes */
};
const struct alu_row *alu_find(const char *name); /* returns NULL if the name is unknown */

/* A comparison, such as "lt_s32". RUN executes a setp that only writes the comparison's result to
 * predicate dst, in the default mode. */
struct compare_row {
    const char *name;
    compare_fn *compare;
    lane_fn *run;
};
const struct compare_row *compare_find(const char *name); /* returns NULL if unknown */
lane_fn *select_find(unsigned bytes);
lane_fn *predicate_find(enum ptx_opcode opcode);
lane_fn idle_run, fp_run, setp_run, set_run, cvt_run, read_special_run, in_space_run, parameter_run;
lane_fn map_run, rank_run; /* cluster.c: mapa, getctarank */
lane_fn carry_run_32, carry_run_64, video_run;
lane_fn load_run, load_words_run, load_longs_run, load_quad_run, store_run, atomic_run, fence_run,
    copy_run, commit_run, wait_group_run, wait_all_run, sleep_run;
lane_fn mbarrier_run, pending_count_run, bulk_run, bulk_commit_run, bulk_wait_run;
lane_fn alloca_run, stack_save_run, stack_restore_run;
lane_fn matrix_load_run, matrix_store_run, matrix_multiply_run, rows_run, transpose_run;
lane_fn texture_run, gather_run, surface_load_run, surface_store_run;
static inline bool inst_is_load(const struct inst *inst)
{
    return inst->run == load_run || inst->run == load_words_run || inst->run == load_longs_run ||
           inst->run == load_quad_run;
}
static inline bool inst_is_texture(const struct inst *inst)
{
    return inst->run == texture_run || inst->run == gather_run || inst->run == surface_load_run ||
           inst->run == surface_store_run;
}
lane_fn vote_run, activemask_run, shfl_run, match_run, redux_run, elect_run, pack_run, unpack_run,
    wide_mov_run;
/* Returns whether all 32 values are UINT32_MAX (lanes.c). */
bool lanes_all_set(const uint32_t *values);

/* Returns the function that executes a device function without PTX, such as vprintf() (builtin.c).
 * Returns NULL if the name is unknown. */
lane_fn *builtin_find(struct ptx_name name);

#endif
