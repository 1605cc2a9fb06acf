/* Turns uninitialised reads into findings: which element was read, and which line should have
 * written it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/deductions.h"
#include "gpu/observe/describe.h"
#include "gpu/observe/init.h"

/* The array that was read: bytes BEGIN up to END, in elements of SIZE bytes. */
struct init_array {
    uint64_t begin, end;
    uint32_t size;
    char name[64];
};

static void find_shared_array(struct init_array *array, const struct launch_view *launch,
                              const struct init_site *site)
{
    const struct ptx_variable *v = view_shared_variable(launch, site->addr, &array->begin);
    array->end = v && v->size ? array->begin + v->size : launch->shared_bytes;
    describe_variable(array->name, sizeof array->name, launch, true, site->addr);
    if (!v)
        array->begin = 0;
    if (!*array->name)
        snprintf(array->name, sizeof array->name, "shared memory");
}

static struct init_array array_of(const struct init *init, uint32_t pc)
{
    const struct init_site *site = &init->sites[pc];
    const struct launch_view *launch = init->launch;
    uint32_t size = view_instruction(launch, pc).bytes;
    struct init_array array = {0, launch->own_bytes, size ? size : 1, "its local variables"};
    if (site->space == PTX_SHARED)
        find_shared_array(&array, launch, site);
    if (site->space == PTX_GLOBAL) {
        const struct mem_block *block = mem_block_at(launch->memory, site->addr);
        array.begin = block->addr;
        array.end = block->addr + block->size;
        snprintf(array.name, sizeof array.name, "a %" PRIu64 "-byte allocation", block->size);
    }
    return array;
}

/* --- writers ---------------------------------------------------------------------------------- */

/* Returns the instruction that wrote closest to the uninitialised read in the same array, or NO_PC
 * if no instruction wrote to this array. */
static uint32_t nearest_writer(const struct init *init, const struct init_site *site,
                               const struct init_array *array)
{
    uint64_t best = UINT64_MAX;
    uint32_t writer = NO_PC;
    for (uint32_t pc = 0; pc < init->launch->code_count; pc++) {
        const struct init_site *other = &init->sites[pc];
        if (other == site || !other->high || other->space != site->space ||
            other->low >= array->end || other->high <= array->begin)
            continue;
        uint64_t far = site->addr < other->low    ? other->low - site->addr
                       : site->addr > other->high ? site->addr - other->high
                                                  : 0;
        if (far < best) {
            best = far;
            writer = pc;
        }
    }
    return writer;
}

/* Returns the lowest address of the array that any instruction wrote, or the array's end. */
static uint64_t lowest_written(const struct init *init, uint8_t space,
                               const struct init_array *array)
{
    uint64_t lowest = array->end;
    for (uint32_t pc = 0; pc < init->launch->code_count; pc++) {
        const struct init_site *site = &init->sites[pc];
        if (site->high > array->begin && site->space == space && site->low < lowest)
            lowest = site->low > array->begin ? site->low : array->begin;
    }
    return lowest;
}

static bool is_one_line(const struct launch_view *launch, uint32_t one, uint32_t other)
{
    struct source_line a = view_line(launch, one), b = view_line(launch, other);
    return a.file == b.file && a.line == b.line;
}

/* Returns whether there is a race between READER and WRITER, which are on different lines. Such
 * a race explains why READER read too early. racecheck has already reported its races at this
 * point. */
static bool is_race(const struct init *init, uint32_t reader, uint32_t writer)
{
    const struct launch_view *launch = init->launch;
    const struct findings *findings = init->launch->findings;
    if (writer == NO_PC || is_one_line(launch, reader, writer))
        return false;
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *race = &findings->list[i];
        for (uint32_t k = 0; k < race->pair_count; k++) {
            const uint32_t *pair = race->pairs[k];
            bool in_order = is_one_line(launch, pair[0], reader);
            if (is_one_line(launch, pair[in_order ? 0 : 1], reader) &&
                is_one_line(launch, pair[in_order ? 1 : 0], writer))
                return true;
        }
    }
    return false;
}

