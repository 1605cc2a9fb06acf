/* Tells gpu/order/timeline.h what the program's calls mean. */
#include "gpu/cudart/timing.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/chips.h"

#define MOST_PIECES 10000u /* pieces of work that the record shows */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timeline *timeline;
static uint64_t pieces, unknown; /* unknown: launches without a predicted time */

/* Adds a piece of work that has ended to the record. */
static void record_piece(void *context, const struct timeline_piece *piece)
{
    (void)context;
    const struct timeline_work *work = piece->work;
    static const char *const engines[] = {"compute", "to-device", "from-device"};
    /* the default streams of threads have numbers of their own, but one name: see cudaStreamGetId() */
    uint64_t stream = piece->stream > INT64_MAX ? 2 : piece->stream;
    if (++pieces > MOST_PIECES)
        return;
    json_t *line = json_pack("{s{sssssIsfsf}}", "work", "name", work->name, "engine",
                             engines[work->engine], "stream", (json_int_t)stream, "start_us",
                             piece->start_us, "end_us", piece->end_us);
    if (line && work->is_copy)
        json_object_set_new(json_object_get(line, "work"), "bytes",
                            json_integer((json_int_t)work->bytes));
    if (line)
        rt_record(line);
}

static const struct emu_chip *chip(void)
{
    return rt_options()->chip;
}

/* True: times are predicted, the timeline is open, and the caller holds the lock, which leave()
 * releases. False: the lock is not held. */
