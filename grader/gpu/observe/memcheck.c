/* The memcheck observer turns faults into findings. A finding names the nearest allocation, and the
 * distance of the access from it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/observe/describe.h"
#include "gpu/observe/memcheck_advice.h"

static void *memcheck_begin(const struct launch_view *launch)
{
    (void)launch;
    /* memcheck has no state, but begin() may return NULL only when out of memory */
    return malloc(1);
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

/* Describes the position of an access relative to the range from BEGIN to END: "12 bytes after",
 * "right after", "64 bytes before" or, if the access begins inside the range, "across the end
 * of". */
static const char *how_far(char *text, size_t size, int64_t addr, int64_t begin, int64_t end)
{
    int64_t far = addr < begin ? begin - addr : addr - end;
    if (addr >= begin && addr <= end)
        return addr == end ? "right after" : "across the end of";
    snprintf(text, size, "%" PRId64 " byte%s %s", far, far == 1 ? "" : "s",
             addr < begin ? "before" : "after");
    return text;
}

/* Describes ADDR, an address in the heap for malloc() in kernels. */
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

static void print_global_place(char *text, size_t size, const struct mem_block *block,
                               uint64_t addr)
{
    char far[48];
    if (addr < MEMCHECK_NULL_END)
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

/* Returns the size of the local memory that an access to ADDR was meant for: the kernel's own
 * variables or, if ADDR is after them, these variables and the stack of called functions. */
static uint32_t local_bytes(const struct launch_view *launch, uint64_t addr)
{
    bool has_stack = launch->uses_stack && addr > launch->own_bytes;
    return has_stack ? launch->local_bytes : launch->function->local_bytes;
}

/* Describes an address in shared, local or parameter memory, where an address is a 32-bit
 * offset. */
static void print_own_place(char *text, size_t size, const struct launch_view *launch,
                            const struct obs_fault *fault)
{
    uint32_t bytes = memcheck_is_shared(fault)   ? launch->shared_bytes
                     : fault->space == PTX_PARAM ? launch->request->param_bytes
                                                 : local_bytes(launch, fault->addr);
    char far[48];
    if (bytes)
        snprintf(text, size, "%s the %s's %u bytes",
                 how_far(far, sizeof far, (int32_t)fault->addr, 0, bytes),
                 memcheck_is_shared(fault)   ? "block"
                 : fault->space == PTX_LOCAL ? "thread"
                                             : "kernel",
                 bytes);
    else
        snprintf(text, size, "but this launch has no such memory");
}

/* Describes the position of an access relative to the array in shared memory that it probably meant
 * to reach. Returns false if that array is unknown. */
static bool print_array_place(char *text, size_t size, const struct launch_view *launch,
                              const struct obs_fault *fault)
{
    struct view_instruction in = view_instruction(launch, fault->pc);
    uint32_t low = in.low, high = in.high, end = launch->shared_bytes;
    char far[48], name[32] = "";
    if (!memcheck_is_shared(fault) || !high || low >= end)
        return false;
    high = high < end ? high : end;
    describe_variable(name, sizeof name, launch, true, low);
    snprintf(text, size, "%s the %u bytes of %s",
             how_far(far, sizeof far, (int32_t)fault->addr, low, high), high - low, name);
    return *name;
}

static void print_place(char *text, size_t size, const struct launch_view *launch,
                        const struct obs_fault *fault)
{
    const struct mem_block *block =
        memcheck_is_global(fault) ? memcheck_block(launch, fault) : NULL;
    if (block && block->is_heap)
        print_heap_place(text, size, launch->heap, fault->addr);
    else if (memcheck_is_global(fault))
        print_global_place(text, size, block, fault->addr);
    else if (!print_array_place(text, size, launch, fault))
        print_own_place(text, size, launch, fault);
}

/* Adds the lines where the program allocated and freed the memory that the access probably meant to
 * reach. */
static void add_notes(struct finding *finding, const struct launch_view *launch,
                      const struct obs_fault *fault)
{
    const struct mem_block *block =
        memcheck_is_global(fault) ? memcheck_block(launch, fault) : NULL;
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

/* Writes " at rank 1" for an access to another block's shared memory, otherwise "". */
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

/* The beginning of the message for each fault whose message has no numbers. "; thread ..."
 * follows. */
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
    [OBS_TENSOR_DIMS] = "the instruction and the tensor map have different numbers of dimensions",
    [OBS_TENSOR_TILE] = "the address of the box in shared memory is not a multiple of 128",
    [OBS_TENSOR_ROW] = "the box does not begin at a multiple of 16 bytes of its row",
    [OBS_TENSOR_BEFORE] = "the kernel writes a box that begins at a negative coordinate",
    [OBS_TENSOR_REDUCTION] = "this reduction does not exist for the type of the tensor's elements",
    [OBS_NO_MBARRIER] = "no mbarrier was initialised at this address",
    [OBS_REMOTE_MBARRIER] =
        "the mbarrier belongs to another block: threads can only arrive there, not wait for it",
    [OBS_MBARRIER_COUNT] = "invalid mbarrier count: 0, or more arrivals than the phase expects",
};

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
                 describe_number(launch->limit, limit), thread);
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
                 describe_number(launch->limit, limit), thread);
        break;
    default:
        snprintf(text, size, "%s; %s", plain_faults[fault->kind], thread);
    }
}

