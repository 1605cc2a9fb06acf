#include "gpu/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/lanes.h"

#define ALIGNMENT 512u
/* bytes between neighbouring blocks, so that stray accesses hit no block */
#define GAP (1u << 16)
/* blocks of at least this size are mapped, so their pages take memory only when they are touched */
#define MAP_FROM (1u << 20)
#define LARGE    (2ull << 20) /* bytes of a large page */

void mem_init(struct memory *memory, uint64_t limit, uint64_t poison)
{
    *memory = (struct memory){.next = MEM_GLOBAL_BASE, .limit = limit, .poison = poison};
}

/* --- marks ------------------------------------------------------------------------------------ */

void mem_assume_written(struct mem_block *block)
{
    free(block->marks[MEM_WRITTEN]);
    block->marks[MEM_WRITTEN] = NULL;
}

static bool is_marked(const uint8_t *bits, uint64_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

static void mark_bit(uint8_t *bits, uint64_t at, bool marked)
{
    uint8_t bit = (uint8_t)(1u << at % 8);
    bits[at / 8] = (uint8_t)(marked ? bits[at / 8] | bit : bits[at / 8] & ~bit);
}

static void mark_bits(uint8_t *bits, uint64_t at, uint64_t end, bool marked)
{
    for (; at < end && at % 8; at++)
        mark_bit(bits, at, marked);
    if (at < end)
        memset(bits + at / 8, marked ? 0xff : 0, (end - at) / 8);
    for (at += at < end ? (end - at) / 8 * 8 : 0; at < end; at++)
        mark_bit(bits, at, marked);
}

static void mark_range(struct mem_block *block, enum mem_mark mark, uint64_t at, uint64_t size,
                       bool marked)
{
    if (!block->marks[mark] || (marked && block->whole[mark]))
        return;
    mark_bits(block->marks[mark], at, at + size, marked);
    block->whole[mark] = marked && size == block->size;
}

void mem_mark(const struct memory *memory, enum mem_mark mark, uint64_t addr, uint64_t size,
              bool marked)
{
    struct mem_block *block = memory->tracks[mark] ? mem_block_at(memory, addr) : NULL;
    if (block)
        mark_range(block, mark, addr - block->addr, size, marked);
}

static void copy_each(uint8_t *to, uint64_t at, const uint8_t *from, uint64_t there, uint64_t size)
{
    if (at <= there) /* the ranges may overlap */
        for (uint64_t i = 0; i < size; i++)
            mark_bit(to, at + i, is_marked(from, there + i));
    else
        for (uint64_t i = size; i-- > 0;)
            mark_bit(to, at + i, is_marked(from, there + i));
}

/* Copies SIZE bits. If both ranges start at the same bit of a byte, copies whole bytes except at
 * the ends. The ranges may overlap, as for memmove(): a copy to higher bits begins at the upper
 * end, any other copy at the lower end. */
static void copy_bits(uint8_t *to, uint64_t at, const uint8_t *from, uint64_t there, uint64_t size)
{
    uint64_t head = -at % 8, tail = head + (size - head) / 8 * 8;
    bool up = at <= there;
    if (size < 16 || (at ^ there) % 8) {
        copy_each(to, at, from, there, size);
        return;
    }
    uint64_t first = up ? 0 : tail, last = up ? tail : 0;
    copy_each(to, at + first, from, there + first, up ? head : size - tail);
    memmove(to + (at + head) / 8, from + (there + head) / 8, (tail - head) / 8);
    copy_each(to, at + last, from, there + last, up ? size - tail : head);
}

void mem_copy_marks(const struct memory *memory, uint64_t to, uint64_t from, uint64_t size)
{
    for (enum mem_mark mark = 0; mark < MEM_MARKS; mark++) {
        const struct mem_block *source = memory->tracks[mark] ? mem_block_at(memory, from) : NULL;
        struct mem_block *target = memory->tracks[mark] ? mem_block_at(memory, to) : NULL;
        if (!source || !target || !target->marks[mark])
            continue;
        if (!source->marks[mark] || source->whole[mark]) {
            mark_range(target, mark, to - target->addr, size,
                       mark == MEM_WRITTEN || source->whole[mark]);
            continue;
        }
        copy_bits(target->marks[mark], to - target->addr, source->marks[mark], from - source->addr,
                  size);
        target->whole[mark] = false;
    }
}

/* Searches SIZE bits, from bit AT on, for the first bit that equals MARKED. Returns its distance
 * from AT, or SIZE if there is none. */
static uint64_t find_bit(const uint8_t *bits, uint64_t at, uint64_t size, bool marked)
{
    /* the search skips words of this value, because none of their bits equals MARKED */
    const uint64_t others = marked ? 0 : UINT64_MAX;
    uint64_t i = 0, all = 0;
    while (i < size) {
        memcpy(&all, bits + (at + i) / 8, size - i >= 64 ? sizeof all : 0);
        if ((at + i) % 8 == 0 && size - i >= 64 && all == others)
            i += 64;
        else if ((at + i) % 8 == 0 && size - i >= 8 && bits[(at + i) / 8] == (uint8_t)others)
            i += 8;
        else if (is_marked(bits, at + i) != marked)
            i++;
        else
            return i;
    }
    return size;
}

uint64_t mem_first_unmarked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                            uint64_t size)
{
    return block->whole[mark] ? size : find_bit(block->marks[mark], at, size, false);
}

