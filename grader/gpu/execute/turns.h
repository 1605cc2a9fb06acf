/* Which store wins when lanes of one warp store to the same place. CUDA leaves that open. GPUs
 * store in passes of 128 bytes, lanes with lower numbers first, and within a pass the lowest
 * lane wins (tests/hardware/collisions.tsv). So lanes store here one after another, backwards
 * within each pass: lane 0 ^ turn first, then 1 ^ turn and so on.
 *
 * Atomics take effect in the order of the lanes, both there and here. */
#ifndef GPU_EXECUTE_TURNS_H
#define GPU_EXECUTE_TURNS_H

#include <stdint.h>

#include "gpu/lanes.h"

/* For stores of BYTES by each lane. */
LANES_INLINE unsigned turn_of(unsigned bytes)
{
    return bytes > 8 ? WARP / 4 - 1 : bytes > 4 ? WARP / 2 - 1 : WARP - 1;
}

/* The bits of LANES in that order. */
LANES_INLINE uint32_t in_turn(uint32_t lanes, unsigned turn)
{
    lanes = (lanes & 0x55555555u) << 1 | (lanes >> 1 & 0x55555555u);
    lanes = (lanes & 0x33333333u) << 2 | (lanes >> 2 & 0x33333333u);
    lanes = (lanes & 0x0f0f0f0fu) << 4 | (lanes >> 4 & 0x0f0f0f0fu);
    if (turn >= WARP / 2 - 1)
        lanes = (lanes & 0x00ff00ffu) << 8 | (lanes >> 8 & 0x00ff00ffu);
    return turn == WARP - 1 ? lanes << 16 | lanes >> 16 : lanes;
}

#endif
