/* The memcheck observer turns faults into findings that name the allocation and the distance of the
 * access from it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/observe/describe.h"

/* more than any device memory, so no index is off by this much */
#define FAR_BYTES ((uint64_t)1 << 40)

static void *memcheck_begin(const struct launch_view *launch)
{
    (void)launch;
    return malloc(1); /* memcheck has no state, but NULL would mean out of memory */
}

/* Returns whether the address is in shared memory, of the thread's own CTA or of another CTA. */
static bool is_shared(const struct obs_fault *fault)
{
    return fault->space == PTX_SHARED || fault->space == PTX_CLUSTER;
}

static const char *space_name(uint8_t space)
{
    return space == PTX_SHARED || space == PTX_CLUSTER ? "shared"
           : space == PTX_LOCAL                        ? "local"
           : space == PTX_CONST                        ? "constant"
           : space == PTX_PARAM                        ? "parameter"
                                                       : "global";
}

static const char *access_name(uint8_t access)
{
    return access == OBS_LOAD ? "read" : access == OBS_STORE ? "write" : "atomic";
}

/* --- where an address is ---------------------------------------------------------------------- */

/* Describes where an access is relative to the range from BEGIN to END: "12 bytes after", "right
 * after", "64 bytes before" or, if it begins inside the range, "across the end of". */
static const char *how_far(char *text, size_t size, int64_t addr, int64_t begin, int64_t end)
{
    int64_t far = addr < begin ? begin - addr : addr - end;
    if (addr >= begin && addr <= end)
        return addr == end ? "right after" : "across the end of";
    snprintf(text, size, "%" PRId64 " byte%s %s", far, far == 1 ? "" : "s",
             addr < begin ? "before" : "after");
    return text;
}

/* Returns the allocation that a bad address was probably meant for, or NULL if none is near. */
static const struct mem_block *block_meant(const struct launch_view *launch,
                                           const struct obs_fault *fault)
{
    const struct mem_block *block = mem_closest(launch->memory, fault->addr);
    if (!block || fault->addr < 65536)
        return NULL;
    uint64_t far = fault->addr < block->addr ? block->addr - fault->addr
                                             : fault->addr - block->addr - block->size;
    return fault->addr - block->addr < block->size || far < FAR_BYTES ? block : NULL;
}

/* Describes ADDR, an address in the heap from which malloc() allocates in kernels. */
static void print_heap_place(char *text, size_t size, struct heap *heap, uint64_t addr)
{
    struct heap_place place;
    char far[48];
    if (heap_was_freed(heap, addr, &place))
        snprintf(text, size,
                 "%" PRIu64 " bytes into a %" PRIu64 "-byte malloc() allocation that was freed",
                 addr - place.addr, place.size);
    else if (heap_near(heap, addr, &place))
        snprintf(text, size, "%s a %" PRIu64 "-byte malloc() allocation",
                 how_far(far, sizeof far, (int64_t)addr, (int64_t)place.addr,
                         (int64_t)(place.addr + place.size)),
                 place.size);
    else
        snprintf(text, size, "in the heap, but not in memory from malloc()");
}

/* The end of the addresses that are taken for a null pointer plus an index. */
#define NULL_END 65536

static void print_global_place(char *text, size_t size, const struct mem_block *block,
                               uint64_t addr)
{
    char far[48];
    if (addr < NULL_END)
        snprintf(text, size,
                 addr ? "%" PRIu64 " bytes after a null pointer" : "through a null pointer", addr);
    else if (!block)
        snprintf(text, size, "not near any allocation (a host pointer?)");
    else if (!block->host && addr - block->addr < block->size)
        snprintf(text, size, "%" PRIu64 " bytes into a %" PRIu64 "-byte allocation that was freed",
                 addr - block->addr, block->size);
    else if (block->name)
        snprintf(text, size, "%s the %" PRIu64 " bytes of %s",
                 how_far(far, sizeof far, (int64_t)addr, (int64_t)block->addr,
                         (int64_t)(block->addr + block->size)),
                 block->size, block->name);
    else
        snprintf(text, size, "%s a %" PRIu64 "-byte allocation%s",
                 how_far(far, sizeof far, (int64_t)addr, (int64_t)block->addr,
                         (int64_t)(block->addr + block->size)),
                 block->size, block->host ? "" : " that was freed");
}

/* Returns the size of the local memory that ADDR was meant for. If ADDR is after the kernel's own
 * variables, the stack of called functions is included. */
