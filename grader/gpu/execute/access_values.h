/* Moves values between memory and the registers of 32 lanes: lane by lane, or all lanes in one copy
 * if the addresses allow it. */
#ifndef GPU_EXECUTE_ACCESS_VALUES_H
#define GPU_EXECUTE_ACCESS_VALUES_H

#include <string.h>

#include "gpu/execute/raw.h"
#include "gpu/execute/state.h"
#include "gpu/execute/turns.h"

/* A loop over all lanes. It is unrolled by four, because loop control takes as much time as the
 * body. */
#define EACH_LANE(l) _Pragma("GCC unroll 4") for (unsigned l = 0; l < WARP; l++)

/* --- lanes one by one ------------------------------------------------------------------------- */

/* Defines functions that move one value of type T for each lane. The value is at offset AT of the
 * lane's bytes at HOST. HOST also has readable bytes for inactive lanes, but the functions never
 * write to these. */
#define LANE_VALUES(T)                                                                             \
    LANES_INLINE T value_##T(const uint8_t *host, size_t at)                                       \
    {                                                                                              \
        return *(const T *)(const void *)(host + at);                                              \
    }                                                                                              \
    LANES_INLINE void put_##T(void *to, const T *v, uint32_t mask)                                 \
    {                                                                                              \
        T *d = to;                                                                                 \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = mask >> l & 1 ? v[l] : d[l];                                                    \
    }                                                                                              \
    LANES_INLINE void load_##T(void *to, uint8_t *const *host, size_t at, uint32_t mask)           \
    {                                                                                              \
        T v[WARP], *d = mask == ALL_LANES ? to : v;                                                \
        EACH_LANE(l) d[l] = value_##T(host[l], at);                                                \
        if (mask != ALL_LANES)                                                                     \
            put_##T(to, v, mask);                                                                  \
    }                                                                                              \
    LANES_INLINE void broadcast_##T(void *to, const uint8_t *host, size_t at, uint32_t mask)       \
    {                                                                                              \
        T v[WARP], value = value_##T(host, at);                                                    \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            v[l] = value;                                                                          \
        put_##T(to, v, mask);                                                                      \
    }                                                                                              \
    LANES_INLINE void store_##T(const uint8_t *v, unsigned width, uint8_t *const *host, size_t at, \
                                uint32_t lanes, unsigned turn)                                     \
    {                                                                                              \
        if (lanes == ALL_LANES) {                                                                  \
            EACH_LANE(i)                                                                           \
            {                                                                                      \
                unsigned l = i ^ turn;                                                             \
                *(T *)(void *)(host[l] + at) = value_##T(v, l * width);                            \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t left = in_turn(lanes, turn); left; left &= left - 1) {                       \
            unsigned l = (unsigned)__builtin_ctz(left) ^ turn;                                     \
            *(T *)(void *)(host[l] + at) = value_##T(v, l * width);                                \
        }                                                                                          \
    }
LANE_VALUES(uint8_t)
LANE_VALUES(uint16_t)
LANE_VALUES(uint32_t)
LANE_VALUES(uint64_t)

/* Writes values of at most 4 BYTES to registers of WIDTH bytes, with sign or zero extension. */
LANES_INLINE void put_narrow(uint8_t *d, unsigned width, uint32_t *raw, uint32_t mask,
                             unsigned bytes, bool is_signed)
{
    uint64_t wide[WARP];
    uint16_t narrow[WARP];
    unsigned shift = 32 - 8 * bytes;
    for (unsigned l = 0; l < WARP && is_signed; l++)
        raw[l] = (uint32_t)((int32_t)(raw[l] << shift) >> shift);
    if (width == 4) {
        put_uint32_t(d, raw, mask);
    } else if (width == 2) {
        for (unsigned l = 0; l < WARP; l++)
            narrow[l] = (uint16_t)raw[l];
        put_uint16_t(d, narrow, mask);
    } else {
        for (unsigned l = 0; l < WARP; l++)
            wide[l] = is_signed ? (uint64_t)(int32_t)raw[l] : raw[l];
        put_uint64_t(d, wide, mask);
    }
}

LANES_INLINE void load_narrow(uint8_t *d, unsigned width, uint8_t *const *host, size_t at,
                              uint32_t mask, unsigned bytes, bool is_signed)
{
    uint32_t raw[WARP];
    if (bytes == 1)
        EACH_LANE(l) raw[l] = value_uint8_t(host[l], at);
    else if (bytes == 2)
        EACH_LANE(l) raw[l] = value_uint16_t(host[l], at);
    else
        EACH_LANE(l) raw[l] = value_uint32_t(host[l], at);
    put_narrow(d, width, raw, mask, bytes, is_signed);
}

/* Defines functions that move element K of vectors of COUNT elements. The vectors of all 32 lanes
 * are adjacent in memory. */
#define LANE_PIECES(T)                                                                             \
    LANES_INLINE void load_pieces_##T(void *to, const uint8_t *from, unsigned count, unsigned k)   \
    {                                                                                              \
        T *d = to;                                                                                 \
        const T *v = (const T *)(const void *)from;                                                \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l] = v[l * count + k];                                                               \
    }                                                                                              \
    LANES_INLINE void store_pieces_##T(const uint8_t *from, uint8_t *to, unsigned count,           \
                                       unsigned k)                                                 \
    {                                                                                              \
        T *d = (T *)(void *)to;                                                                    \
        const T *v = (const T *)(const void *)from;                                                \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            d[l * count + k] = v[l];                                                               \
    }
