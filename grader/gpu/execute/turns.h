/* Decides which value remains when several lanes of a warp store to the same address. CUDA does not
 * define this.
 *
 * A GPU stores in passes of 128 bytes, and passes with lower lanes come first. Within a pass, the
 * lowest lane's value remains (tests/hardware/collisions.tsv). The emulator gets the same result by
 * storing one lane after another, backwards within each pass: lane 0 ^ turn first, then lane 1 ^
 * turn, and so on. `turn` depends on the width of the values.
 *
 * Atomics take effect in the order of the lanes, both on a GPU and in the emulator. */
#ifndef GPU_EXECUTE_TURNS_H
#define GPU_EXECUTE_TURNS_H

#include <stdint.h>

#include "gpu/lanes.h"

/* Returns `turn` for stores of BYTES bytes by each lane. */
LANES_INLINE unsigned turn_of(unsigned bytes)
{
    return bytes > 8 ? WARP / 4 - 1 : bytes > 4 ? WARP / 2 - 1 : WARP - 1;
}

/* Reorders the bits of LANES, so that bit i of the result is lane i ^ TURN. */
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
