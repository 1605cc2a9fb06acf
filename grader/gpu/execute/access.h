/* Memory accesses, for the files that make them. */
#ifndef GPU_EXECUTE_ACCESS_H
#define GPU_EXECUTE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* --- access.c --------------------------------------------------------------------------------- */

/* SIZE bytes at a generic address of one lane; NULL if they are not allocated. */
uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size);

/* Three steps make an access:
 *
 *   access_addresses    writes base + offset of each lane to ADDR; an inactive lane repeats an
 *                       active lane's address
 *   access_take_space   returns the lanes of TODO that access the first one's state space; makes
 *                       their addresses relative to it
 *   access_find         reports the access to the observers, writes pointers to HOST and returns
 *                       the lanes whose address is good */
void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr);
uint32_t access_take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                           struct obs_access *access);
uint32_t access_find(struct warp *warp, struct obs_access *access, uint32_t lanes, uint8_t **host);
/* access_find() in two steps: a report to the observers; the first SIZE bytes of LANE, whose
 * address must be aligned for all its bytes. NULL, and a fault: they are not allocated. */
void access_report(struct warp *warp, struct obs_access *access, uint32_t lanes);
uint8_t *access_find_part(struct warp *warp, struct obs_access *access, unsigned lane,
                          unsigned size);

/* Reports repeats that were only counted to the observers, for the whole kernel. */
void access_flush(struct worker *worker);

/* --- parameters.c ----------------------------------------------------------------------------- */

/* Loads and stores at fixed offsets: of a kernel's parameters, which are the same for every lane,
 * and of the parameters and results of device functions. False, without any effect: the access is
 * not that simple. */
bool parameter_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_store(const struct warp *warp, const struct inst *inst, uint32_t mask);

/* --- async.c ---------------------------------------------------------------------------------- */

void async_finish(struct warp *warp, uint32_t lanes); /* completes all copies of LANES */
void async_drop(struct warp *warp);                   /* forgets pending copies */
void async_free(struct warp *warp);

/* --- atomic.c --------------------------------------------------------------------------------- */

/* LANES operate on the bytes at HOST, one after the other, with operands B and C (for cas; else
 * NULL). OLD gets the values before. Floats are added in SHARED memory without flushing denormals.
 * ALONE: no other CPU thread can access these bytes. */
void atomic_lanes(const struct inst *inst, bool shared, bool alone, uint32_t lanes,
                  uint8_t *const *host, const void *b, const void *c, uint64_t *old);

/* The same for 128 bits: B, C and OLD have two halves. */
void atomic_wide_lanes(const struct inst *inst, uint32_t lanes, uint8_t *const *host,
                       const uint64_t *const *b, const uint64_t *const *c, uint64_t old[2][WARP]);

#endif
