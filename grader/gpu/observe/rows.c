/* The rows observer finds out whether a kernel accesses only rows of cudaMallocPitch(), and whether
 * it uses the pitch that the call returned.
 *
 *     rows        |used          |slack|gap        |used          |slack|gap        |...
 *
 * A row uses its width. The slack rounds this up to a multiple of EMU_PITCH. The gap is the rest of
 * the pitch, which is the distance from one row to the next.
 *
 * The observer counts the accessed bytes that are outside of such rows, and those that are in a
 * gap. Rows have gaps only if emu_options.wider_pitch asks for them. A program that uses another
 * pitch, or stores the matrix without gaps, sooner or later accesses a gap. A program that uses the
 * returned pitch never does.
 *
 * The observer also counts the extra cost of rows that begin in the middle of a cache line. A run
 * is a sequence of adjoining bytes that one request accesses. A run that begins in the middle of a
 * line may touch one line more than its bytes need. */
#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

enum { SECTOR = 32, LINE = 128 };

/* The counts of one instruction: bytes outside of rows, bytes in gaps, excess lines and sectors. */
struct cost {
    uint64_t outside, gap, lines, sectors;
};

struct rows {
    const struct memory *memory;
    const struct mem_block *block; /* the allocation accessed last, or NULL */
    uint32_t count;                /* number of entries in `cost`, which is indexed by pc */
    struct cost cost[];
};

static void *rows_begin(const struct launch_view *launch)
{
    struct rows *rows = calloc(1, sizeof *rows + launch->code_count * sizeof *rows->cost);
    if (rows) {
        rows->memory = launch->memory;
        rows->count = launch->code_count;
    }
    return rows;
}

static void rows_forget(void *argument)
{
    ((struct rows *)argument)->block = NULL;
}

/* Counts the BYTES at ADDR if they are outside of all rows, or in a gap. */
static void count_place(struct rows *rows, struct cost *cost, uint64_t addr, uint64_t bytes)
{
    const struct mem_block *block = rows->block;
    if (!block || addr - block->addr >= block->size)
        rows->block = block = mem_block_at(rows->memory, addr);
    if (!block || !block->pitch)
        cost->outside += bytes;
    else if ((addr - block->addr) % block->pitch / EMU_PITCH > (block->width - 1) / EMU_PITCH)
        cost->gap += bytes;
}

/* The memory is divided into segments of SIZE bytes. Returns the number of segments that the bytes
 * from FIRST up to END touch, minus the smallest number that could hold as many bytes. */
static uint64_t excess(uint64_t first, uint64_t end, uint64_t size)
{
    return (end - 1) / size - first / size + 1 - (end - first + size - 1) / size;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Adds the excess lines and sectors of each run to COST. ADDR has COUNT addresses in ascending
 * order. At each of them, a lane accesses BYTES bytes. */
static void count_runs(struct cost *cost, const uint64_t *addr, unsigned count, uint64_t bytes)
{
    for (unsigned i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && addr[next] <= addr[next - 1] + bytes; next++)
            ;
        uint64_t end = addr[next - 1] + bytes;
        cost->lines += excess(addr[i], end, LINE);
        cost->sectors += excess(addr[i], end, SECTOR);
    }
}

static void rows_access(void *argument, const struct obs_access *access)
{
    struct rows *rows = argument;
    struct cost *cost = &rows->cost[access->pc];
    uint64_t addr[WARP];
    unsigned count = 0;
    if (access->space != PTX_GLOBAL)
        return;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        addr[count] = access->addr[__builtin_ctz(left)];
        count_place(rows, cost, addr[count++], access->bytes);
    }
    if (!access->dense)
        qsort(addr, count, sizeof *addr, by_value);
    count_runs(cost, addr, count, access->bytes);
}

static void rows_join(void *into, void *argument)
{
    struct rows *total = into, *rows = argument;
    for (uint32_t pc = 0; pc < total->count; pc++) {
        total->cost[pc].outside += rows->cost[pc].outside;
        total->cost[pc].gap += rows->cost[pc].gap;
        total->cost[pc].lines += rows->cost[pc].lines;
        total->cost[pc].sectors += rows->cost[pc].sectors;
    }
    free(rows);
}

static void rows_end(void *argument, const struct launch_view *launch,
                     struct emu_counters *per_instruction)
{
    struct rows *rows = argument;
    (void)launch;
    for (uint32_t pc = 0; per_instruction && pc < rows->count; pc++) {
        uint64_t *value = per_instruction[pc].value;
        value[EMU_rows_outside_bytes] = rows->cost[pc].outside;
        value[EMU_rows_gap_bytes] = rows->cost[pc].gap;
        value[EMU_rows_lines_excess] = rows->cost[pc].lines;
        value[EMU_rows_sectors_excess] = rows->cost[pc].sectors;
    }
    free(rows);
}

const struct observer obs_rows = {
    .name = "rows",
    .events = OBS_ACCESS,
    .begin = rows_begin,
    .access = rows_access,
    .forget_memory = rows_forget,
    .join = rows_join,
    .end = rows_end,
};
