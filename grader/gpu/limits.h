/* Provides the limits of each compute capability from limits.def, and the limits of the virtual
 * GPU, whose capability is 9.0. */
#ifndef GPU_LIMITS_H
#define GPU_LIMITS_H

#include <stdint.h>

#define EMU_SPLITS 12 /* size of emu_limits.splits; no capability has so many sizes */

struct emu_limits {
    uint32_t capability;    /* the capability times 10: 90 for 9.0 */
    const char *generation; /* such as "Hopper" */
#define F(field, meaning) uint32_t field;
#include "gpu/limits.def"
    /* The sizes that a multiprocessor's shared memory can be set to, in KiB, in ascending order.
     * The remaining elements are 0. */
    uint32_t splits[EMU_SPLITS];
};

/* Returns the limits of CAPABILITY, which is the capability times 10. Returns NULL if CAPABILITY is
 * not in the table. */
const struct emu_limits *emu_limits(uint32_t capability);

/* Returns the limits at INDEX of the table, which is ordered by capability. Returns NULL after the
 * last capability. */
const struct emu_limits *emu_limits_at(uint32_t index);

/* Returns the meaning of field INDEX of struct emu_limits, and sets *VALUE to the field's value in
 * LIMITS. Fields are in the order of limits.def. Returns NULL after the last field. VALUE can be
 * NULL; then LIMITS is not used. */
const char *emu_limits_field(const struct emu_limits *limits, uint32_t index, uint32_t *value);

/* Returns the name of the feature at INDEX, and sets *CAPABILITY to the first capability (times 10)
 * that has it. Returns NULL after the last feature. */
const char *emu_limits_feature(uint32_t index, uint32_t *capability);

/* Returns the smallest size of shared memory, in bytes, that is at least BYTES and is in `splits`.
 * If no size is large enough, returns the largest size. */
uint32_t emu_limits_split(const struct emu_limits *limits, uint64_t bytes);

/* The virtual GPU's limits as constants. */
enum {
#define CC(capability, generation, sm_warps, sm_blocks, grids, block_threads, block_x, block_y,    \
           block_z, grid_x, grid_y, grid_z, sm_registers, block_registers, thread_registers,       \
           register_unit, register_parts, sm_shared, block_shared, block_shared_optin,             \
           shared_reserved, shared_unit, ...)                                                      \
    LIMITS_##capability##_SM_WARPS = sm_warps, LIMITS_##capability##_SM_CTAS = sm_blocks,          \
    LIMITS_##capability##_THREADS = block_threads, LIMITS_##capability##_BLOCK_X = block_x,        \
    LIMITS_##capability##_BLOCK_Y = block_y, LIMITS_##capability##_BLOCK_Z = block_z,              \
    LIMITS_##capability##_GRID_X = grid_x, LIMITS_##capability##_GRID_Y = grid_y,                  \
    LIMITS_##capability##_GRID_Z = grid_z, LIMITS_##capability##_SM_REGISTERS = sm_registers,      \
    LIMITS_##capability##_BLOCK_REGISTERS = block_registers,                                       \
    LIMITS_##capability##_SM_SHARED = sm_shared,                                                   \
    LIMITS_##capability##_BLOCK_SHARED = block_shared,                                             \
    LIMITS_##capability##_BLOCK_SHARED_OPTIN = block_shared_optin,                                 \
    LIMITS_##capability##_SHARED_RESERVED = shared_reserved,                                       \
    LIMITS_##capability##_SHARED_UNIT = shared_unit,
#include "gpu/limits.def"
};
#define EMU_CAPABILITY      90u
#define EMU_SM_WARPS        ((uint32_t)LIMITS_90_SM_WARPS)
#define EMU_SM_CTAS         ((uint32_t)LIMITS_90_SM_CTAS)
#define EMU_MAX_THREADS     ((uint32_t)LIMITS_90_THREADS) /* per CTA */
#define EMU_MAX_BLOCK_X     ((uint32_t)LIMITS_90_BLOCK_X)
#define EMU_MAX_BLOCK_Y     ((uint32_t)LIMITS_90_BLOCK_Y)
#define EMU_MAX_BLOCK_Z     ((uint32_t)LIMITS_90_BLOCK_Z)
#define EMU_MAX_GRID_X      ((uint32_t)LIMITS_90_GRID_X)
#define EMU_MAX_GRID_Y      ((uint32_t)LIMITS_90_GRID_Y)
#define EMU_MAX_GRID_Z      ((uint32_t)LIMITS_90_GRID_Z)
#define EMU_SM_REGISTERS    ((uint32_t)LIMITS_90_SM_REGISTERS)
#define EMU_MAX_REGISTERS   ((uint32_t)LIMITS_90_BLOCK_REGISTERS) /* per CTA */
#define EMU_SM_SHARED       ((uint32_t)LIMITS_90_SM_SHARED)
#define EMU_DEFAULT_SHARED  ((uint32_t)LIMITS_90_BLOCK_SHARED) /* per CTA, without opting in */
#define EMU_MAX_SHARED      ((uint32_t)LIMITS_90_BLOCK_SHARED_OPTIN)
#define EMU_SHARED_RESERVED ((uint32_t)LIMITS_90_SHARED_RESERVED)
#define EMU_SHARED_UNIT     ((uint32_t)LIMITS_90_SHARED_UNIT)

#endif
