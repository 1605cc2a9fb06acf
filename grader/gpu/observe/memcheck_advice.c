#include "gpu/observe/memcheck_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/deductions.h"
#include "gpu/observe/describe.h"

/* more memory than any device has; an address this far away does not come from a wrong index */
#define FAR_BYTES ((uint64_t)1 << 40)

bool memcheck_is_shared(const struct obs_fault *fault)
{
    return fault->space == PTX_SHARED || fault->space == PTX_CLUSTER;
}

bool memcheck_is_global(const struct obs_fault *fault)
{
    return !memcheck_is_shared(fault) && fault->space != PTX_LOCAL && fault->space != PTX_PARAM;
}

const struct mem_block *memcheck_block(const struct launch_view *launch,
                                       const struct obs_fault *fault)
{
    const struct mem_block *block = mem_closest(launch->memory, fault->addr);
    if (!block || fault->addr < MEMCHECK_NULL_END)
        return NULL;
    uint64_t far = fault->addr < block->addr ? block->addr - fault->addr
                                             : fault->addr - block->addr - block->size;
    return fault->addr - block->addr < block->size || far < FAR_BYTES ? block : NULL;
}

/* Finds the array or the allocation that the access probably meant to reach. Sets *BEGIN, *END and
 * *NAME. Returns false if it is unknown. */
static bool find_meant(const struct launch_view *launch, const struct obs_fault *fault,
                       uint64_t *begin, uint64_t *end, char name[32])
{
    struct view_instruction in = view_instruction(launch, fault->pc);
    const struct mem_block *block =
        memcheck_is_global(fault) ? memcheck_block(launch, fault) : NULL;
    *name = '\0';
    *begin = block ? block->addr : in.low;
    *end = block ? block->addr + block->size
                 : (in.high < launch->shared_bytes ? in.high : launch->shared_bytes);
    if (memcheck_is_shared(fault) && in.high)
        describe_variable(name, 32, launch, true, in.low);
    return block ? block->host && !block->is_heap && fault->addr >= MEMCHECK_NULL_END
                 : *name != '\0';
}

/* Each advise_...() function below writes advice and returns the id of the rule that led to it
 * (gpu/deductions.h), or NULL if it writes nothing. */

/* Writes advice for an access before the start of an array, which means a negative index. */
static const char *advise_negative(char *text, size_t size, const struct launch_view *launch,
                                   const struct obs_fault *fault)
{
    enum { MOST = 1 << 20 }; /* in elements; an access further before the array has another cause */
    uint64_t begin, end;
    char name[32];
    if (!find_meant(launch, fault, &begin, &end, name))
        return NULL;
    int64_t far = memcheck_is_shared(fault) ? (int64_t)begin - (int32_t)fault->addr
                                            : (int64_t)(begin - fault->addr);
    if (far <= 0 || far > MOST)
        return NULL;
    snprintf(text, size,
             "the index is negative here: does it come from a subtraction, or from a char? A char "
             "can be negative, an unsigned char cannot");
    return DEDUCED_NEGATIVE;
}

/* Writes advice for an access after the end of an array in shared memory. */
static const char *advise_shared(char *text, size_t size, const struct launch_view *launch,
                                 const struct obs_fault *fault)
{
    uint64_t begin, end;
    bool is_extern = launch->request->dynamic_shared_bytes > 0;
    char name[32], room[27], index[27];
    if (!find_meant(launch, fault, &begin, &end, name) || fault->addr < end || end <= begin)
        return NULL;
    uint64_t count = (end - begin) / fault->bytes;
    bool is_launch = is_extern && end == launch->shared_bytes;
    snprintf(text, size,
             "%s has room for %s element%s of %u byte%s, and this access is to element %s: is an "
             "`if` missing, does a loop %s, or %s?",
             name, describe_number(count, room), count == 1 ? "" : "s", fault->bytes,
             fault->bytes == 1 ? "" : "s",
             describe_number((fault->addr - begin) / fault->bytes, index),
             fault->addr == end ? "go too far (<= in place of <)" : "go too far",
             is_launch ? "does the launch give the array too few bytes" : "is the array too short");
    return is_launch ? DEDUCED_SHORT_EXTERN : DEDUCED_SHORT_ARRAY;
}

/* Writes advice for an access to shared memory if the launch probably passes the number of elements
 * of its extern array, not their bytes. */
