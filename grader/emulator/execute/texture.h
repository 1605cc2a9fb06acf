/* Textures and surfaces: what a fetch answers for one point. A texture reads filtered values at a
 * coordinate, a surface reads and writes the bytes of one texel. */
#ifndef EXECUTE_TEXTURE_H
#define EXECUTE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/device.h"

/* Where a fetch goes: as many coordinates as the texture has dimensions. */
struct texture_point {
    bool is_integer; /* texels, never filtered; else at is used */
    unsigned dims;   /* 1, 2 or 3 */
    float at[3];
    int32_t index[3];
    int32_t layer; /* of a layered one */
};

/* Four channels as 32-bit values: floats, or integers where the texture reads them as such. TEXELS are
 * the texture's bytes on the host. */
void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                   const struct texture_point *point, uint32_t value[4]);
/* Channel COMPONENT of the four texels around the point, counter-clockwise from below left. */
void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_point *point, unsigned component, uint32_t value[4]);

/* Bytes from the first texel to the last. */
uint64_t texture_bytes(const struct emu_texture *texture);

#endif
