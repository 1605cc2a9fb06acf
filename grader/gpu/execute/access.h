/* The functions with which instructions access memory. */
#ifndef GPU_EXECUTE_ACCESS_H
#define GPU_EXECUTE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* --- access.c --------------------------------------------------------------------------------- */

/* Returns SIZE bytes at a generic address of one lane, or NULL if they are not allocated. */
uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size);

/* Returns SIZE bytes at offset AT of a lane's local memory. It holds the kernel's own variables
 * and, after them, a stack for called functions. Returns NULL if the bytes are in neither. */
uint8_t *access_local(const struct warp *warp, unsigned lane, uint64_t at, uint64_t size);

/* Three steps make an access:
 *
 *   access_addresses    writes base + offset of each lane to ADDR; an inactive lane repeats an
 *                       active lane's address
 *   access_take_space   returns the lanes of TODO that access the same state space as the first
 *                       lane, and makes their addresses relative to it
 *   access_find         reports the access to the observers, writes pointers to HOST and returns
 *                       the lanes whose address is good */
void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr);
uint32_t access_take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                           struct obs_access *access);
uint32_t access_find(struct warp *warp, struct obs_access *access, uint32_t lanes, uint8_t **host);
/* These two functions replace access_find() where lanes use only the first SIZE of their bytes.
 * access_report() reports the access. access_find_part() returns LANE's bytes. Their address must
 * be aligned for the whole access; if the address is bad, the function reports a fault and returns
 * NULL. */
void access_report(struct warp *warp, struct obs_access *access, uint32_t lanes);
uint8_t *access_find_part(struct warp *warp, struct obs_access *access, unsigned lane,
                          unsigned size);

/* Reports to the observers all repeats that were only counted so far, for all instructions. */
void access_flush(struct worker *worker);

/* --- parameters.c ----------------------------------------------------------------------------- */

/* These are fast paths for accesses at fixed offsets. parameter_load() reads a kernel's parameters,
 * which are the same for every lane. The other two functions access parameters and results of
 * device functions. All return false if the access does not have this simple form; then nothing has
 * been done. */
bool parameter_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_store(const struct warp *warp, const struct inst *inst, uint32_t mask);

/* --- async.c ---------------------------------------------------------------------------------- */

void async_finish(struct warp *warp, uint32_t lanes); /* completes all copies of LANES */
/* async_arrive() completes all copies of LANES, which arrive at an mbarrier for these copies.
 * async_awaited() notes that a warp has waited for the end of all phases of the mbarrier before
 * PHASE. */
void async_arrive(struct warp *warp, uint32_t lanes, uint32_t barrier, uint32_t phase);
void async_awaited(struct cta *cta, uint32_t barrier, uint32_t phase);
void async_drop(struct warp *warp); /* discards pending copies */
void async_free(struct warp *warp);

/* Copies belong to groups, which GROUPS counts for each lane. groups_commit() ends the open group
 * of the lanes in MASK. groups_before() sets BEFORE, the number of the first group of each lane
 * that may stay pending: the last PENDING groups may, and so may the group that is still open. */
void groups_commit(uint32_t *groups, uint32_t mask);
void groups_before(const uint32_t *groups, uint32_t pending, uint32_t *before);

/* --- bulk.c, mbarrier.c ----------------------------------------------------------------------- */

/* Makes the oldest copy that ends at BARRIER, of those that have not arrived, arrive in CTA. PHASE
 * identifies the mbarrier's phase to observers. Returns its bytes, or 0 if there is none. */
uint32_t bulk_arrive(struct cta *cta, uint32_t barrier, uint64_t phase);
/* Completes the pending bulk copies to global memory of a CTA that has ended, or drops them if
 * DROPS is true. Frees the records of all copies of the CTA. */
void bulk_end(struct cta *cta, bool drops);
bool mbarrier_is_at(const struct cta *cta, uint64_t at);

/* --- atomic.c --------------------------------------------------------------------------------- */

/* Makes LANES operate on their bytes at HOST, one lane after the other, with operand B and, for
 * cas, C (otherwise NULL). OLD receives the values before the operations. SHARED says that the
 * bytes are in shared memory, where an addition of floats does not flush denormals. ALONE says that
 * no other CPU thread can access these bytes. */
void atomic_lanes(const struct inst *inst, bool shared, bool alone, uint32_t lanes,
                  uint8_t *const *host, const void *b, const void *c, uint64_t *old);

/* Does the same as atomic_lanes(), for 128-bit atomics. B, C and OLD are two halves each, the lower
 * half first. */
void atomic_wide_lanes(const struct inst *inst, uint32_t lanes, uint8_t *const *host,
                       const uint64_t *const *b, const uint64_t *const *c, uint64_t old[2][WARP]);

#endif
