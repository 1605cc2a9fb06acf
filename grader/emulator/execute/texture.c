/* Fetches from textures, as the CUDA programming guide's chapter on texture fetching has them.
 *
 * Filtering is linear between the texels around x - 0.5: that number is rounded to 8 bits behind the
 * point, whose integer part chooses the texels and whose fraction is the weight. */
#include "emulator/execute/texture.h"

#include <math.h>
#include <string.h>

#define WEIGHT_BITS 8
#define WEIGHT_ONE  (1 << WEIGHT_BITS)

enum { OUTSIDE = -1 };

uint64_t texture_bytes(const struct emu_texture *texture)
{
    return (uint64_t)(texture->depth - 1) * texture->slice +
           (uint64_t)(texture->height - 1) * texture->pitch +
           (uint64_t)texture->width * texture->channels * texture->bits / 8;
}

/* --- texels ------------------------------------------------------------------------------------------ */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float half_to_float(uint16_t half)
{
    int exponent = half >> 10 & 31;
    float fraction = half & 1023, sign = half & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexpf(1024 + fraction, exponent - 25) : ldexpf(fraction, -24));
}

/* One channel as the texture's read mode wants it. */
static uint32_t convert(const struct emu_texture *texture, const uint8_t *bytes)
{
    uint32_t raw = 0;
    memcpy(&raw, bytes, texture->bits / 8);
    if (texture->kind == 'f')
        return texture->bits == 16 ? bits_of(half_to_float((uint16_t)raw)) : raw;
    unsigned unused = 32 - texture->bits;
    if (texture->kind == 's') {
        int32_t value = (int32_t)(raw << unused) >> unused;
        if (!texture->normalized_float)
            return (uint32_t)value;
        float most = (float)((1 << (texture->bits - 1)) - 1);
        return bits_of(fmaxf((float)value / most, -1.0f));
    }
    if (!texture->normalized_float)
        return raw;
    return bits_of((float)raw / (float)((1u << texture->bits) - 1));
}

/* The border's colour is a float, and becomes a texel like the others. */
static uint32_t border_of(const struct emu_texture *texture, unsigned c)
{
    double value = float_of(texture->border[c]);
    bool is_signed = texture->kind == 's';
    if (texture->kind == 'f' || !texture->normalized_float)
        return texture->border[c];
    double most = (double)((1u << (texture->bits - is_signed)) - 1);
    value = value > 1 ? 1 : value < -is_signed ? -is_signed : value;
    return bits_of((float)((ceil(value * most - 0.5) + 0.0) / most));
}

/* The texel at indices that have been through the address mode. What is outside is the border. */
static void read_texel(const struct emu_texture *texture, const uint8_t *texels,
                       const int64_t index[3], uint32_t value[4])
{
    static const float missing[4] = {0, 0, 0, 1};
    bool is_float = texture->kind == 'f' || texture->normalized_float;
    bool outside = index[0] == OUTSIDE || index[1] == OUTSIDE || index[2] == OUTSIDE;
    const uint8_t *texel = texels;
    if (!outside)
        texel += (uint64_t)index[2] * texture->slice + (uint64_t)index[1] * texture->pitch +
                 (uint64_t)index[0] * texture->channels * texture->bits / 8;
    for (unsigned c = 0; c < 4; c++) {
        if (c >= texture->channels)
            value[c] = is_float ? bits_of(missing[c]) : (uint32_t)missing[c];
        else if (outside)
            value[c] = border_of(texture, c);
        else
            value[c] = convert(texture, texel + c * texture->bits / 8);
    }
}

/* --- addresses ---------------------------------------------------------------------------------------- */

static int64_t remainder_of(int64_t value, int64_t size)
{
    int64_t rest = value % size;
    return rest < 0 ? rest + size : rest;
}

/* What the address mode makes of an index: one of the SIZE texels, or OUTSIDE. Wrapping and mirroring
 * need normalised coordinates. */
static int64_t place(const struct emu_texture *texture, unsigned dim, int64_t index, int64_t size)
{
    enum emu_address_mode mode = (enum emu_address_mode)texture->address[dim];
    if (index >= 0 && index < size)
        return index;
    if (mode == EMU_BORDER)
        return OUTSIDE;
    if (mode == EMU_WRAP && texture->normalized_coords)
        return remainder_of(index, size);
    if (mode == EMU_MIRROR && texture->normalized_coords) {
        int64_t there = remainder_of(index, 2 * size);
        return there < size ? there : 2 * size - 1 - there;
    }
    return index < 0 ? 0 : size - 1;
}

static uint32_t size_of(const struct emu_texture *texture, unsigned dim)
{
    return dim == 0 ? texture->width : dim == 1 ? texture->height : texture->depth;
}

/* Layers that are not there, negative ones too, are the last one. */
static int64_t layer_of(const struct emu_texture *texture, int32_t layer)
{
    uint32_t last = texture->depth - 1;
    return (uint32_t)layer > last ? last : (uint32_t)layer;
}

/* A coordinate in texels; too far outside to matter, it is cut. */
static double in_texels(const struct emu_texture *texture, float at, uint32_t size)
{
    double x = texture->normalized_coords ? (double)at * size : at;
    double limit = 1 << 30;
    return x != x ? 0 : x > limit ? limit : x < -limit ? -limit : x;
}

