/* Executes carry chains: arithmetic on numbers wider than a register, one word after another.
 *
 *   add.cc.u32  low, a0, b0        carry := 1 if the sum does not fit, otherwise 0
 *   addc.u32    high, a1, b1       a1 + b1 + carry
 *
 * Each lane has its own carry, one bit of a predicate. A subtraction uses it as the borrow. mad
 * adds c to the lower or upper half of a * b. */
#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"

LANES_INLINE uint32_t product_32(uint32_t a, uint32_t b, uint8_t part, bool is_signed)
{
    uint64_t product = is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    return (uint32_t)(part == 'h' ? product >> 32 : product);
}

LANES_INLINE uint64_t product_64(uint64_t a, uint64_t b, uint8_t part, bool is_signed)
{
    unsigned __int128 product = is_signed ? (unsigned __int128)((__int128)(int64_t)a * (int64_t)b)
                                          : (unsigned __int128)a * b;
    return (uint64_t)(part == 'h' ? product >> 64 : product);
}

/* Defines carry_run_32() and carry_run_64(). x + y + carry is computed in two steps, and so is x -
 * y - carry; at most one of the two steps can overflow. `part`, `is_signed` and `subtracts` are
 * constants in the loop, so that the compiler vectorises it. */
#define CARRY(BITS)                                                                                \
    LANES_INLINE void carry_lanes_##BITS(const struct warp *warp, const struct inst *inst,         \
                                         uint32_t mask, uint8_t part, bool is_signed,              \
                                         bool subtracts)                                           \
    {                                                                                              \
        typedef uint##BITS##_t word;                                                               \
        const word *a = (const word *)(const void *)slot_at(warp, inst->src[0]);                   \
        const word *b = (const word *)(const void *)slot_at(warp, inst->src[1]);                   \
        const word *y = part ? (const word *)(const void *)slot_at(warp, inst->src[2]) : b;        \
        word *d = (word *)(void *)slot_at(warp, inst->dst), result[WARP];                          \
        uint32_t from = slot_predicate(warp, inst->carry.from), to = 0;                            \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            word x = part ? product_##BITS(a[l], b[l], part, is_signed) : a[l], added = y[l];      \
            word carry = from >> l & 1;                                                            \
            word half = subtracts ? x - added : x + added;                                         \
            word value = subtracts ? half - carry : half + carry;                                  \
            uint32_t out = subtracts ? (uint32_t)(half > x) | (value > half)                       \
                                     : (uint32_t)(half < x) | (value < half);                      \
            to |= out << l;                                                                        \
            result[l] = value;                                                                     \
        }                                                                                          \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = mask >> l & 1 ? result[l] : d[l];                                               \
        slot_set_predicate(warp, inst->carry.to, to, mask);                                        \
    }                                                                                              \
    LANES_CLONES void carry_run_##BITS(struct warp *warp, const struct inst *inst, uint32_t mask)  \
    {                                                                                              \
        bool is_signed = inst->carry.is_signed;                                                    \
        if (inst->carry.part == 'l') /* the lower half does not depend on signs */                 \
            carry_lanes_##BITS(warp, inst, mask, 'l', false, false);                               \
        else if (inst->carry.part && is_signed)                                                    \
            carry_lanes_##BITS(warp, inst, mask, 'h', true, false);                                \
        else if (inst->carry.part)                                                                 \
            carry_lanes_##BITS(warp, inst, mask, 'h', false, false);                               \
        else if (inst->carry.subtracts)                                                            \
            carry_lanes_##BITS(warp, inst, mask, 0, false, true);                                  \
        else                                                                                       \
            carry_lanes_##BITS(warp, inst, mask, 0, false, false);                                 \
    }
CARRY(32)
CARRY(64)
