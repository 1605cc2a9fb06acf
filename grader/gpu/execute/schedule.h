/* Schedules execution: warp.c runs one warp, cta.c the warps of a CTA, and cluster.c the CTAs of a
 * cluster.
 *
 *   turn    the time in which a CTA or cluster runs before its worker runs the next CTA or cluster
 *   slice   the instructions that a path executes before another path runs */
#ifndef GPU_EXECUTE_SCHEDULE_H
#define GPU_EXECUTE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"
#include "gpu/memory/memory.h"

/* --- cta.c ------------------------------------------------------------------------------------ */

/* Starts the CTA with index LINEAR in the grid and rank RANK in its cluster. Returns NULL when out
 * of memory. */
struct cta *cta_start(struct worker *worker, uint64_t linear, uint32_t rank);
enum cta_end { CTA_DONE, CTA_WAITS, CTA_STOPPED };
/* Runs the CTA until it is done, all its warps wait for other CTAs, or the launch stops. */
enum cta_end cta_run(struct cta *cta);
/* Reports all waiting threads of a CTA that is in a deadlock. */
void cta_report_deadlock(struct cta *cta);
/* Keeps the memory of a CTA that has ended, so that the worker's next CTA can use it. */
void cta_recycle(struct cta *cta);
void cta_free(struct cta *cta);
/* Makes LANES of WARP arrive at barrier ID without waiting. The barrier opens when COUNT threads
 * have arrived. */
void cta_arrive(struct warp *warp, uint32_t id, uint32_t count, uint32_t lanes);
/* Makes LANES of WARP arrive at the cluster's barrier. */
void cta_arrive_at_cluster(struct warp *warp, const struct inst *inst, uint32_t lanes);
/* Makes LANES of WARP wait at the cluster's barrier. Returns true, without waiting, if the barrier
 * has already opened. */
bool cta_waits_for_cluster(struct warp *warp, uint32_t lanes);

/* A CTA's turn ends after this number of rounds in which threads polled and then passed a barrier.
 * Such a CTA may be waiting for another CTA: in a typical wait loop, one thread polls and a barrier
 * then lets the whole block continue. */
#define MOST_LOOKS 1024u

/* --- cluster.c -------------------------------------------------------------------------------- */

/* Do the same as the functions of cta.c, but for a whole cluster. LEADER is the CTA of rank 0,
 * which represents the cluster. UNIT is the cluster's index in the launch. */
struct cta *cluster_start(struct worker *worker, uint64_t unit);
enum cta_end cluster_run(struct cta *leader);
void cluster_report_deadlock(struct cta *leader);
void cluster_recycle(struct cta *leader);
/* Returns the CTA with RANK in WARP's cluster. If its shared memory is not accessible, returns NULL
 * and sets *WRONG to the reason. */
struct cta *cluster_reach(const struct warp *warp, uint32_t rank, enum obs_fault_kind *wrong);
/* Translate OFFSET in the shared window, as seen by a CTA of rank OWN. cluster_rank() returns the
 * rank of the CTA that owns the memory, cluster_offset() the offset in that CTA's memory. */
static inline uint32_t cluster_rank(uint64_t offset, uint32_t own)
{
    return offset < MEM_CLUSTER_BEGIN ? own
                                      : (uint32_t)((offset - MEM_CLUSTER_BEGIN) / MEM_CLUSTER_STEP);
}
static inline uint64_t cluster_offset(uint64_t offset)
{
    return offset < MEM_CLUSTER_BEGIN ? offset : offset % MEM_CLUSTER_STEP;
}

/* --- warp.c ----------------------------------------------------------------------------------- */

#define SLICE        16384u /* instructions */
#define OBSERVE_COST 64u    /* cost of an instruction that may poll, in instructions of a slice */
/* Additional cost of a poll that finds no new value, in instructions of a slice. With this cost, a
 * path that only waits polls just a few times in a slice. So the warp that writes the awaited value
 * runs sooner, and the counters show few polls, as on a GPU, where a poll takes long. */
#define FAILED_COST (SLICE / 3)

/* A warp's turn ends after this number of slices of each path. The limit is for warps that poll in
 * a way that is not recognised: for example, their lanes vote on the values that they read, or use
 * ordinary loads. */
#define WARP_ROUNDS 32u

/* Starts warp INDEX of CTA. AGAIN says that the warp reuses the memory of warp INDEX of an earlier
 * CTA of this launch. */
bool warp_start(struct warp *warp, struct cta *cta, uint32_t index, bool again);
enum warp_end { WARP_DONE, WARP_AT_BARRIER, WARP_SPINS, WARP_STOPPED };
enum warp_end warp_run(struct warp *warp);
/* The result of a barrier with a reduction: the number of threads that voted, and the number that
 * voted yes. */
struct votes {
    uint32_t threads, yes;
};
/* Lets the paths of the warp that wait at BARRIER continue. TOTAL is the result of a barrier with a
 * reduction. */
void warp_release(struct warp *warp, uint32_t barrier, struct votes total);
/* For each stuck path, moves the lanes that are only in lower stack entries, and so cannot run, to
 * a new path. Returns false if there are no such lanes. */
bool warp_set_free(struct warp *warp);
/* Returns the lanes of WARP that wait at BARRIER. */
uint32_t warp_waiting_at(const struct warp *warp, uint32_t barrier);
void warp_stop(struct warp *warp);
void warp_free(struct warp *warp);

#endif
