/* Executes cp.async.bulk.tensor, which copies boxes of a tensor. A tensor map describes the tensor
 * (see gpu/tensor_map.h).
 *
 *   global memory         the rows of the box are parts of the tensor's rows
 *   shared memory         the rows of the box follow one another, perhaps swizzled
 *
 * A copy moves pieces of 16 bytes of a row. A load fills all elements outside of the tensor with 0
 * or NaN. A store or a reduction skips pieces that begin outside of the tensor. But it moves the
 * last piece of a row as a whole, even if the row ends within the piece.
 *
 * A swizzle spreads a column of the box over the banks. Each row takes 16 << swizzle bytes, even if
 * it is shorter. The index of a piece in these bytes is XORed with bits 7 and up of its address.
 *
 * All this was measured on an H100. If a kernel misuses a map, an H100 stops with an illegal
 * instruction; the faults below distinguish the reasons. */
#include <string.h>

#include "gpu/execute/bulk.h"
#include "gpu/execute/schedule.h"
#include "gpu/tensor_map.h"

#define FILL_NAN 0x7ff7u /* a 16-bit pattern, which is repeated to fill an element */

struct box {
    struct tensor_map map;
    int64_t at[TENSOR_DIMS];
    /* number of pieces in dimension 0, and number of elements in each other dimension */
    uint32_t count[TENSOR_DIMS];
    uint32_t element; /* bytes of an element */
    uint32_t pitch;   /* bytes from one row to the next in shared memory */
    uint32_t pieces;  /* number of pieces in all rows */
    uint64_t tile;    /* address of the box, relative to the CTA's shared memory */
};

struct piece {
    uint64_t addr;   /* address in global memory */
    uint32_t at;     /* offset in the box in shared memory */
    uint32_t inside; /* number of bytes inside the tensor */
};

static bool refuse(struct warp *warp, unsigned lane, enum obs_fault_kind wrong)
{
    warp_fault(warp, wrong, lane, NULL);
    launch_stop(warp->cta->launch,
                wrong == OBS_TENSOR_TILE ? EMU_MISALIGNED_ADDRESS : EMU_BAD_INSTRUCTION);
    return false;
}

/* --- the box ---------------------------------------------------------------------------------- */

static bool read_map(struct warp *warp, const struct inst *inst, unsigned lane,
                     struct tensor_map *map)
{
    uint64_t addr = bulk_address(warp, inst->src[0], bulk_constant(warp, inst->src[1]), lane);
    const uint8_t *bytes = mem_range(warp->cta->launch->memory, addr, TENSOR_MAP_BYTES);
    if (mem_in_window(addr, MEM_LOCAL_WINDOW) || mem_in_window(addr, MEM_SHARED_WINDOW))
        return refuse(warp, lane, OBS_LOCAL_TENSOR_MAP);
    if (bytes)
        memcpy(map, bytes, sizeof *map);
    if (!bytes || !tensor_map_is_valid(map))
        return refuse(warp, lane, OBS_NO_TENSOR_MAP);
    return addr % TENSOR_MAP_ALIGN == 0 || refuse(warp, lane, OBS_TENSOR_MAP_ALIGN);
}

/* Reads the map and the coordinates. If the copy is not possible, reports the fault and returns
 * false. */
static bool find_box(struct warp *warp, const struct inst *inst, unsigned lane, struct box *box)
{
    if (!read_map(warp, inst, lane, &box->map))
        return false;
    const struct tensor_map *map = &box->map;
    bool is_before = false, writes = inst->mem.space == PTX_GLOBAL && inst->mem.event != OBS_LOAD;
    if (inst->mem.rows != map->dims)
        return refuse(warp, lane, OBS_TENSOR_DIMS);
    box->element = tensor_type_bytes(map->type);
    uint32_t row = map->box[0] * box->element;
    box->pitch = map->swizzle ? 16u << map->swizzle : row;
    box->pieces = 1;
    for (unsigned i = 0; i < map->dims; i++) {
        box->at[i] = ((const int32_t *)(const void *)slot_at(warp, inst->mem.vector[i]))[lane];
        box->count[i] = i ? tensor_map_count(map, i) : row / TENSOR_PIECE;
        box->pieces *= box->count[i];
        is_before |= box->at[i] < 0;
    }
    if (box->at[0] * box->element % TENSOR_PIECE)
        return refuse(warp, lane, OBS_TENSOR_ROW);
    return !writes || !is_before || refuse(warp, lane, OBS_TENSOR_BEFORE);
}

/* Sets the box's address in shared memory. If it is misaligned, reports a fault and returns
 * false. */