static const char *advise_extern(char *text, size_t size, const struct launch_view *launch,
                                 const struct obs_fault *fault)
{
    uint32_t bytes = launch->request->dynamic_shared_bytes;
    const uint32_t *block = launch->request->block;
    if (bytes != block[0] * block[1] * block[2] || fault->bytes == 1 || (int32_t)fault->addr < 0)
        return NULL;
    snprintf(text, size,
             "the launch gives the extern array %u bytes, 1 for each thread: it must multiply the "
             "number of elements by sizeof(type)",
             bytes);
    return DEDUCED_EXTERN_COUNT;
}

/* Writes advice for an access to ADDR, which is after the last row of cudaMallocPitch(). A common
 * mistake is to add the pitch, which is in bytes, to a pointer to elements. But if ADDR is where
 * the next row would begin, y is probably too large. */
static void advise_rows(char *text, size_t size, const struct mem_block *block, uint64_t addr)
{
    bool is_next = addr - block->addr - block->size < block->pitch;
    snprintf(text, size,
             "%s begins y * %" PRIu64
             " bytes after row 0: add these bytes to a char pointer, not to a float pointer%s",
             is_next ? "is y less than the height? Row y" : "row y", block->pitch,
             is_next ? "" : "; and is y less than the height?");
}

/* Writes advice for an access beyond an allocation: how many elements fit into it. The elements of
 * neighbouring threads may be apart. */
static void advise_room(char *text, size_t size, const struct mem_block *block,
                        const struct obs_fault *fault)
{
    bool has_gaps = fault->apart > fault->bytes && (uint64_t)fault->apart <= block->size;
    uint64_t each = has_gaps ? (uint64_t)fault->apart : fault->bytes, count = block->size / each;
    bool is_next = fault->addr == block->addr + count * each;
    char room[27];
    if (has_gaps)
        snprintf(
            text, size,
            "neighbouring threads access elements %" PRIu64 " bytes apart; if the data is stored "
            "like that, the allocation has room for %s such elements: compare every index with "
            "that number",
            each, describe_number(count, room));
    else
        snprintf(text, size, "the allocation has room for %s element%s of %" PRIu64 " byte%s%s",
                 describe_number(count, room), count == 1 ? "" : "s", each, each == 1 ? "" : "s",
                 is_next && fault->highest == fault->addr
                     ? ", and this access is to the element after the last: an `if` may be "
                       "missing, or a comparison may use <= instead of <"
                 : is_next
                     ? ", and lanes of this warp access elements after the last: an `if` may be "
                       "missing; compare every index with that number"
                     : ": compare every index with that number");
}

/* --- equal numbers in the launch and the allocation ------------------------------------------- */

/* The element that a thread probably meant to access. It is assumed to have the size of the
 * access. */
struct wanted {
    uint64_t element, count; /* index of the element; number of elements of the array */
    uint64_t cta, thread;    /* index of the block; index of the thread in the whole grid */
};

static struct wanted find_wanted(const struct launch_view *launch, const struct mem_block *block,
                                 const struct obs_fault *fault)
{
    const uint32_t *threads = launch->request->block, *grid = launch->request->grid;
    const uint32_t *at = fault->thread, *cta = fault->cta;
    struct wanted wanted = {.element = (fault->addr - block->addr) / fault->bytes,
                            .count = block->size / fault->bytes,
                            .cta = ((uint64_t)cta[2] * grid[1] + cta[1]) * grid[0] + cta[0]};
    wanted.thread = wanted.cta * threads[0] * threads[1] * threads[2] +
                    ((uint64_t)at[2] * threads[1] + at[1]) * threads[0] + at[0];
    return wanted;
}

/* Gets the value of PARAM if it has the size of an integer. Returns false if it does not. */
static bool integer_of(const struct launch_view *launch, const struct ptx_variable *param,
                       uint64_t *value)
{
    const struct emu_launch *request = launch->request;
    if ((param->size != 4 && param->size != 8) || !request->params ||
        param->offset + param->size > request->param_bytes)
        return false;
    *value = 0; /* devices and hosts are little-endian */
    memcpy(value, (const char *)request->params + param->offset, param->size);
    return true;
}

/* If BLOCK's number of bytes equals the number of blocks or threads, or an argument, the program
 * probably forgot to multiply by the size of an element. Returns what the number equals, such as
 * "the launch has blocks", or NULL. */
