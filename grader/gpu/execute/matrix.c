/* The matrix instructions wmma.load, wmma.mma and wmma.store. The 32 lanes of a warp hold each
 * matrix together, in their registers.
 *
 * The manual does not define which lane holds which numbers. This file uses the layout that the
 * manual defines for mma: the matrix is divided into tiles of 8 rows, 4 lanes share a row of a
 * tile, and each lane holds PACK adjacent numbers of the row. For b, columns take the place of
 * rows.
 *
 *     a of f16: lane 0 holds 0 and 1 of row 0, lane 1 holds 2 and 3, … lane 4 begins row 1.
 *     Tiles are numbered downwards first, then to the right.
 *
 * A factor (a or b) of f16 always takes 8 registers of a lane. If its numbers fill only a part of
 * them, the other registers repeat these numbers. */
#include <math.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/half.h"
#include "gpu/execute/operations.h"

#define MOST_NUMBERS 512u /* the largest matrix has 32 x 16 numbers */

/* Returns PACK (see the top): the count of adjacent numbers in a row that one lane holds. */
static unsigned pack_of(unsigned bytes, unsigned columns)
{
    return bytes == 8 ? columns / 4 : bytes == 1 ? 4 : 2;
}

/* Finds the row and column of the matrix that element number ELEMENT of LANE belongs to. */
static void find_place(unsigned lane, unsigned element, unsigned rows, unsigned pack, unsigned *row,
                       unsigned *column)
{
    unsigned tile = element / pack, tiles = rows / 8;
    *row = tile % tiles * 8 + lane / 4;
    *column = (tile / tiles * 4 + lane % 4) * pack + element % pack;
}

/* The place of element number ELEMENT of LANE in the registers of VECTOR. An element has BYTES
 * bytes. */
static uint8_t *element_at(const struct warp *warp, const struct slot *vector, unsigned element,
                           unsigned bytes, unsigned lane)
{
    unsigned at = element * bytes;
    struct slot slot = vector[at / vector->bytes];
    return slot_at(warp, slot) + lane * slot.bytes + at % slot.bytes;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Loads or stores COUNT adjacent elements, from number ELEMENT on, for each lane in MASK. */
static void move_elements(struct warp *warp, const struct inst *inst, uint32_t mask,
                          const struct obs_access *wanted, unsigned element, unsigned count)
{
    unsigned bytes = inst->mem.bytes;
    for (uint32_t todo = mask, group; todo; todo &= ~group) {
        struct obs_access access = *wanted;
        uint8_t *host[WARP];
        group = access_take_space(warp, inst, todo, &access);
        uint32_t good = access_find(warp, &access, group, host);
        bool is_load = inst->mem.event == OBS_LOAD;
        for (uint32_t lanes = is_load ? group : good; lanes; lanes &= lanes - 1) {
            unsigned l = (unsigned)__builtin_ctz(lanes);
            for (unsigned i = 0; i < count; i++) {
                uint8_t *own = element_at(warp, inst->mem.vector, element + i, bytes, l);
                uint8_t *other = host[l] + i * bytes;
                memcpy(is_load ? own : other, is_load ? other : own, bytes);
            }
        }
    }
}

/* Loads or stores the matrix at [mem.base + mem.offset]. The rows (in some layouts, the columns)
 * begin src[0] numbers apart in memory. */
static void move_matrix(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned bytes = inst->mem.bytes, rows = inst->mem.rows, columns = inst->mem.columns;
    unsigned pack = pack_of(bytes, columns), step = inst->mem.variant ? 1 : pack;
    uint64_t base[WARP];
    uint32_t apart[WARP];
    access_addresses(warp, inst->mem.base, (uint64_t)inst->mem.offset, mask, base);
    memcpy(apart, slot_at(warp, inst->src[0]), sizeof apart);
    for (unsigned element = 0; element < rows * columns / WARP; element += step) {
        struct obs_access access = {.pc = warp->pc, .kind = inst->mem.event};
        access.bytes = (uint8_t)(step * bytes);
        access.element = (uint8_t)bytes;
        for (unsigned l = 0; l < WARP; l++) {
            unsigned row, column;
            find_place(l, element, rows, pack, &row, &column);
            uint64_t at = inst->mem.variant ? (uint64_t)column * apart[l] + row
                                            : (uint64_t)row * apart[l] + column;
            access.addr[l] = base[l] + at * bytes;
        }
        uint64_t active = access.addr[__builtin_ctz(mask)];
        for (unsigned l = 0; l < WARP; l++)
            access.addr[l] = mask >> l & 1 ? access.addr[l] : active;
        move_elements(warp, inst, mask, &access, element, step);
    }
}

void matrix_load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned bytes = inst->mem.bytes, own = inst->mem.rows * inst->mem.columns / WARP;
    unsigned all = inst->mem.count * inst->mem.vector->bytes / bytes;
    move_matrix(warp, inst, mask);
    for (unsigned element = own; element < all; element++)
        for (unsigned l = 0; l < WARP; l++)
            if (mask >> l & 1)
                memcpy(element_at(warp, inst->mem.vector, element, bytes, l),
                       element_at(warp, inst->mem.vector, element - own, bytes, l), bytes);
}

