/* Determines the order (happens-before) between pieces of a program's work in its streams, and
 * between this work and the host.
 *
 * Each piece of work in a stream has a number in its stream and a vector clock. For each stream,
 * the clock has the number of the stream's last work that ends before this piece begins.
 *
 *     work X comes before work Y      if Y's clock has reached X's number in X's stream
 *     the host has waited for X       if X comes before some work that the host has waited for:
 *                                     X is then dropped, because it comes before all later work
 *
 * Two pieces of work that touch the same byte must be ordered, unless both only read it. Work that
 * is not dropped is "in flight": the host must not touch its bytes.
 *
 * The struct order models these rules of CUDA:
 *   - work in one stream runs in the order of its calls;
 *   - the legacy default stream waits for all earlier work in blocking streams, and later work in
 *     blocking streams waits for the legacy default stream;
 *   - non-blocking streams and the legacy default stream do not wait for each other;
 *   - an event stands for all work that came before its latest record in the record's stream.
 * The runtime library reports which calls wait for which work (gpu/cudart/order/).
 *
 * The caller serialises the calls that use a struct order. */
#ifndef GPU_ORDER_ORDER_H
#define GPU_ORDER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/touch.h"

struct order;

struct order_stream {
    uint64_t number; /* unique among all streams of the program */
    bool is_legacy;  /* the stream is the legacy default stream */
    bool is_blocking;
};

/* A vector clock, which says what comes before a piece of work or an event. For each stream, in the
 * order of the list of streams, `last` has the number of the stream's latest work that comes before
 * it, or 0. Initialise with {0}; free `last`. */
struct order_clock {
    uint64_t *last;
    size_t count;
};

enum order_kind { ORDER_WORK, ORDER_ALLOCATES, ORDER_FREES };

/* A piece of work. */
struct order_work {
    enum order_kind kind;
    char name[96];          /* for messages, such as "kernel scale" */
    struct emu_place place; /* the program's line that requested the work */
    uint64_t stream;        /* number of the work's stream, for messages */
    uint64_t number;        /* number of the work in the order of requests, for messages */
    bool is_legacy;         /* the work's stream is the legacy default stream */
    /* the ranges that the work touches, as returned by emu_touched(); allocated by malloc() */
    struct emu_touch *touch;
    size_t count;
};

/* Two accesses to the same bytes that are not ordered. */
struct order_conflict {
    /* `later` is NULL if the host made the later access */
    const struct order_work *earlier, *later;
    enum emu_touch_kind earlier_touch, later_touch;
    emu_addr at;
};

typedef void order_report(void *context, const struct order_conflict *conflict);

/* Opens an order. Calls REPORT for each conflict between two pieces of work. Returns NULL when out
 * of memory. */
struct order *order_open(order_report *report, void *context);
void order_close(struct order *order); /* accepts NULL */

/* Appends WORK to STREAM and compares it with all work in flight. Reports at most one conflict with
 * each piece of work. Takes ownership of WORK's touches. */
void order_add(struct order *order, const struct order_stream *stream, struct order_work *work);
/* Records that STREAM was destroyed. Work in STREAM continues. Returns whether the host has not yet
 * waited for all of it. */
bool order_end_stream(struct order *order, const struct order_stream *stream);

/* Sets *CLOCK, the clock of an event, to all work that STREAM has received so far. */
void order_record(struct order *order, const struct order_stream *stream,
                  struct order_clock *clock);
/* Makes later work in STREAM wait for the work in CLOCK. */
void order_stream_waits(struct order *order, const struct order_stream *stream,
                        const struct order_clock *clock);

/* Record that the host has waited for the work in CLOCK, for the work in STREAM, or for all
 * work. */
void order_host_waits(struct order *order, const struct order_clock *clock);
void order_host_waits_stream(struct order *order, const struct order_stream *stream);
void order_host_waits_all(struct order *order);

/* Records that a host function begins or, if CLOCK is NULL, that it has ended. The function runs
 * after the work in CLOCK, so order_check_host() does not report this work while the function runs.
 * CLOCK must stay valid until the function has ended. */
void order_set_host(struct order *order, const struct order_clock *clock);

/* Returns whether the host must not touch the SIZE bytes at ADDR now. */
bool order_check_host(const struct order *order, emu_addr addr, uint64_t size, bool writes,
                      struct order_conflict *conflict);
/* Records that the host touches the SIZE bytes at ADDR. If work in flight uses these bytes to
 * synchronise with the host (EMU_SIGNALS), the host counts as having waited for this work. Returns
 * whether there was such work. Signal handlers may call this function, order_check_host(),
 * order_each_touch() and order_ignore(). */
bool order_signal(struct order *order, emu_addr addr, uint64_t size);
/* Records that the host has touched memory of EARLIER, which is in flight, too early. Later
 * accesses to memory of EARLIER are not reported. */
void order_ignore(struct order *order, const struct order_work *earlier);
/* Returns whether work in flight touches the SIZE bytes at ADDR, which the host is about to free.
 * Sets *CONFLICT. */
bool order_check_free(const struct order *order, emu_addr addr, uint64_t size,
                      struct order_conflict *conflict);
/* Records that the SIZE bytes at ADDR were freed, or belong to a new allocation, so work in flight
 * no longer touches them. */
void order_forget_memory(struct order *order, emu_addr addr, uint64_t size);

/* Calls VISIT for each touch that overlaps the bytes from BEGIN to END - 1. Visits only touches
 * with which an access by the host, or by the running host function, may conflict. */
void order_each_touch(const struct order *order, emu_addr begin, emu_addr end,
                      void (*visit)(void *context, const struct emu_touch *touch), void *context);
/* Returns the number of pieces of work in flight. */
size_t order_in_flight(const struct order *order);

#endif