static uint32_t local_bytes(const struct launch_view *launch, uint64_t addr)
{
    bool has_stack = launch->uses_stack && addr > launch->own_bytes;
    return has_stack ? launch->local_bytes : launch->function->local_bytes;
}

/* Describes an address in shared, local or parameter memory, where addresses are 32-bit offsets. */
static void print_own_place(char *text, size_t size, const struct launch_view *launch,
                            const struct obs_fault *fault)
{
    uint32_t bytes = is_shared(fault)            ? launch->shared_bytes
                     : fault->space == PTX_PARAM ? launch->request->param_bytes
                                                 : local_bytes(launch, fault->addr);
    char far[48];
    if (bytes)
        snprintf(text, size, "%s the %s's %u bytes",
                 how_far(far, sizeof far, (int32_t)fault->addr, 0, bytes),
                 is_shared(fault)            ? "block"
                 : fault->space == PTX_LOCAL ? "thread"
                                             : "kernel",
                 bytes);
    else
        snprintf(text, size, "but this launch has no such memory");
}

/* Describes an access relative to the shared array that it was meant for. Returns false if the
 * array is unknown. */
static bool print_array_place(char *text, size_t size, const struct launch_view *launch,
                              const struct obs_fault *fault)
{
    struct view_instruction in = view_instruction(launch, fault->pc);
    uint32_t low = in.low, high = in.high, end = launch->shared_bytes;
    char far[48], name[32] = "";
    if (!is_shared(fault) || !high || low >= end)
        return false;
    high = high < end ? high : end;
    describe_variable(name, sizeof name, launch, true, low);
    snprintf(text, size, "%s the %u bytes of %s",
             how_far(far, sizeof far, (int32_t)fault->addr, low, high), high - low, name);
    return *name;
}

static bool is_in_block(const struct obs_fault *fault)
{
    return !is_shared(fault) && fault->space != PTX_LOCAL && fault->space != PTX_PARAM;
}

static void print_place(char *text, size_t size, const struct launch_view *launch,
                        const struct obs_fault *fault)
{
    const struct mem_block *block = is_in_block(fault) ? block_meant(launch, fault) : NULL;
    if (block && block->is_heap)
        print_heap_place(text, size, launch->heap, fault->addr);
    else if (is_in_block(fault))
        print_global_place(text, size, block, fault->addr);
    else if (!print_array_place(text, size, launch, fault))
        print_own_place(text, size, launch, fault);
}

/* Adds notes that say where the program allocated and freed the memory that the access was meant
 * for. */
static void add_notes(struct finding *finding, const struct launch_view *launch,
                      const struct obs_fault *fault)
{
    const struct mem_block *block = is_in_block(fault) ? block_meant(launch, fault) : NULL;
    if (!block)
        return;
    finding->notes[0] = (struct finding_note){"allocated here", block->made.file, block->made.line};
    if (!block->host)
        finding->notes[1] =
            (struct finding_note){"freed here", block->freed.file, block->freed.line};
}

/* --- faults ----------------------------------------------------------------------------------- */

static const char *const fault_ids[] = {
    [OBS_OUT_OF_BOUNDS] = "out-of-bounds",
    [OBS_MISALIGNED] = "misaligned",
    [OBS_READ_ONLY] = "read-only",
    [OBS_TRAPPED] = "trap",
    [OBS_ASSERTION] = "assertion",
    [OBS_STACK_OVERFLOW] = "stack-overflow",
    [OBS_BAD_CALL] = "bad-call",
    [OBS_ENDLESS_LOOP] = "endless-loop",
    [OBS_BAD_TEXTURE] = "bad-texture",
    [OBS_OUTSIDE_SURFACE] = "outside-surface",
    [OBS_NO_TENSOR_MAP] = "bad-tensor-map",
    [OBS_LOCAL_TENSOR_MAP] = "bad-tensor-map",
    [OBS_TENSOR_MAP_ALIGN] = "bad-tensor-map",
    [OBS_TENSOR_DIMS] = "bad-tensor-map",
    [OBS_TENSOR_TILE] = "bad-tensor-map",
    [OBS_TENSOR_ROW] = "bad-tensor-map",
    [OBS_TENSOR_BEFORE] = "bad-tensor-map",
    [OBS_TENSOR_REDUCTION] = "bad-tensor-map",
    [OBS_DOUBLE_FREE] = "double-free",
    [OBS_BAD_FREE] = "bad-free",
    [OBS_BAD_CONDITION] = "bad-condition",
    [OBS_NO_MBARRIER] = "bad-mbarrier",
    [OBS_MBARRIER_COUNT] = "bad-mbarrier",
    [OBS_TOO_MUCH_WORK] = "too-much-work",
    [OBS_INTERRUPTED] = "interrupted",
    [OBS_NO_SUCH_CTA] = "cluster-access",
    [OBS_CTA_ENDED] = "cluster-access",
    [OBS_CTA_NOT_STARTED] = "cluster-access",
    [OBS_REDUCES_ALONE] = "cluster-access",
    [OBS_REMOTE_MBARRIER] = "bad-mbarrier",
};

