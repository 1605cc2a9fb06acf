/* Chooses the faces of cubes and the levels of mipmaps, which texture.c then reads, one at a time.
 *
 *   direction --cube face--> point and layer --wanted level--> one or two levels --> their mean
 *
 * A level is a fixed-point number with 8 bits after the binary point, rounded down. The fraction is
 * the weight of the next level. The limits of levels and the rounding of halves were measured on a
 * GPU. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/bits.h"
#include "gpu/execute/texture.h"

#define LEVEL_ONE  TEXTURE_ONE
#define LEVEL_MOST 15 /* index of the highest level; a texture has at most 16 levels */
/* The largest size of a level in bytes. With this limit, the sum of all levels does not
 * overflow. */
#define MOST_BYTES ((uint64_t)1 << 47)

/* --- levels in memory ------------------------------------------------------------------------- */

static uint32_t half_of(uint32_t size)
{
    return size > 1 ? size / 2 : 1;
}

struct emu_texture emu_texture_level(const struct emu_texture *texture, unsigned level)
{
    struct emu_texture one = *texture;
    one.levels = 1;
    while (level--) {
        one.addr += one.slice * one.depth;
        one.width = half_of(one.width);
        one.height = half_of(one.height);
        one.depth = one.layered ? one.depth : half_of(one.depth);
        one.pitch = (uint64_t)one.width * one.channels * one.bits / 8;
        one.slice = one.pitch * one.height;
    }
    return one;
}

static unsigned last_level(const struct emu_texture *texture)
{
    return texture->levels ? texture->levels - 1u : 0;
}

static uint64_t bytes_of_one(const struct emu_texture *one)
{
    return (uint64_t)(one->depth - 1) * one->slice + (uint64_t)(one->height - 1) * one->pitch +
           (uint64_t)one->width * one->channels * one->bits / 8;
}

uint64_t emu_texture_bytes(const struct emu_texture *texture)
{
    /* the usual case must be fast, because each fetch calls this function */
    if (texture->levels < 2)
        return bytes_of_one(texture);
    struct emu_texture last = emu_texture_level(texture, last_level(texture));
    return last.addr - texture->addr + bytes_of_one(&last);
}

/* Returns whether the offsets of all texels are below MOST_BYTES. Only the first level is checked,
 * because no other level is larger. */
static bool has_legal_size(const struct emu_texture *t)
{
    uint64_t row = (uint64_t)t->width * t->channels * t->bits / 8, rows, layers;
    return !__builtin_mul_overflow(t->pitch, t->height, &rows) && rows <= MOST_BYTES &&
           !__builtin_mul_overflow(t->slice, t->depth, &layers) && layers <= MOST_BYTES &&
           (t->height == 1 || row <= t->pitch) && (t->levels < 2 || row * t->height <= t->slice);
}

bool texture_is_legal(const struct emu_texture *t)
{
    return t->width && t->height && t->depth && t->channels && t->channels <= 4 &&
           t->channels != 3 && (t->bits == 8 || t->bits == 16 || t->bits == 32) &&
           has_legal_size(t) && t->levels <= 16 && (!t->cube || (t->layered && t->depth % 6 == 0));
}

/* --- faces of a cube -------------------------------------------------------------------------- */

/* Rounds towards zero to a float, as a GPU does. The rounding matters if a point is on the edge
 * between two texels. */
static float cut(double value)
{
    float near = (float)value;
    return fabs((double)near) > fabs(value) ? nextafterf(near, 0) : near;
}

/* Returns the index of the face that a direction points to. The faces are +x, -x, +y, -y, +z and
 * -z, in this order. */
static unsigned face_of(const double v[3])
{
    double ax = fabs(v[0]), ay = fabs(v[1]), az = fabs(v[2]);
    unsigned axis = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
    return 2 * axis + (v[axis] < 0);
}

/* A vector's coordinates for a viewer inside the cube who looks at one face: to the right, down and
 * ahead. */
struct view {
    double across, down, ahead;
};

static struct view look_at(unsigned face, const double v[3])
{
    bool negative = face & 1;
    struct view view = {.ahead = negative ? -v[face / 2] : v[face / 2], .down = -v[1]};
    view.across = face >= 4   ? (negative ? -v[0] : v[0])
                  : face >= 2 ? v[0]
                              : (negative ? v[2] : -v[2]);
    if (face / 2 == 1)
        view.down = negative ? -v[2] : v[2];
    return view;
}

/* A fetch's points on the faces of a cube: the coordinates on the face, the layer, and the steps to
 * the neighbouring points on the right and below. */
struct faces {
    uint32_t at[2][WARP], layer[WARP];
    uint32_t steps[2][2][WARP];
};

/* Computes how far a point moves on its face when its direction AT changes by STEP. The sides of
 * the face have length 1. */
static void step_on_face(const struct view *at, const struct view *step, float *s, float *t)
{
    double scale = 0.5 / (at->ahead * at->ahead);
    *s = (float)((step->across * at->ahead - at->across * step->ahead) * scale);
    *t = (float)((step->down * at->ahead - at->down * step->ahead) * scale);
}

