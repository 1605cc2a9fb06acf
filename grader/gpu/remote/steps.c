#include "gpu/remote/steps.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/order/order.h"

#define MOST_EVENTS 1024 /* the timeline of a program with more events is not valid */

struct steps {
    struct emu_device *device;
    const struct arena *arena;
    struct order *order;
    struct event {
        uint64_t number;
        struct order_clock clock;
    } events[MOST_EVENTS];
    size_t event_count;
    bool is_wrong;

    /* since the last step of type EMU_STEP_WORK: */
    uint64_t to_device, from_device; /* bytes copied by requests, in each direction */
    bool shares;                     /* a kernel has touched memory that the program shares */
    struct emu_touch *touched;
    size_t count;
};

static void note_conflict(void *context, const struct order_conflict *conflict)
{
    struct steps *steps = context;
    (void)conflict;
    steps->is_wrong = true;
}

struct steps *steps_open(struct emu_device *device, const struct arena *arena)
{
    struct steps *steps = calloc(1, sizeof *steps);
    if (!steps)
        return NULL;
    steps->device = device;
    steps->arena = arena;
    steps->order = order_open(note_conflict, steps);
    if (steps->order)
        return steps;
    free(steps);
    return NULL;
}

/* --- what requests do ------------------------------------------------------------------------- */

/* Returns whether the range from BEGIN to END overlaps memory that the program shares with the
 * device, such as page-locked and managed memory. */
static bool is_shared(const struct arena *arena, emu_addr begin, emu_addr end)
{
    size_t i = 0;
    while (i < arena->count &&
           (end <= arena->ranges[i].addr ||
            begin >= arena->ranges[i].addr + arena->ranges[i].page_count * WIRE_PAGE))
        i++;
    return i < arena->count;
}

static void touch(struct steps *steps, emu_addr at, uint64_t size, enum emu_touch_kind kind)
{
    struct emu_touch *more = realloc(steps->touched, (steps->count + 1) * sizeof *more);
    if (!more) {
        steps->is_wrong = true;
        return;
    }
    steps->touched = more;
    more[steps->count++] = (struct emu_touch){at, at + size, kind};
}

static void touch_rows(struct steps *steps, emu_addr at, uint64_t width, uint64_t count,
                       uint64_t pitch, enum emu_touch_kind kind)
{
    for (uint64_t i = 0; i < count; i++)
        touch(steps, at + i * pitch, width, kind);
}

void steps_note(struct steps *steps, const struct wire_head *request, emu_addr addr)
{
    const uint64_t *arg = request->arg;
    uint64_t part = arg[1] < WIRE_CHUNK ? arg[1] : WIRE_CHUNK;
    switch ((enum wire_call)request->what) {
    /* the accesses to an earlier allocation at this address no longer matter */
    case WIRE_CALL_alloc:
        order_forget_memory(steps->order, addr, arg[0]);
        break;
    case WIRE_CALL_write:
        steps->to_device += request->bytes;
        touch(steps, arg[0], request->bytes, EMU_WRITES);
        break;
    case WIRE_CALL_write_rows:
        steps->to_device += request->bytes;
        touch_rows(steps, arg[0], arg[1], arg[2], arg[3], EMU_WRITES);
        break;
    case WIRE_CALL_read:
        steps->from_device += part;
        touch(steps, arg[0], part, EMU_READS);
        break;
    case WIRE_CALL_read_rows:
        steps->from_device += arg[1] * arg[2];
        touch_rows(steps, arg[0], arg[1], arg[2], arg[3], EMU_READS);
        break;
    case WIRE_CALL_copy:
        touch(steps, arg[1], arg[2], EMU_READS);
        __attribute__((fallthrough));
    case WIRE_CALL_set:
        touch(steps, arg[0], arg[2], EMU_WRITES);
        break;
    case WIRE_CALL_copy_rows:
        touch_rows(steps, arg[1], arg[2], arg[3], arg[5], EMU_READS);
        touch_rows(steps, arg[0], arg[2], arg[3], arg[4], EMU_WRITES);
        break;
    case WIRE_CALL_set_rows:
        touch_rows(steps, arg[0], arg[2], arg[3], arg[4], EMU_WRITES);
        break;
    default:
        break;
    }
}

void steps_note_launch(struct steps *steps, const struct emu_touch *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        steps->shares |= is_shared(steps->arena, list[i].begin, list[i].end);
        touch(steps, list[i].begin, list[i].end - list[i].begin, list[i].kind);
    }
}

/* --- the steps -------------------------------------------------------------------------------- */

/* Returns the index of event NUMBER in the list, or the list's length if the event is not in it. */
static size_t find_event(const struct steps *steps, uint64_t number)
{
    size_t i = 0;
    while (i < steps->event_count && steps->events[i].number != number)
        i++;
    return i;
}

/* Returns the clock of event NUMBER. Adds the event, with a new clock, if it is not in the list.
 * Returns NULL if the list is full. */
