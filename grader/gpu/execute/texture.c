/* Executes fetches from textures, as defined in the chapter on texture fetching of the CUDA
 * programming guide.
 *
 * Filtering is linear between the two texels next to x - 0.5. This number is rounded to 8 bits
 * after the binary point: its integer part selects the texels, and its fraction is the weight.
 *
 * All functions loop over 32 lanes. They also compute results for inactive lanes, but read no
 * memory for them. */
#include "gpu/execute/texture.h"

#include <math.h>
#include <string.h>

#include "gpu/execute/half.h"

#define WEIGHT_BITS 8
#define WEIGHT_ONE  TEXTURE_ONE

enum { OUTSIDE = -1 };

/* --- texels ----------------------------------------------------------------------------------- */

/* Converts an f16 to a float. Every NaN becomes the same NaN. */
static float half_to_float(uint16_t half)
{
    double value = half_widen(half, HALF_F16);
    return value != value ? NAN : (float)value;
}

/* Converts one channel of a texel to a float or an integer, as the texture's read mode requires. */
LANES_INLINE uint32_t convert(const struct emu_texture *texture, uint32_t raw)
{
    if (texture->kind == 'f')
        return texture->bits == 16 ? float_bits(half_to_float((uint16_t)raw)) : raw;
    unsigned unused = 32 - texture->bits;
    if (texture->kind == 's') {
        int32_t value = (int32_t)(raw << unused) >> unused;
        if (!texture->normalized_float)
            return (uint32_t)value;
        float most = (float)((1 << (texture->bits - 1)) - 1);
        return float_bits(fmaxf((float)value / most, -1.0f));
    }
    if (!texture->normalized_float)
        return raw;
    return float_bits((float)raw / (float)((1u << texture->bits) - 1));
}

/* Converts one channel of a texel for all lanes. Common formats have separate loops, which the
 * compiler vectorises. */
LANES_INLINE void convert_lanes(const struct emu_texture *texture, uint32_t *words)
{
    float most = (float)(uint32_t)(((uint64_t)1 << texture->bits) - 1);
    bool is_same = (texture->kind == 'f' && texture->bits == 32) ||
                   (texture->kind == 'u' && !texture->normalized_float);
    if (is_same)
        return;
    if (texture->kind == 'u')
        for (unsigned l = 0; l < WARP; l++)
            words[l] = float_bits((float)(int32_t)words[l] / most);
    else
        for (unsigned l = 0; l < WARP; l++)
            words[l] = convert(texture, words[l]);
}

/* Returns channel C of the border's colour. The colour is given as a float and is rounded to the
 * nearest value of the texture's format. */
static uint32_t border_of(const struct emu_texture *texture, unsigned c)
{
    double value = bits_float(texture->border[c]);
    bool is_signed = texture->kind == 's';
    if (texture->kind == 'f' || !texture->normalized_float)
        return texture->border[c];
    double most = (double)((1u << (texture->bits - is_signed)) - 1);
    value = value > 1 ? 1 : value < -is_signed ? -is_signed : value;
    return float_bits((float)((ceil(value * most - 0.5) + 0.0) / most));
}

/* Reads the CHANNELS channels of a texel for each lane in LANES. A channel has BYTES bytes. AT
 * holds the offset of each lane's texel. */
LANES_INLINE void read_words(const uint8_t *texels, const uint64_t *at, uint32_t lanes,
                             unsigned channels, unsigned bytes, uint32_t words[4][WARP])
{
    uint64_t readable = lanes ? at[__builtin_ctz(lanes)] : 0;
    for (unsigned c = 0; c < channels; c++) {
        for (unsigned l = 0; l < WARP; l++) {
            uint32_t word = 0;
            memcpy(&word, texels + (lanes >> l & 1 ? at[l] : readable) + c * bytes, bytes);
            words[c][l] = lanes >> l & 1 ? word : 0;
        }
    }
}

/* Reports that LANES read the texels whose offsets are in AT. */
static void report_texels(const struct emu_texture *texture, const uint64_t *at, uint32_t lanes,
                          const struct texture_request *request)
{
    unsigned bytes = texture->channels * texture->bits / 8u;
    texture_report_read(request, texture->addr, at, lanes, bytes, texture->bits == 32 ? 4 : bytes);
}