LANE_PIECES(uint32_t)
LANE_PIECES(uint64_t)

/* Moves all elements of adjacent vectors with the functions above. Returns false if none of these
 * functions fits the vector, or an element is not as wide as its register. */
LANES_INLINE bool move_pieces(const struct warp *warp, const struct inst *inst, uint8_t *bytes)
{
    unsigned count = inst->mem.count, width = inst->mem.bytes;
    bool is_load = inst->mem.event == OBS_LOAD;
    for (unsigned k = 0; k < count; k++)
        if (inst->mem.vector[k].offset == NO_SLOT || inst->mem.vector[k].bytes != width)
            return false;
    for (unsigned k = 0; k < count; k++) {
        uint8_t *lanes = slot_at(warp, inst->mem.vector[k]);
        if (width == 4 && count == 4 && is_load)
            load_pieces_uint32_t(lanes, bytes, 4, k);
        else if (width == 4 && count == 4)
            store_pieces_uint32_t(lanes, bytes, 4, k);
        else if (width == 4 && count == 2 && is_load)
            load_pieces_uint32_t(lanes, bytes, 2, k);
        else if (width == 4 && count == 2)
            store_pieces_uint32_t(lanes, bytes, 2, k);
        else if (width == 8 && count == 2 && is_load)
            load_pieces_uint64_t(lanes, bytes, 2, k);
        else if (width == 8 && count == 2)
            store_pieces_uint64_t(lanes, bytes, 2, k);
        else
            return false;
    }
    return true;
}

LANES_INLINE bool is_signed_load(const struct inst *inst)
{
    return ptx_type_class((enum ptx_type)inst->mem.type) == 'S';
}

/* Loads element K into the lanes of MASK. UNIFORM says that all lanes have the same address. */
LANES_INLINE void load_element(const struct warp *warp, const struct inst *inst, unsigned k,
                               uint8_t *const *host, uint32_t mask, bool uniform)
{
    struct slot slot = inst->mem.vector[k];
    if (slot.offset == NO_SLOT) /* the instruction has _ in place of this element */
        return;
    uint8_t *d = slot_at(warp, slot);
    unsigned bytes = inst->mem.bytes;
    size_t at = (size_t)k * bytes;
    if (bytes != slot.bytes || bytes < 4)
        load_narrow(d, slot.bytes, host, at, mask, bytes, is_signed_load(inst));
    else if (uniform && bytes == 4)
        broadcast_uint32_t(d, host[0], at, mask);
    else if (uniform)
        broadcast_uint64_t(d, host[0], at, mask);
    else if (bytes == 4)
        load_uint32_t(d, host, at, mask);
    else
        load_uint64_t(d, host, at, mask);
}

