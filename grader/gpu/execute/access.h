/* Memory accesses: access.c, and what goes with it. */
#ifndef GPU_EXECUTE_ACCESS_H
#define GPU_EXECUTE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* async.c */
void async_finish(struct warp *warp, uint32_t lanes); /* stores all copies that they have started */
void async_drop(struct warp *warp);                   /* forgets what is under way */
void async_free(struct warp *warp);

/* access.c: SIZE bytes at a generic address of one lane, or NULL if they are not there. */
uint8_t *access_bytes(struct warp *warp, unsigned lane, uint64_t addr, uint64_t size);

/* What is needed to make an access, in this order: base + offset of each lane, where inactive lanes repeat
 * an active one's; the lanes of TODO in the first one's space, to which the addresses become relative;
 * their bytes, once the observers have been told, for the lanes returned. */
void access_addresses(const struct warp *warp, struct slot base, uint64_t offset, uint32_t mask,
                      uint64_t *addr);
uint32_t access_take_space(const struct warp *warp, const struct inst *inst, uint32_t todo,
                           struct obs_access *access);
uint32_t access_find(struct warp *warp, struct obs_access *access, uint32_t lanes, uint8_t **host);
/* The same in two steps: the observers are told; the first SIZE bytes of LANE's, at an address for all of
 * them, or NULL, and a fault, if they are not there. */
void access_report(struct warp *warp, struct obs_access *access, uint32_t lanes);
uint8_t *access_find_part(struct warp *warp, struct obs_access *access, unsigned lane,
                          unsigned size);

/* parameters.c: loads and stores at a fixed place, of a kernel's parameters, which are the same for every lane, and of
 * those and the results of device functions. False, and nothing has happened, where it is not that simple. */
bool parameter_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_load(const struct warp *warp, const struct inst *inst, uint32_t mask);
bool frame_store(const struct warp *warp, const struct inst *inst, uint32_t mask);

/* Tells the observer of accesses that it was not told of because they were all alike, in the whole kernel. */
void access_flush(struct worker *worker);

/* atomic.c: LANES take their turn in order on the bytes at HOST, with operands B and C (of cas, or NULL). OLD
 * gets what was there before. SHARED memory adds floats without flushing them. ALONE: nobody else can reach
 * these bytes meanwhile. */
void atomic_lanes(const struct inst *inst, bool shared, bool alone, uint32_t lanes,
                  uint8_t *const *host, const void *b, const void *c, uint64_t *old);

/* The same with 128 bits each: B, C and OLD are two halves. */
void atomic_wide_lanes(const struct inst *inst, uint32_t lanes, uint8_t *const *host,
                       const uint64_t *const *b, const uint64_t *const *c, uint64_t old[2][WARP]);

#endif