void matrix_store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    move_matrix(warp, inst, mask);
}

/* --- products --------------------------------------------------------------------------------- */

/* Converts a factor or a sum of any type to double, which is exact for all these types. */
static double read_number(const uint8_t *from, enum ptx_type type)
{
    uint64_t bits = 0;
    memcpy(&bits, from, ptx_type_bytes(type));
    switch (type) {
    case PTX_u8:
        return (double)bits;
    case PTX_s8:
        return (int8_t)bits;
    case PTX_s32:
        return (int32_t)bits;
    case PTX_f32:
        return bits_float((uint32_t)bits);
    case PTX_f64:
        return bits_double(bits);
    default:
        return half_widen((uint16_t)bits, half_format(type));
    }
}

static void write_number(uint8_t *to, enum ptx_type type, double value, bool saturates)
{
    uint64_t bits;
    if (type == PTX_s32 && saturates)
        value = value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
    if (type == PTX_s32)
        bits = (uint64_t)(int64_t)value;
    else if (type == PTX_f64)
        bits = double_bits(value);
    else if (type == PTX_f32)
        bits = value != value ? 0x7fffffffu : float_bits((float)value);
    else
        bits = half_narrow_in(value, half_format(type), MODE_DEFAULT);
    memcpy(to, &bits, ptx_type_bytes(type));
}

/* Collects a matrix of ROWS x COLUMNS from the registers of all lanes, row by row. */
static void gather(const struct warp *warp, const struct slot *vector, enum ptx_type type,
                   unsigned rows, unsigned columns, double *numbers)
{
    unsigned bytes = ptx_type_bytes(type), pack = pack_of(bytes, columns), row, column;
    for (unsigned element = 0; element < rows * columns / WARP; element++)
        for (unsigned l = 0; l < WARP; l++) {
            find_place(l, element, rows, pack, &row, &column);
            numbers[row * columns + column] =
                read_number(element_at(warp, vector, element, bytes, l), type);
        }
}

/* Computes c += a * b; b is stored column by column. For all types except f64, the products are
 * exact. The error of the sums is far below the last digit of the result type, to which the sum is
 * rounded once, at the end. */
LANES_CLONES static void multiply(const struct inst *inst, const double *a, const double *b,
                                  double *c)
{
    unsigned n = inst->warp.n, k = inst->warp.k;
    for (unsigned i = 0; i < inst->warp.m; i++)
        for (unsigned j = 0; j < n; j++)
            for (unsigned x = 0; x < k; x++)
                c[i * n + j] = fma(a[i * k + x], b[j * k + x], c[i * n + j]);
}

/* The same for f64, whose NaNs keep their bits. */
LANES_CLONES static void multiply_doubles(const struct inst *inst, const double *a, const double *b,
                                          double *c)
{
    unsigned n = inst->warp.n, k = inst->warp.k;
    for (unsigned i = 0; i < inst->warp.m; i++)
        for (unsigned j = 0; j < n; j++)
            for (unsigned x = 0; x < k; x++) {
                double p = a[i * k + x], q = b[j * k + x], *sum = &c[i * n + j];
                *sum = fp_nan3(fma(p, q, *sum), p, q, *sum);
            }
}

void matrix_multiply_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    double a[MOST_NUMBERS], b[MOST_NUMBERS], c[MOST_NUMBERS];
    const uint8_t *count = inst->warp.count;
    const struct slot *d = inst->warp.vector;
    enum ptx_type types[4];
    for (unsigned i = 0; i < 4; i++)
        types[i] = (enum ptx_type)inst->warp.types[i];
    unsigned m = inst->warp.m, n = inst->warp.n, k = inst->warp.k;
    gather(warp, d + count[0], types[1], m, k, a);
    gather(warp, d + count[0] + count[1], types[2], n, k, b);
    gather(warp, d + count[0] + count[1] + count[2], types[3], m, n, c);
    if (types[0] == PTX_f64)
        multiply_doubles(inst, a, b, c);
    else
        multiply(inst, a, b, c);
    unsigned bytes = ptx_type_bytes(types[0]), pack = pack_of(bytes, n), row, column;
    for (unsigned element = 0; element < m * n / WARP; element++)
        for (unsigned l = 0; l < WARP; l++) {
            find_place(l, element, m, pack, &row, &column);
            if (mask >> l & 1)
                write_number(element_at(warp, d, element, bytes, l), types[0], c[row * n + column],
                             inst->warp.op == PTX_MOD_satfinite);
        }
}