LANES_INLINE void store_element(const struct warp *warp, const struct inst *inst, unsigned k,
                                uint8_t *const *host, uint32_t lanes)
{
    struct slot slot = inst->mem.vector[k];
    const uint8_t *v = slot_at(warp, slot);
    unsigned bytes = inst->mem.bytes, turn = turn_of(bytes * inst->mem.count);
    size_t at = (size_t)k * bytes;
    if (bytes == 4)
        store_uint32_t(v, slot.bytes, host, at, lanes, turn);
    else if (bytes == 8)
        store_uint64_t(v, slot.bytes, host, at, lanes, turn);
    else if (bytes == 2)
        store_uint16_t(v, slot.bytes, host, at, lanes, turn);
    else
        store_uint8_t(v, slot.bytes, host, at, lanes, turn);
}

/* 16 aligned bytes that are loaded or stored atomically. CPUs with AVX guarantee this; other CPUs
 * do it in practice. Scans with decoupled look-back need this: they keep a value and its flag
 * together in 16 bytes. */
typedef uint64_t whole_piece __attribute__((vector_size(16), aligned(8), may_alias));

LANES_INLINE void load_whole(const struct warp *warp, const struct inst *inst, uint8_t *const *host,
                             uint32_t mask)
{
    unsigned bytes = inst->mem.bytes;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        whole_piece piece = *(const volatile whole_piece *)(const void *)host[l];
        for (unsigned k = 0; k < inst->mem.count; k++)
            if (inst->mem.vector[k].offset != NO_SLOT)
                memcpy(slot_at(warp, inst->mem.vector[k]) + l * bytes,
                       (const uint8_t *)&piece + k * bytes, bytes);
    }
}

LANES_INLINE void store_whole(const struct warp *warp, const struct inst *inst,
                              uint8_t *const *host, uint32_t lanes)
{
    unsigned bytes = inst->mem.bytes, turn = turn_of(sizeof(whole_piece));
    for (uint32_t left = in_turn(lanes, turn); left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left) ^ turn;
        whole_piece piece;
        for (unsigned k = 0; k < inst->mem.count; k++)
            memcpy((uint8_t *)&piece + k * bytes, slot_at(warp, inst->mem.vector[k]) + l * bytes,
                   bytes);
        *(volatile whole_piece *)(void *)host[l] = piece;
    }
}

/* Loads all elements into the lanes of MASK. UNIFORM says that all lanes have the same address. */
LANES_INLINE void load_elements(const struct warp *warp, const struct inst *inst,
                                uint8_t *const *host, uint32_t mask, bool uniform)
{
    if (inst->mem.moves == MOVES_WHOLE) {
        load_whole(warp, inst, host, mask);
        return;
    }
    for (unsigned k = 0; k < inst->mem.count; k++)
        load_element(warp, inst, k, host, mask, uniform);
}

LANES_INLINE void store_elements(const struct warp *warp, const struct inst *inst,
                                 uint8_t *const *host, uint32_t lanes)
{
    if (inst->mem.moves == MOVES_WHOLE) {
        store_whole(warp, inst, host, lanes);
        return;
    }
    for (unsigned k = 0; k < inst->mem.count; k++)
        store_element(warp, inst, k, host, lanes);
}

/* Four adjacent words of one lane, and of two lanes. */
typedef uint32_t quad_words __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint32_t quad_pair __attribute__((vector_size(32), aligned(4), may_alias));

/* The four words of one lane, and of lanes L and L + 4. These are macros, because a function that
 * returns such a wide vector would need AVX. */
#define LANE_QUAD(l) (*(const quad_words *)(const void *)(start + delta[l]))
#define LANE_PAIR(l)                                                                               \
    __builtin_shufflevector(LANE_QUAD(l), LANE_QUAD((l) + 4), 0, 1, 2, 3, 4, 5, 6, 7)

