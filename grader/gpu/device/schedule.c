/* Predicts when a program's work runs (gpu/order/timeline.h), and writes the timeline to the
 * record. The program's runtime library reports the work with emu_step(). Kernels take their
 * predicted time. The time of a copy or fill follows from its size and the chip's latency and
 * bandwidth. */
#include "gpu/device/schedule.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/chips.h"
#include "gpu/order/timeline.h"
#include "gpu/record/record.h"

#define MOST_PIECES 10000u /* largest number of pieces of work in the record */
/* number of lists in the hash table of events */
#define BUCKETS 256u

struct event {
    uint64_t number;
    struct timeline_mark mark;
    struct event *next;
};

struct schedule {
    struct emu_device *device;
    const struct emu_chip *chip;
    struct timeline *timeline;
    struct event *events[BUCKETS];
    /* `pieces` counts all pieces of work, and `unknown` the launches without a predicted time or
     * without a step */
    uint64_t pieces, unknown;
    uint64_t on_host; /* pieces of work that do not use the GPU */
    bool has_work, has_ended;
};

static void record(const struct schedule *schedule, json_t *line)
{
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    if (text)
        emu_note(schedule->device, text, strlen(text));
    free(text);
    json_decref(line);
}

/* Adds a piece of work that has ended to the record. */
static void record_piece(void *context, const struct timeline_piece *piece)
{
    struct schedule *schedule = context;
    const struct timeline_work *work = piece->work;
    static const char *const engines[] = {"compute", "to-device", "from-device"};
    /* here, the default stream of each thread has its own number; in the record, they all have the
     * same number (see cudaStreamGetId()) */
    uint64_t stream = piece->stream > INT64_MAX ? 2 : piece->stream;
    if (++schedule->pieces > MOST_PIECES)
        return;
    json_t *line = json_pack("{s{sssssIsfsf}}", "work", "name", work->name, "engine",
                             engines[work->engine], "stream", (json_int_t)stream, "start_us",
                             piece->start_us, "end_us", piece->end_us);
    if (line && work->is_copy)
        json_object_set_new(json_object_get(line, "work"), "bytes",
                            json_integer((json_int_t)work->bytes));
    record(schedule, line);
}

struct schedule *schedule_open(struct emu_device *device, const struct emu_chip *chip)
{
    struct schedule *schedule = calloc(1, sizeof *schedule);
    if (!schedule)
        return NULL;
    *schedule = (struct schedule){.device = device, .chip = chip};
    schedule->timeline = timeline_open(chip->event_us, record_piece, schedule);
    if (schedule->timeline)
        return schedule;
    free(schedule);
    return NULL;
}

/* Adds the timeline to the record, unless the program had no work. */
static void end(struct schedule *schedule)
{
    const struct emu_chip *chip = schedule->chip;
    schedule->has_ended = true;
    if (!schedule->has_work)
        return;
    timeline_host_waits_all(schedule->timeline);
    struct timeline_totals totals = timeline_totals(schedule->timeline);
    record(schedule,
           json_pack("{s{sssssbsfsfsfsfsIsIsIsI}}", "timeline", "gpu", chip->name, "title",
                     chip->title, "measured", chip->measured != 0, "us", totals.us, "kernels_us",
                     totals.kernels_us, "copies_us", totals.copies_us, "overlapped_us",
                     totals.overlapped_us, "kernels", (json_int_t)totals.kernels, "copies",
                     (json_int_t)totals.copies, "unknown", (json_int_t)schedule->unknown, "on_host",
                     (json_int_t)schedule->on_host));
}

void schedule_close(struct schedule *schedule)
{
    if (!schedule)
        return;
    if (!schedule->has_ended)
        end(schedule);
    timeline_close(schedule->timeline);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct event *event = schedule->events[i], *next; event; event = next) {
            next = event->next;
            free(event);
        }
    free(schedule);
}

/* --- the times of work ------------------------------------------------------------------------ */

/* The latest launch that has ended on this thread. `is_there` is true until schedule_step()
 * receives the step for this launch. */
static _Thread_local struct {
    bool is_there, is_known;
    double us, share;
    char name[64];
} launched;

void schedule_launched(struct schedule *schedule, struct ptx_name name)
{
    char *readable = record_demangle(name);
    schedule->unknown += launched.is_there;
    launched.is_there = true;
    launched.is_known = false;
    launched.us = launched.share = 0;
    snprintf(launched.name, sizeof launched.name, "%s", readable ? readable : "a kernel");
    free(readable);
}

void schedule_predicted(double us, double share)
{
    launched.is_known = true;
    launched.us += us;
    launched.share = share > launched.share ? share : launched.share;
}

/* Subtracts the time of recording an event. A chip's latencies are measured between two events, so
 * they include this time. */
static double without_event(const struct emu_chip *chip, double us)
{
    return us > chip->event_us ? us - chip->event_us : 0;
}

/* Predicts the time of a launch. Returns false if the time is unknown. */
static bool time_launch(const struct schedule *schedule, const struct emu_step *step,
                        struct timeline_work *timed)
{
    bool known = launched.is_there && launched.is_known && launched.us > 0 &&
                 !(step->flags & EMU_STEP_PAGEABLE);
    timed->engine = TIMELINE_COMPUTE;
    timed->share = launched.share;
    timed->us = without_event(schedule->chip, launched.us);
    snprintf(timed->name, sizeof timed->name, "%s", launched.name);
    launched.is_there = false;
    return known;
}

