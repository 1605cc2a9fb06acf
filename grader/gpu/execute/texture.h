/* Textures: what a fetch answers for the points of a warp. texture.c knows one level of one texture;
 * texture_levels.c chooses levels, and the faces of cubes. */
#ifndef GPU_EXECUTE_TEXTURE_H
#define GPU_EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"

/* Where the lanes of a warp fetch: as many coordinates as the texture has dimensions. */
struct texture_points {
    bool is_integer;       /* texels, never filtered; else the words are floats */
    unsigned dims;         /* 1, 2 or 3 */
    const uint32_t *at[3]; /* 32 words each */
    const uint32_t *layer; /* of a layered one, or NULL */

    /* What chooses the level: a number, or how far it is to the next points to the right and below; else
     * it is the first one. */
    const uint32_t *level;
    const uint32_t *steps[2][3];
};

/* Four channels as 32-bit values: floats, or integers where the texture reads them as such; only those
 * of LANES mean something. TEXELS are the texture's bytes on the host. */
void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                   const struct texture_points *points, uint32_t lanes,
                   uint32_t value[4][EMU_WARP_SIZE]);
/* Channel COMPONENT of the four texels around each point, counter-clockwise from below left. */
void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_points *points, uint32_t lanes, unsigned component,
                    uint32_t value[4][EMU_WARP_SIZE]);

/* Whether there can be such a texture. */
bool texture_is_legal(const struct emu_texture *texture);
/* Keeps it in a LIST, in the first place without a width: the handle, less 1. False when memory is out. */
bool texture_keep(struct emu_texture **list, uint32_t *count, const struct emu_texture *texture,
                  uint64_t *handle);

/* --- texture.c: one level of a texture that is no cube ----------------------------------------------- */

#define TEXTURE_ONE 256 /* all the weights that make a mean, together */

void texture_nearest(const struct emu_texture *texture, const uint8_t *texels,
                     const struct texture_points *points, uint32_t lanes,
                     uint32_t value[4][EMU_WARP_SIZE]);
/* Adds SHARE of TEXTURE_ONE, each lane's own, of a mean; SUM begins as -0.0, which any number leaves. */
void texture_add(const struct emu_texture *texture, const uint8_t *texels,
                 const struct texture_points *points, uint32_t lanes, const int32_t *share,
                 double sum[4][EMU_WARP_SIZE]);
void texture_finish(const struct emu_texture *texture, double sum[4][EMU_WARP_SIZE],
                    uint32_t value[4][EMU_WARP_SIZE]);

#endif
