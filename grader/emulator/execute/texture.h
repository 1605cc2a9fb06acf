/* Textures and surfaces: what a fetch answers for one point. A texture reads filtered values at a
 * coordinate, a surface reads and writes the bytes of one texel. */
#ifndef EXECUTE_TEXTURE_H
#define EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/device.h"

/* Where the lanes of a warp fetch: as many coordinates as the texture has dimensions. */
struct texture_points {
    bool is_integer;       /* texels, never filtered; else the words are floats */
    unsigned dims;         /* 1, 2 or 3 */
    const uint32_t *at[3]; /* 32 words each */
    const uint32_t *layer; /* of a layered one, or NULL */
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

/* Bytes from the first texel to the last. */
uint64_t texture_bytes(const struct emu_texture *texture);

#endif