static const char *counted_by(const struct launch_view *launch, const struct mem_block *block,
                              const struct wanted *wanted)
{
    const uint32_t *threads = launch->request->block;
    uint64_t all = launch->cta_count * threads[0] * threads[1] * threads[2], value;
    if (block->size == launch->cta_count && wanted->element == wanted->cta)
        return "the launch has blocks";
    if (block->size == all && wanted->element == wanted->thread)
        return "the launch has threads";
    const struct ptx_variable *param = launch->function->params;
    for (; param; param = param->next)
        if (integer_of(launch, param, &value) && value == block->size && wanted->element < value)
            return "an argument of the launch says";
    return NULL;
}

/* Writes advice if the allocation probably counts elements, not bytes. */
static const char *advise_bytes(char *text, size_t size, const struct launch_view *launch,
                                const struct mem_block *block, const struct obs_fault *fault)
{
    struct wanted wanted = find_wanted(launch, block, fault);
    const char *by = fault->bytes > 1 ? counted_by(launch, block, &wanted) : NULL;
    if (!by)
        return NULL;
    snprintf(text, size,
             "the allocation has %" PRIu64 " byte%s, just as many as %s, but an element has %u "
             "bytes: does the allocation not multiply by "
             "sizeof(type)?",
             block->size, block->size == 1 ? "" : "s", by, fault->bytes);
    return DEDUCED_NO_SIZEOF;
}

/* Writes advice if the kernel probably swaps the axes of the grid: each block accesses one row of
 * elements along one axis, but the array has exactly as many rows as there are blocks along the
 * other axis. */
static const char *advise_swapped(char *text, size_t size, const struct launch_view *launch,
                                  const struct mem_block *block, const struct obs_fault *fault)
{
    const uint32_t *grid = launch->request->grid, *threads = launch->request->block;
    struct wanted wanted = find_wanted(launch, block, fault);
    for (unsigned axis = 0; axis < 2 && threads[1] == 1 && grid[2] == 1; axis++) {
        uint64_t row = fault->cta[axis], rows = grid[1 - axis];
        if (row == 0 || rows < 2 || grid[axis] <= rows || wanted.element % row != 0 ||
            wanted.element / row * rows != wanted.count)
            continue;
        snprintf(text, size,
                 "blockIdx.%c is %" PRIu64 " here, but the array has room for %" PRIu64
                 " rows of %" PRIu64 " elements, as many as the grid has blocks in %c: are x and "
                 "y of the grid swapped in the launch?",
                 "xy"[axis], row, rows, wanted.element / row, "yx"[axis]);
        return DEDUCED_SWAPPED_GRID;
    }
    return NULL;
}

/* Returns whether an allocation other than BLOCK has COUNT elements of EACH bytes. */
static bool is_length(const struct memory *memory, const struct mem_block *block, uint64_t count,
                      uint64_t each)
{
    for (uint32_t i = 0; i < memory->count; i++) {
        const struct mem_block *other = &memory->blocks[i];
        if (other != block && other->host && !other->is_constant && !other->is_heap &&
            other->size == count * each)
            return true;
    }
    return false;
}

/* Writes advice if an argument of the launch is larger than this array, but equals the length of
 * another array. */
static const char *advise_length(char *text, size_t size, const struct launch_view *launch,
                                 const struct mem_block *block, const struct obs_fault *fault)
{
    struct wanted wanted = find_wanted(launch, block, fault);
    const struct ptx_variable *param = launch->function->params;
    char passed[27], room[27];
    uint64_t value;
    for (unsigned number = 1; param; param = param->next, number++) {
        if (!integer_of(launch, param, &value) || value <= wanted.count ||
            wanted.element >= value || value > UINT32_MAX ||
            !is_length(launch->memory, block, value, fault->bytes))
            continue;
        snprintf(text, size,
                 "argument %u of the launch is %s, which is the length of another array, but this "
                 "array has room for %s element%s of %u byte%s: does the launch pass the wrong "
                 "length, or is the array too short?",
                 number, describe_number(value, passed), describe_number(wanted.count, room),
                 wanted.count == 1 ? "" : "s", fault->bytes, fault->bytes == 1 ? "" : "s");
        return DEDUCED_OTHER_LENGTH;
    }
    return NULL;
}

/* Writes advice for an access beyond an allocation that is smaller than one element. */
static const char *advise_small(char *text, size_t size, const struct mem_block *block,
                                const struct obs_fault *fault)
{
    if (block->size >= fault->bytes || fault->addr != block->addr)
        return NULL;
    snprintf(text, size,
             "the allocation has %" PRIu64
             " byte%s, but one element has %u: does the allocation use the size of another type, "
             "or not multiply by sizeof(type)?",
             block->size, block->size == 1 ? "" : "s", fault->bytes);
    return DEDUCED_TOO_SMALL;
}

