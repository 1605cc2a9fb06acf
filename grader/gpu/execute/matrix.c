/* Executes wmma.load, wmma.mma, wmma.store and mma. For mma, the program itself puts the factors
 * into registers. The 32 lanes of a warp together hold each matrix in their registers.
 *
 * For mma, the manual defines which lane holds which numbers. The matrix is divided into tiles of 8
 * rows. 4 lanes share a row of a tile, and each lane holds PACK adjacent numbers of the row. Matrix
 * b is divided in the same way, but by columns. The PACK numbers of a factor (a or b) fill a 32-bit
 * register; for c and d, PACK is 2. For wmma, the manual does not define which lane holds which
 * numbers; this file distributes them in the same way.
 *
 *     a of f16: lane 0 holds 0 and 1 of row 0, lane 1 holds 2 and 3, … lane 4 begins row 1. Tiles
 *     are numbered downwards first, then to the right.
 *
 * In wmma, a factor of f16 always takes 8 registers of a lane. If its numbers fill only part of
 * them, the other registers repeat these numbers. */
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/tensor.h"

/* Finds the row and column in the matrix of the element with index ELEMENT in LANE. */
static void find_place(unsigned lane, unsigned element, unsigned rows, unsigned pack, unsigned *row,
                       unsigned *column)
{
    unsigned tile = element / pack, tiles = rows / 8;
    *row = tile % tiles * 8 + lane / 4;
    *column = (tile / tiles * 4 + lane % 4) * pack + element % pack;
}

/* Returns a pointer to the element with index ELEMENT in LANE's registers of VECTOR. An element has
 * BYTES bytes. */
