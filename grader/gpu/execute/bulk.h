/* Pending bulk copies. bulk.c manages them, and tensor_copy.c starts the copies that use a tensor
 * map. */
#ifndef GPU_EXECUTE_BULK_H
#define GPU_EXECUTE_BULK_H

#include "gpu/execute/access.h"

#define PIECE 16u /* bytes; the sizes and addresses of copies are multiples of this */

/* A copy's target: the address AT in the shared memory of CTA, and the address of the mbarrier on
 * which the copy completes. */
struct bulk_target {
    struct cta *cta;
    uint64_t at, barrier;
    struct obs_access access; /* for bulk_visit() */
};

/* The operation by which a copy changes the elements at its target. */
struct bulk_operation {
    /* OP is an atomic operation (an enum ptx_modifier) on elements of TYPE (an enum ptx_type). If
     * OP is PTX_MOD_COUNT, the copy replaces the elements. */
    uint8_t op, type;
    bool flushes; /* the operation flushes denormals */
};

/* A copy to shared memory whose bytes have not arrived yet. Lane LANE of warp WARP started it,
 * perhaps in another CTA of the cluster. */
struct bulk_copy {
    struct bulk_copy *next;
    uint32_t to, size, barrier, pc, warp, lane;
    /* number of bytes that the mbarrier counts; less than SIZE if the copy leaves gaps */
    uint32_t brings;
    struct bulk_operation does;
    /* SIZE bytes to store, then a byte for each PIECE of them: 0 if it is a gap, otherwise 1 */
    uint8_t data[];
};

/* A part of a copy to global memory. */
struct bulk_part {
    uint8_t *to;
    uint32_t from, size;
};

/* A copy to global memory whose lane has not yet waited for it. */
struct bulk_store {
    struct bulk_store *next;
    uint32_t lane, group;
    struct bulk_operation does;
    uint32_t count;
    struct bulk_part part[];
};

/* Return LANE's address BASE + OFFSET, or the constant in SLOT. */
uint64_t bulk_address(const struct warp *warp, struct slot base, uint64_t offset, unsigned lane);
uint64_t bulk_constant(const struct warp *warp, struct slot slot);

struct obs_access bulk_access(const struct warp *warp, uint8_t kind, uint8_t space, uint8_t bytes);
/* Checks and reports the access to the SIZE bytes at ADDR, in pieces of WANTED->bytes. WANTED
 * states the kind and state space of the access. If BYTES is not NULL, reads the bytes. If an
 * address is bad, fails the launch and returns false. */
bool bulk_visit(struct warp *warp, const struct obs_access *wanted, unsigned lane, uint64_t addr,
                uint32_t size, uint8_t *bytes);

/* Sets *TARGET from the addresses TO and BARRIER. If RANK is not NO_RANK, the target is in the CTA
 * with that rank instead. If there is no such memory, reports a fault and returns false. */
#define NO_RANK UINT32_MAX
bool bulk_find(struct warp *warp, unsigned lane, uint32_t rank, uint64_t to, uint64_t barrier,
               struct bulk_target *target);
/* Adds a copy of SIZE bytes, which are all zero at first and have no gaps. Returns NULL when out of
 * memory. */
struct bulk_copy *bulk_add(struct warp *warp, unsigned lane, const struct bulk_target *target,
                           uint32_t size);
/* Adds a copy to global memory, with space for COUNT parts. The caller adds the parts. Returns NULL
 * when out of memory. */
struct bulk_store *bulk_add_store(struct warp *warp, unsigned lane, uint32_t count);

/* Executes a copy that uses a tensor map, for one lane. */
void tensor_copy(struct warp *warp, const struct inst *inst, unsigned lane);

#endif