/* Writes " at rank 1" if the access is to another block's shared memory, otherwise "". */
static const char *print_rank(char *text, size_t size, const struct obs_fault *fault)
{
    *text = '\0';
    if (fault->space == PTX_CLUSTER)
        snprintf(text, size, " at rank %" PRIu32 "%s", fault->other,
                 fault->other >= MEM_CLUSTER_CTAS - 1 ? " or more" : "");
    return text;
}

/* Describes an access to the shared memory of a block that does not exist or is not running. */
static void print_missing(char *text, size_t size, const struct launch_view *launch,
                          const struct obs_fault *fault, const char *thread)
{
    char why[64], rank[32];
    uint32_t blocks = launch->cluster_size;
    if (fault->kind == OBS_NO_SUCH_CTA)
        snprintf(why, sizeof why, "but the cluster has %" PRIu32 " block%s", blocks,
                 blocks == 1 ? "" : "s");
    else
        snprintf(why, sizeof why, "whose block %s",
                 fault->kind == OBS_CTA_ENDED ? "has ended" : "may not have started");
    snprintf(text, size, "shared %s%s, %s; %s", access_name(fault->access),
             print_rank(rank, sizeof rank, fault), why, thread);
}

/* The start of the message for each fault whose message needs no numbers. The message continues
 * with "; thread ...". */
static const char *const plain_faults[] = {
    [OBS_DOUBLE_FREE] = "free() of memory that was already freed",
    [OBS_BAD_FREE] = "free() of an address that no malloc() in a kernel returned",
    [OBS_BAD_CONDITION] =
        "cudaGraphSetConditional() with a number that is not the handle of a condition",
    [OBS_REDUCES_ALONE] =
        "a bulk copy can reduce in shared memory only if the kernel runs in clusters",
    [OBS_TRAPPED] = "the kernel stopped itself (trap)",
    [OBS_STACK_OVERFLOW] = "stack overflow: a function calls itself too deeply",
    [OBS_BAD_CALL] = "call through a pointer that does not point to a function",
    [OBS_BAD_TEXTURE] = "this is not a texture or surface object, or its memory was freed",
    [OBS_OUTSIDE_SURFACE] = "access outside of the surface; its x counts bytes, not elements",
    [OBS_NO_TENSOR_MAP] = "this is not a tensor map that cuTensorMapEncodeTiled() has encoded",
    [OBS_LOCAL_TENSOR_MAP] =
        "the tensor map is in local or shared memory, where no copy can use it",
    [OBS_TENSOR_MAP_ALIGN] = "the address of the tensor map is not a multiple of 64",
    [OBS_TENSOR_DIMS] = "the instruction has another number of dimensions than the tensor map",
    [OBS_TENSOR_TILE] = "the address of the box in shared memory is not a multiple of 128",
    [OBS_TENSOR_ROW] = "the box does not begin at a multiple of 16 bytes of its row",
    [OBS_TENSOR_BEFORE] = "the kernel writes a box that begins at a negative coordinate",
    [OBS_TENSOR_REDUCTION] = "the tensor's elements have a type without this reduction",
    [OBS_NO_MBARRIER] = "no mbarrier was initialised at this address",
    [OBS_REMOTE_MBARRIER] =
        "the mbarrier belongs to another block: threads can only arrive there, not wait for it",
    [OBS_MBARRIER_COUNT] = "invalid mbarrier count: 0, or more arrivals than the phase expects",
};

/* Writes NUMBER as "200,000,000" to the end of TEXT. Returns its first digit. */
static const char *with_commas(uint64_t number, char text[27])
{
    char *at = text + 26;
    *at = '\0';
    for (int digits = 0; number || digits == 0; number /= 10, digits++) {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
    }
    return at;
}