static struct order_clock *clock_of(struct steps *steps, uint64_t number)
{
    size_t i = find_event(steps, number);
    if (i == MOST_EVENTS) {
        steps->is_wrong = true;
        return NULL;
    }
    steps->events[i].number = number;
    steps->event_count += i == steps->event_count;
    return &steps->events[i].clock;
}

static void forget_event(struct steps *steps, uint64_t number)
{
    size_t i = find_event(steps, number);
    if (i == steps->event_count)
        return;
    free(steps->events[i].clock.last);
    steps->events[i] = steps->events[--steps->event_count];
    steps->events[steps->event_count] = (struct event){0};
}

/* Corrects a step of type EMU_STEP_WORK if it does not match the requests. */
static void correct(struct steps *steps, struct emu_step *step)
{
    uint64_t bytes = steps->to_device + steps->from_device;
    enum emu_step_work was =
        steps->to_device >= steps->from_device ? EMU_COPY_TO_DEVICE : EMU_COPY_FROM_DEVICE;
    bool is_kernel = step->work == EMU_IN_A_KERNEL;
    bool crosses = step->work == EMU_COPY_TO_DEVICE || step->work == EMU_COPY_FROM_DEVICE;
    bool differs = bytes && (step->work != was || (steps->to_device && steps->from_device));
    if (differs || (is_kernel && steps->shares) ||
        (crosses && !is_shared(steps->arena, step->host, step->host + 1)))
        step->flags |= EMU_STEP_PAGEABLE;
    step->work = differs ? was : step->work;
    step->bytes = bytes ? bytes : step->bytes;
    step->flags |= step->flags & EMU_STEP_PAGEABLE ? EMU_STEP_JOINS : 0;
    steps->to_device = steps->from_device = 0;
    steps->shares = false;
}

static void order_step(struct steps *steps, const struct emu_step *step)
{
    struct order_stream stream = {step->stream, step->flags & EMU_STEP_LEGACY,
                                  step->flags & EMU_STEP_BLOCKING};
    struct order_work work = {ORDER_WORK, .touch = steps->touched, .count = steps->count};
    struct order_clock *clock = NULL;
    bool has_event = step->type == EMU_STEP_RECORD || step->type == EMU_STEP_WAIT ||
                     step->type == EMU_STEP_HOST_EVENT;
    if (has_event && !(clock = clock_of(steps, step->event)))
        return;
    switch (step->type) {
    case EMU_STEP_WORK:
        order_add(steps->order, &stream, &work);
        steps->touched = NULL;
        steps->count = 0;
        if (step->flags & EMU_STEP_JOINS)
            order_host_waits_stream(steps->order, &stream);
        break;
    case EMU_STEP_RECORD:
        order_record(steps->order, &stream, clock);
        break;
    case EMU_STEP_WAIT:
        order_stream_waits(steps->order, &stream, clock);
        break;
    case EMU_STEP_FORGET:
        forget_event(steps, step->event);
        break;
    case EMU_STEP_HOST_EVENT:
        order_host_waits(steps->order, clock);
        break;
    case EMU_STEP_HOST_STREAM:
        order_host_waits_stream(steps->order, &stream);
        break;
    default:
        order_host_waits_all(steps->order);
    }
}

static void take(struct steps *steps, struct emu_step *step)
{
    if (step->type == EMU_STEP_WORK)
        correct(steps, step);
    order_step(steps, step);
    emu_step(steps->device, step);
}

void steps_take(struct steps *steps, const struct wire_head *request)
{
    const uint64_t *arg = request->arg;
    struct emu_step step = {.type = (enum emu_step_type)arg[0],
                            .work = (enum emu_step_work)(arg[1] & 0xff),
                            .flags = (unsigned)(arg[1] >> 8),
                            .stream = arg[2],
                            .event = arg[3],
                            .bytes = arg[4],
                            .host = arg[5]};
    if (step.work < EMU_STEP_WORKS &&
        step.type != EMU_STEP_END) /* steps_close() ends the timeline */
        take(steps, &step);
}

void steps_close(struct steps *steps)
{
    if (!steps)
        return;
    struct emu_step left = {.type = EMU_STEP_WORK,
                            .work = EMU_ON_THE_HOST,
                            .flags = EMU_STEP_LEGACY | EMU_STEP_BLOCKING};
    const struct emu_step unknown = {
        .type = EMU_STEP_WORK, .work = EMU_IN_A_KERNEL, .flags = EMU_STEP_PAGEABLE};
    if (steps->to_device || steps->from_device)
        take(steps, &left);
    if (steps->is_wrong)
        emu_step(steps->device, &unknown);
    emu_step(steps->device, &(struct emu_step){.type = EMU_STEP_END});
    for (size_t i = 0; i < steps->event_count; i++)
        free(steps->events[i].clock.last);
    order_close(steps->order);
    free(steps->touched);
    free(steps);
}