/* Reads all channels of one texel for each lane in LANES. The address mode has already been applied
 * to INDEX. Lanes with an index OUTSIDE get the border's colour. */
LANES_INLINE void read_texels(const struct emu_texture *texture, const uint8_t *texels,
                              const struct texture_request *request, const int32_t *const index[3],
                              uint32_t lanes, uint32_t value[4][WARP])
{
    uint64_t at[WARP];
    unsigned bytes = texture->bits / 8, step = texture->channels * bytes;
    uint32_t outside = 0;
    for (unsigned l = 0; l < WARP; l++) {
        at[l] = (uint64_t)(uint32_t)index[2][l] * texture->slice +
                (uint64_t)(uint32_t)index[1][l] * texture->pitch +
                (uint64_t)(uint32_t)index[0][l] * step;
        outside |= (uint32_t)((index[0][l] | index[1][l] | index[2][l]) < 0) << l;
    }
    report_texels(texture, at, lanes & ~outside, request);
    if (bytes == 1)
        read_words(texels, at, lanes & ~outside, texture->channels, 1, value);
    else if (bytes == 2)
        read_words(texels, at, lanes & ~outside, texture->channels, 2, value);
    else
        read_words(texels, at, lanes & ~outside, texture->channels, 4, value);
    for (unsigned c = 0; c < texture->channels; c++) {
        convert_lanes(texture, value[c]);
        for (unsigned l = 0; l < WARP && outside; l++)
            if (outside >> l & 1)
                value[c][l] = border_of(texture, c);
    }
}

/* Fills the channels that the texture lacks: sets the fourth channel to 1, and others to 0. */
LANES_INLINE void fill_missing(const struct emu_texture *texture, uint32_t value[4][WARP])
{
    bool is_float = texture->kind == 'f' || texture->normalized_float;
    for (unsigned c = texture->channels; c < 4; c++)
        for (unsigned l = 0; l < WARP; l++)
            value[c][l] = c < 3 ? 0 : is_float ? float_bits(1) : 1;
}

/* --- addresses -------------------------------------------------------------------------------- */

static int64_t remainder_of(int64_t value, int64_t size)
{
    int64_t rest = value % size;
    return rest < 0 ? rest + size : rest;
}

/* Applies the address mode to an index. Returns the index of one of the SIZE texels, or OUTSIDE.
 * Wrapping and mirroring need normalised coordinates; with other coordinates, the index is
 * clamped. */
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

LANES_INLINE void place_lanes(const struct emu_texture *texture, unsigned dim, int32_t *index)
{
    uint32_t size = size_of(texture, dim);
    int32_t last = (int32_t)(size - 1);
    if (texture->address[dim] == EMU_CLAMP)
        for (unsigned l = 0; l < WARP; l++)
            index[l] = index[l] < 0 ? 0 : index[l] > last ? last : index[l];
    else
        for (unsigned l = 0; l < WARP; l++)
            index[l] = (int32_t)place(texture, dim, index[l], size);
}

/* Finds each lane's layer. If its index is too high or negative, uses the last layer. An
 * instruction without a layer reads the first layer. */
LANES_INLINE void find_layers(const struct emu_texture *texture,
                              const struct texture_points *points, int32_t *index)
{
    uint32_t last = texture->depth - 1;
    bool has_layers = texture->layered && points->layer;
    for (unsigned l = 0; l < WARP; l++)
        index[l] = has_layers ? (int32_t)(points->layer[l] > last ? last : points->layer[l]) : 0;
}

/* Converts a coordinate to units of texels. Clamps a value far outside the texture; NaN becomes
 * 0. */
LANES_INLINE double in_texels(uint32_t word, double scale)
{
    double x = (double)bits_float(word) * scale, limit = 1 << 30;
    x = x > limit ? limit : x < -limit ? -limit : x;
    return x != x ? 0 : x;
}

static double scale_of(const struct emu_texture *texture, unsigned dim)
{
    return texture->normalized_coords ? size_of(texture, dim) : 1;
}

/* --- fetches ---------------------------------------------------------------------------------- */