#define EVEN_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define ODD_PAIRS  2, 3, 10, 11, 6, 7, 14, 15

/* Loads four adjacent words for each lane, from START + DELTA on. Transposes the words of eight
 * lanes at a time; each half of a vector has those of four lanes. */
LANES_INLINE void load_quads(uint32_t to[4][WARP], const uint8_t *start, const int32_t *delta)
{
    for (unsigned l = 0; l < WARP; l += 8) {
        const quad_pair a = LANE_PAIR(l), b = LANE_PAIR(l + 1), c = LANE_PAIR(l + 2),
                        d = LANE_PAIR(l + 3),
                        low_ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
                        low_cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13),
                        high_ab = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15),
                        high_cd = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
        *(quad_pair *)(to[0] + l) = __builtin_shufflevector(low_ab, low_cd, EVEN_PAIRS);
        *(quad_pair *)(to[1] + l) = __builtin_shufflevector(low_ab, low_cd, ODD_PAIRS);
        *(quad_pair *)(to[2] + l) = __builtin_shufflevector(high_ab, high_cd, EVEN_PAIRS);
        *(quad_pair *)(to[3] + l) = __builtin_shufflevector(high_ab, high_cd, ODD_PAIRS);
    }
}
#undef EVEN_PAIRS
#undef ODD_PAIRS
#undef LANE_PAIR
#undef LANE_QUAD

/* --- lanes whose addresses form a pattern ----------------------------------------------------- */

#define HOST_LINE 64u /* bytes */

/* Fetches the lines of the host's memory that the lanes will access next, if each lane moves on by
 * a small step and the first lane has begun a new line. A CPU does not follow 32 streams by
 * itself. */
LANES_INLINE void fetch_ahead(const uint8_t *start, const struct pattern *pattern)
{
    bool is_new = (uintptr_t)start % HOST_LINE < pattern->step;
    if (pattern->step <= HOST_LINE / 2 && is_new && !pattern->kin)
        EACH_LANE(l) __builtin_prefetch(start + pattern->delta[l] + HOST_LINE);
}

/* Fetches the lines of the host's memory that dense rows of values of BYTES bytes need next. In a
 * series of repeats, these are the lines of the next repeat. Otherwise they are the lines that
 * follow each row, because the next block of a two-dimensional grid uses them. A CPU foresees
 * neither order. */
LANES_INLINE void fetch_next(const uint8_t *start, const struct pattern *pattern, unsigned bytes)
{
    if (!pattern->host)
        return;
    unsigned half = WARP / 2 * bytes, row = pattern->shape == PATTERN_DENSE ? 2 * half : half;
    bool is_series = pattern->times || pattern->latest.times > 1;
    const uint8_t *next = start + (is_series ? pattern->step : row);
    for (unsigned i = 0; i < WARP; i += WARP / 2)
        for (unsigned at = HOST_LINE - 1; at < half; at += HOST_LINE)
            __builtin_prefetch(next + pattern->delta[i] + at);
}

/* Defines functions that load one value of type T for each lane. load_rows_...() is for all lanes
 * and the shapes up to PATTERN_SAME_ROWS. load_apart_...() is for all lanes and any
 * shape. */
#define LANE_ROWS(T)                                                                               \
    LANES_INLINE void load_rows_##T(T *to, const uint8_t *start, const struct pattern *pattern)    \
    {                                                                                              \
        const uint8_t *second = start + pattern->delta[WARP / 2];                                  \
        if (pattern->shape <= PATTERN_DENSE_ROWS) {                                                \
            fetch_next(start, pattern, sizeof *to);                                                \
            memcpy(to, start, WARP / 2 * sizeof *to);                                              \
            memcpy(to + WARP / 2, second, WARP / 2 * sizeof *to);                                  \
            return;                                                                                \
        }                                                                                          \
        T one = value_##T(start, 0), other = value_##T(second, 0);                                 \
        for (unsigned l = 0; l < WARP; l++)                                                        \
            to[l] = l < WARP / 2 ? one : other;                                                    \
    }                                                                                              \
    LANES_INLINE void load_apart_##T(T *to, const uint8_t *start, const struct pattern *pattern)   \
    {                                                                                              \
        const int32_t *delta = pattern->delta;                                                     \
        fetch_ahead(start, pattern);                                                               \
        _Pragma("GCC ivdep") for (unsigned l = 0; l < WARP; l++) to[l] =                           \
            value_##T(start + delta[l], 0);                                                        \
    }
