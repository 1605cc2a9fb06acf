/* Simulates when the work of a program's streams runs on a GPU: which work waits, and which work
 * runs at the same time.
 *
 *   stream 1   copy in | kernel  | copy out
 *   stream 2             copy in | kernel  | copy out
 *              ------------------------------------> time
 *
 * A GPU has three engines: one for copies in each direction, which make one copy at a time, and the
 * multiprocessors, which kernels share. Work starts as soon as its engine is free and all work that
 * must end before it has ended (by CUDA's rules, see order.h). If several pieces of work can start,
 * they start in the program's order. A kernel asks for a share of the multiprocessors. As on a GPU,
 * kernels that began earlier get their full share, and later kernels get the rest. A kernel with
 * less than its share runs slower.
 *
 * The time of host code is not modelled: the program submits all its work at time 0, except when it
 * waits for work or a GPU's queue is full.
 *
 * Time is in microseconds, from 0. The caller serialises the calls that use a struct timeline. */
#ifndef GPU_ORDER_TIMELINE_H
#define GPU_ORDER_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/order/order.h"

enum timeline_engine {
    TIMELINE_COMPUTE,     /* the multiprocessors */
    TIMELINE_TO_DEVICE,   /* copies from the host */
    TIMELINE_FROM_DEVICE, /* copies to the host */
    TIMELINE_NOWHERE,     /* work that needs no engine, such as a host function */
};

struct timeline_work {
    enum timeline_engine engine;
    bool is_copy; /* a copy or a fill; otherwise a kernel */
    double us;    /* time in microseconds if nothing else runs; may be 0 */
    /* for TIMELINE_COMPUTE, the share of the multiprocessors that the kernel asks for, above 0 and
     * at most 1 */
    double share;
    uint64_t bytes; /* bytes of a copy or fill */
    char name[64];  /* such as "scale(float*)" or "copy to the device" */
};

/* Work that has ended. */
struct timeline_piece {
    const struct timeline_work *work;
    uint64_t stream;
    double start_us, end_us;
};
typedef void timeline_ended(void *context, const struct timeline_piece *piece);

/* The time that an event has recorded. Initialise with {0}. A mark that is in use must stay at the
 * same address until timeline_forget(). */
struct timeline_mark {
    /* the item that records the event; number is 0 if the event was never recorded */
    uint64_t stream, number;
    double us; /* time of the event in microseconds, valid once all work before it has ended */
};

struct timeline_totals {
    double us; /* time until the last work has ended */
    /* time in which at least one kernel ran, and in which at least one copy ran */
    double kernels_us, copies_us;
    double overlapped_us;     /* time in which both a kernel and a copy ran */
    uint64_t kernels, copies; /* number of kernels and of copies */
};

struct timeline;

/* Opens a timeline. EVENT_US is the time in microseconds that a stream takes to record an event.
 * ENDED is called whenever a piece of work that uses an engine ends. Returns NULL when out of
 * memory. */
struct timeline *timeline_open(double event_us, timeline_ended *ended, void *context);
void timeline_close(struct timeline *timeline); /* accepts NULL */

/* Submit work, the record of an event, or a wait to STREAM. Return false when out of memory.
 * timeline_wait() makes later work of STREAM wait for the event of MARK. IS_FREE says that
 * recording takes no time. */
bool timeline_add(struct timeline *timeline, const struct order_stream *stream,
                  const struct timeline_work *work);
bool timeline_record(struct timeline *timeline, const struct order_stream *stream,
                     struct timeline_mark *mark, bool is_free);
bool timeline_wait(struct timeline *timeline, const struct order_stream *stream,
                   const struct timeline_mark *mark);
/* Makes the timeline drop its pointer to MARK. Call this when the time is no longer needed. */
void timeline_forget(struct timeline *timeline, const struct timeline_mark *mark);

/* Make the host wait until work has ended. timeline_host_waits() waits for the work before the
 * event of MARK, timeline_host_waits_stream() for the work that precedes new work in STREAM, and
 * timeline_host_waits_all() for all work. */
void timeline_host_waits(struct timeline *timeline, const struct timeline_mark *mark);
void timeline_host_waits_stream(struct timeline *timeline, const struct order_stream *stream);
void timeline_host_waits_all(struct timeline *timeline);

/* Returns the totals of the work that has ended. */
struct timeline_totals timeline_totals(const struct timeline *timeline);

#endif