/* --- advice ----------------------------------------------------------------------------------- */

/* Appends advice to check the length of the rows, if the grid has two dimensions. */
static void advise_more(char *text, size_t size, const struct launch_view *launch)
{
    const struct emu_launch *request = launch->request;
    size_t used = strlen(text);
    if (request->grid[1] > 1 || request->block[1] > 1)
        snprintf(text + used, size - used,
                 "; is y multiplied by the length of this array's rows, and is x inside of a row?");
}

/* Writes advice for an access beyond ARRAY. Tries the most specific advice first. */
static const char *advise_array(char *text, size_t size, const struct launch_view *launch,
                                const struct mem_block *array, const struct obs_fault *fault)
{
    const char *deduced = advise_bytes(text, size, launch, array, fault);
    deduced = deduced ? deduced : advise_small(text, size, array, fault);
    deduced = deduced ? deduced : advise_swapped(text, size, launch, array, fault);
    deduced = deduced ? deduced : advise_length(text, size, launch, array, fault);
    if (deduced)
        return deduced;
    advise_room(text, size, array, fault);
    advise_more(text, size, launch);
    return DEDUCED_TOO_FAR;
}

/* Returns the array of the program that the access just missed, before its start or after its end.
 * Returns NULL if there is none. */
static const struct mem_block *array_meant(const struct launch_view *launch,
                                           const struct obs_fault *fault)
{
    bool is_past = fault->kind == OBS_OUT_OF_BOUNDS && memcheck_is_global(fault) &&
                   fault->addr >= MEMCHECK_NULL_END;
    const struct mem_block *block = is_past ? memcheck_block(launch, fault) : NULL;
    return block && block->host && !block->is_heap ? block : NULL;
}

static bool is_after_rows(const struct launch_view *launch, const struct obs_fault *fault)
{
    const struct mem_block *block = memcheck_block(launch, fault);
    return fault->kind == OBS_OUT_OF_BOUNDS && block && block->pitch && block->host &&
           fault->addr >= block->addr + block->size;
}

/* Writes advice for an access outside of memory. A later rule that fits better overwrites the
 * advice of an earlier one. */
static const char *advise_outside(char *text, size_t size, const struct launch_view *launch,
                                  const struct obs_fault *fault)
{
    const struct mem_block *array = array_meant(launch, fault);
    const char *deduced = advise_negative(text, size, launch, fault), *more = NULL;
    if (!deduced && array)
        deduced = advise_array(text, size, launch, array, fault);
    else if (!deduced && memcheck_is_shared(fault))
        deduced = advise_shared(text, size, launch, fault);
    if (memcheck_is_global(fault) && is_after_rows(launch, fault)) {
        advise_rows(text, size, memcheck_block(launch, fault), fault->addr);
        more = DEDUCED_PITCH;
    } else if (memcheck_is_shared(fault))
        more = advise_extern(text, size, launch, fault);
    return more ? more : deduced;
}

static const char aligned_help[] =
    "the address of an int or a float must be a multiple of 4: if you add elements to a char "
    "pointer, multiply their number by sizeof(type); row y begins y * pitch bytes after row 0";

/* Notes the array that the access was meant for. */
static void note_array(struct finding *finding, const struct launch_view *launch,
                       const struct obs_fault *fault)
{
    uint64_t begin, end;
    if (!find_meant(launch, fault, &begin, &end, finding->array.name) || fault->addr < begin ||
        end <= begin)
        return;
    finding->array.bytes = end - begin;
    finding->array.offset = fault->addr - begin;
    finding->array.access_bytes = fault->bytes;
}

void memcheck_advise(struct finding *finding, const struct launch_view *launch,
                     const struct obs_fault *fault)
{
    char *text = finding->advice;
    size_t size = sizeof finding->advice;
    if (fault->kind == OBS_OUT_OF_BOUNDS) {
        finding->deduction = advise_outside(text, size, launch, fault);
        note_array(finding, launch, fault);
    } else if (fault->kind == OBS_MISALIGNED && fault->bytes == 4) {
        snprintf(text, size, "%s", aligned_help);
        finding->deduction = DEDUCED_MISALIGNED;
    }
}
