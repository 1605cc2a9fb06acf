/* Computes the values that a warp's texture fetches return. texture.c reads one level of a texture;
 * texture_levels.c chooses the levels of mipmaps and the faces of cubes. */
#ifndef GPU_EXECUTE_TEXTURE_H
#define GPU_EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"

/* The points at which the lanes of a warp fetch. Each array has one 32-bit value for each of 32
 * lanes. */
struct texture_points {
    /* coordinates are texel indices, which are never filtered; otherwise they are floats */
    bool is_integer;
    unsigned dims;         /* 1, 2 or 3 */
    const uint32_t *at[3]; /* coordinate in each dimension */
    const uint32_t *layer; /* layer of a layered texture, or NULL */

    /* `level` and `steps` select the mipmap level of each lane. `level` is the level itself.
     * steps[0][d] and steps[1][d] are the changes of coordinate d from the lane's point to the
     * points on its right and below it. If both are NULL, the first level is read. */
    const uint32_t *level;
    const uint32_t *steps[2][3];

    const struct texture_request *request; /* the request that the reads of texels belong to */
};

/* Reports to the observers that LANES of a request read BYTES bytes each at START + AT, in elements
 * of ELEMENT bytes. An element is a channel if channels have 4 bytes, so that the observers know
 * which channels the program uses; otherwise, it is a texel, because narrow elements cost them
 * more memory. */
void texture_report_read(const struct texture_request *request, uint64_t start, const uint64_t *at,
                         uint32_t lanes, unsigned bytes, unsigned element);

/* Fetches four channels for each lane in LANES. VALUE[channel][lane] is a float, or an integer if
 * the texture is read as integers; it is valid only for LANES. TEXELS are the texture's bytes on
 * the host. */
void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                   const struct texture_points *points, uint32_t lanes,
                   uint32_t value[4][EMU_WARP_SIZE]);
/* Returns whether texture_fetch() returns weighted means of texels. */
bool texture_filters(const struct emu_texture *texture, const struct texture_points *points);
/* Fetches channel COMPONENT of the four texels around each point, counter-clockwise from the lower
 * left texel. */
void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_points *points, uint32_t lanes, unsigned component,
                    uint32_t value[4][EMU_WARP_SIZE]);

/* Returns whether the properties of TEXTURE are valid. */
bool texture_is_legal(const struct emu_texture *texture);
/* Stores TEXTURE in the first free entry of LIST (its width is 0), or in a new entry at the end.
 * Sets *HANDLE to the entry's index plus 1. Returns false when out of memory. */
bool texture_keep(struct emu_texture **list, uint32_t *count, const struct emu_texture *texture,
                  uint64_t *handle);

/* --- texture.c: one level of a texture that is not a cube ------------------------------------- */

#define TEXTURE_ONE 256 /* sum of the weights of a weighted mean */

/* Fetches the nearest texel of each point. */
void texture_nearest(const struct emu_texture *texture, const uint8_t *texels,
                     const struct texture_points *points, uint32_t lanes,
                     uint32_t value[4][EMU_WARP_SIZE]);
/* Fetches for each lane, multiplies the result by the lane's weight in SHARE, and adds it to SUM.
 * SUM must begin as -0.0, because adding any number to -0.0 gives that number, even -0.0. */
void texture_add(const struct emu_texture *texture, const uint8_t *texels,
                 const struct texture_points *points, uint32_t lanes, const int32_t *share,
                 double sum[4][EMU_WARP_SIZE]);
/* Divides SUM by TEXTURE_ONE and converts the result to the values of a fetch. */
void texture_finish(const struct emu_texture *texture, double sum[4][EMU_WARP_SIZE],
                    uint32_t value[4][EMU_WARP_SIZE]);

#endif