uint64_t mem_first_marked(const struct mem_block *block, enum mem_mark mark, uint64_t at,
                          uint64_t size)
{
    return block->whole[mark] ? 0 : find_bit(block->marks[mark], at, size, true);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Returns the number of bytes to map for a block of SIZE bytes. A large mapping takes whole large
 * pages. */
static uint64_t mapped(uint64_t size)
{
    return size < LARGE ? size : (size + LARGE - 1) / LARGE * LARGE;
}

static void release(struct memory *memory, struct mem_block *block)
{
    memory->lent -= block->is_lent;
    if (block->is_lent)
        block->is_lent = false;
    else if (block->host && block->size >= MAP_FROM)
        munmap(block->host, mapped(block->size));
    else
        free(block->host);
    block->host = NULL;
    for (enum mem_mark mark = 0; mark < MEM_MARKS; mark++) {
        free(block->marks[mark]);
        block->marks[mark] = NULL;
        block->whole[mark] = false;
    }
}

static void forget_places(struct mem_block *block)
{
    free(block->made.file);
    free(block->fill.file);
    free(block->freed.file);
}

void mem_set_place(struct mem_place *place, const char *file, uint32_t line)
{
    free(place->file);
    place->file = file ? strdup(file) : NULL;
    place->line = line;
}

void mem_close(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        release(memory, &memory->blocks[i]);
        forget_places(&memory->blocks[i]);
    }
    free(memory->blocks);
}

/* Allocates host memory for a block. TOUCHED says that the caller will write all of it immediately,
 * which large pages make faster. */
