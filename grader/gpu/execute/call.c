/* Executes calls of device functions.
 *
 * A call pushes a path entry (see path.h) that starts at the function's first instruction. The
 * entry's reconvergence point is the function's end, and ret branches to that end. So lanes that
 * return at different places reconverge at the end. Then the entry below continues after the call
 * with all these lanes, as after any branch.
 *
 * Parameters and results are bytes in frames: the caller writes its .param variables, the call
 * copies them into the callee's frame, and ret copies the results back. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/memory/memory.h"

/* --- frames ----------------------------------------------------------------------------------- */

static struct frame *new_frame(const struct image *image)
{
    size_t registers = image->register_bytes + 64u; /* the size must not be 0 */
    size_t params = (size_t)image->frame_bytes * WARP + 64;
    struct frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    frame->image = image;
    frame->registers = aligned_alloc(64, (registers + 63) / 64 * 64);
    frame->params = malloc(params);
    if (frame->registers && frame->params) {
        memset(frame->registers, 0, registers);
        return frame;
    }
    free(frame->registers);
    free(frame->params);
    free(frame);
    return NULL;
}

struct frame *frame_open(struct warp *warp, const struct image *image)
{
    struct frame **place = &warp->cta->worker->idle_frames;
    while (*place && (*place)->image != image)
        place = &(*place)->next;
    struct frame *frame = *place;
    if (frame)
        *place = frame->next;
    else
        frame = new_frame(image);
    if (!frame)
        return NULL;
    frame->caller = NULL;
    frame->holders = 0;
    frame->local_base = 0;
    if (warp->cta->launch->kernel->uses_stack)
        memset(frame->taken, 0, sizeof frame->taken);
    /* new registers have undefined contents; zeros make every execution the same */
    if (image->needs_zeros)
        memset(frame->registers, 0, image->register_bytes);
    if (image->frame_bytes)
        memset(frame->params, 0, (size_t)image->frame_bytes * WARP);
    return frame;
}

void frame_release(struct warp *warp, struct frame *frame)
{
    struct worker *worker = warp->cta->worker;
    while (frame && --frame->holders == 0) {
        struct frame *caller = frame->caller;
        frame->next = worker->idle_frames;
        worker->idle_frames = frame;
        frame = caller; /* freeing a frame also releases its reference to its caller */
    }
}

void frames_free(struct worker *worker)
{
    while (worker->idle_frames) {
        struct frame *frame = worker->idle_frames;
        worker->idle_frames = frame->next;
        free(frame->registers);
        free(frame->params);
        free(frame);
    }
}

/* --- parameters ------------------------------------------------------------------------------- */

/* Copies SIZE bytes for each lane of LANES. TO_STRIDE and FROM_STRIDE are the distances in bytes
 * from one lane's bytes to the next lane's. */
LANES_INLINE void copy_lanes(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                             size_t size, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        memcpy(to + l * to_stride, from + l * from_stride, size);
    }
}

/* Copies a parameter or result. For numbers and pointers, which most of them are, the size is a
 * constant, so that the copy needs no call of memcpy(). */
static void copy_param(const struct frame *to, const struct ptx_variable *target,
                       const struct frame *from, const struct ptx_variable *source, uint32_t lanes)
{
    size_t to_stride = to->image->frame_bytes, from_stride = from->image->frame_bytes;
    uint8_t *into = to->params + target->offset;
    const uint8_t *out_of = from->params + source->offset;
    uint64_t size = source->size < target->size ? source->size : target->size;
    if (size == 4)
        copy_lanes(into, to_stride, out_of, from_stride, 4, lanes);
    else if (size == 8)
        copy_lanes(into, to_stride, out_of, from_stride, 8, lanes);
    else
        copy_lanes(into, to_stride, out_of, from_stride, size, lanes);
}

static void pass_parameters(const struct frame *callee, uint32_t lanes)
{
    const struct ptx_operand *list = &callee->call->call.in->operands[1];
    const struct ptx_variable *formal = callee->image->function->params;
    for (uint32_t i = 0; i < list->count && formal; i++, formal = formal->next)
        copy_param(callee, formal, callee->caller, list->elements[i].variable, lanes);
}