static bool is_access(const struct obs_fault *fault)
{
    return (fault->kind == OBS_OUT_OF_BOUNDS || fault->kind == OBS_MISALIGNED) &&
           memcheck_is_global(fault);
}

static const char *id_of(const struct launch_view *launch, const struct obs_fault *fault)
{
    const struct mem_block *block = fault->kind == OBS_OUT_OF_BOUNDS && memcheck_is_global(fault)
                                        ? memcheck_block(launch, fault)
                                        : NULL;
    struct heap_place place;
    bool was_freed =
        block &&
        (!block->host || (block->is_heap && heap_was_freed(launch->heap, fault->addr, &place)));
    if (fault->kind == OBS_OUT_OF_BOUNDS && memcheck_is_global(fault) && !block &&
        fault->addr >= MEMCHECK_NULL_END)
        return "host-pointer";
    return was_freed ? "use-after-free" : fault_ids[fault->kind];
}

static const char null_help[] =
    "this pointer is NULL, or NULL plus an index: did cudaMalloc() set it, and did that call "
    "succeed? A __device__ pointer must be set with cudaMemcpyToSymbol()";

static const char tile_help[] =
    "declare the array with alignas(128); the pattern of a swizzle repeats every 1,024 bytes";

static const char row_help[] =
    "begin the box at an earlier column, so that the first coordinate in bytes is a multiple of "
    "16, and skip the extra elements";

static const char size_help[] =
    "the launch must give an extern array its size in bytes: kernel<<<blocks, threads, bytes>>>";

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
        if (is_access(fault) && fault->addr < MEMCHECK_NULL_END)
            finding->help = null_help;
        memcheck_advise(finding, launch, fault);
        if (fault->kind == OBS_TENSOR_TILE || fault->kind == OBS_TENSOR_ROW)
            finding->help = fault->kind == OBS_TENSOR_TILE ? tile_help : row_help;
        if (memcheck_is_shared(fault) && !launch->shared_bytes)
            finding->help = size_help;
    }
    findings_unlock(launch->findings);
}

static void memcheck_join(void *into, void *state)
{
    (void)into;
    free(state);
}

/* Moves FINDING to the first of the instructions that are executed most often. A launch that does
 * too much work may have been stopped at a line that has nothing to do with it, such as a closing
 * brace. */
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

/* Reports that the kernel uses a variable that may have no value yet. This is a note, not an error,
 * because perhaps no thread takes the path on which the variable has no value. */
static void report_unset(const struct launch_view *launch)
{
    uint32_t pc = launch->unwritten;
    if (!view_ptx(launch, pc) || view_author(launch, pc) != VIEW_STUDENT)
        return;
    struct finding *finding = findings_add(launch->findings, "unset-variable", pc);
    if (finding)
        snprintf(finding->message, sizeof finding->message,
                 "this computes with a variable that may have no value yet");
    findings_unlock(launch->findings);
}

static void memcheck_end(void *state, const struct launch_view *launch,
                         struct emu_counters *per_instruction)
{
    struct findings *findings = launch->findings;
    report_unset(launch);
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