/* Predicts the time of a copy or fill. A copy on the device reads and writes DRAM; a fill only
 * writes it. A copy between host and device crosses the bus. If the host's memory is not
 * page-locked, the host also copies the bytes a second time. */
static void time_copy(const struct emu_chip *chip, const struct emu_step *step,
                      struct timeline_work *timed)
{
    bool pageable = step->flags & EMU_STEP_PAGEABLE;
    const struct {
        const char *name;
        enum timeline_engine engine;
        double us, gbs;
    } kinds[] = {
        [EMU_COPY_TO_DEVICE] = {"copy to the device", TIMELINE_TO_DEVICE, chip->copy_to_us,
                                pageable ? chip->pageable_to_gbs : chip->copy_to_gbs},
        [EMU_COPY_FROM_DEVICE] = {"copy from the device", TIMELINE_FROM_DEVICE, chip->copy_from_us,
                                  pageable ? chip->pageable_from_gbs : chip->copy_from_gbs},
        [EMU_COPY_ON_DEVICE] = {"copy on the device", TIMELINE_COMPUTE, chip->copy_on_us,
                                chip->dram_gbs / 2},
        [EMU_FILL_DEVICE] = {"fill", TIMELINE_COMPUTE, chip->fill_us, chip->dram_gbs},
    };
    if (step->work == EMU_ON_THE_HOST || !step->bytes)
        return;
    timed->engine = kinds[step->work].engine;
    timed->is_copy = true;
    timed->bytes = step->bytes;
    timed->us = without_event(chip, kinds[step->work].us) +
                (double)step->bytes / (kinds[step->work].gbs * 1e3);
    snprintf(timed->name, sizeof timed->name, "%s%s", kinds[step->work].name,
             pageable ? ", pageable memory" : "");
}

static void work(struct schedule *schedule, const struct order_stream *stream,
                 const struct emu_step *step)
{
    struct timeline_work timed = {.engine = TIMELINE_NOWHERE, .share = 1};
    bool known = true;
    schedule->has_work = true;
    schedule->on_host += step->work == EMU_ON_THE_HOST;
    if (step->work == EMU_IN_A_KERNEL)
        known = time_launch(schedule, step, &timed);
    else
        time_copy(schedule->chip, step, &timed);
    schedule->unknown += !known;
    if (known)
        timeline_add(schedule->timeline, stream, &timed);
    if (step->flags & EMU_STEP_JOINS && timed.engine != TIMELINE_COMPUTE)
        timeline_host_waits_stream(schedule->timeline, stream);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Returns the link in the hash table that points to event NUMBER. The link is NULL if the event has
 * not been recorded. */
static struct event **find(struct schedule *schedule, uint64_t number)
{
    /* numbers may be addresses, so their low bits may all be equal */
    struct event **at = &schedule->events[number / 16 % BUCKETS];
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static const struct timeline_mark *mark_of(struct schedule *schedule, uint64_t number)
{
    static const struct timeline_mark never;
    const struct event *event = *find(schedule, number);
    return event ? &event->mark : &never;
}

static void record_event(struct schedule *schedule, const struct order_stream *stream,
                         const struct emu_step *step)
{
    struct event **at = find(schedule, step->event);
    if (!*at && (*at = calloc(1, sizeof **at)))
        (*at)->number = step->event;
    if (*at)
        timeline_record(schedule->timeline, stream, &(*at)->mark, step->flags & EMU_STEP_FREE);
}

static void forget_event(struct schedule *schedule, uint64_t number)
{
    struct event **at = find(schedule, number), *event = *at;
    if (!event)
        return;
    timeline_forget(schedule->timeline, &event->mark);
    *at = event->next;
    free(event);
}

void schedule_step(struct schedule *schedule, const struct emu_step *step)
{
    struct order_stream stream = {step->stream, step->flags & EMU_STEP_LEGACY,
                                  step->flags & EMU_STEP_BLOCKING};
    if (schedule->has_ended)
        return;
    switch (step->type) {
    case EMU_STEP_WORK:
        work(schedule, &stream, step);
        break;
    case EMU_STEP_RECORD:
        record_event(schedule, &stream, step);
        break;
    case EMU_STEP_WAIT:
        timeline_wait(schedule->timeline, &stream, mark_of(schedule, step->event));
        break;
    case EMU_STEP_FORGET:
        forget_event(schedule, step->event);
        break;
    case EMU_STEP_HOST_EVENT:
        timeline_host_waits(schedule->timeline, mark_of(schedule, step->event));
        break;
    case EMU_STEP_HOST_STREAM:
        timeline_host_waits_stream(schedule->timeline, &stream);
        break;
    case EMU_STEP_HOST_ALL:
        timeline_host_waits_all(schedule->timeline);
        break;
    default:
        schedule->unknown += launched.is_there;
        launched.is_there = false;
        end(schedule);
    }
}

double schedule_event_time(struct schedule *schedule, uint64_t number)
{
    const struct timeline_mark *mark = mark_of(schedule, number);
    timeline_host_waits(schedule->timeline, mark);
    return mark->us;
}