LANES_INLINE void fetch_nearest(const struct emu_texture *texture, const uint8_t *texels,
                                const struct texture_points *points, uint32_t lanes,
                                uint32_t value[4][WARP])
{
    int32_t index[3][WARP];
    find_layers(texture, points, index[2]);
    for (unsigned l = 0; l < WARP && points->dims == 1; l++)
        index[1][l] = 0;
    for (unsigned d = 0; d < points->dims; d++) {
        double scale = scale_of(texture, d);
        if (points->is_integer)
            memcpy(index[d], points->at[d], sizeof index[d]);
        else
            for (unsigned l = 0; l < WARP; l++)
                index[d][l] = (int32_t)floor(in_texels(points->at[d][l], scale));
        place_lanes(texture, d, index[d]);
    }
    const int32_t *const at[3] = {index[0], index[1], index[2]};
    read_texels(texture, texels, points->request, at, lanes, value);
}

/* In each dimension, the two texels next to each lane's point, and the weight of the second
 * texel. */
struct footprint {
    int32_t index[3][2][WARP];
    int32_t weight[3][WARP];
};

/* Finds the footprints of all lanes, in at least two dimensions: a fetch from a one-dimensional
 * texture also reads the rows above and below it, which are the border if the address mode is
 * EMU_BORDER. Positions are whole numbers, in units of 1/256 texel, so a double holds them
 * exactly. */
LANES_INLINE void find_footprint(const struct emu_texture *texture,
                                 const struct texture_points *points, bool clamps,
                                 struct footprint *f)
{
    memset(f, 0, sizeof *f);
    find_layers(texture, points, f->index[2][0]);
    for (unsigned d = 0; d < points->dims || d < 2; d++) {
        static const uint32_t zeros[WARP];
        const uint32_t *at = d < points->dims ? points->at[d] : zeros;
        double scale = scale_of(texture, d), last = (size_of(texture, d) - 1.0) * WEIGHT_ONE;
        /* clamp the coordinate, not only the indices */
        bool cuts = clamps && texture->address[d] == EMU_CLAMP;
        for (unsigned l = 0; l < WARP; l++) {
            double fixed = floor((in_texels(at[l], scale) - 0.5) * WEIGHT_ONE + 0.5);
            double cut = fixed < 0 ? 0 : fixed > last ? last : fixed;
            fixed = cuts ? cut : fixed;
            double first = floor(fixed / WEIGHT_ONE);
            f->weight[d][l] = (int32_t)(fixed - first * WEIGHT_ONE);
            f->index[d][0][l] = (int32_t)first;
            f->index[d][1][l] = (int32_t)first + 1;
        }
        place_lanes(texture, d, f->index[d][0]);
        place_lanes(texture, d, f->index[d][1]);
    }
}

static inline int rounded(int product)
{
    return (product + WEIGHT_ONE / 2) >> WEIGHT_BITS;
}

static inline int rounded_down(int product) /* rounds halves down */
{
    return (product + WEIGHT_ONE / 2 - 1) >> WEIGHT_BITS;
}

/* Finds the weights of the corners. Bits 0, 1 and 2 of a corner's index are its x, y and z. The
 * weights are in units of 1/256. Their sum is SHARE, the weight of the whole level. It is divided
 * along z, then along x, then along y. This order and the rounding of halves were measured on a
 * GPU. */
LANES_INLINE void find_weights(const struct footprint *f, const int32_t *share, unsigned corners,
                               int32_t weights[8][WARP])
{
    for (unsigned z = 0; z < corners / 4; z++) {
        for (unsigned x = 0; x < 2; x++) {
            for (unsigned l = 0; l < WARP; l++) {
                int behind = rounded_down(share[l] * f->weight[2][l]);
                int of_z = z ? behind : share[l] - behind;
                int right = rounded(of_z * f->weight[0][l]), of_x = x ? right : of_z - right;
                int product = of_x * f->weight[1][l];
                int upper = x ? rounded(product) : rounded_down(product);
                weights[z << 2 | 2 | x][l] = upper;
                weights[z << 2 | x][l] = of_x - upper;
            }
        }
    }
}

/* Returns the number of steps between 0 and 1 in a GPU's filtering. A GPU filters integers with 16
 * bits, one of which is the sign if they are signed. Floats have no fixed steps; for them, the
 * result is 1. */
static double steps_of(const struct emu_texture *texture)
{
    return texture->kind == 'f' ? 1 : texture->kind == 's' ? INT16_MAX : UINT16_MAX;
}