static uint8_t *take_host(uint64_t size, bool touched)
{
    if (size < MAP_FROM)
        return aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    void *pages = mmap(NULL, mapped(size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    if (touched)
        /* only a hint: if it fails, the block is just slower */
        madvise(pages, size / LARGE * LARGE, MADV_HUGEPAGE);
    return pages;
}

LANES_INLINE uint64_t poison_at(uint64_t seed, uint64_t addr)
{
    uint64_t z = seed + (addr + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* Fills memory with bytes that no program can rely on: the results of the generator splitmix64 for
 * the seed and the address. */
LANES_CLONES
static void fill_poison(uint8_t *host, uint64_t size, uint64_t seed, uint64_t addr)
{
    uint64_t *words = (uint64_t *)host, rest = poison_at(seed, addr + size / 8 * 8);
    for (uint64_t i = 0; i < size / 8; i++)
        words[i] = poison_at(seed, addr + i * 8);
    memcpy(host + size / 8 * 8, &rest, size % 8);
}

static bool make_room(struct memory *memory)
{
    if (memory->count < memory->room)
        return true;
    uint32_t room = memory->room ? memory->room * 2 : 64;
    struct mem_block *blocks = realloc(memory->blocks, room * sizeof *blocks);
    if (!blocks)
        return false;
    memory->blocks = blocks;
    memory->room = room;
    return true;
}

/* Inserts a block in address order. make_room() must have succeeded. */
static struct mem_block *insert(struct memory *memory, struct mem_block block)
{
    uint32_t at = memory->count++;
    memory->layout++;
    for (; at && memory->blocks[at - 1].addr > block.addr; at--)
        memory->blocks[at] = memory->blocks[at - 1];
    memory->blocks[at] = block;
    return &memory->blocks[at];
}

struct mem_block *mem_alloc(struct memory *memory, uint64_t size)
{
    if (size > memory->limit - memory->used || !make_room(memory))
        return NULL;
    uint8_t *host = take_host(size, memory->poison);
    if (!host)
        return NULL;
    struct mem_block *block =
        insert(memory, (struct mem_block){.addr = memory->next, .size = size, .host = host});
    memory->next += (size + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memory->used += size;
    for (enum mem_mark mark = 0; mark < MEM_MARKS; mark++)
        if (memory->tracks[mark])
            /* if memory runs out, the block has no map of this mark */
            block->marks[mark] = calloc(size / 8 + 1, 1);
    if (memory->poison)
        fill_poison(host, size, memory->poison, block->addr);
    else if (size < MAP_FROM)
        memset(host, 0, size);
    return block;
}

void mem_zero(const struct memory *memory, struct mem_block *block)
{
    if (memory->poison)
        memset(block->host, 0, block->size);
}

void mem_note_constants(struct memory *memory, uint64_t addr, uint64_t size)
{
    struct mem_block *block = mem_block_at(memory, addr);
    uint64_t end = block ? addr - block->addr + size : 0;
    if (!block || !block->is_constant || end <= block->filled)
        return;
    memory->constants += memory->constants < MEM_MOST_CONSTANTS ? end - block->filled : 0;
    block->filled = end;
}

bool mem_free(struct memory *memory, uint64_t addr)
{
    struct mem_block *block = mem_block_at(memory, addr);
    if (!block || block->addr != addr || !block->host)
        return false;
    memory->layout++;
    /* forget the block, because the program may lend the same address again */
    if (block->keeps_address) {
        forget_places(block);
        release(memory, block);
        memory->count--;
        for (struct mem_block *end = memory->blocks + memory->count; block < end; block++)
            *block = block[1];
        return true;
    }
    memory->used -= block->size;
    release(memory, block);
    return true;
}

static bool is_unused(const struct memory *memory, uint64_t addr, uint64_t size)
{
    const uint64_t windows_end = MEM_CODE_WINDOW + MEM_WINDOW_BYTES;
    if (addr + size < addr || (addr < windows_end && addr + size > MEM_SHARED_WINDOW) ||
        (addr < memory->next && addr + size > MEM_GLOBAL_BASE))
        return false;
    const struct mem_block *below = mem_block_at(memory, addr + size - 1);
    return !below || below->addr + below->size <= addr;
}

bool mem_lend(struct memory *memory, uint64_t addr, uint8_t *host, uint64_t size)
{
    struct mem_block *block = mem_block_at(memory, addr);
    if (block && block->addr == addr && block->size == size && block->host && !block->is_lent) {
        memcpy(host, block->host, size);
        memory->layout++;
        /* drops the marks, because the program can write to this memory at any time */
        release(memory, block);
        block->host = host;
        block->is_lent = true;
        memory->lent++;
        return true;
    }
    if (!is_unused(memory, addr, size) || !make_room(memory))
        return false;
    memory->lent++;
    insert(memory,
           (struct mem_block){
               .addr = addr, .size = size, .host = host, .is_lent = true, .keeps_address = true});
    return true;
}

void mem_track_lent(const struct memory *memory, enum mem_mark mark, struct mem_block *block)
{
    if (memory->tracks[mark] && !block->marks[mark])
        block->marks[mark] = calloc(block->size / 8 + 1, 1);
}

struct mem_block *mem_block_at(const struct memory *memory, uint64_t addr)
{
    uint32_t low = 0, high = memory->count;
    /* at the end, `low` is the number of blocks that begin at or before ADDR */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (memory->blocks[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &memory->blocks[low - 1] : NULL;
}

/* Returns the distance in bytes from ADDR to the block. Returns 0 if ADDR is inside the block. */
static uint64_t distance_to(const struct mem_block *block, uint64_t addr)
{
    if (addr < block->addr)
        return block->addr - addr;
    return addr - block->addr < block->size ? 0 : addr - block->addr - block->size + 1;
}

struct mem_block *mem_closest(const struct memory *memory, uint64_t addr)
{
    struct mem_block *below = mem_block_at(memory, addr);
    struct mem_block *above = below ? below + 1 : memory->blocks;
    if (!memory->count || above == memory->blocks + memory->count)
        return below;
    return below && distance_to(below, addr) <= distance_to(above, addr) ? below : above;
}

bool mem_is_gap(const struct memory *memory, uint64_t addr)
{
    const struct mem_block *block = mem_block_at(memory, addr);
    return block && block->host && !block->keeps_address && !block->is_heap &&
           addr - block->addr < block->size + GAP;
}

uint8_t *mem_range(const struct memory *memory, uint64_t addr, uint64_t size)
{
    const struct mem_block *block = mem_block_at(memory, addr);
    if (!block || !block->host || addr - block->addr > block->size ||
        size > block->size - (addr - block->addr))
        return NULL;
    return block->host + (addr - block->addr);
}
