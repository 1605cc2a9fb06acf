/* The footprint observer records which bytes of global memory a launch reads and writes. The
 * runtime library compares these bytes with those that other streams and the host access
 * (gpu/order/). The observer watches only launches that request it (emu_launch.touches).
 *
 * For each page and each kind of access there is a bit map with one bit per byte. The bit is set
 * when the byte is accessed. */
#include <stdlib.h>
#include <string.h>

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

enum {
    PAGE_SHIFT = 12,
    PAGE_BYTES = 1 << PAGE_SHIFT,
    WORDS = PAGE_BYTES / 64,
    CACHED = 64,
    /* a worker records at most this many accesses of a launch, which takes about a second */
    MOST_ACCESSES = 50000000,
    /* at most this many ranges are reported; further ranges are dropped, so conflicts can be
     * missed */
    MOST_TOUCHES = 1 << 20
};

struct map {
    uint64_t key;   /* page number * EMU_TOUCH_KINDS + kind of access */
    uint64_t *bits; /* NULL if the page is not watched */
};

struct footprint {
    const struct launch_view *launch;
    bool *signals; /* for each pc, whether the instruction's accesses are EMU_SIGNALS */
    /* for each pc, whether the latest access covered all bytes from its first to its last byte;
     * then its repeats do, too */
    bool *fills;
    struct map **table; /* hash table with open addressing; its size is a power of 2 */
    size_t size, count;
    struct map *cache[CACHED];
    uint32_t accesses;
    bool failed;
};

/* --- the hash table of bit maps --------------------------------------------------------------- */

static size_t hash_of(uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> 20);
}

static void put(struct map **table, size_t size, struct map *map)
{
    size_t at = hash_of(map->key) & (size - 1);
    while (table[at])
        at = (at + 1) & (size - 1);
    table[at] = map;
}

static bool grow(struct footprint *footprint)
{
    size_t size = footprint->size ? 2 * footprint->size : 256;
    struct map **table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < footprint->size; i++)
        if (footprint->table[i])
            put(table, size, footprint->table[i]);
    free(footprint->table);
    footprint->table = table;
    footprint->size = size;
    return true;
}

static bool is_wanted(const struct footprint *footprint, uint64_t page)
{
    uint64_t begin = page << PAGE_SHIFT;
    if (footprint->launch->request->touches != EMU_TOUCHES_LENT)
        return true;
    const struct mem_block *block = mem_block_at(footprint->launch->memory, begin + PAGE_BYTES - 1);
    return block && block->is_lent && block->addr + block->size > begin;
}

static struct map *add(struct footprint *footprint, uint64_t key)
{
    struct map *map = NULL;
    if (2 * footprint->count < footprint->size || grow(footprint))
        map = malloc(sizeof *map);
    if (!map)
        return NULL;
    *map = (struct map){.key = key};
    if (is_wanted(footprint, key / EMU_TOUCH_KINDS) &&
        !(map->bits = calloc(WORDS, sizeof *map->bits)))
        footprint->failed = true;
    put(footprint->table, footprint->size, map);
    footprint->count++;
    return map;
}

static struct map *find(struct footprint *footprint, uint64_t key)
{
    struct map **cached = &footprint->cache[key % CACHED], *map = NULL;
    if (*cached && (*cached)->key == key)
        return *cached;
    if (footprint->size) {
        size_t at = hash_of(key) & (footprint->size - 1);
        while ((map = footprint->table[at]) && map->key != key)
            at = (at + 1) & (footprint->size - 1);
    }
    if (!map)
        map = add(footprint, key);
    return *cached = map;
}

/* Sets COUNT bits from bit BEGIN on. */
static void set_bits(uint64_t *bits, uint32_t begin, uint32_t count)
{
    while (count) {
        uint32_t shift = begin % 64, some = 64 - shift < count ? 64 - shift : count;
        bits[begin / 64] |= (some == 64 ? UINT64_MAX : (1ull << some) - 1) << shift;
        begin += some;
        count -= some;
    }
}