static void print_fault(char *text, size_t size, const struct launch_view *launch,
                        const struct obs_fault *fault)
{
    char thread[96], place[160], rank[32], limit[27];
    describe_fault_thread(thread, sizeof thread, launch, fault);
    switch (fault->kind) {
    case OBS_OUT_OF_BOUNDS:
        print_place(place, sizeof place, launch, fault);
        snprintf(text, size, "%s %s of %u byte%s%s, %s; %s", space_name(fault->space),
                 access_name(fault->access), fault->bytes, fault->bytes == 1 ? "" : "s",
                 print_rank(rank, sizeof rank, fault), place, thread);
        break;
    case OBS_NO_SUCH_CTA:
    case OBS_CTA_ENDED:
    case OBS_CTA_NOT_STARTED:
        print_missing(text, size, launch, fault, thread);
        break;
    case OBS_MISALIGNED:
        snprintf(text, size, "%s %s of %u bytes at an address %u byte%s after a multiple of %u; %s",
                 space_name(fault->space), access_name(fault->access), fault->bytes,
                 (unsigned)(fault->addr % fault->bytes), fault->addr % fault->bytes == 1 ? "" : "s",
                 fault->bytes, thread);
        break;
    case OBS_READ_ONLY:
        snprintf(text, size,
                 "forbidden %s: kernels can only read __constant__ variables and parameters; %s",
                 access_name(fault->access), thread);
        break;
    case OBS_ASSERTION:
        snprintf(text, size, "assertion failed: %s; %s", launch->assertion, thread);
        break;
    case OBS_TOO_MUCH_WORK:
        snprintf(text, size,
                 "stopped after %s warp instructions: no single warp ran for long, but together "
                 "the warps do too much work; %s was running",
                 with_commas(launch->limit, limit), thread);
        break;
    case OBS_INTERRUPTED:
        snprintf(text, size,
                 "stopped by Ctrl-C: %s was here, and its warp had executed %" PRIu64
                 " instructions",
                 thread, fault->executed);
        break;
    case OBS_ENDLESS_LOOP:
        snprintf(text, size,
                 "still running after %s warp instructions: an endless loop, or too much work for "
                 "one warp; %s was stopped here",
                 with_commas(launch->limit, limit), thread);
        break;
    default:
        snprintf(text, size, "%s; %s", plain_faults[fault->kind], thread);
    }
}

static bool is_access(const struct obs_fault *fault)
{
    return (fault->kind == OBS_OUT_OF_BOUNDS || fault->kind == OBS_MISALIGNED) &&
           is_in_block(fault);
}

static const char *id_of(const struct launch_view *launch, const struct obs_fault *fault)
{
    const struct mem_block *block =
        fault->kind == OBS_OUT_OF_BOUNDS && is_in_block(fault) ? block_meant(launch, fault) : NULL;
    struct heap_place place;
    bool was_freed =
        block &&
        (!block->host || (block->is_heap && heap_was_freed(launch->heap, fault->addr, &place)));
    if (fault->kind == OBS_OUT_OF_BOUNDS && is_in_block(fault) && !block && fault->addr >= NULL_END)
        return "host-pointer";
    return was_freed ? "use-after-free" : fault_ids[fault->kind];
}

/* Returns the first byte of the array or the allocation that the access was meant for, and sets
 * *END and *NAME, or returns false if it is unknown. */
static bool find_meant(const struct launch_view *launch, const struct obs_fault *fault,
                       uint64_t *begin, uint64_t *end, char name[32])
{
    struct view_instruction in = view_instruction(launch, fault->pc);
    const struct mem_block *block = is_in_block(fault) ? block_meant(launch, fault) : NULL;
    *name = '\0';
    *begin = block ? block->addr : in.low;
    *end = block ? block->addr + block->size
                 : (in.high < launch->shared_bytes ? in.high : launch->shared_bytes);
    if (is_shared(fault) && in.high)
        describe_variable(name, 32, launch, true, in.low);
    return block ? block->host && !block->is_heap && fault->addr >= NULL_END : *name != '\0';
}

/* Writes advice for an access in front of an array: its index is negative. Returns false if the
 * access is elsewhere. */
static bool advise_negative(char *text, size_t size, const struct launch_view *launch,
                            const struct obs_fault *fault)
{
    enum { MOST = 1 << 20 }; /* an index that is farther off has another cause */
    uint64_t begin, end;
    char name[32];
    if (!find_meant(launch, fault, &begin, &end, name))
        return false;
    int64_t far =
        is_shared(fault) ? (int64_t)begin - (int32_t)fault->addr : (int64_t)(begin - fault->addr);
    if (far <= 0 || far > MOST)
        return false;
    snprintf(text, size,
             "the index is negative here: does it come from a subtraction, or from a char, which "
             "can be negative although an unsigned char cannot?");
    return true;
}

