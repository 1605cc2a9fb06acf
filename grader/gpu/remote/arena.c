#include "gpu/remote/arena.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/remote/wire.h"

#define DEFAULT_MOST ((uint64_t)16 << 30)

void arena_open(struct arena *arena, uint64_t most)
{
    *arena = (struct arena){.file = -1, .most = most ? most : DEFAULT_MOST};
}

void arena_close(struct arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        munmap(arena->ranges[i].pages, arena->ranges[i].page_count * WIRE_PAGE);
    free(arena->ranges);
    if (arena->file >= 0)
        close(arena->file);
}

static bool have_file(struct arena *arena)
{
    if (arena->file < 0)
        arena->file = memfd_create("lanewise-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return arena->file >= 0 && fcntl(arena->file, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
}

/* Returns 0 if the BYTES at offset AT of the file are free. Otherwise, finds a range that uses
 * pages there and returns the number of bytes from AT to the end of those pages. */
static uint64_t used_at(const struct arena *arena, uint64_t at, uint64_t bytes)
{
    for (size_t i = 0; i < arena->count; i++) {
        const struct arena_range *range = &arena->ranges[i];
        uint64_t end = range->fresh + range->fresh_count * WIRE_PAGE;
        if (range->fresh_count && range->fresh < at + bytes && end > at)
            return end - at;
        if (range->head - at < bytes)
            return range->head - at + WIRE_PAGE;
        if (range->tail - at < bytes)
            return range->tail - at + WIRE_PAGE;
    }
    return 0;
}

/* Returns the offset of the first free BYTES in the file. Enlarges the file if necessary. Returns
 * WIRE_NO_PAGE if the file would become too large. */
static uint64_t take_place(struct arena *arena, uint64_t bytes)
{
    uint64_t at = 0, used;
    while ((used = used_at(arena, at, bytes)))
        at += used;
    if (at + bytes > arena->most)
        return WIRE_NO_PAGE;
    if (at + bytes > arena->size) {
        if (ftruncate(arena->file, (off_t)(at + bytes)) != 0)
            return WIRE_NO_PAGE;
        arena->size = at + bytes;
    }
    return at;
}

static bool map_at(const struct arena *arena, uint8_t *to, uint64_t bytes, uint64_t at)
{
    return !bytes || mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, arena->file,
                          (off_t)at) != MAP_FAILED;
}

static bool is_place(const struct arena *arena, uint64_t place)
{
    return place == WIRE_NO_PAGE || (place % WIRE_PAGE == 0 && place < arena->size);
}

static bool map_range(struct arena *arena, struct arena_range *range)
{
    uint64_t head = range->head != WIRE_NO_PAGE, tail = range->tail != WIRE_NO_PAGE;
    uint64_t bytes = range->fresh_count * WIRE_PAGE;
    range->pages = mmap(NULL, range->page_count * WIRE_PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range->pages == MAP_FAILED)
        return false;
    uint8_t *fresh = range->pages + head * WIRE_PAGE;
    if (map_at(arena, range->pages, head * WIRE_PAGE, range->head) &&
        map_at(arena, fresh, bytes, range->fresh) &&
        map_at(arena, fresh + bytes, tail * WIRE_PAGE, range->tail))
        return true;
    munmap(range->pages, range->page_count * WIRE_PAGE);
    return false;
}

uint8_t *arena_add(struct arena *arena, uint64_t addr, uint64_t size, uint64_t in_page,
                   uint64_t head, uint64_t tail, uint64_t *fresh)
{
    if (!size || size > arena->most || in_page >= WIRE_PAGE || !have_file(arena) ||
        !is_place(arena, head) || !is_place(arena, tail))
        return NULL;
    uint64_t pages = (in_page + size + WIRE_PAGE - 1) / WIRE_PAGE;
    uint64_t known = (head != WIRE_NO_PAGE) + (tail != WIRE_NO_PAGE);
    struct arena_range *more =
        known > pages ? NULL : realloc(arena->ranges, (arena->count + 1) * sizeof *more);
    if (!more)
        return NULL;
    arena->ranges = more;
    struct arena_range range = {.addr = addr,
                                .page_count = pages,
                                .head = head,
                                .tail = tail,
                                .fresh_count = pages - known};
    range.fresh = range.fresh_count ? take_place(arena, range.fresh_count * WIRE_PAGE) : 0;
    if (range.fresh == WIRE_NO_PAGE || !map_range(arena, &range))
        return NULL;
    arena->ranges[arena->count++] = range;
    *fresh = range.fresh;
    return range.pages + in_page;
}

/* Frees those pages of the BYTES at offset AT that no range uses. */
static void punch(const struct arena *arena, uint64_t at, uint64_t bytes)
{
    uint64_t step = used_at(arena, at, bytes) ? WIRE_PAGE : bytes;
    for (uint64_t end = at + bytes; at < end; at += step)
        if (!used_at(arena, at, step))
            fallocate(arena->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
                      (off_t)step);
}

void arena_remove(struct arena *arena, uint64_t addr)
{
    size_t i = arena->count;
    /* If there are two ranges at ADDR, the newer one must be removed, because the device refuses a
     * second range at an address. So search from the end. */
    while (i && arena->ranges[i - 1].addr != addr)
        i--;
    if (!i)
        return;
    struct arena_range gone = arena->ranges[i - 1];
    arena->ranges[i - 1] = arena->ranges[--arena->count];
    munmap(gone.pages, gone.page_count * WIRE_PAGE);
    punch(arena, gone.fresh, gone.fresh_count * WIRE_PAGE);
    if (gone.head != WIRE_NO_PAGE)
        punch(arena, gone.head, WIRE_PAGE);
    if (gone.tail != WIRE_NO_PAGE)
        punch(arena, gone.tail, WIRE_PAGE);
}