static bool place_box(struct warp *warp, unsigned lane, struct box *box, uint64_t tile)
{
    box->tile = tile;
    return tile % TENSOR_TILE == 0 || refuse(warp, lane, OBS_TENSOR_TILE);
}

static uint32_t box_bytes(const struct box *box)
{
    return box->pieces / box->count[0] * box->pitch;
}

/* Returns the piece of the box with index N. */
static struct piece find_piece(const struct box *box, uint32_t n)
{
    const struct tensor_map *map = &box->map;
    uint32_t row = n / box->count[0], column = n % box->count[0] * TENSOR_PIECE;
    int64_t x = box->at[0] * box->element + column;
    int64_t width = (int64_t)map->size[0] * box->element;
    struct piece piece = {.addr = map->address + (uint64_t)x, .at = row * box->pitch + column};
    bool is_inside = x >= 0 && x < width;
    for (unsigned i = 1; i < map->dims; i++) {
        int64_t c = box->at[i] + row % box->count[i] * map->step[i];
        row /= box->count[i];
        is_inside &= c >= 0 && (uint64_t)c < map->size[i];
        piece.addr += (uint64_t)c * map->stride[i - 1];
    }
    if (is_inside)
        piece.inside = width - x < TENSOR_PIECE ? (uint32_t)(width - x) : TENSOR_PIECE;
    uint64_t line = (box->tile + piece.at) >> 7;
    piece.at ^= ((uint32_t)line & ((1u << map->swizzle) - 1)) << 4;
    return piece;
}

/* --- loads ------------------------------------------------------------------------------------ */