/* --- advice ----------------------------------------------------------------------------------- */

/* The position of the read relative to the part of its array that was written. */
struct init_case {
    const struct init_site *site;
    struct init_array array;
    const struct mem_block *block; /* the allocation, for global memory */
    /* the line of the nearest write, if it is in the same file, otherwise 0 */
    uint32_t line;
    uint64_t low, high; /* indices of the first and the last element that `line` writes */
    bool is_outside;    /* `line` does not write the element that was read */
    bool is_update;     /* the read also writes the element, as in s[i] += 1, and no other line
                         * clears a part of the array */
    /* `low` and `high` cover only the elements that this block wrote before the read */
    bool is_in_block;
    bool is_lowest; /* no line writes an element before `low` */
};

/* Writes advice for a read between two ranges of elements that the block has written. */
static void advise_gap(char *text, size_t size, const struct init_case *c)
{
    uint64_t first = (c->site->gap_low - c->array.begin) / c->array.size;
    uint64_t last = (c->site->gap_end - 1 - c->array.begin) / c->array.size;
    char left_out[64];
    if (first == last)
        snprintf(left_out, sizeof left_out, "element %" PRIu64, first);
    else
        snprintf(left_out, sizeof left_out, "elements %" PRIu64 " to %" PRIu64, first, last);
    snprintf(text, size,
             "in this block, line %u writes %s, but not %s: should it write %s, too, or is the "
             "index here wrong?",
             c->line, c->array.name, left_out, first == last ? "this element" : "these elements");
}

static void advise_shared(char *text, size_t size, const struct init_case *c)
{
    char range[64], before[48] = "element 0";
    if (c->low > 1)
        snprintf(before, sizeof before, "elements 0 to %" PRIu64, c->low - 1);
    bool is_below = (c->site->addr - c->array.begin) / c->array.size < c->low;
    if (c->low == c->high)
        snprintf(range, sizeof range, "element %" PRIu64, c->low);
    else
        snprintf(range, sizeof range, "elements %" PRIu64 " to %" PRIu64, c->low, c->high);
    if (c->site->gone.count && !c->is_update)
        snprintf(text, size,
                 "%" PRIu32 " thread%s of this block, from thread %" PRIu32
                 " on, returned early and did not write: let no thread return before the last "
                 "__syncthreads()",
                 c->site->gone.count, c->site->gone.count == 1 ? "" : "s", c->site->gone.first);
    else if (c->is_in_block && !c->is_update)
        snprintf(
            text, size,
            "in this block, line %u has written only %s before this read: is the index here too %s, "
            "or should line %u write more?",
            c->line, range, is_below ? "small" : "large", c->line);
    else if (c->line && c->is_outside && !c->is_update && is_below && c->is_lowest)
        snprintf(text, size,
                 "no line writes %s, and line %u writes only %s: is the index here too small, or "
                 "should a line write more?",
                 before, c->line, range);
    else if (c->line && c->is_outside && !c->is_update)
        snprintf(text, size,
                 "line %u writes only %s: is the index here too %s, or should line %u write more?",
                 c->line, range, is_below ? "small" : "large", c->line);
    else if (c->is_update)
        snprintf(
            text, size,
            "shared memory starts with undefined values: let the threads initialise %s, and then call "
            "__syncthreads()",
            c->array.name);
    else if (c->line && c->site->gap_end >= c->site->gap_low + c->array.size)
        advise_gap(text, size, c);
    else if (c->line)
        snprintf(text, size,
                 "line %u has not written this element of %s yet: write it first, and then call "
                 "__syncthreads()",
                 c->line, c->array.name);
    else
        snprintf(text, size, "let the threads write %s first, and then call __syncthreads()",
                 c->array.name);
}

/* Writes advice for a read of the padding between two rows of cudaMallocPitch(). A program never
 * reads the padding on purpose. */