static void find_steps(const struct texture_points *points, unsigned lane, unsigned face,
                       const struct view *at, struct faces *faces)
{
    for (unsigned k = 0; k < 2; k++) {
        double v[3];
        float s, t;
        for (unsigned d = 0; d < 3; d++)
            v[d] = (double)bits_float(points->steps[k][d][lane]);
        struct view step = look_at(face, v);
        step_on_face(at, &step, &s, &t);
        faces->steps[k][0][lane] = float_bits(s);
        faces->steps[k][1][lane] = float_bits(t);
    }
}

static void find_faces(const struct emu_texture *texture, const struct texture_points *points,
                       struct faces *faces)
{
    uint32_t cubes = texture->depth / 6;
    for (unsigned l = 0; l < WARP; l++) {
        double v[3];
        for (unsigned d = 0; d < 3; d++)
            v[d] = (double)bits_float(points->at[d][l]);
        unsigned face = face_of(v);
        struct view at = look_at(face, v);
        double scale = (double)cut(1.0 / at.ahead);
        faces->at[0][l] = float_bits(cut((at.across * scale + 1) / 2));
        faces->at[1][l] = float_bits(cut((at.down * scale + 1) / 2));
        uint32_t cube = points->layer ? points->layer[l] : 0;
        faces->layer[l] = (cube < cubes ? cube : cubes - 1) * 6 + face;
        if (points->steps[0][0])
            find_steps(points, l, face, &at, faces);
    }
}

/* Returns FACES as the points of a fetch from a two-dimensional texture whose layers are the cube's
 * faces. */
static struct texture_points points_on(const struct faces *faces,
                                       const struct texture_points *points)
{
    struct texture_points flat = *points;
    flat.dims = 2;
    flat.layer = faces->layer;
    for (unsigned d = 0; d < 2; d++) {
        flat.at[d] = faces->at[d];
        for (unsigned k = 0; k < 2 && points->steps[0][0]; k++)
            flat.steps[k][d] = faces->steps[k][d];
    }
    return flat;
}

/* --- choice of levels ------------------------------------------------------------------------- */

/* Converts a level to units of 1/256. NaN becomes 0. */
static int in_steps(double level)
{
    double most = (double)LEVEL_MOST * LEVEL_ONE, fixed = floor(level * LEVEL_ONE);
    return fixed > most     ? LEVEL_MOST * LEVEL_ONE
           : fixed >= -most ? (int)fixed
           : level != level ? 0
                            : -LEVEL_MOST * LEVEL_ONE;
}

/* Returns the approximate length of the vector (a, b). A GPU computes lengths with few bits and
 * without a square root. With this formula, the level equals an H100's for 92 % of random steps,
 * and differs by at most 2/256 otherwise. */
static double length_of(double a, double b)
{
    double more = fmax(fabs(a), fabs(b)), less = fmin(fabs(a), fabs(b));
    return more + less * 11 / 32;
}

/* Truncates X to its first ten binary digits. */
static double shortened(double x)
{
    int exponent;
    double digits = frexp(x, &exponent);
    return ldexp(trunc(ldexp(digits, 10)), exponent - 10);
}

/* Returns the binary logarithm of a length, in units of 1/256. */
static int logarithm(double length)
{
    int exponent;
    /* distance from the next lower power of 2, in units of 1/256 of that power */
    double part = floor(ldexp(frexp(length, &exponent), 9)) - LEVEL_ONE;
    double level = floor(log2((part + 0.5) / LEVEL_ONE + 1) * LEVEL_ONE + 0.46);
    level = part < 1 ? 0 : fmin(level, LEVEL_ONE - 1);
    return length > 0 ? (exponent - 1) * LEVEL_ONE + (int)level : INT_MIN / 2;
}

/* Returns the level, in units of 1/256, whose texels are as large as the lane's longest step. The
 * steps lead from the lane's point to the neighbouring points on its right, below it and on the
 * diagonals. */
static int level_of_steps(const struct emu_texture *texture, const struct texture_points *points,
                          unsigned lane)
{
    const double size[3] = {texture->width, texture->height, texture->depth};
    double step[4][3] = {{0}}; /* to the right, down, and along both diagonals */
    for (unsigned d = 0; d < points->dims; d++) {
        double scale = texture->normalized_coords ? size[d] : 1;
        for (unsigned k = 0; k < 2; k++)
            step[k][d] = shortened((double)bits_float(points->steps[k][d][lane]) * scale);
        step[2][d] = (step[0][d] + step[1][d]) * 11 / 16;
        step[3][d] = (step[0][d] - step[1][d]) * 11 / 16;
    }
    double longest = 0;
    for (unsigned k = 0; k < 4; k++)
        longest = fmax(longest, length_of(length_of(step[k][0], step[k][1]), step[k][2]));
    return isfinite(longest) ? logarithm(longest) : LEVEL_MOST * LEVEL_ONE;
}

/* Returns the level that a lane requests, in units of 1/256. Adds the texture's bias only if the
 * instruction has a level or steps as an operand. */