LANE_ROWS(uint32_t)
LANE_ROWS(uint64_t)

/* Loads one value of 4 bytes for each lane of MASK, in the fastest way for the pattern's shape. If
 * the shape is PATTERN_NEAR, all PATTERN_WINDOW bytes from the lowest address on must be
 * readable. */
LANES_INLINE void load_words(uint32_t *d, const uint8_t *start, const struct pattern *pattern,
                             uint32_t mask)
{
    uint32_t v[WARP], *to = mask == ALL_LANES ? d : v;
    if (pattern->shape <= PATTERN_SAME_ROWS)
        load_rows_uint32_t(to, start, pattern);
    else if (pattern->shape == PATTERN_NEAR)
        pick_words(to, (const uint32_t *)(const void *)(start + pattern->low), pattern->word);
    else
        load_apart_uint32_t(to, start, pattern);
    if (mask != ALL_LANES)
        put_uint32_t(d, v, mask);
}

LANES_INLINE void load_longs(uint64_t *d, const uint8_t *start, const struct pattern *pattern,
                             uint32_t mask)
{
    uint64_t v[WARP], *to = mask == ALL_LANES ? d : v;
    if (pattern->shape <= PATTERN_SAME_ROWS)
        load_rows_uint64_t(to, start, pattern);
    else
        load_apart_uint64_t(to, start, pattern);
    if (mask != ALL_LANES)
        put_uint64_t(d, v, mask);
}

/* Stores one value of BYTES bytes for each lane, if the lanes of each row are contiguous. The two
 * rows may overlap. If a GPU stores both in one pass (turns.h), the lower row must be stored last
 * here, so that its values remain. */
LANES_INLINE void store_rows(uint8_t *start, const uint8_t *v, const struct pattern *pattern,
                             unsigned bytes)
{
    unsigned half = WARP / 2, first = turn_of(bytes) & half;
    fetch_next(start, pattern, bytes);
    memcpy(start + pattern->delta[first], v + first * bytes, half * bytes);
    memcpy(start + pattern->delta[first ^ half], v + (first ^ half) * bytes, half * bytes);
}

/* Stores one value of 4 or 8 BYTES for each lane of MASK, in the fastest way for the pattern's
 * shape. */
LANES_INLINE void store_shaped(uint8_t *start, const uint8_t *v, const struct pattern *pattern,
                               uint32_t mask, unsigned bytes)
{
    const int32_t *delta = pattern->delta;
    unsigned turn = turn_of(bytes);
    if (pattern->shape <= PATTERN_DENSE_ROWS) {
        store_rows(start, v, pattern, bytes);
    } else if (pattern->shape == PATTERN_SAME) {
        unsigned last = (31u - (unsigned)__builtin_clz(in_turn(mask, turn))) ^ turn;
        memcpy(start, v + last * bytes, bytes);
    } else if (mask == ALL_LANES) {
        EACH_LANE(l) memcpy(start + delta[l ^ turn], v + (l ^ turn) * bytes, bytes);
    } else {
        for (uint32_t left = in_turn(mask, turn); left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left) ^ turn;
            memcpy(start + delta[l], v + l * bytes, bytes);
        }
    }
}

/* Loads one value of 8 or 16 bits for each lane. Returns false if the values have another size or
 * are not adjacent in memory. */
