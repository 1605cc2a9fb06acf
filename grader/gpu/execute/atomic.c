/* Executes atomic operations on the lanes' bytes, one lane after another. Usually an operation is a
 * compare-and-swap loop on the CPU, because other workers (CPU threads) run other CTAs at the same
 * time. If no other CPU thread can access the bytes, a plain load and store is enough. This is
 * certain for a CTA's shared memory. */
#include "gpu/execute/access.h"
#include "gpu/execute/half.h"

static uint32_t flushed(uint32_t bits)
{
    return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

/* Adds two floats. The hardware flushes denormals when it adds in global memory, but not in shared
 * memory. */
static uint32_t add_floats(uint32_t a, uint32_t b, bool flushes)
{
    float sum =
        flushes ? bits_float(flushed(a)) + bits_float(flushed(b)) : bits_float(a) + bits_float(b);
    if (sum != sum)
        return 0x7fffffffu;
    return flushes ? flushed(float_bits(sum)) : float_bits(sum);
}

static uint64_t add_doubles(uint64_t a, uint64_t b)
{
    double x = bits_double(a), y = bits_double(b);
    return double_bits(fp_nan(x + y, x, y));
}

/* Returns the new value in memory after one lane's operation on OLD. The functions below do the
 * same for other widths. */
static uint32_t combine32(const struct inst *inst, bool shared, uint32_t old, uint32_t b,
                          uint32_t c)
{
    bool is_signed = inst->mem.type == PTX_s32, is_float = inst->mem.type == PTX_f32;
    switch (inst->mem.op) {
    case PTX_MOD_add:
        if (half_is(inst->mem.type))
            return half_add(inst->mem.type, old, b);
        return is_float ? add_floats(old, b, !shared) : old + b;
    case PTX_MOD_min:
        return (is_signed ? (int32_t)b < (int32_t)old : b < old) ? b : old;
    case PTX_MOD_max:
        return (is_signed ? (int32_t)b > (int32_t)old : b > old) ? b : old;
    case PTX_MOD_inc:
        return old >= b ? 0 : old + 1;
    case PTX_MOD_dec:
        return old == 0 || old > b ? b : old - 1;
    case PTX_MOD_and:
        return old & b;
    case PTX_MOD_or:
        return old | b;
    case PTX_MOD_xor:
        return old ^ b;
    case PTX_MOD_cas:
        return old == b ? c : old;
    default: /* exch */
        return b;
    }
}

static uint64_t combine64(const struct inst *inst, uint64_t old, uint64_t b, uint64_t c)
{
    bool is_signed = inst->mem.type == PTX_s64, is_float = inst->mem.type == PTX_f64;
    switch (inst->mem.op) {
    case PTX_MOD_add:
        return is_float ? add_doubles(old, b) : old + b;
    case PTX_MOD_min:
        return (is_signed ? (int64_t)b < (int64_t)old : b < old) ? b : old;
    case PTX_MOD_max:
        return (is_signed ? (int64_t)b > (int64_t)old : b > old) ? b : old;
    case PTX_MOD_and:
        return old & b;
    case PTX_MOD_or:
        return old | b;
    case PTX_MOD_xor:
        return old ^ b;
    case PTX_MOD_cas:
        return old == b ? c : old;
    default:
        return b;
    }
}

static uint16_t combine16(const struct inst *inst, uint16_t old, uint16_t b, uint16_t c)
{
    if (inst->mem.op == PTX_MOD_add)
        return (uint16_t)half_add(inst->mem.type, old, b);
    /* only bulk copies have min and max of 16-bit types */
    if (inst->mem.op == PTX_MOD_min || inst->mem.op == PTX_MOD_max)
        return half_extreme(inst->mem.type, old, b, inst->mem.op == PTX_MOD_max);
    return old == b ? c : old; /* cas */
}

/* --- one lane's operation --------------------------------------------------------------------- */

static uint32_t atomic32(const struct inst *inst, bool shared, bool alone, void *host, uint32_t b,
                         uint32_t c)
{
    uint32_t *word = host;
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (alone)
        *word = combine32(inst, shared, old, b, c);
    while (!alone && !__atomic_compare_exchange_n(word, &old, combine32(inst, shared, old, b, c),
                                                  true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint16_t atomic16(const struct inst *inst, void *host, uint16_t b, uint16_t c)
{
    uint16_t *word = host;
    uint16_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, combine16(inst, old, b, c), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t atomic64(const struct inst *inst, bool alone, void *host, uint64_t b, uint64_t c)
{
    uint64_t *word = host;
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (alone)
        *word = combine64(inst, old, b, c);
    while (!alone && !__atomic_compare_exchange_n(word, &old, combine64(inst, old, b, c), true,
                                                  __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

/* Adds 32-bit integers that no other CPU thread can access. This case is frequent, because most
 * atomics count something. */
static void add_words(uint32_t lanes, uint8_t *const *host, const uint32_t *b, uint64_t *old)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint32_t *word = (uint32_t *)(void *)host[l];
        old[l] = *word;
        *word += b[l];
    }
}

/* Does the same for words that other CPU threads may access. An atomic operation is slow, so
 * consecutive lanes that add to the same word share one, as if no other thread came between. */
static void add_to_contended(uint32_t lanes, uint8_t *const *host, const uint32_t *b, uint64_t *old)
{
    while (lanes) {
        uint8_t *word = host[__builtin_ctz(lanes)];
        uint32_t row = 0, sum = 0;
        for (; lanes && host[__builtin_ctz(lanes)] == word; lanes &= lanes - 1) {
            unsigned l = (unsigned)__builtin_ctz(lanes);
            row |= 1u << l;
            old[l] = sum;
            sum += b[l];
        }
        uint32_t before = __atomic_fetch_add((uint32_t *)(void *)word, sum, __ATOMIC_SEQ_CST);
        for (; row; row &= row - 1)
            old[__builtin_ctz(row)] = before + (uint32_t)old[__builtin_ctz(row)];
    }
}

static void add_singles(uint32_t lanes, uint8_t *const *host, const uint32_t *b, uint64_t *old,
                        bool flushes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint32_t *word = (uint32_t *)(void *)host[l];
        old[l] = *word;
        *word = add_floats(*word, b[l], flushes);
    }
}

/* Returns LANE's operand from VALUES, an array with BYTES bytes for each lane. */
static uint64_t operand(const void *values, unsigned lane, unsigned bytes)
{
    return !values      ? 0
           : bytes == 4 ? ((const uint32_t *)values)[lane]
           : bytes == 8 ? ((const uint64_t *)values)[lane]
                        : ((const uint16_t *)values)[lane];
}

void atomic_lanes(const struct inst *inst, bool shared, bool alone, uint32_t lanes,
                  uint8_t *const *host, const void *b, const void *c, uint64_t *old)
{
    unsigned bytes = inst->mem.bytes;
    bool is_integer = inst->mem.type == PTX_u32 || inst->mem.type == PTX_s32;
    if (inst->mem.op == PTX_MOD_add && is_integer) {
        (alone ? add_words : add_to_contended)(lanes, host, b, old);
        return;
    }
    if (alone && inst->mem.op == PTX_MOD_add && inst->mem.type == PTX_f32) {
        add_singles(lanes, host, b, old, !shared);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        uint64_t x = operand(b, l, bytes), y = operand(c, l, bytes);
        old[l] = bytes == 4   ? atomic32(inst, shared, alone, host[l], (uint32_t)x, (uint32_t)y)
                 : bytes == 8 ? atomic64(inst, alone, host[l], x, y)
                              : atomic16(inst, host[l], (uint16_t)x, (uint16_t)y);
    }
}

/* --- 128 bits --------------------------------------------------------------------------------- */

__extension__ typedef unsigned __int128 wide;

#ifdef __x86_64__
#define WIDE_SWAPS __attribute__((target("cx16")))
#else
#define WIDE_SWAPS
#endif

static wide join(const uint64_t *const *halves, unsigned lane)
{
    return (wide)halves[1][lane] << 64 | halves[0][lane];
}

/* Executes cas or exch on 128 bits. cas needs one compare-and-swap. exch retries with the latest
 * value until no other worker changes the word between load and swap. */
WIDE_SWAPS static wide atomic128(bool swaps_if_equal, wide *word, wide b, wide c)
{
    wide expected = swaps_if_equal ? b : 0, wanted = swaps_if_equal ? c : b;
    for (;;) {
        wide old = __sync_val_compare_and_swap(word, expected, wanted);
        if (swaps_if_equal || old == expected)
            return old;
        expected = old;
    }
}

void atomic_wide_lanes(const struct inst *inst, uint32_t lanes, uint8_t *const *host,
                       const uint64_t *const *b, const uint64_t *const *c, uint64_t old[2][WARP])
{
    bool is_cas = inst->mem.op == PTX_MOD_cas;
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        wide before =
            atomic128(is_cas, (wide *)(void *)host[l], join(b, l), is_cas ? join(c, l) : 0);
        old[0][l] = (uint64_t)before;
        old[1][l] = (uint64_t)(before >> 64);
    }
}