/* Rounds to the nearest whole number like C's round(), which the compiler cannot vectorise. */
LANES_INLINE double nearest(double value)
{
    return copysign(floor(fabs(value) + 0.5), value);
}

/* Adds a corner's texel, times its weight, to SUM. For weight 0, adds -0.0, which does not change
 * the sum even if the texel is infinite. */
LANES_INLINE void add_corner(double *sum, const uint32_t *texel, const int32_t *weight,
                             double steps)
{
    if (steps == 1)
        for (unsigned l = 0; l < WARP; l++)
            sum[l] += weight[l] ? weight[l] * (double)bits_float(texel[l]) : -0.0;
    else
        for (unsigned l = 0; l < WARP; l++)
            sum[l] += weight[l] ? weight[l] * nearest(bits_float(texel[l]) * steps) : -0.0;
}

LANES_INLINE void finish_sum(const double *sum, double steps, uint32_t *value)
{
    for (unsigned l = 0; l < WARP; l++) {
        double mean = sum[l] / WEIGHT_ONE;
        value[l] = float_bits((float)(steps == 1 ? mean : floor(mean + 0.5) / steps));
    }
}

LANES_INLINE void add_linear(const struct emu_texture *texture, const uint8_t *texels,
                             const struct texture_points *points, uint32_t lanes,
                             const int32_t *share, double sum[4][WARP])
{
    struct footprint f;
    int32_t weights[8][WARP];
    /* at least 4, even in one dimension (see find_footprint()) */
    unsigned corners = points->dims == 3 ? 8 : 4;
    double steps = steps_of(texture);
    find_footprint(texture, points, true, &f);
    find_weights(&f, share, corners, weights);
    for (unsigned corner = 0; corner < corners; corner++) {
        uint32_t some = 0, texel[4][WARP];
        for (unsigned l = 0; l < WARP; l++)
            some |= (uint32_t)(weights[corner][l] != 0) << l;
        if (!(some & lanes))
            continue;
        const int32_t *const at[3] = {f.index[0][corner & 1], f.index[1][corner >> 1 & 1],
                                      f.index[2][corner >> 2]};
        read_texels(texture, texels, points->request, at, some & lanes, texel);
        for (unsigned c = 0; c < texture->channels; c++)
            add_corner(sum[c], texel[c], weights[corner], steps);
    }
}

LANES_CLONES void texture_add(const struct emu_texture *texture, const uint8_t *texels,
                              const struct texture_points *points, uint32_t lanes,
                              const int32_t *share, double sum[4][WARP])
{
    uint32_t texel[4][WARP];
    if (texture->linear) {
        add_linear(texture, texels, points, lanes, share, sum);
        return;
    }
    fetch_nearest(texture, texels, points, lanes, texel);
    for (unsigned c = 0; c < texture->channels; c++)
        add_corner(sum[c], texel[c], share, steps_of(texture));
}

LANES_CLONES void texture_finish(const struct emu_texture *texture, double sum[4][WARP],
                                 uint32_t value[4][WARP])
{
    for (unsigned c = 0; c < texture->channels; c++)
        finish_sum(sum[c], steps_of(texture), value[c]);
    fill_missing(texture, value);
}

LANES_CLONES void texture_nearest(const struct emu_texture *texture, const uint8_t *texels,
                                  const struct texture_points *points, uint32_t lanes,
                                  uint32_t value[4][WARP])
{
    fetch_nearest(texture, texels, points, lanes, value);
    fill_missing(texture, value);
}

void texture_gather(const struct emu_texture *texture, const uint8_t *texels,
                    const struct texture_points *points, uint32_t lanes, unsigned component,
                    uint32_t value[4][WARP])
{
    static const int32_t zeros[WARP];
    static const unsigned corners[4] = {2, 3, 1, 0}; /* x in bit 0, y in bit 1 */
    struct footprint f;
    find_footprint(texture, points, false, &f);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t texel[4][WARP];
        const int32_t *const at[3] = {f.index[0][corners[i] & 1], f.index[1][corners[i] >> 1],
                                      zeros};
        read_texels(texture, texels, points->request, at, lanes, texel);
        fill_missing(texture, texel);
        memcpy(value[i], texel[component], sizeof value[i]);
    }
}