/* Rounds a float to the 11 binary digits of TF32: to nearest, ties to even. */
static uint32_t round_tf32(uint32_t bits)
{
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fffe000u; /* TF32 has only this NaN */
    return (bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu;
}

/* Reads a piece of the tensor to BYTES and fills its elements outside of the tensor. If only part
 * of the piece is inside, reads the elements one by one. Returns false if an address is bad. */
static bool read_piece(struct warp *warp, const struct box *box, unsigned lane,
                       const struct piece *piece, uint8_t *bytes)
{
    uint8_t step = piece->inside == TENSOR_PIECE ? TENSOR_PIECE : (uint8_t)box->element;
    uint16_t fill = box->map.fill ? FILL_NAN : 0;
    struct obs_access from = bulk_access(warp, OBS_LOAD, PTX_GLOBAL, step);
    for (uint32_t i = 0; i < TENSOR_PIECE; i += sizeof fill)
        memcpy(bytes + i, &fill, sizeof fill);
    if (!bulk_visit(warp, &from, lane, piece->addr, piece->inside, bytes))
        return false;
    bool rounds = box->map.type == TENSOR_TF32 || box->map.type == TENSOR_TF32_FTZ;
    for (uint32_t i = 0; rounds && i < piece->inside; i += 4) {
        uint32_t bits;
        memcpy(&bits, bytes + i, sizeof bits);
        bits = round_tf32(bits);
        memcpy(bytes + i, &bits, sizeof bits);
    }
    return true;
}

/* Loads the box to one CTA. If FIRST is not NULL, copies the data of FIRST, an earlier load of the
 * same box. Returns the new copy, or NULL if the copy is not possible. */
static struct bulk_copy *load_to(struct warp *warp, unsigned lane, struct box *box,
                                 const struct bulk_target *target, const struct bulk_copy *first)
{
    if (!place_box(warp, lane, box, target->at))
        return NULL;
    uint32_t size = box_bytes(box);
    bool is_good = true;
    for (uint32_t n = 0; n < box->pieces && is_good; n++)
        is_good = bulk_visit(warp, &target->access, lane, target->at + find_piece(box, n).at,
                             TENSOR_PIECE, NULL);
    struct bulk_copy *copy = is_good ? bulk_add(warp, lane, target, size) : NULL;
    if (!copy)
        return NULL;
    copy->brings = box->pieces * TENSOR_PIECE;
    for (uint32_t n = 0; n < box->pieces; n++) {
        struct piece piece = find_piece(box, n);
        copy->data[size + piece.at / TENSOR_PIECE] = true;
        if (first)
            memcpy(copy->data + piece.at, first->data + piece.at, TENSOR_PIECE);
        /* after a bad address, the remaining bytes stay 0 */
        else if (is_good)
            is_good = read_piece(warp, box, lane, &piece, copy->data + piece.at);
    }
    return copy;
}

static void load(struct warp *warp, const struct inst *inst, unsigned lane, struct box *box)
{
    uint64_t to = bulk_address(warp, inst->mem.base, (uint64_t)inst->mem.offset, lane);
    uint64_t barrier = bulk_address(warp, inst->src[3], bulk_constant(warp, inst->dst), lane);
    struct bulk_copy *first = NULL;
    struct bulk_target target;
    if (inst->src[2].offset == NO_SLOT) {
        if (bulk_find(warp, lane, NO_RANK, to, barrier, &target))
            load_to(warp, lane, box, &target, NULL);
        return;
    }
    uint16_t ranks = ((const uint16_t *)(const void *)slot_at(warp, inst->src[2]))[lane];
    for (uint32_t rank = 0; ranks >> rank; rank++) {
        if (!(ranks >> rank & 1))
            continue;
        if (!bulk_find(warp, lane, rank, to, barrier, &target))
            return;
        struct bulk_copy *copy = load_to(warp, lane, box, &target, first);
        first = first ? first : copy;
    }
}

/* --- stores and reductions -------------------------------------------------------------------- */

/* Returns the type of the operation that a reduction performs on the tensor's elements, or PTX_pred
 * if there is no such operation. An H100 has every reduction except some reductions of s64. */
static enum ptx_type reduced_type(unsigned type, uint8_t op)
{
    static const uint8_t types[TENSOR_TYPES] = {
        PTX_pred, PTX_pred, PTX_u32,  PTX_s32, PTX_u64, PTX_s64, PTX_f16,
        PTX_f32,  PTX_f64,  PTX_bf16, PTX_f32, PTX_f32, PTX_f32,
    };
    bool is_integer = type <= TENSOR_S64, is_half = type == TENSOR_F16 || type == TENSOR_BF16;
    bool is_legal = op == PTX_MOD_add                        ? type != TENSOR_S64
                    : op == PTX_MOD_min || op == PTX_MOD_max ? is_integer || is_half
                    : op == PTX_MOD_inc || op == PTX_MOD_dec ? type == TENSOR_U32
                                                             : is_integer && type != TENSOR_S64;
    return is_legal ? (enum ptx_type)types[type] : PTX_pred;
}

/* Checks and reports the accesses to a piece in both memories. Returns the piece's bytes in global
 * memory, or NULL if an address is bad. */
static uint8_t *find_bytes(struct warp *warp, const struct inst *inst, unsigned lane,
                           const struct box *box, const struct piece *piece)
{
    struct obs_access from = bulk_access(warp, OBS_LOAD, PTX_SHARED, TENSOR_PIECE);
    struct obs_access to = bulk_access(warp, inst->mem.event, PTX_GLOBAL, TENSOR_PIECE);
    if (!bulk_visit(warp, &from, lane, box->tile + piece->at, TENSOR_PIECE, NULL) ||
        !bulk_visit(warp, &to, lane, piece->addr, TENSOR_PIECE, NULL))
        return NULL;
    return mem_range(warp->cta->launch->memory, piece->addr, TENSOR_PIECE);
}

static void store(struct warp *warp, const struct inst *inst, unsigned lane, struct box *box)
{
    bool reduces = inst->mem.op != PTX_MOD_COUNT;
    enum ptx_type type = reduces ? reduced_type(box->map.type, inst->mem.op) : PTX_u8;
    uint64_t tile = bulk_address(warp, inst->mem.base, (uint64_t)inst->mem.offset, lane);
    if (warp->cta->launch->cluster_size > 1 &&
        cluster_rank(tile, warp->cta->rank) == warp->cta->rank)
        tile = cluster_offset(tile);
    if (!place_box(warp, lane, box, tile))
        return;
    if (type == PTX_pred) {
        refuse(warp, lane, OBS_TENSOR_REDUCTION);
        return;
    }
    struct bulk_store *pending = bulk_add_store(warp, lane, box->pieces);
    if (!pending)
        return;
    pending->does = (struct bulk_operation){.op = inst->mem.op,
                                            .type = (uint8_t)type,
                                            .flushes = box->map.type == TENSOR_F32_FTZ ||
                                                       box->map.type == TENSOR_TF32_FTZ};
    for (uint32_t n = 0; n < box->pieces; n++) {
        struct piece piece = find_piece(box, n);
        uint8_t *bytes = piece.inside ? find_bytes(warp, inst, lane, box, &piece) : NULL;
        if (piece.inside && !bytes)
            return;
        if (bytes)
            pending->part[pending->count++] =
                (struct bulk_part){bytes, (uint32_t)(box->tile + piece.at), TENSOR_PIECE};
    }
}

void tensor_copy(struct warp *warp, const struct inst *inst, unsigned lane)
{
    struct box box;
    if (!find_box(warp, inst, lane, &box) || inst->mem.event == OBS_LOAD)
        return;
    if (inst->mem.space == PTX_GLOBAL)
        store(warp, inst, lane, &box);
    else
        load(warp, inst, lane, &box);
}