static bool enter(void)
{
    if (!chip() || !rt_device_or_null())
        return false;
    pthread_mutex_lock(&lock);
    if (!timeline)
        timeline = timeline_open(chip()->event_us, record_piece, NULL);
    if (timeline)
        return true;
    pthread_mutex_unlock(&lock);
    return false;
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

static struct order_stream key_of(struct rt_order order)
{
    return (struct order_stream){order.stream, order.is_legacy, order.is_blocking};
}

/* --- the times of work -------------------------------------------------------------------------- */

/* The chip's latencies are times between two events, so they include the time of an event. */
static double without_event(double us)
{
    return us > chip()->event_us ? us - chip()->event_us : 0;
}

static bool time_launch(struct emu_device *device, const struct rt_launch *launch,
                        struct timeline_work *timed)
{
    struct emu_predicted predicted = emu_predicted(device);
    struct rt_function *function;
    char *name = rt_find_function(device, launch->func, &function) == cudaSuccess
                     ? rt_readable_name(function->name)
                     : NULL;
    snprintf(timed->name, sizeof timed->name, "%s", name ? name : "a kernel");
    free(name);
    timed->engine = TIMELINE_COMPUTE;
    timed->share = predicted.share;
    timed->us = without_event(predicted.us);
    return predicted.us > 0;
}

/* A copy on the device reads and writes DRAM, and so do fills. One between host and device crosses
 * the bus. From and to memory that is not page-locked, the host copies it a second time. */
static void time_copy(struct emu_device *device, const struct cudaMemcpy3DParms *copy,
                      struct timeline_work *timed, bool *waits)
{
    struct rt_route route = rt_copy_route(device, copy);
    double gbs =
        route.from_host ? (route.is_pageable ? chip()->pageable_to_gbs : chip()->copy_to_gbs)
        : route.to_host ? (route.is_pageable ? chip()->pageable_from_gbs : chip()->copy_from_gbs)
                        : chip()->dram_gbs / 2;
    double latency = route.from_host ? chip()->copy_to_us
                     : route.to_host ? chip()->copy_from_us
                                     : chip()->copy_on_us;
    bool is_on_host = route.from_host && route.to_host, crosses = route.from_host || route.to_host;
    *waits = route.is_pageable || (*waits && crosses);
    snprintf(timed->name, sizeof timed->name, "%s%s",
             route.from_host ? "copy to the device"
             : route.to_host ? "copy from the device"
                             : "copy on the device",
             route.is_pageable ? ", pageable memory" : "");
    timed->engine = is_on_host || !route.bytes ? TIMELINE_NOWHERE
                    : route.from_host          ? TIMELINE_TO_DEVICE
                    : route.to_host            ? TIMELINE_FROM_DEVICE
                                               : TIMELINE_COMPUTE;
    timed->is_copy = true;
    timed->bytes = route.bytes;
    if (timed->engine != TIMELINE_NOWHERE)
        timed->us = without_event(latency) + (double)route.bytes / (gbs * 1e3);
}

static void time_fill(const struct cudaMemsetParams *fill, struct timeline_work *timed)
{
    timed->engine = TIMELINE_COMPUTE;
    timed->is_copy = true;
    timed->bytes = (uint64_t)fill->width * fill->elementSize * fill->height;
    timed->us = without_event(chip()->fill_us) + (double)timed->bytes / (chip()->dram_gbs * 1e3);
    snprintf(timed->name, sizeof timed->name, "fill");
}

void rt_time_work(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                  bool blocks)
{
    struct timeline_work timed = {.engine = TIMELINE_NOWHERE, .share = 1};
    bool waits = blocks, is_known = true;
    if (!chip())
        return;
    if (work->type == cudaGraphNodeTypeEventRecord || work->type == cudaGraphNodeTypeWaitEvent) {
        struct timeline_mark *mark = rt_event_mark(work->event);
        if (mark && work->type == cudaGraphNodeTypeEventRecord)
            rt_time_record(order, mark);
        else if (mark)
            rt_time_stream_waits(order, mark);
        return;
    }
    if (work->type == cudaGraphNodeTypeKernel)
        is_known = time_launch(device, &work->kernel, &timed);
    else if (work->type == cudaGraphNodeTypeMemcpy)
        time_copy(device, &work->copy, &timed, &waits);
    else if (work->type == cudaGraphNodeTypeMemset)
        time_fill(&work->fill, &timed);
    else if (work->type != cudaGraphNodeTypeHost)
        return;
    struct order_stream stream = key_of(order);
    if (!enter())
        return;
    unknown += !is_known;
    if (is_known)
        timeline_add(timeline, &stream, &timed);
    if (waits && timed.engine != TIMELINE_COMPUTE)
        timeline_host_waits_stream(timeline, &stream);
    leave();
}

/* --- events and waits --------------------------------------------------------------------------- */

void rt_time_record(struct rt_order order, struct timeline_mark *mark)
{
    struct order_stream stream = key_of(order);
    if (!enter())
        return;
    timeline_record(timeline, &stream, mark);
    leave();
}

void rt_time_stream_waits(struct rt_order order, const struct timeline_mark *mark)
{
    struct order_stream stream = key_of(order);
    if (!enter())
        return;
    timeline_wait(timeline, &stream, mark);
    leave();
}

void rt_time_forget(const struct timeline_mark *mark)
{
    if (!mark->number || !enter())
        return;
    timeline_forget(timeline, mark);
    leave();
}

void rt_time_waits(const struct timeline_mark *mark)
{
    if (!enter())
        return;
    timeline_host_waits(timeline, mark);
    leave();
}

void rt_time_waits_stream(cudaStream_t stream)
{
    if (!chip())
        return;
    struct order_stream key = key_of(rt_stream_order(stream));
    if (!enter())
        return;
    timeline_host_waits_stream(timeline, &key);
    leave();
}

void rt_time_waits_all(void)
{
    if (!enter())
        return;
    timeline_host_waits_all(timeline);
    leave();
}

bool rt_time_between(const struct timeline_mark *start, const struct timeline_mark *end,
                     float *milliseconds)
{
    if (!rt_options()->predicts_clock || !enter())
        return false;
    timeline_host_waits(timeline, start);
    timeline_host_waits(timeline, end);
    *milliseconds = (float)((end->us - start->us) / 1e3);
    leave();
    return true;
}

void rt_time_finish(void)
{
    if (!timeline || !enter())
        return;
    timeline_host_waits_all(timeline);
    struct timeline_totals totals = timeline_totals(timeline);
    json_t *line =
        json_pack("{s{sssssbsfsfsfsfsIsIsI}}", "timeline", "gpu", chip()->name, "title",
                  chip()->title, "measured", chip()->measured != 0, "us", totals.us, "kernels_us",
                  totals.kernels_us, "copies_us", totals.copies_us, "overlapped_us",
                  totals.overlapped_us, "kernels", (json_int_t)totals.kernels, "copies",
                  (json_int_t)totals.copies, "unknown", (json_int_t)unknown);
    if (line)
        rt_record(line);
    timeline_close(timeline);
    timeline = NULL;
    leave();
}