void call_return(struct warp *warp, uint32_t lanes)
{
    const struct frame *callee = warp->frame;
    const struct ptx_operand *list = &callee->call->call.in->operands[2];
    const struct ptx_variable *result = callee->image->function->results;
    for (uint32_t i = 0; i < list->count && result; i++, result = result->next)
        copy_param(callee->caller, list->elements[i].variable, callee, result, lanes);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void set_local_base(struct frame *frame, uint32_t base)
{
    frame->local_base = base;
    if (frame->image->local_slot == NO_SLOT)
        return;
    uint64_t value = base;
    for (unsigned l = 0; l < WARP; l++)
        memcpy(frame->registers + frame->image->local_slot + 8 * l, &value, sizeof value);
}

/* Returns the offset in local memory at which a function's own variables end and the memory for its
 * alloca instructions begins. */
static uint32_t alloca_base(const struct frame *frame)
{
    return frame->local_base + (((uint32_t)frame->image->function->local_bytes + 15u) & ~15u);
}

/* Returns the offset after the last byte of local memory that any lane of LANES uses. */
static uint32_t end_of_locals(const struct frame *frame, uint32_t lanes)
{
    uint32_t most = 0;
    for (unsigned l = 0; l < WARP; l++)
        most = lanes >> l & 1 && frame->taken[l] > most ? frame->taken[l] : most;
    return (alloca_base(frame) + most + 15u) & ~15u;
}

/* Grows each lane's stack to at least BYTES. The size at least doubles, because deep recursion
 * grows the stack again and again. Stacks are not allocated in advance, because most kernels need
 * none and have many threads. */
static bool grow_stack(struct warp *warp, uint32_t bytes)
{
    uint32_t room = (bytes + 15u) & ~15u;
    if (bytes <= warp->stack_room)
        return true;
    room = room > 2 * warp->stack_room ? room : 2 * warp->stack_room;
    uint8_t *stack = calloc(WARP, room);
    if (!stack)
        return false;
    for (unsigned l = 0; l < WARP && warp->stack; l++)
        memcpy(stack + (size_t)l * room, warp->stack + (size_t)l * warp->stack_room,
               warp->stack_room);
    free(warp->stack);
    warp->stack = stack;
    warp->stack_room = room;
    return true;
}

/* Fills a called function's local variables. CUDA leaves their contents undefined; with the same
 * bytes in every call, execution is repeatable. */
static bool open_locals(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
    const struct launch *launch = warp->cta->launch;
    uint32_t bytes = (uint32_t)frame->image->function->local_bytes;
    uint32_t at = frame->local_base - launch->own_bytes;
    if (!bytes)
        return true;
    if (!grow_stack(warp, at + bytes))
        return false;
    for (unsigned l = 0; l < WARP; l++)
        if (lanes >> l & 1)
            memset(warp->stack + (size_t)l * warp->stack_room + at,
                   (int)(launch->memory->poison & 0xff), bytes);
    return true;
}

static void call_image(struct warp *warp, struct path *path, const struct inst *inst,
                       const struct image *image, uint32_t lanes)
{
    struct frame *caller = warp->frame;
    uint32_t base = end_of_locals(caller, lanes);
    /* use at least 16 bytes for each call, so that endless recursion overflows the stack even if
     * the function has no local variables */
    base += 16;
    if (base + image->function->local_bytes > warp->cta->launch->local_bytes) {
        warp_fault(warp, OBS_STACK_OVERFLOW, (unsigned)__builtin_ctz(lanes), NULL);
        launch_stop(warp->cta->launch, EMU_ILLEGAL_ADDRESS);
        return;
    }
    struct frame *frame = frame_open(warp, image);
    if (!frame || !path_push(warp, path, image->start, image->end, lanes, frame)) {
        launch_stop(warp->cta->launch, EMU_INTERNAL);
        return;
    }
    frame->caller = caller;
    caller->holders++;
    frame->call = inst;
    set_local_base(frame, base);
    if (!open_locals(warp, frame, lanes))
        launch_stop(warp->cta->launch, EMU_INTERNAL);
    pass_parameters(frame, lanes);
}

static const struct image *image_at(const struct kernel *kernel, uint64_t address)
{
    for (uint32_t i = 0; i < kernel->image_count; i++)
        if (kernel->images[i].address == address && !kernel->images[i].function->is_kernel)
            return &kernel->images[i];
    return NULL;
}

/* Calls the function that each lane's pointer refers to. If lanes call different functions, these
 * run one after another. */
static void call_through_pointer(struct warp *warp, struct path *path, const struct inst *inst,
                                 uint32_t lanes)
{
    const uint64_t *address = (const uint64_t *)(const void *)slot_at(warp, inst->src[0]);
    while (lanes && !atomic_load(&warp->cta->launch->stopping)) {
        uint64_t wanted = address[__builtin_ctz(lanes)];
        uint32_t together = 0;
        for (unsigned l = 0; l < WARP; l++)
            together |= (uint32_t)(lanes >> l & 1 && address[l] == wanted) << l;
        const struct image *image = image_at(warp->cta->launch->kernel, wanted);
        if (!image) {
            warp_fault(warp, OBS_BAD_CALL, (unsigned)__builtin_ctz(lanes), NULL);
            launch_stop(warp->cta->launch, EMU_ILLEGAL_ADDRESS);
            return;
        }
        call_image(warp, path, inst, image, together);
        lanes &= ~together;
    }
}

void call_enter(struct warp *warp, struct path *path, const struct inst *inst, uint32_t lanes)
{
    path->stack[path->depth - 1].pc++;
    if (inst->call.image == NO_IMAGE)
        call_through_pointer(warp, path, inst, lanes);
    else
        call_image(warp, path, inst, &warp->cta->launch->kernel->images[inst->call.image], lanes);
}

/* --- alloca ----------------------------------------------------------------------------------- */

static uint64_t stack_operand(const struct warp *warp, struct slot slot, unsigned lane)
{
    const uint8_t *lanes = slot_at(warp, slot);
    return slot.bytes == 8 ? ((const uint64_t *)(const void *)lanes)[lane]
                           : ((const uint32_t *)(const void *)lanes)[lane];
}

static void set_stack_result(const struct warp *warp, struct slot slot, unsigned lane,
                             uint64_t value)
{
    memcpy(slot_at(warp, slot) + lane * slot.bytes, &value, slot.bytes);
}

/* Allocates SIZE bytes on LANE's stack. Returns false if the stack is full, or the host is out of
 * memory. */
static bool take_stack(struct warp *warp, const struct inst *inst, unsigned lane, uint64_t size)
{
    const struct launch *launch = warp->cta->launch;
    uint32_t base = alloca_base(warp->frame), align = (uint32_t)inst->mem.offset;
    uint32_t at = (base + warp->frame->taken[lane] + align - 1) & ~(align - 1);
    if (at > launch->local_bytes || size > launch->local_bytes - at)
        return false;
    uint32_t begin = at - launch->own_bytes, end = begin + (uint32_t)size;
    if (!grow_stack(warp, end))
        return false;
    memset(warp->stack + (size_t)lane * warp->stack_room + begin,
           (int)(launch->memory->poison & 0xff), size);
    warp->frame->taken[lane] = at + (uint32_t)size - base;
    set_stack_result(warp, inst->dst, lane, at);
    return true;
}

/* Executes alloca: allocates memory on each lane's own stack. It is freed together with the
 * function's frame. */
void alloca_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        if (take_stack(warp, inst, l, stack_operand(warp, inst->src[0], l)))
            continue;
        warp_fault(warp, OBS_STACK_OVERFLOW, l, NULL);
        launch_stop(warp->cta->launch, EMU_ILLEGAL_ADDRESS);
        return;
    }
}

void stack_save_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (unsigned l = 0; l < WARP; l++)
        if (mask >> l & 1)
            set_stack_result(warp, inst->dst, l, alloca_base(warp->frame) + warp->frame->taken[l]);
}

/* Executes stackrestore: frees the memory after a position that stacksave returned. A position
 * outside the function's alloca memory has no effect. */
void stack_restore_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct frame *frame = warp->frame;
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t kept = stack_operand(warp, inst->src[0], l) - alloca_base(frame);
        if (mask >> l & 1 && kept < frame->taken[l])
            frame->taken[l] = (uint32_t)kept;
    }
}
