/* The memcheck observer: faults to findings, in words that say what was allocated and how far off. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/execute/machine.h"
#include "emulator/observe/words.h"

#define NEAR_BYTES 4096 /* so far before an allocation an address is taken to mean it */

static void *memcheck_begin(const struct obs_launch *launch)
{
    (void)launch;
    return malloc(1); /* nothing of its own: findings are shared and locked */
}

static const char *space_name(uint8_t space)
{
    return space == PTX_SHARED  ? "shared"
           : space == PTX_LOCAL ? "local"
           : space == PTX_CONST ? "constant"
           : space == PTX_PARAM ? "parameter"
                                : "global";
}

static const char *access_name(uint8_t access)
{
    return access == OBS_LOAD ? "load" : access == OBS_STORE ? "store" : "atomic";
}

/* "12 bytes behind", "right behind" or, for an access that begins inside, "across". */
static const char *how_far_behind(char *text, size_t size, uint64_t addr, uint64_t end)
{
    if (addr <= end)
        return addr == end ? "right behind" : "across";
    snprintf(text, size, "%" PRIu64 " bytes behind", addr - end);
    return text;
}

/* Where a global address lies, as seen from the nearest allocation. */
static void print_global_place(char *text, size_t size, const struct obs_launch *launch,
                               const struct obs_fault *fault)
{
    const struct mem_block *block = mem_nearest(launch->launch->memory, fault->addr);
    char far[48];
    const struct mem_block *next = mem_nearest(launch->launch->memory, fault->addr + NEAR_BYTES);
    if (fault->addr < 65536)
        snprintf(text, size, "a null pointer");
    else if (next && next->host && next->addr > fault->addr)
        snprintf(text, size,
                 "%" PRIu64 " bytes before the beginning of a %" PRIu64 "-byte allocation",
                 next->addr - fault->addr, next->size);
    else if (!block || fault->addr - block->addr > block->size + (1u << 20))
        snprintf(text, size, "not near any allocation; is it a host pointer?");
    else if (!block->host)
        snprintf(text, size, "%" PRIu64 " bytes into a %" PRIu64 "-byte allocation that was freed",
                 fault->addr - block->addr, block->size);
    else
        snprintf(text, size, "%s the end of %s%s%" PRIu64 "-byte %s",
                 how_far_behind(far, sizeof far, fault->addr, block->addr + block->size),
                 block->name ? block->name : "a", block->name ? ", a " : " ", block->size,
                 block->name ? "variable" : "allocation");
}

static void print_place(char *text, size_t size, const struct obs_launch *launch,
                        const struct obs_fault *fault)
{
    uint32_t bytes = fault->space == PTX_SHARED  ? launch->launch->shared_bytes
                     : fault->space == PTX_PARAM ? launch->launch->request.param_bytes
                                                 : launch->launch->local_bytes;
    if (fault->space == PTX_SHARED || fault->space == PTX_LOCAL || fault->space == PTX_PARAM)
        snprintf(text, size, "the %s has %u bytes of it",
                 fault->space == PTX_SHARED  ? "block"
                 : fault->space == PTX_LOCAL ? "thread"
                                             : "kernel",
                 bytes);
    else
        print_global_place(text, size, launch, fault);
}

static const char *const fault_ids[] = {
    [OBS_OUT_OF_BOUNDS] = "out-of-bounds", [OBS_MISALIGNED] = "misaligned",
    [OBS_READ_ONLY] = "read-only",         [OBS_TRAPPED] = "trap",
    [OBS_ASSERTION] = "assertion",         [OBS_STACK_OVERFLOW] = "stack-overflow",
    [OBS_BAD_CALL] = "bad-call",           [OBS_ENDLESS] = "endless-loop",
    [OBS_BAD_TEXTURE] = "bad-texture",     [OBS_OUTSIDE_SURFACE] = "outside-surface",
    [OBS_NO_MBARRIER] = "bad-mbarrier",    [OBS_MBARRIER_COUNT] = "bad-mbarrier",
};

static void print_fault(char *text, size_t size, const struct obs_launch *launch,
                        const struct obs_fault *fault)
{
    char thread[96], place[160];
    words_fault_thread(thread, sizeof thread, fault);
    switch (fault->kind) {
    case OBS_OUT_OF_BOUNDS:
        print_place(place, sizeof place, launch, fault);
        snprintf(text, size, "%s %s of %u bytes at 0x%" PRIx64 " is out of bounds: %s; by %s",
                 space_name(fault->space), access_name(fault->access), fault->bytes, fault->addr,
                 place, thread);
        break;
    case OBS_MISALIGNED:
        snprintf(text, size,
                 "%s %s of %u bytes at 0x%" PRIx64 ", which is no multiple of %u; by %s",
                 space_name(fault->space), access_name(fault->access), fault->bytes, fault->addr,
                 fault->bytes, thread);
        break;
    case OBS_READ_ONLY:
        snprintf(text, size,
                 "%s to a __constant__ variable or a parameter, which kernels may only read; by %s",
                 access_name(fault->access), thread);
        break;
    case OBS_TRAPPED:
        snprintf(text, size, "the kernel stopped itself (trap); by %s", thread);
        break;
    case OBS_ASSERTION:
        snprintf(text, size, "assertion failed: %s; by %s", launch->launch->output->assertion,
                 thread);
        break;
    case OBS_STACK_OVERFLOW:
        snprintf(text, size, "a function calls itself too deeply, the stack is used up; by %s",
                 thread);
        break;
    case OBS_BAD_CALL:
        snprintf(text, size, "call through a pointer that is no function's; by %s", thread);
        break;
    case OBS_BAD_TEXTURE:
        snprintf(text, size,
                 "what is used here is no texture or surface object, or its memory was "
                 "freed; by %s",
                 thread);
        break;
    case OBS_OUTSIDE_SURFACE:
        snprintf(text, size, "outside of the surface (x counts bytes); by %s", thread);
        break;
    case OBS_NO_MBARRIER:
        snprintf(text, size, "no mbarrier was initialised at this address; by %s", thread);
        break;
    case OBS_MBARRIER_COUNT:
        snprintf(text, size,
                 "an mbarrier cannot count that: 0, more than the phase expects, or the last "
                 "arrival where .noComplete rules it out; by %s",
                 thread);
        break;
    default:
        snprintf(text, size,
                 "still running after %" PRIu64 " instructions of its warps: an endless "
                 "loop? (%s was here)",
                 launch->launch->limit, thread);
    }
}

static void memcheck_fault(void *state, const struct obs_launch *launch,
                           const struct obs_fault *fault)
{
    (void)state;
    if (obs_is_synccheck(fault->kind))
        return;
    struct finding *finding = findings_add(launch->findings, fault_ids[fault->kind], fault->pc);
    if (finding)
        print_fault(finding->message, sizeof finding->message, launch, fault);
    findings_unlock(launch->findings);
}

static void memcheck_join(void *into, void *state)
{
    (void)into;
    free(state);
}

static void memcheck_end(void *state, const struct obs_launch *launch,
                         struct emu_counters *per_instruction)
{
    (void)launch;
    (void)per_instruction;
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