static void advise_pitch(char *text, size_t size, const struct mem_block *block, uint64_t at)
{
    uint64_t row = at / block->pitch;
    snprintf(text, size,
             "this read is in the padding after the %" PRIu64 " bytes of row %" PRIu64
             "; rows begin %" PRIu64 " bytes apart (the pitch): does the index use this pitch for "
             "y, and is x inside of the row?",
             block->width, row, block->pitch);
}

/* Notes that kernels wrote only the first PREFIX bytes of the allocation, and that no copy wrote
 * it. */
static void note_part(struct finding *finding, const struct init_array *array, uint64_t prefix)
{
    finding->deduction = DEDUCED_KERNEL_PART;
    finding->array.bytes = array->end - array->begin;
    finding->array.offset = prefix;
    finding->array.access_bytes = array->size;
}

static void advise_global(struct finding *finding, const struct init_case *c)
{
    char *text = finding->advice;
    size_t size = sizeof finding->advice;
    uint64_t bytes = c->array.end - c->array.begin, prefix = c->site->prefix;
    const struct mem_block *block = c->block;
    uint64_t at = c->site->addr - c->array.begin;
    if (block && block->pitch && at % block->pitch >= block->width)
        advise_pitch(text, size, block, at);
    else if (block && block->pitch && prefix && prefix * c->array.size == block->width)
        snprintf(text, size,
                 "only the first %" PRIu64 " of the %" PRIu64
                 " bytes of a row are written: does a cudaMemcpy2D() or cudaMemset2D() get a width "
                 "in elements? It must be in bytes: width * sizeof(type)",
                 prefix, block->width);
    else if (prefix && prefix < bytes && c->site->addr - c->array.begin >= prefix &&
             prefix == bytes / c->array.size)
        snprintf(
            text, size,
            "only the first %" PRIu64 " of its %" PRIu64
            " bytes are written: does a cudaMemcpy() or cudaMemset() get a number of elements? It "
            "must be in bytes: n * sizeof(type)",
            prefix, bytes);
    else if (prefix == sizeof(void *) && prefix < bytes && c->array.size < prefix)
        snprintf(
            text, size,
            "only its first %" PRIu64
            " bytes are written, the size of a pointer: does a cudaMemcpy() or cudaMemset() get "
            "sizeof(pointer)? Write n * sizeof(type)",
            prefix);
    else if (prefix && prefix < bytes && at >= prefix && block && block->fill.file)
        snprintf(text, size,
                 "only the first %" PRIu64 " of its %" PRIu64
                 " bytes are written: did the copy or memset write too few bytes or to the wrong "
                 "place, or is the index here too large?",
                 prefix, bytes);
    else if (prefix && prefix < bytes && c->site->addr - c->array.begin >= prefix) {
        snprintf(text, size,
                 "the first %" PRIu64 " of its %" PRIu64 " bytes are written, but the next one is "
                 "not: is the index here too large, or did a copy or a kernel write too little?",
                 prefix, bytes);
        note_part(finding, &c->array, prefix);
    } else if (c->line && !c->is_update)
        snprintf(text, size, "line %u has not written this element yet: write it first", c->line);
    else
        snprintf(text, size, "before the launch, %s",
                 c->is_update ? "clear the memory with cudaMemset()"
                              : "copy the data with cudaMemcpy(), or let a kernel write them");
}

static void advise(struct finding *finding, const struct init_case *c)
{
    if (c->site->space == PTX_SHARED)
        advise_shared(finding->advice, sizeof finding->advice, c);
    else if (c->site->space == PTX_GLOBAL)
        advise_global(finding, c);
    else
        snprintf(finding->advice, sizeof finding->advice,
                 "give the variable a value where it is declared, as in int sum = 0");
}