static void mark(struct footprint *footprint, enum emu_touch_kind kind, uint64_t addr,
                 uint64_t bytes)
{
    while (bytes) {
        uint32_t offset = addr % PAGE_BYTES;
        uint32_t some = PAGE_BYTES - offset < bytes ? PAGE_BYTES - offset : (uint32_t)bytes;
        struct map *map = find(footprint, (addr >> PAGE_SHIFT) * EMU_TOUCH_KINDS + kind);
        if (!map)
            footprint->failed = true;
        else if (map->bits)
            set_bits(map->bits, offset, some);
        addr += some;
        bytes -= some;
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static enum emu_touch_kind kind_of(const struct footprint *footprint, uint32_t pc, uint8_t kind)
{
    return footprint->signals[pc] ? EMU_SIGNALS
           : kind == OBS_LOAD     ? EMU_READS
           : kind == OBS_STORE    ? EMU_WRITES
                                  : EMU_UPDATES;
}

/* Returns whether the lanes access all bytes from the first to the last. If so, sets *FIRST to the
 * first address and *BYTES to the number of bytes. */
static bool is_filled(const struct obs_access *access, uint64_t *first, uint64_t *bytes)
{
    uint64_t low = UINT64_MAX, high = 0, touched = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t addr = access->addr[__builtin_ctz(left)];
        low = addr < low ? addr : low;
        high = addr > high ? addr : high;
    }
    uint64_t words = (high - low) / access->bytes + 1;
    if (words > WARP || (high - low) % access->bytes)
        return false;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t offset = access->addr[__builtin_ctz(left)] - low;
        touched |= offset % access->bytes ? 0 : 1ull << offset / access->bytes;
    }
    *first = low;
    *bytes = words * access->bytes;
    return touched == (1ull << words) - 1;
}

/* Marks the bytes that each lane accesses. If bytes of several lanes adjoin, marks them in one
 * call. */
static void mark_lanes(struct footprint *footprint, enum emu_touch_kind kind,
                       const struct obs_access *access)
{
    uint64_t begin = access->addr[__builtin_ctz(access->mask)], end = begin;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t addr = access->addr[__builtin_ctz(left)];
        if (addr - begin > end - begin) {
            mark(footprint, kind, begin, end - begin);
            begin = end = addr;
        }
        end = addr + access->bytes > end ? addr + access->bytes : end;
    }
    mark(footprint, kind, begin, end - begin);
}

static void footprint_access(void *state, const struct obs_access *access)
{
    struct footprint *footprint = state;
    if (access->space != PTX_GLOBAL || footprint->accesses >= MOST_ACCESSES)
        return;
    footprint->accesses++;
    enum emu_touch_kind kind = kind_of(footprint, access->pc, access->kind);
    if (access->dense) {
        mark(footprint, kind, access->addr[0], (uint64_t)WARP * access->bytes);
        return;
    }
    if (!access->mask)
        return;
    uint64_t first, bytes;
    bool fills = footprint->fills[access->pc] = is_filled(access, &first, &bytes);
    if (fills)
        mark(footprint, kind, first, bytes);
    else
        mark_lanes(footprint, kind, access);
}

static enum obs_answer footprint_repeat(void *state, const struct obs_repeat *repeat)
{
    struct footprint *footprint = state;
    if (repeat->space != PTX_GLOBAL || footprint->accesses >= MOST_ACCESSES)
        return OBS_COUNT_ONLY;
    footprint->accesses++;
    enum emu_touch_kind kind = kind_of(footprint, repeat->pc, repeat->kind);
    if (repeat->dense)
        mark(footprint, kind, repeat->first, (uint64_t)WARP * repeat->bytes);
    else if (footprint->fills[repeat->pc])
        mark(footprint, kind, repeat->first + (uint64_t)(int64_t)repeat->low,
             (uint64_t)((int64_t)repeat->high - repeat->low) + repeat->bytes);
    else
        return OBS_FULL;
    return OBS_DONE;
}

/* --- beginning and end ------------------------------------------------------------------------ */

static bool is_signal(const struct ptx_instruction *in)
{
    bool is_atomic = in->opcode == PTX_OP_atom || in->opcode == PTX_OP_red;
    if (is_atomic)
        return ptx_has(in, PTX_MOD_sys);
    return ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_relaxed) ||
           ptx_has(in, PTX_MOD_acquire) || ptx_has(in, PTX_MOD_release) ||
           ptx_has(in, PTX_MOD_mmio);
}

static void footprint_free(struct footprint *footprint)
{
    for (size_t i = 0; i < footprint->size; i++)
        if (footprint->table[i]) {
            free(footprint->table[i]->bits);
            free(footprint->table[i]);
        }
    free(footprint->table);
    free(footprint->signals);
    free(footprint->fills);
    free(footprint);
}

