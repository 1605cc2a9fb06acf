/* Textures: the values that the fetches of a warp return. texture.c reads one level of one
 * texture; texture_levels.c chooses levels and the faces of cubes. */
#ifndef GPU_EXECUTE_TEXTURE_H
#define GPU_EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"

/* The points where the lanes of a warp fetch, with one coordinate for each dimension. */
struct texture_points {
    bool is_integer;       /* texel numbers, never filtered; else coordinates are floats */
    unsigned dims;         /* 1, 2 or 3 */
    const uint32_t *at[3]; /* 32 words each */
    const uint32_t *layer; /* of a layered texture, or NULL */

    /* Selects the level: a number, or the steps to the next points to the right and below.
     * Without either it is the first level. */
    const uint32_t *level;
    const uint32_t *steps[2][3];

    struct texture_sectors *sectors; /* notes the texels that are read; NULL: nobody counts */
};

/* Four channels as 32-bit values: floats, or integers if the texture is read as integers. Only
 * the values of LANES are valid. TEXELS are the texture's bytes on the host. */
void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                   const struct texture_points *points, uint32_t lanes,
                   uint32_t value[4][EMU_WARP_SIZE]);
/* Channel COMPONENT of the four texels around each point, counter-clockwise from the lower left. */
void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_points *points, uint32_t lanes, unsigned component,
                    uint32_t value[4][EMU_WARP_SIZE]);

/* Whether a texture can have these properties. */
bool texture_is_legal(const struct emu_texture *texture);
/* Stores TEXTURE in LIST, in the first entry with width 0. The handle is the index plus 1.
 * False: out of memory. */
bool texture_keep(struct emu_texture **list, uint32_t *count, const struct emu_texture *texture,
                  uint64_t *handle);

/* --- texture.c: one level of a texture that is no cube ----------------------------------------------- */

#define TEXTURE_ONE 256 /* the sum of all weights of a mean */

void texture_nearest(const struct emu_texture *texture, const uint8_t *texels,
                     const struct texture_points *points, uint32_t lanes,
                     uint32_t value[4][EMU_WARP_SIZE]);
/* Adds each lane's fetch to SUM, with the weight SHARE of TEXTURE_ONE. SUM begins as -0.0:
 * adding a number to it gives that number, even -0.0. */
void texture_add(const struct emu_texture *texture, const uint8_t *texels,
                 const struct texture_points *points, uint32_t lanes, const int32_t *share,
                 double sum[4][EMU_WARP_SIZE]);
void texture_finish(const struct emu_texture *texture, double sum[4][EMU_WARP_SIZE],
                    uint32_t value[4][EMU_WARP_SIZE]);

#endif