/* Writes advice for an access after the end of an array in shared memory. */
static void advise_array(char *text, size_t size, const struct launch_view *launch,
                         const struct obs_fault *fault)
{
    uint64_t begin, end;
    bool is_extern = launch->request->dynamic_shared_bytes > 0;
    char name[32], room[27], index[27];
    if (!find_meant(launch, fault, &begin, &end, name) || fault->addr < end || end <= begin)
        return;
    uint64_t count = (end - begin) / fault->bytes;
    snprintf(
        text, size,
        "%s has room for %s element%s of %u byte%s, and this is element %s: is an `if` missing, "
        "does a loop go too far, or %s?",
        name, with_commas(count, room), count == 1 ? "" : "s", fault->bytes,
        fault->bytes == 1 ? "" : "s", with_commas((fault->addr - begin) / fault->bytes, index),
        is_extern && end == launch->shared_bytes ? "does the launch give the array too few bytes"
                                                 : "is the array too short");
}

static const char null_help[] =
    "this pointer is NULL, or NULL plus an index: did cudaMalloc() set it, and did that call "
    "succeed? A __device__ pointer must be set with cudaMemcpyToSymbol()";

static const char tile_help[] =
    "declare the array with alignas(128); with a swizzle, the pattern repeats every 1,024 bytes";

static const char row_help[] =
    "begin the box at an earlier column, so that the first coordinate times the size of an element "
    "is a multiple of 16, and skip the elements before yours";

static const char size_help[] =
    "the launch must give an extern array its size in bytes: kernel<<<blocks, threads, bytes>>>";

/* Writes advice for an access to shared memory if the launch probably counts the elements of its
 * extern array instead of their bytes, otherwise "". */
static void advise_extern(char *text, size_t size, const struct launch_view *launch,
                          const struct obs_fault *fault)
{
    uint32_t bytes = launch->request->dynamic_shared_bytes;
    const uint32_t *block = launch->request->block;
    if (bytes == block[0] * block[1] * block[2] && fault->bytes > 1 && (int32_t)fault->addr >= 0)
        snprintf(text, size,
                 "the launch gives the extern array %u bytes, 1 for each thread: it must multiply "
                 "the number of elements by sizeof(type)",
                 bytes);
}

/* Writes advice for an access to ADDR, after rows of cudaMallocPitch(). Often the pitch, in bytes,
 * was added to a pointer that counts elements; if ADDR is at the place of the next row, y is the
 * likelier mistake. */
static void advise_rows(char *text, size_t size, const struct mem_block *block, uint64_t addr)
{
    bool is_next = addr - block->addr - block->size < block->pitch;
    snprintf(text, size,
             "%srow y begins y * %" PRIu64
             " bytes after row 0 (the pitch counts bytes): add that to a char pointer, since a "
             "float pointer counts in floats%s",
             is_next ? "y must be less than the height; and " : "", block->pitch,
             is_next ? "" : "; and y must be less than the height");
}

/* Writes advice for an access beyond an allocation: the number of elements that fit. Neighbouring
 * threads may access elements that are not neighbours. */
static void advise_room(char *text, size_t size, const struct mem_block *block,
                        const struct obs_fault *fault)
{
    bool has_gaps = fault->apart > fault->bytes && (uint64_t)fault->apart <= block->size;
    uint64_t each = has_gaps ? (uint64_t)fault->apart : fault->bytes, count = block->size / each;
    bool is_next = fault->addr == block->addr + count * each;
    char room[27];
    if (has_gaps)
        snprintf(text, size,
                 "neighbouring threads are %" PRIu64 " bytes apart here, and the allocation has "
                 "room for %s elements that far apart: does the data lie like that, too? If so, "
                 "compare every index with that number",
                 each, with_commas(count, room));
    else
        snprintf(text, size, "the allocation has room for %s element%s of %" PRIu64 " byte%s%s",
                 with_commas(count, room), count == 1 ? "" : "s", each, each == 1 ? "" : "s",
                 is_next && fault->highest == fault->addr
                     ? ", and this is the one after the last: an `if` may be missing, or a loop "
                       "or an `if` may compare the index by <= in place of <"
                 : is_next
                     ? ", and other lanes of the warp go farther: an `if` may be missing; compare "
                       "every index with that number"
                     : ": compare every index with that number");
}

