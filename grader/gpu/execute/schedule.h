/* Which warp runs when: warp.c runs one warp, cta.c the warps of a CTA, cluster.c the CTAs of a cluster. */
#ifndef GPU_EXECUTE_SCHEDULE_H
#define GPU_EXECUTE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"
#include "gpu/memory/memory.h"

/* cta.c */
/* The CTA of RANK in its cluster. NULL when memory is out. */
struct cta *cta_start(struct worker *worker, uint64_t linear, uint32_t rank);
enum cta_end { CTA_DONE, CTA_WAITS, CTA_STOPPED };
/* Runs until the CTA is done, or all its warps only wait for other CTAs, or the launch stops. */
enum cta_end cta_run(struct cta *cta);
/* Tells who waits, where nothing can ever change. */
void cta_report_deadlock(struct cta *cta);
void cta_recycle(struct cta *cta);
void cta_free(struct cta *cta);
/* LANES of WARP arrive at the cluster's barrier; they wait there: true if they need not. */
void cta_arrive_at_cluster(struct warp *warp, const struct inst *inst, uint32_t lanes);
bool cta_waits_for_cluster(struct warp *warp, uint32_t lanes);

/* So many times may threads look at memory and then pass a barrier, before others have their turn: they may be
 * waiting for them, as a block is whose first thread looks again and again, and tells the rest. */
#define MOST_LOOKS 1024u

/* cluster.c: the same for a whole cluster, whose CTA of rank 0 stands for it. UNIT: its number in the launch. */
struct cta *cluster_start(struct worker *worker, uint64_t unit);
enum cta_end cluster_run(struct cta *leader);
void cluster_report_deadlock(struct cta *leader);
void cluster_recycle(struct cta *leader);
/* The CTA of RANK in WARP's cluster, whose shared memory can be reached; or NULL, and why not. */
struct cta *cluster_reach(const struct warp *warp, uint32_t rank, enum obs_fault_kind *wrong);
/* The rank of the CTA that OFFSET in the shared window means, of one of whose is of rank OWN, and the
 * offset in that CTA's memory. */
static inline uint32_t cluster_rank(uint64_t offset, uint32_t own)
{
    return offset < MEM_CLUSTER_BEGIN ? own
                                      : (uint32_t)((offset - MEM_CLUSTER_BEGIN) / MEM_CLUSTER_STEP);
}
static inline uint64_t cluster_offset(uint64_t offset)
{
    return offset < MEM_CLUSTER_BEGIN ? offset : offset % MEM_CLUSTER_STEP;
}

/* WARP's lanes arrive at barrier ID, which COUNT threads complete, and do not wait. */
void cta_arrive(struct warp *warp, uint32_t id, uint32_t count, uint32_t lanes);

/* warp.c */
#define SLICE        16384u /* instructions between two looks at the rest of the world */
#define OBSERVE_COST 64u    /* an instruction that may be waiting for others shortens the slice */
/* A warp that has waited for others has shorter slices: what it waits for comes while they run. It waited if it
 * executed at most so many instructions for each look, as loops that poll do, and one look at most of so many found
 * something new. */
#define WAITING_SLICE 1024
#define LONGEST_POLL  16u
#define FEW_NEWS      8u
/* AGAIN: the warp has been that of another CTA of this launch, in the same place. */
bool warp_start(struct warp *warp, struct cta *cta, uint32_t index, bool again);
enum warp_end { WARP_DONE, WARP_AT_BARRIER, WARP_SPINS, WARP_STOPPED };
enum warp_end warp_run(struct warp *warp);
/* Its paths that wait there go on; TOTAL is of the predicates, for those that asked. */
struct votes {
    uint32_t threads, yes;
};
void warp_release(struct warp *warp, uint32_t barrier, struct votes total);
/* Lanes that wait below a path that is stuck go on by themselves. False if there are none. */
bool warp_set_free(struct warp *warp);
uint32_t warp_waiting_at(const struct warp *warp, uint32_t barrier); /* these paths' lanes */
void warp_stop(struct warp *warp);
void warp_free(struct warp *warp);

#endif
