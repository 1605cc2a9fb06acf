/* Converts registers of any width to 64 bits for each lane, and back. Each width has its own loop,
 * which the compiler vectorises. memcpy() with a variable number of bytes would need a call or a
 * loop for each lane. */
#ifndef GPU_EXECUTE_RAW_H
#define GPU_EXECUTE_RAW_H

#include <stdint.h>
#include <string.h>

#include "gpu/lanes.h"

/* Reads 32 lanes of BYTES bytes each. */
LANES_INLINE void read_raw(uint64_t *out, const uint8_t *lanes, unsigned bytes)
{
    if (bytes == 4)
        for (unsigned l = 0; l < WARP; l++)
            out[l] = ((const uint32_t *)(const void *)lanes)[l];
    else if (bytes == 8)
        for (unsigned l = 0; l < WARP; l++)
            out[l] = ((const uint64_t *)(const void *)lanes)[l];
    else if (bytes == 2)
        for (unsigned l = 0; l < WARP; l++)
            out[l] = ((const uint16_t *)(const void *)lanes)[l];
    else
        for (unsigned l = 0; l < WARP; l++)
            out[l] = lanes[l];
}

/* Writes the low BYTES bytes of each value to the lanes in MASK. */
LANES_INLINE void write_raw(uint8_t *lanes, unsigned bytes, const uint64_t *values, uint32_t mask)
{
    uint16_t *d16 = (uint16_t *)(void *)lanes;
    uint32_t *d32 = (uint32_t *)(void *)lanes;
    uint64_t *d64 = (uint64_t *)(void *)lanes;
    if (bytes == 4)
        for (unsigned l = 0; l < WARP; l++)
            d32[l] = mask >> l & 1 ? (uint32_t)values[l] : d32[l];
    else if (bytes == 8)
        for (unsigned l = 0; l < WARP; l++)
            d64[l] = mask >> l & 1 ? values[l] : d64[l];
    else if (bytes == 2)
        for (unsigned l = 0; l < WARP; l++)
            d16[l] = mask >> l & 1 ? (uint16_t)values[l] : d16[l];
    else
        for (unsigned l = 0; l < WARP; l++)
            lanes[l] = mask >> l & 1 ? (uint8_t)values[l] : lanes[l];
}

/* Computes to[l] = from[index[l] % 32] in all lanes. */
LANES_INLINE void pick_words(uint32_t *to, const uint32_t *from, const uint32_t *index)
{
#ifdef __clang__ /* clang has no __builtin_shuffle */
    uint32_t picked[WARP];
    for (unsigned l = 0; l < WARP; l++)
        picked[l] = from[index[l] % WARP];
    memcpy(to, picked, sizeof picked);
#else
    typedef uint32_t words __attribute__((vector_size(64), aligned(4), may_alias));
    const words *window = (const words *)from, *pick = (const words *)index;
    words low = __builtin_shuffle(window[0], window[1], pick[0]);
    words high = __builtin_shuffle(window[0], window[1], pick[1]);
    ((words *)to)[0] = low;
    ((words *)to)[1] = high;
#endif
}

#endif