/* Appends what else to look at in a grid of rows and columns: the length of the rows. */
static void advise_more(char *text, size_t size, const struct launch_view *launch)
{
    const struct emu_launch *request = launch->request;
    size_t used = strlen(text);
    if (request->grid[1] > 1 || request->block[1] > 1)
        snprintf(text + used, size - used,
                 "; is y multiplied by the length of this array's rows, and is x inside of a row?");
}

/* Returns the allocation that the access ran past, if it is one of the program's arrays, otherwise
 * NULL. */
static const struct mem_block *array_meant(const struct launch_view *launch,
                                           const struct obs_fault *fault)
{
    bool is_past =
        fault->kind == OBS_OUT_OF_BOUNDS && is_in_block(fault) && fault->addr >= NULL_END;
    const struct mem_block *block = is_past ? block_meant(launch, fault) : NULL;
    return block && block->host && !block->is_heap ? block : NULL;
}

static bool is_after_rows(const struct launch_view *launch, const struct obs_fault *fault)
{
    const struct mem_block *block = block_meant(launch, fault);
    return fault->kind == OBS_OUT_OF_BOUNDS && block && block->pitch && block->host &&
           fault->addr >= block->addr + block->size;
}

/* Writes advice for an access outside of memory. Later advice replaces earlier advice. */
static void advise_outside(char *text, size_t size, const struct launch_view *launch,
                           const struct obs_fault *fault)
{
    const struct mem_block *array = array_meant(launch, fault);
    bool is_negative = advise_negative(text, size, launch, fault);
    if (!is_negative && array) {
        advise_room(text, size, array, fault);
        advise_more(text, size, launch);
    } else if (!is_negative && is_shared(fault)) {
        advise_array(text, size, launch, fault);
    }
    if (is_access(fault) && is_after_rows(launch, fault))
        advise_rows(text, size, block_meant(launch, fault), fault->addr);
    if (is_shared(fault))
        advise_extern(text, size, launch, fault);
}

static void memcheck_fault(void *state, const struct launch_view *launch,
                           const struct obs_fault *fault)
{
    (void)state;
    if (obs_is_synccheck(fault->kind))
        return;
    struct finding *finding = findings_add(launch->findings, id_of(launch, fault), fault->pc);
    if (finding) {
        print_fault(finding->message, sizeof finding->message, launch, fault);
        if (is_access(fault))
            add_notes(finding, launch, fault);
        if (is_access(fault) && fault->addr < NULL_END)
            finding->help = null_help;
        if (fault->kind == OBS_OUT_OF_BOUNDS)
            advise_outside(finding->advice, sizeof finding->advice, launch, fault);
        if (fault->kind == OBS_TENSOR_TILE || fault->kind == OBS_TENSOR_ROW)
            finding->help = fault->kind == OBS_TENSOR_TILE ? tile_help : row_help;
        if (is_shared(fault) && !launch->shared_bytes)
            finding->help = size_help;
    }
    findings_unlock(launch->findings);
}

static void memcheck_join(void *into, void *state)
{
    (void)into;
    free(state);
}

/* Moves FINDING to the first of the instructions that were executed most often. A launch that does
 * too much work can be stopped anywhere, such as at a closing brace. */
static void move_to_busiest(struct finding *finding, uint32_t code_count,
                            const struct emu_counters *per_instruction)
{
    static const char busiest[] = "; most of the work is here";
    uint32_t best = 0;
    for (uint32_t pc = 1; pc < code_count; pc++)
        if (per_instruction[pc].value[EMU_warp_instructions] >
            per_instruction[best].value[EMU_warp_instructions])
            best = pc;
    finding->pc = best;
    strncat(finding->message, busiest, sizeof finding->message - strlen(finding->message) - 1);
}

static void memcheck_end(void *state, const struct launch_view *launch,
                         struct emu_counters *per_instruction)
{
    struct findings *findings = launch->findings;
    for (uint32_t i = 0; per_instruction && i < findings->count; i++)
        if (strcmp(findings->list[i].id, fault_ids[OBS_TOO_MUCH_WORK]) == 0)
            move_to_busiest(&findings->list[i], launch->code_count, per_instruction);
    free(state);
}

const struct observer obs_memcheck = {
    .name = "memcheck",
    .events = OBS_FAULT,
    .begin = memcheck_begin,
    .fault = memcheck_fault,
    .join = memcheck_join,
    .end = memcheck_end,
};