static int wanted_level(const struct emu_texture *texture, const struct texture_points *points,
                        unsigned lane)
{
    int level = 0;
    if (points->steps[0][0])
        level = level_of_steps(texture, points, lane);
    else if (points->level && points->is_integer)
        level = in_steps((int32_t)points->level[lane]);
    else if (points->level)
        level = in_steps(bits_float(points->level[lane]));
    if (points->level || points->steps[0][0])
        level += in_steps(texture->level_bias);
    int least = in_steps(texture->level_min), most = in_steps(texture->level_max);
    level = level > most ? most : level;
    return level < least ? least : level;
}

/* For each lane, the first level to read, and the weight of the next level. */
struct choice {
    unsigned first[WARP];
    int weight[WARP];
};

static void choose(const struct emu_texture *texture, const struct texture_points *points,
                   struct choice *choice)
{
    int last = (int)last_level(texture) * LEVEL_ONE;
    for (unsigned l = 0; l < WARP; l++) {
        int level = wanted_level(texture, points, l);
        if (!texture->level_linear)
            level = (level + LEVEL_ONE / 2) & -LEVEL_ONE;
        level = level < 0 ? 0 : level > last ? last : level;
        choice->first[l] = (unsigned)level / LEVEL_ONE;
        choice->weight[l] = level % LEVEL_ONE;
    }
}

/* --- fetches ---------------------------------------------------------------------------------- */

/* Fetches from one level after another. Each fetch serves the lanes of LANES that read this level.
 * WEIGHTED says that the result is a weighted mean of texels or levels. */
static void each_level(const struct emu_texture *texture, const uint8_t *texels,
                       const struct texture_points *points, const struct choice *choice,
                       uint32_t lanes, bool weighted, uint32_t value[4][WARP])
{
    double sum[4][WARP];
    for (unsigned i = 0; i < 4 * WARP; i++)
        sum[i / WARP][i % WARP] = -0.0;
    for (unsigned k = 0; k <= last_level(texture); k++) {
        int32_t share[WARP];
        uint32_t here = 0, got[4][WARP];
        for (unsigned l = 0; l < WARP; l++) {
            share[l] = choice->first[l] == k       ? LEVEL_ONE - choice->weight[l]
                       : choice->first[l] + 1 == k ? choice->weight[l]
                                                   : 0;
            here |= (uint32_t)(share[l] != 0) << l;
        }
        if (!(here & lanes))
            continue;
        struct emu_texture level = emu_texture_level(texture, k);
        const uint8_t *at = texels + (level.addr - texture->addr);
        if (weighted) {
            texture_add(&level, at, points, here & lanes, share, sum);
            continue;
        }
        texture_nearest(&level, at, points, here & lanes, got);
        for (unsigned i = 0; i < 4 * WARP; i++)
            if (here >> i % WARP & 1)
                value[i / WARP][i % WARP] = got[i / WARP][i % WARP];
    }
    if (weighted)
        texture_finish(texture, sum, value);
}

/* Does the same as each_level(), for a texture with only one level, which is the usual case. */
LANES_INLINE void only_level(const struct emu_texture *texture, const uint8_t *texels,
                             const struct texture_points *points, uint32_t lanes, bool weighted,
                             uint32_t value[4][WARP])
{
    double sum[4][WARP];
    int32_t share[WARP];
    if (!weighted) {
        texture_nearest(texture, texels, points, lanes, value);
        return;
    }
    for (unsigned i = 0; i < 4 * WARP; i++)
        sum[i / WARP][i % WARP] = -0.0;
    for (unsigned l = 0; l < WARP; l++)
        share[l] = TEXTURE_ONE;
    texture_add(texture, texels, points, lanes, share, sum);
    texture_finish(texture, sum, value);
}

bool texture_filters(const struct emu_texture *texture, const struct texture_points *points)
{
    bool is_float = texture->kind == 'f' || texture->normalized_float;
    bool mixes_levels = texture->levels > 1 && texture->level_linear;
    return is_float && !points->is_integer && (texture->linear || mixes_levels);
}

LANES_CLONES void texture_fetch(const struct emu_texture *texture, const uint8_t *texels,
                                const struct texture_points *points, uint32_t lanes,
                                uint32_t value[4][WARP])
{
    bool filters = texture_filters(texture, points);
    struct texture_points on_faces = *points;
    struct faces faces;
    struct choice choice;
    if (texture->cube && points->dims == 3) {
        find_faces(texture, points, &faces);
        on_faces = points_on(&faces, points);
    }
    if (texture->levels <= 1) {
        only_level(texture, texels, &on_faces, lanes, filters, value);
        return;
    }
    choose(texture, &on_faces, &choice);
    each_level(texture, texels, &on_faces, &choice, lanes, filters, value);
}

bool texture_keep(struct emu_texture **list, uint32_t *count, const struct emu_texture *texture,
                  uint64_t *handle)
{
    uint32_t i = 0;
    while (i < *count && (*list)[i].width)
        i++;
    if (i == *count) {
        struct emu_texture *more = realloc(*list, (*count + 1) * sizeof *more);
        if (!more)
            return false;
        *list = more;
        (*count)++;
    }
    (*list)[i] = *texture;
    *handle = i + 1;
    return true;
}