static void *footprint_begin(const struct launch_view *launch)
{
    struct footprint *footprint = calloc(1, sizeof *footprint);
    if (!footprint)
        return NULL;
    footprint->launch = launch;
    footprint->signals = calloc((size_t)launch->code_count + 1, sizeof *footprint->signals);
    footprint->fills = calloc((size_t)launch->code_count + 1, sizeof *footprint->fills);
    for (uint32_t pc = 0; footprint->signals && pc < launch->code_count; pc++) {
        const struct ptx_instruction *in = view_ptx(launch, pc);
        footprint->signals[pc] = in && is_signal(in);
    }
    if (footprint->signals && footprint->fills)
        return footprint;
    footprint_free(footprint);
    return NULL;
}

static void footprint_join(void *into, void *state)
{
    struct footprint *all = into, *part = state;
    all->failed |= part->failed;
    for (size_t i = 0; i < part->size; i++) {
        const struct map *from = part->table[i], *to = from ? find(all, from->key) : NULL;
        all->failed |= from && !to;
        for (unsigned w = 0; to && to->bits && from->bits && w < WORDS; w++)
            to->bits[w] |= from->bits[w];
    }
    footprint_free(part);
}

/* Returns the index of the first bit, from AT on, that is 1 (if SET is true) or 0. Returns
 * PAGE_BYTES if there is none. */
static uint32_t next_bit(const uint64_t *bits, uint32_t at, bool set)
{
    while (at < PAGE_BYTES) {
        uint64_t word = (set ? bits[at / 64] : ~bits[at / 64]) >> at % 64;
        if (word)
            return at + (uint32_t)__builtin_ctzll(word);
        at += 64 - at % 64;
    }
    return PAGE_BYTES;
}

/* Appends an accessed range. Returns false if the list is full or memory runs out. */
static bool append(struct obs_touched *touched, struct emu_touch touch)
{
    if (touched->count == MOST_TOUCHES)
        return false;
    if (touched->count == touched->room) {
        size_t room = touched->room ? 2 * touched->room : 64;
        struct emu_touch *more = realloc(touched->list, room * sizeof *more);
        if (!more)
            return false;
        touched->list = more;
        touched->room = room;
    }
    touched->list[touched->count++] = touch;
    return true;
}

static bool append_page(struct obs_touched *touched, const struct map *map)
{
    uint64_t page = map->key / EMU_TOUCH_KINDS << PAGE_SHIFT;
    uint32_t begin = map->bits ? next_bit(map->bits, 0, true) : PAGE_BYTES;
    while (begin < PAGE_BYTES) {
        uint32_t end = next_bit(map->bits, begin, false);
        struct emu_touch touch = {page + begin, page + end, map->key % EMU_TOUCH_KINDS};
        struct emu_touch *last = touched->count ? &touched->list[touched->count - 1] : NULL;
        if (last && last->kind == touch.kind && last->end == touch.begin)
            last->end = touch.end;
        else if (!append(touched, touch))
            return false;
        begin = next_bit(map->bits, end, true);
    }
    return true;
}

/* Orders maps by kind, then by address. Ranges that continue on the next page are thus adjacent in
 * the list, and can be merged. */
static int compare(const void *a, const void *b)
{
    uint64_t x = (*(struct map *const *)a)->key, y = (*(struct map *const *)b)->key;
    uint64_t x_kind = x % EMU_TOUCH_KINDS, y_kind = y % EMU_TOUCH_KINDS;
    if (x_kind != y_kind)
        return x_kind > y_kind ? 1 : -1;
    return (x > y) - (x < y);
}

static void footprint_end(void *state, const struct launch_view *launch,
                          struct emu_counters *per_instruction)
{
    struct footprint *footprint = state;
    size_t count = 0;
    (void)per_instruction;
    for (size_t i = 0; i < footprint->size; i++) /* moves all maps to the front of the table */
        if (footprint->table[i]) {
            struct map *map = footprint->table[i];
            footprint->table[i] = NULL;
            footprint->table[count++] = map;
        }
    if (count)
        qsort(footprint->table, count, sizeof *footprint->table, compare);
    for (size_t i = 0; i < count && !footprint->failed; i++)
        if (!append_page(launch->touched, footprint->table[i]))
            break;
    footprint_free(footprint);
}

const struct observer obs_footprint = {
    .name = "footprint",
    .events = OBS_ACCESS,
    .begin = footprint_begin,
    .access = footprint_access,
    .repeat = footprint_repeat,
    .join = footprint_join,
    .end = footprint_end,
};