static struct init_case case_of(const struct init *init, uint32_t pc, uint32_t writer,
                                struct init_array array)
{
    const struct init_site *site = &init->sites[pc], *other = &init->sites[writer];
    struct init_case c = {.site = site, .array = array, .is_update = site->high != 0};
    if (writer == NO_PC)
        return c;
    uint64_t low = other->low > array.begin ? other->low : array.begin;
    uint64_t high = other->high < array.end ? other->high : array.end;
    struct source_line there = view_line(init->launch, writer), here = view_line(init->launch, pc);
    c.line = there.file == here.file ? there.line : 0;
    c.low = (low - array.begin) / array.size;
    c.high = (high - array.begin - 1) / array.size;
    c.is_outside = site->addr < low || site->addr >= high;
    c.is_lowest = lowest_written(init, site->space, &array) == low;
    bool is_here = is_one_line(init->launch, pc, writer);
    c.is_update |= is_here && !c.is_outside;
    if (site->space != PTX_SHARED)
        return c;
    /* another line clears only other elements, so it may clear too few */
    c.is_update &= is_here || !c.is_outside || site->is_copy;
    c.is_in_block = c.line && !c.is_outside && site->own_end > 0 &&
                    (site->addr < site->own_low || site->addr >= site->own_end);
    if (c.is_in_block) {
        c.low = (site->own_low - array.begin) / array.size;
        c.high = (site->own_end - array.begin - 1) / array.size;
    }
    return c;
}

/* --- findings --------------------------------------------------------------------------------- */

static void add_notes(struct finding *finding, const struct mem_block *block)
{
    finding->notes[0] = (struct finding_note){"allocated here", block->made.file, block->made.line};
    finding->notes[1] =
        (struct finding_note){"partly written here", block->fill.file, block->fill.line};
}

static void print_message(char *text, size_t size, const struct init *init, uint32_t pc,
                          const struct init_array *array)
{
    const struct init_site *site = &init->sites[pc];
    uint64_t at = site->addr - array->begin;
    uint64_t count = (array->end - array->begin) / array->size;
    char thread[112];
    describe_thread(thread, sizeof thread, init->launch, site->thread, site->cta, true);
    if (site->space == PTX_LOCAL)
        snprintf(text, size, "%s reads a local variable that it has not written", thread);
    else if (at % array->size)
        snprintf(text, size, "%s reads byte %" PRIu64 " of %s, but nothing has written it", thread,
                 at, array->name);
    else if (site->space == PTX_GLOBAL)
        snprintf(text, size,
                 "%s reads element %" PRIu64 " (byte %" PRIu64
                 ") of %s, but nothing has written it",
                 thread, at / array->size, at, array->name);
    else if (array->end - array->begin == array->size)
        snprintf(text, size, "%s reads %s, but nothing has written it", thread, array->name);
    else
        snprintf(text, size,
                 "%s reads element %" PRIu64 " of %s (%" PRIu64
                 " element%s), but nothing has written it",
                 thread, at / array->size, array->name, count, count == 1 ? "" : "s");
}

void init_report(const struct init *init, uint32_t pc)
{
    const struct init_site *site = &init->sites[pc];
    struct init_array array = array_of(init, pc);
    uint32_t writer = nearest_writer(init, site, &array);
    uint32_t line = writer == NO_PC ? 0 : view_line(init->launch, writer).line;
    if (is_race(init, pc, writer))
        return;
    struct finding *finding = findings_add_pair(init->launch->findings, "uninitialised-read", pc,
                                                line ? writer : NO_PC, site->count);
    if (finding) {
        struct init_case c = case_of(init, pc, writer, array);
        if (array.begin && site->space == PTX_GLOBAL)
            c.block = mem_block_at(init->launch->memory, site->addr);
        print_message(finding->message, sizeof finding->message, init, pc, &array);
        if (site->space == PTX_SHARED)
            snprintf(finding->array.name, sizeof finding->array.name, "%.31s", array.name);
        advise(finding, &c);
        if (c.block)
            add_notes(finding, c.block);
    }
    findings_unlock(init->launch->findings);
}
