/* Computes the values that a warp's texture fetches return. texture.c reads one level of a texture;
 * texture_levels.c chooses the levels of mipmaps and the faces of cubes. */
#ifndef GPU_EXECUTE_TEXTURE_H
#define GPU_EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"

/* The points at which the lanes of a warp fetch. Each array has 32 words, one for each lane. */
struct texture_points {
    bool is_integer;       /* coordinates are texel numbers (never filtered), otherwise floats */
    unsigned dims;         /* 1, 2 or 3 */
    const uint32_t *at[3]; /* coordinate in each dimension */
    const uint32_t *layer; /* layer of a layered texture, or NULL */

    /* These fields select the mipmap level of each lane. `level` is the level itself; steps[0][d]
     * and steps[1][d] are how much coordinate d changes to the neighbours on the right and below.
     * If both are NULL, the first level is read. */
    const uint32_t *level;
    const uint32_t *steps[2][3];

    struct texture_sectors *sectors; /* receives the sectors that are read, or NULL */
};

/* Fetches four channels for each of LANES. VALUE[channel][lane] is a float, or an integer if the
 * texture is read as integers; it is only valid for LANES. TEXELS are the texture's bytes on the
 * host. */
void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                   const struct texture_points *points, uint32_t lanes,
                   uint32_t value[4][EMU_WARP_SIZE]);
/* Fetches channel COMPONENT of the four texels around each point, counter-clockwise from the lower
 * left. */
void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_points *points, uint32_t lanes, unsigned component,
                    uint32_t value[4][EMU_WARP_SIZE]);

/* Returns whether the properties of TEXTURE are valid. */
bool texture_is_legal(const struct emu_texture *texture);
/* Stores TEXTURE in LIST, in the first entry with width 0. The handle is the index plus 1. Returns
 * false when out of memory. */
bool texture_keep(struct emu_texture **list, uint32_t *count, const struct emu_texture *texture,
                  uint64_t *handle);

/* --- texture.c: one level of a texture that is not a cube ------------------------------------- */

#define TEXTURE_ONE 256 /* the sum of the weights of a weighted mean */

/* Fetches the nearest texel of each point. */
void texture_nearest(const struct emu_texture *texture, const uint8_t *texels,
                     const struct texture_points *points, uint32_t lanes,
                     uint32_t value[4][EMU_WARP_SIZE]);
/* Adds each lane's fetch, times its weight SHARE, to SUM. The initial SUM must be -0.0, because
 * adding any number to it gives that number, even -0.0. */
void texture_add(const struct emu_texture *texture, const uint8_t *texels,
                 const struct texture_points *points, uint32_t lanes, const int32_t *share,
                 double sum[4][EMU_WARP_SIZE]);
/* Divides SUM by TEXTURE_ONE and converts it to the values of a fetch. */
void texture_finish(const struct emu_texture *texture, double sum[4][EMU_WARP_SIZE],
                    uint32_t value[4][EMU_WARP_SIZE]);

#endif
