/* Carry chains: numbers wider than a register, word by word.
 *
 *   add.cc.u32  low, a0, b0        carry := the sum did not fit
 *   addc.u32    high, a1, b1       a1 + b1 + carry
 *
 * Each lane has a carry of its own, one bit of a predicate. Of a subtraction it is the borrow. mad puts
 * the lower or upper half of a * b in the place of a. */
#include "emulator/execute/machine.h"

static inline uint32_t product_32(uint32_t a, uint32_t b, uint8_t part, bool is_signed)
{
    uint64_t product = is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    return (uint32_t)(part == 'h' ? product >> 32 : product);
}

static inline uint64_t product_64(uint64_t a, uint64_t b, uint8_t part, bool is_signed)
{
    unsigned __int128 product = is_signed ? (unsigned __int128)((__int128)(int64_t)a * (int64_t)b)
                                          : (unsigned __int128)a * b;
    return (uint64_t)(part == 'h' ? product >> 64 : product);
}

/* Of x + y + carry or x - y - carry, at most one of the two steps can overflow. */
#define CARRY(BITS)                                                                                \
    void carry_run_##BITS(struct warp *warp, const struct inst *inst, uint32_t mask)               \
    {                                                                                              \
        typedef uint##BITS##_t word;                                                               \
        const uint8_t part = inst->carry.part;                                                     \
        const bool is_signed = inst->carry.is_signed, subtracts = inst->carry.subtracts;           \
        const word *a = (const word *)(const void *)slot_at(warp, inst->src[0]);                   \
        const word *b = (const word *)(const void *)slot_at(warp, inst->src[1]);                   \
        const word *y = part ? (const word *)(const void *)slot_at(warp, inst->src[2]) : b;        \
        word *d = (word *)(void *)slot_at(warp, inst->dst);                                        \
        uint32_t from = slot_predicate(warp, inst->carry.from), to = 0;                            \
        for (unsigned l = 0; l < WARP; l++) {                                                      \
            word x = part ? product_##BITS(a[l], b[l], part, is_signed) : a[l], added = y[l];      \
            word carry = from >> l & 1;                                                            \
            word half = subtracts ? x - added : x + added;                                         \
            word value = subtracts ? half - carry : half + carry;                                  \
            bool out = subtracts ? half > x || value > half : half < x || value < half;            \
            to |= (uint32_t)out << l;                                                              \
            d[l] = mask >> l & 1 ? value : d[l];                                                   \
        }                                                                                          \
        slot_set_predicate(warp, inst->carry.to, to, mask);                                        \
    }
CARRY(32)
CARRY(64)
