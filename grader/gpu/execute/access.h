/* The functions with which instructions access memory. */
#ifndef GPU_EXECUTE_ACCESS_H
#define GPU_EXECUTE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* --- access.c --------------------------------------------------------------------------------- */

/* Returns a pointer to the SIZE bytes at a generic address of LANE. Returns NULL if they are not
 * allocated. */
uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size);

/* Returns a pointer to the SIZE bytes at offset AT of LANE's local memory. This memory holds the
 * kernel's own variables and, after them, a stack for called functions. Returns NULL if the bytes
 * are in neither. */
uint8_t *access_local(const struct warp *warp, unsigned lane, uint64_t at, uint64_t size);

/* An access takes three steps:
 *
 *   access_addresses    writes base + offset of each lane to ADDR; an inactive lane gets an active
 *                       lane's address
 *   access_take_space   returns the lanes of TODO that access the same state space as the first
 *                       lane, and makes their addresses relative to that space
 *   access_find         reports the access to the observers, writes pointers to HOST and returns
 *                       the lanes whose address is valid */
void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr);
uint32_t access_take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                           struct obs_access *access);
uint32_t access_find(struct warp *warp, struct obs_access *access, uint32_t lanes, uint8_t **host);
/* These two functions replace access_find() for an instruction that uses only the first SIZE bytes
 * of a lane's access. access_report() reports the access. access_find_part() returns LANE's bytes;
 * their address must be aligned for the whole access. If the address is bad, it reports a fault and
 * returns NULL. */
void access_report(struct warp *warp, struct obs_access *access, uint32_t lanes);
uint8_t *access_find_part(struct warp *warp, struct obs_access *access, unsigned lane,
                          unsigned size);

/* Reports the repeated accesses of all instructions that the worker has counted (see repeat.h) but
 * not yet reported to the observers. */
void access_flush(struct worker *worker);

/* --- parameters.c ----------------------------------------------------------------------------- */

/* Fast paths for accesses at fixed offsets. parameter_load() reads a kernel's parameters, which are
 * the same for every lane. frame_load() and frame_store() access parameters and results of device
 * functions. Each returns false, without doing anything, if its fast path does not apply. */
bool parameter_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_store(const struct warp *warp, const struct inst *inst, uint32_t mask);

/* --- signals.c -------------------------------------------------------------------------------- */

/* Lengthens the path of WARP if the instruction polls words in memory in which other warps have
 * given signals. Notes the signals that it gives itself. Call this before the instruction runs. */
void signals_follow(struct warp *warp, const struct inst *inst, uint32_t mask);
void signals_free(struct signals *signals); /* accepts NULL */

/* --- async.c ---------------------------------------------------------------------------------- */

void async_finish(struct warp *warp, uint32_t lanes); /* completes all copies of LANES */
/* async_arrive() executes cp.async.mbarrier.arrive: completes all copies of LANES, which arrive at
 * the mbarrier at address BARRIER in phase PHASE. async_awaited() records that a warp has waited
 * for the end of all phases of this mbarrier before PHASE. */
void async_arrive(struct warp *warp, uint32_t lanes, uint32_t barrier, uint32_t phase);
void async_awaited(struct cta *cta, uint32_t barrier, uint32_t phase);
void async_drop(struct warp *warp); /* discards pending copies */
void async_free(struct warp *warp);

/* Each copy belongs to a group. GROUPS holds, for each lane, the number of groups that it has
 * committed. groups_commit() ends the open group of each lane in MASK. After a wait, the last
 * PENDING groups and the open group may still be pending. groups_before() writes the number of the
 * first group that may still be pending to BEFORE, for each lane. */
void groups_commit(uint32_t *groups, uint32_t mask);
void groups_before(const uint32_t *groups, uint32_t pending, uint32_t *before);

/* --- bulk.c, mbarrier.c ----------------------------------------------------------------------- */

/* Completes the oldest pending bulk copy to CTA that uses the mbarrier at address BARRIER. PHASE
 * identifies the mbarrier's phase to observers. Returns the number of bytes that the mbarrier
 * counts for this copy, or 0 if there is no such copy. */
uint32_t bulk_arrive(struct cta *cta, uint32_t barrier, uint64_t phase);
/* Ends the bulk copies of a CTA that has ended: completes the copies to global memory, or drops
 * them if DROPS is true. Frees the records of all copies of the CTA. */
void bulk_end(struct cta *cta, bool drops);
/* Returns whether CTA has an mbarrier at offset AT of its shared memory. */
bool mbarrier_is_at(const struct cta *cta, uint64_t at);

/* --- atomic.c --------------------------------------------------------------------------------- */

/* Executes an atomic for LANES on their bytes at HOST, one lane after another. The operands are B
 * and, for cas, C (otherwise NULL). OLD receives each lane's value before its operation. SHARED
 * says that the bytes are in shared memory, where an addition of floats does not flush denormals.
 * ALONE says that no other CPU thread can access the bytes. */
void atomic_lanes(const struct inst *inst, bool shared, bool alone, uint32_t lanes,
                  uint8_t *const *host, const void *b, const void *c, uint64_t *old);

/* Does the same as atomic_lanes(), for 128-bit atomics. Each of B, C and OLD consists of two
 * halves, the lower half first. */
void atomic_wide_lanes(const struct inst *inst, uint32_t lanes, uint8_t *const *host,
                       const uint64_t *const *b, const uint64_t *const *c, uint64_t old[2][WARP]);

#endif
