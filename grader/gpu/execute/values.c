/* Computes the values of special registers and parameters. Each has 32 values in a bank, one for
 * each lane, so instructions read them like registers. A bank is filled once for the launch, once
 * for each CTA, or once for each warp. If later CTAs reuse a warp, they also reuse its values. */
#include "gpu/execute/values.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/execute/state.h"

/* --- banks ------------------------------------------------------------------------------------ */

/* The special registers in BANK_CTA. With this list, filling the bank of a CTA is faster than with
 * a search through all special registers. */
static const enum ptx_special of_cta[] = {PTX_SPECIAL_ctaid_x,
                                          PTX_SPECIAL_ctaid_y,
                                          PTX_SPECIAL_ctaid_z,
                                          PTX_SPECIAL_clusterid_x,
                                          PTX_SPECIAL_clusterid_y,
                                          PTX_SPECIAL_clusterid_z,
                                          PTX_SPECIAL_cluster_ctaid_x,
                                          PTX_SPECIAL_cluster_ctaid_y,
                                          PTX_SPECIAL_cluster_ctaid_z,
                                          PTX_SPECIAL_cluster_ctarank,
                                          PTX_SPECIAL_smid};

enum bank values_bank(enum ptx_special special)
{
    for (unsigned i = 0; i < sizeof of_cta / sizeof *of_cta; i++)
        if (special == of_cta[i])
            return BANK_CTA;
    switch (special) {
    case PTX_SPECIAL_tid_x:
    case PTX_SPECIAL_tid_y:
    case PTX_SPECIAL_tid_z:
    case PTX_SPECIAL_laneid:
    case PTX_SPECIAL_warpid:
    case PTX_SPECIAL_lanemask_eq:
    case PTX_SPECIAL_lanemask_le:
    case PTX_SPECIAL_lanemask_lt:
    case PTX_SPECIAL_lanemask_ge:
    case PTX_SPECIAL_lanemask_gt:
        return BANK_WARP;
    default:
        return BANK_LAUNCH;
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static uint32_t lane_special(const struct warp *warp, enum ptx_special special, uint32_t lane)
{
    const uint32_t *block = warp->cta->launch->request.block;
    uint32_t thread = warp->index * WARP + lane;
    switch (special) {
    case PTX_SPECIAL_tid_x:
        return thread < block[0] ? thread : thread % block[0];
    case PTX_SPECIAL_tid_y:
        return thread < block[0] ? 0 : thread / block[0] % block[1];
    case PTX_SPECIAL_tid_z:
        return thread < block[0] ? 0 : thread / block[0] / block[1];
    case PTX_SPECIAL_warpid:
        return warp->index;
    case PTX_SPECIAL_lanemask_eq:
        return 1u << lane;
    case PTX_SPECIAL_lanemask_le:
        return (2u << lane) - 1;
    case PTX_SPECIAL_lanemask_lt:
        return (1u << lane) - 1;
    case PTX_SPECIAL_lanemask_ge:
        return ~((1u << lane) - 1);
    case PTX_SPECIAL_lanemask_gt:
        return ~((2u << lane) - 1);
    default: /* laneid */
        return lane;
    }
}

static uint64_t cta_special(const struct cta *cta, enum ptx_special special)
{
    const uint32_t *size = cta->launch->request.cluster;
    switch (special) {
    case PTX_SPECIAL_smid:
        return cta->linear % EMU_MULTIPROCESSORS;
    case PTX_SPECIAL_cluster_ctarank:
        return cta->rank;
    case PTX_SPECIAL_clusterid_x:
    case PTX_SPECIAL_clusterid_y:
    case PTX_SPECIAL_clusterid_z:
        special -= PTX_SPECIAL_clusterid_x;
        return cta->index[special] / size[special];
    case PTX_SPECIAL_cluster_ctaid_x:
    case PTX_SPECIAL_cluster_ctaid_y:
    case PTX_SPECIAL_cluster_ctaid_z:
        special -= PTX_SPECIAL_cluster_ctaid_x;
        return cta->index[special] % size[special];
    default:
        return cta->index[special - PTX_SPECIAL_ctaid_x];
    }
}

#define RESERVED_END 288u
#define SHARED_UNIT  128u

static uint64_t launch_special(const struct launch *launch, enum ptx_special special)
{
    const uint32_t *block = launch->request.block, *grid = launch->request.grid;
    const uint32_t *cluster = launch->request.cluster;
    uint32_t own_shared = launch->shared_bytes - launch->reserved_shared;
    switch (special) {
    case PTX_SPECIAL_ntid_x:
    case PTX_SPECIAL_ntid_y:
    case PTX_SPECIAL_ntid_z:
        return block[special - PTX_SPECIAL_ntid_x];
    case PTX_SPECIAL_nctaid_x:
    case PTX_SPECIAL_nctaid_y:
    case PTX_SPECIAL_nctaid_z:
        return grid[special - PTX_SPECIAL_nctaid_x];
    case PTX_SPECIAL_nwarpid:
        return 64;
    case PTX_SPECIAL_nsmid:
        return EMU_MULTIPROCESSORS;
    case PTX_SPECIAL_gridid:
        return launch->grid_id;
    case PTX_SPECIAL_dynamic_smem_size:
        return launch->request.dynamic_shared_bytes;
    case PTX_SPECIAL_total_smem_size:
        return (own_shared + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    case PTX_SPECIAL_aggr_smem_size:
        return own_shared + RESERVED_SHARED;
    case PTX_SPECIAL_reserved_smem_1:
        return launch->shared_bytes - RESERVED_SHARED;
    case PTX_SPECIAL_reserved_smem_end:
        return RESERVED_END;
    case PTX_SPECIAL_reserved_smem_cap:
        return RESERVED_SHARED;
    case PTX_SPECIAL_envreg1:
        return launch->workspace >> 32;
    case PTX_SPECIAL_envreg2:
        return (uint32_t)launch->workspace;
    case PTX_SPECIAL_nclusterid_x:
    case PTX_SPECIAL_nclusterid_y:
    case PTX_SPECIAL_nclusterid_z:
        special -= PTX_SPECIAL_nclusterid_x;
        return grid[special] / cluster[special];
    case PTX_SPECIAL_cluster_nctaid_x:
    case PTX_SPECIAL_cluster_nctaid_y:
    case PTX_SPECIAL_cluster_nctaid_z:
        return cluster[special - PTX_SPECIAL_cluster_nctaid_x];
    case PTX_SPECIAL_cluster_nctarank:
        return launch->cluster_size;
    case PTX_SPECIAL_is_explicit_cluster:
        return launch->is_in_clusters;
    default: /* profiler counters, and registers that no program uses */
        return 0;
    }
}

/* --- filling the banks ------------------------------------------------------------------------ */

/* Writes VALUE for all 32 lanes: as 32 values or, for a predicate, to all bits of one 32-bit
 * word. */
static void spread(void *to, uint64_t value, unsigned bytes)
{
    uint64_t *wide = to;
    uint32_t *words = to;
    if (!bytes)
        *words = value ? ALL_LANES : 0;
    for (uint32_t lane = 0; lane < WARP && bytes == 8; lane++)
        wide[lane] = value;
    for (uint32_t lane = 0; lane < WARP && bytes == 4; lane++)
        words[lane] = (uint32_t)value;
}

/* Executes the instructions whose results are in BANK. WARP needs only its banks. */
static void run_early(struct warp *warp, const struct kernel *kernel, enum bank bank)
{
    const struct early_list *early = &kernel->early[bank];
    for (uint32_t i = 0; i < early->count; i++)
        early->list[i].run(warp, &kernel->code[early->list[i].pc], ALL_LANES);
}

bool values_of_launch(struct launch *launch)
{
    const struct kernel *kernel = launch->kernel;
    size_t room = kernel->bank_bytes[BANK_LAUNCH] + 64u;
    launch->values = aligned_alloc(64, room / 64 * 64);
    if (!launch->values)
        return false;
    for (unsigned i = 0; i < PTX_SPECIAL_COUNT; i++) {
        enum ptx_special special = (enum ptx_special)i;
        if (kernel->special[i] != NO_SLOT && values_bank(special) == BANK_LAUNCH)
            spread(launch->values + kernel->special[i], launch_special(launch, special),
                   ptx_special_bytes(special));
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *parameter = &kernel->parameters[i];
        uint64_t value = 0;
        memcpy(&value, (const uint8_t *)launch->request.params + parameter->at, parameter->bytes);
        spread(launch->values + parameter->offset, value, parameter->bytes);
    }
    struct warp warp = {
        .bank = {[BANK_CONSTANTS] = kernel->constants, [BANK_LAUNCH] = launch->values}};
    run_early(&warp, kernel, BANK_LAUNCH);
    return true;
}

void values_of_cta(struct cta *cta)
{
    const uint32_t *offsets = cta->launch->kernel->special;
    for (unsigned i = 0; i < sizeof of_cta / sizeof *of_cta; i++)
        if (offsets[of_cta[i]] != NO_SLOT)
            spread(cta->values + offsets[of_cta[i]], cta_special(cta, of_cta[i]), 4);
    struct warp *warp = &cta->warps[0]; /* any warp; it may not have started yet */
    warp->bank[BANK_CONSTANTS] = cta->launch->kernel->constants;
    warp->bank[BANK_LAUNCH] = cta->launch->values;
    warp->bank[BANK_CTA] = cta->values;
    run_early(warp, cta->launch->kernel, BANK_CTA);
}

void values_of_warp(struct warp *warp)
{
    const uint32_t *offsets = warp->cta->launch->kernel->special;
    for (unsigned i = 0; i < PTX_SPECIAL_COUNT; i++) {
        enum ptx_special special = (enum ptx_special)i;
        if (offsets[i] == NO_SLOT || values_bank(special) != BANK_WARP)
            continue;
        uint32_t *lanes = (uint32_t *)(void *)(warp->bank[BANK_WARP] + offsets[i]);
        for (uint32_t lane = 0; lane < WARP; lane++)
            lanes[lane] = lane_special(warp, special, lane);
    }
    run_early(warp, warp->cta->launch->kernel, BANK_WARP);
}