LANES_INLINE bool load_dense_narrow(const struct warp *warp, const struct inst *inst,
                                    const uint8_t *start, const struct pattern *pattern,
                                    uint32_t mask)
{
    struct slot slot = inst->mem.vector[0];
    unsigned bytes = inst->mem.bytes;
    const uint16_t *halves = (const uint16_t *)(const void *)start;
    uint32_t raw[WARP];
    if (bytes > 2 || inst->mem.count != 1 || pattern->shape != PATTERN_DENSE)
        return false;
    for (unsigned l = 0; l < WARP && bytes == 1; l++)
        raw[l] = start[l];
    for (unsigned l = 0; l < WARP && bytes == 2; l++)
        raw[l] = halves[l];
    if (slot.offset != NO_SLOT)
        put_narrow(slot_at(warp, slot), slot.bytes, raw, mask, bytes, is_signed_load(inst));
    return true;
}

/* Loads vectors of four 8-bit or two 16-bit values, such as pixels, as one 32-bit word for each
 * lane. Returns false if the vectors have another form. */
LANES_INLINE bool load_split_words(const struct warp *warp, const struct inst *inst,
                                   const uint8_t *start, const struct pattern *pattern,
                                   uint32_t mask)
{
    unsigned bytes = inst->mem.bytes;
    uint32_t words[WARP], raw[WARP];
    if (bytes > 2 || bytes * inst->mem.count != 4)
        return false;
    load_words(words, start, pattern, ALL_LANES);
    for (unsigned k = 0; k < inst->mem.count; k++) {
        struct slot slot = inst->mem.vector[k];
        if (slot.offset == NO_SLOT) /* the instruction has _ in place of this element */
            continue;
        for (unsigned l = 0; l < WARP; l++)
            raw[l] = words[l] >> (8 * bytes * k) & (bytes == 1 ? 0xffu : 0xffffu);
        put_narrow(slot_at(warp, slot), slot.bytes, raw, mask, bytes, is_signed_load(inst));
    }
    return true;
}

/* Loads all values for the lanes of MASK. START points to the first lane's bytes; lane l's bytes
 * are at START + l * STRIDE + delta[l]. store_found() below stores in the same way. */
LANES_INLINE void load_found(const struct warp *warp, const struct inst *inst, uint8_t *start,
                             uint64_t stride, const struct pattern *pattern, uint32_t mask)
{
    uint8_t *host[WARP], *d = slot_at(warp, inst->mem.vector[0]);
    bool is_same = !stride && pattern->shape == PATTERN_SAME;
    if (inst->mem.moves == MOVES_WORDS && !stride) {
        load_words((uint32_t *)(void *)d, start, pattern, mask);
        return;
    }
    if (inst->mem.moves == MOVES_LONGS && !stride) {
        load_longs((uint64_t *)(void *)d, start, pattern, mask);
        return;
    }
    if (pattern->shape == PATTERN_DENSE && !stride && inst->mem.moves != MOVES_WHOLE &&
        move_pieces(warp, inst, start))
        return;
    if (!stride && inst->mem.bytes < 4 &&
        (load_dense_narrow(warp, inst, start, pattern, mask) ||
         load_split_words(warp, inst, start, pattern, mask)))
        return;
    for (unsigned l = 0; l < WARP; l++)
        host[l] = start + l * stride + pattern->delta[l];
    load_elements(warp, inst, host, mask, is_same);
}

LANES_INLINE void store_found(const struct warp *warp, const struct inst *inst, uint8_t *start,
                              uint64_t stride, const struct pattern *pattern, uint32_t mask)
{
    uint8_t *host[WARP], *v = slot_at(warp, inst->mem.vector[0]);
    if (inst->mem.moves == MOVES_WORDS && !stride) {
        store_shaped(start, v, pattern, mask, 4);
        return;
    }
    if (inst->mem.moves == MOVES_LONGS && !stride) {
        store_shaped(start, v, pattern, mask, 8);
        return;
    }
    if (pattern->shape == PATTERN_DENSE && !stride && inst->mem.moves != MOVES_WHOLE &&
        move_pieces(warp, inst, start))
        return;
    for (unsigned l = 0; l < WARP; l++)
        host[l] = start + l * stride + pattern->delta[l];
    store_elements(warp, inst, host, mask);
}

#endif