static uint8_t *element_at(const struct warp *warp, const struct slot *vector, unsigned element,
                           unsigned bytes, unsigned lane)
{
    unsigned at = element * bytes;
    struct slot slot = vector[at / vector->bytes];
    return slot_at(warp, slot) + lane * slot.bytes + at % slot.bytes;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Loads or stores COUNT adjacent elements, beginning with index ELEMENT, for each lane in MASK. */
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

/* Loads or stores the matrix at [mem.base + mem.offset]. The distance in memory from one row to the
 * next (in some layouts, from one column to the next) is src[0] numbers. Numbers of less than 8
 * bits are moved in 32-bit words. */
static void move_matrix(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    unsigned bytes = inst->mem.bytes, rows = inst->mem.rows, columns = inst->mem.columns;
    unsigned pack = inst->mem.pack, step = inst->mem.variant ? 1 : pack;
    unsigned bits = ptx_type_bits((enum ptx_type)inst->mem.type);
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
            uint32_t line = inst->mem.variant ? column : row;
            uint32_t place = inst->mem.variant ? row : column;
            access.addr[l] = base[l] + (uint64_t)line * apart[l] * bits / 8 + place * bytes;
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

/* The ways in which a matrix's numbers are distributed over the lanes. mma.m8n8k4 of f16 computes
 * four products (quads), each with 8 of the lanes: lanes 0 to 3 and 16 to 19 hold the first
 * product. */
enum layout { TILES, QUAD_ROWS, QUAD_COLUMNS, QUAD_SUMS };

struct part {
    const struct slot *vector;
    enum ptx_type type;
    enum layout layout;
    unsigned rows, columns, pack;
    unsigned numbers; /* numbers in each lane */
};

static void find_number(const struct part *part, unsigned lane, unsigned element, unsigned *row,
                        unsigned *column)
{
    unsigned upper = lane / 16 * 4;
    switch (part->layout) {
    case QUAD_ROWS:
        *row = lane % 4 + upper;
        *column = element;
        break;
    case QUAD_COLUMNS:
        *row = element + upper;
        *column = lane % 4;
        break;
    case QUAD_SUMS: /* sums of f32 */
        *row = (lane & 1) + (element & 2) + upper;
        *column = (element & 4) + (lane & 2) + (element & 1);
        break;
    default: /* TILES */
        find_place(lane, element, part->rows, part->pack, row, column);
    }
}

/* Returns whether LANE holds numbers of the product with index QUAD. */
static bool takes_part(const struct part *part, unsigned lane, unsigned quad)
{
    return part->layout == TILES || lane % 16 / 4 == quad;
}

/* Collects a matrix from the registers of all lanes, and writes it to NUMBERS row by row. */
static void gather(const struct warp *warp, const struct part *part, unsigned quad,
                   uint64_t *numbers)
{
    unsigned bits = ptx_type_bits(part->type), row, column;
    bits = bits == 1 ? 32 : bits;
    for (unsigned element = 0; element < part->numbers; element++)
        for (unsigned l = 0; l < WARP; l++) {
            if (!takes_part(part, l, quad))
                continue;
            struct slot slot = part->vector[element * bits / 8 / part->vector->bytes];
            uint64_t value = 0;
            memcpy(&value, slot_at(warp, slot) + l * slot.bytes, slot.bytes);
            value >>= element * bits % (8u * slot.bytes);
            find_number(part, l, element, &row, &column);
            numbers[row * part->columns + column] =
                bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
        }
}

static void scatter(const struct warp *warp, const struct part *part, unsigned quad, uint32_t mask,
                    const uint64_t *numbers)
{
    unsigned bytes = ptx_type_bytes(part->type), row, column;
    for (unsigned element = 0; element < part->numbers; element++)
        for (unsigned l = 0; l < WARP; l++) {
            find_number(part, l, element, &row, &column);
            if (mask >> l & 1 && takes_part(part, l, quad))
                memcpy(element_at(warp, part->vector, element, bytes, l),
                       &numbers[row * part->columns + column], bytes);
        }
}

/* Describes matrix I, where 0 to 3 are d, a, b and c. */
static struct part part_of(const struct inst *inst, unsigned i, const struct tensor_product *p)
{
    struct part part = {.vector = inst->warp.vector, .type = p->types[i], .pack = 2};
    unsigned bits = ptx_type_bits(part.type);
    bool is_factor = i == 1 || i == 2, is_quad = inst->warp.layout != 0;
    for (unsigned k = 0; k < i; k++)
        part.vector += inst->warp.count[k];
    part.rows = i == 2 ? p->n : p->m;
    part.columns = is_factor ? p->k : p->n;
    part.numbers = part.rows * part.columns / (is_quad ? 8 : WARP);
    if (is_factor)
        part.pack = bits == 1 || bits >= 32 ? 1 : 32 / bits;
    if (!is_quad)
        return part;
    bool by_column = inst->warp.layout >> i & 1;
    part.layout = is_factor    ? (by_column == (i == 2) ? QUAD_ROWS : QUAD_COLUMNS)
                  : bits == 32 ? QUAD_SUMS
                               : QUAD_ROWS;
    return part;
}

/* Returns the number of products that a tensor core adds in one step, as measured on a GPU (see
 * tensor.c). */
static unsigned step_of(const struct inst *inst, const struct tensor_product *p)
{
    bool is_float8 = p->types[1] == PTX_e4m3 || p->types[1] == PTX_e5m2;
    bool is_wmma = inst->warp.n > 8 || inst->warp.m > 16;
    return is_float8 ? p->k / 2 : p->types[1] == PTX_tf32 && is_wmma ? p->k / 2 : p->k;
}

void matrix_multiply_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t a[TENSOR_MOST], b[TENSOR_MOST], c[TENSOR_MOST], d[TENSOR_MOST];
    struct tensor_product p = {.m = inst->warp.m, .n = inst->warp.n, .k = inst->warp.k};
    struct part parts[4];
    for (unsigned i = 0; i < 4; i++)
        p.types[i] = (enum ptx_type)inst->warp.types[i];
    p.k = p.types[1] == PTX_b1 ? p.k / 32 : p.k;
    p.step = step_of(inst, &p);
    p.is_quad = inst->warp.layout != 0;
    p.saturates = inst->warp.op == PTX_MOD_satfinite;
    p.is_and = inst->warp.op == PTX_MOD_and;
    for (unsigned i = 0; i < 4; i++)
        parts[i] = part_of(inst, i, &p);
    for (unsigned quad = 0; quad < (inst->warp.layout ? 4 : 1); quad++) {
        gather(warp, &parts[1], quad, a);
        gather(warp, &parts[2], quad, b);
        gather(warp, &parts[3], quad, c);
        tensor_multiply(&p, a, b, c, d);
        scatter(warp, &parts[0], quad, mask, d);
    }
}

/* --- matrices of 8 rows, each with 16 bytes --------------------------------------------------- */

/* The 32 lanes' registers consist of 64 halves of 16 bits. Returns the index of the half that holds
 * the number in column COLUMN of row ROW. */
static unsigned half_word(unsigned row, unsigned column, bool transposed)
{
    return transposed ? 8 * column + row : 8 * row + column;
}

/* Returns the 64 halves of the matrix with index NUMBER, two in each lane's register. */
static uint16_t *halves_at(const struct warp *warp, const struct inst *inst, unsigned number)
{
    return (uint16_t *)(void *)slot_at(warp, inst->mem.vector[number]);
}

static void move_row(const struct warp *warp, const struct inst *inst, unsigned lane, uint8_t *row)
{
    uint16_t *own = halves_at(warp, inst, lane / 8);
    for (unsigned column = 0; column < 8; column++) {
        uint16_t *half = &own[half_word(lane % 8, column, inst->mem.variant)];
        if (inst->mem.event == OBS_LOAD)
            memcpy(half, row + 2 * column, sizeof *half);
        else
            memcpy(row + 2 * column, half, sizeof *half);
    }
}

/* Executes ldmatrix and stmatrix. Lane l holds the address of row l % 8 of matrix l / 8. */
void rows_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct obs_access wanted = {.pc = warp->pc, .kind = inst->mem.event};
    wanted.bytes = 16;
    wanted.element = 2;
    uint32_t lanes = mask & (uint32_t)((UINT64_C(1) << 8 * inst->mem.count) - 1);
    if (!lanes)
        return;
    access_addresses(warp, inst->mem.base, (uint64_t)inst->mem.offset, lanes, wanted.addr);
    for (uint32_t todo = lanes, group; todo; todo &= ~group) {
        struct obs_access access = wanted;
        uint8_t *host[WARP];
        group = access_take_space(warp, inst, todo, &access);
        uint32_t good = access_find(warp, &access, group, host);
        for (uint32_t l = inst->mem.event == OBS_LOAD ? group : good; l; l &= l - 1)
            move_row(warp, inst, (unsigned)__builtin_ctz(l), host[__builtin_ctz(l)]);
    }
}

void transpose_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint16_t old[2 * WARP], *d = (uint16_t *)(void *)slot_at(warp, inst->dst);
    memcpy(old, slot_at(warp, inst->src[0]), sizeof old);
    for (unsigned i = 0; i < 2 * WARP; i++)
        if (mask >> i / 2 & 1)
            d[i] = old[half_word(i / 8, i % 8, true)];
}