/* --- fetches ------------------------------------------------------------------------------------------- */

static void fetch_point(const struct emu_texture *texture, const uint8_t *texels,
                        const struct texture_point *point, uint32_t value[4])
{
    int64_t index[3] = {0, 0, texture->layered ? layer_of(texture, point->layer) : 0};
    for (unsigned d = 0; d < point->dims; d++) {
        uint32_t size = size_of(texture, d);
        int64_t i = point->is_integer ? point->index[d]
                                      : (int64_t)floor(in_texels(texture, point->at[d], size));
        index[d] = place(texture, d, i, size);
    }
    read_texel(texture, texels, index, value);
}

/* The two texels beside the point in each dimension, and the weight of the second. */
struct footprint {
    int64_t index[3][2];
    int weight[3];
};

/* Even one row of texels has rows beside it: the border, if that is the address mode. */
static void find_footprint(const struct emu_texture *texture, const struct texture_point *point,
                           bool clamps, struct footprint *f)
{
    memset(f, 0, sizeof *f);
    f->index[2][0] = texture->layered ? layer_of(texture, point->layer) : 0;
    for (unsigned d = 0; d < point->dims || d < 2; d++) {
        uint32_t size = size_of(texture, d);
        double at = d < point->dims ? in_texels(texture, point->at[d], size) : 0;
        int64_t last = ((int64_t)size - 1) << WEIGHT_BITS;
        int64_t fixed = (int64_t)floor((at - 0.5) * WEIGHT_ONE + 0.5);
        if (clamps && texture->address[d] == EMU_CLAMP) /* the coordinate itself is */
            fixed = fixed < 0 ? 0 : fixed > last ? last : fixed;
        int64_t first = fixed >> WEIGHT_BITS;
        f->weight[d] = (int)(fixed & (WEIGHT_ONE - 1));
        f->index[d][0] = place(texture, d, first, size);
        f->index[d][1] = place(texture, d, first + 1, size);
    }
}

static int rounded(int product)
{
    return (product + WEIGHT_ONE / 2) >> WEIGHT_BITS;
}

static int rounded_down(int product) /* halves */
{
    return (product + WEIGHT_ONE / 2 - 1) >> WEIGHT_BITS;
}

/* The weights of the corners, whose bits are x, y, z. They have 8 bits, too, and are WEIGHT_ONE all
 * together: it is divided by z, then by x, then by y, and where halves go to was found on a GPU. */
static void find_weights(const struct footprint *f, int weights[8])
{
    for (unsigned z = 0; z < 2; z++) {
        int of_z = z ? f->weight[2] : WEIGHT_ONE - f->weight[2];
        for (unsigned x = 0; x < 2; x++) {
            int right = rounded(of_z * f->weight[0]), of_x = x ? right : of_z - right;
            int upper = x ? rounded(of_x * f->weight[1]) : rounded_down(of_x * f->weight[1]);
            weights[z << 2 | 2 | x] = upper;
            weights[z << 2 | x] = of_x - upper;
        }
    }
}

/* Filtered integers have 16 bits, one of them the sign if there is one: so much is 1. */
static double steps_of(const struct emu_texture *texture)
{
    return texture->kind == 'f' ? 1 : texture->kind == 's' ? INT16_MAX : UINT16_MAX;
}

static void fetch_linear(const struct emu_texture *texture, const uint8_t *texels,
                         const struct texture_point *point, uint32_t value[4])
{
    struct footprint f;
    int weights[8];
    double sum[4] = {-0.0, -0.0, -0.0, -0.0}, steps = steps_of(texture);
    find_footprint(texture, point, true, &f);
    find_weights(&f, weights);
    for (unsigned corner = 0; corner < 8; corner++) {
        if (!weights[corner]) /* what weighs nothing may be infinite */
            continue;
        int64_t index[3] = {f.index[0][corner & 1], f.index[1][corner >> 1 & 1],
                            f.index[2][corner >> 2]};
        uint32_t texel[4];
        read_texel(texture, texels, index, texel);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += weights[corner] *
                      (steps == 1 ? (double)float_of(texel[c]) : round(float_of(texel[c]) * steps));
    }
    for (unsigned c = 0; c < 4; c++) {
        sum[c] /= WEIGHT_ONE;
        value[c] = bits_of((float)(steps == 1 ? sum[c] : floor(sum[c] + 0.5) / steps));
    }
}

void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                   const struct texture_point *point, uint32_t value[4])
{
    bool is_float = texture->kind == 'f' || texture->normalized_float;
    if (texture->linear && is_float && !point->is_integer)
        fetch_linear(texture, texels, point, value);
    else
        fetch_point(texture, texels, point, value);
}

void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_point *point, unsigned component, uint32_t value[4])
{
    static const unsigned corners[4] = {2, 3, 1, 0}; /* x in bit 0, y in bit 1 */
    struct footprint f;
    find_footprint(texture, point, false, &f);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t texel[4];
        int64_t index[3] = {f.index[0][corners[i] & 1], f.index[1][corners[i] >> 1], 0};
        read_texel(texture, texels, index, texel);
        value[i] = texel[component];
    }
}
