/* Finds out which work in a program's streams and on its host is ordered (happens-before).
 *
 * Each piece of work in a stream has a number in its stream and a clock. For each stream, the clock
 * has the number of the stream's last work that ends before this piece. The literature calls this a
 * vector clock.
 *
 *     work X comes before work Y      if Y's clock has reached X's number in X's stream
 *     the host has waited for X       if X came before something that the host has waited for:
 *                                     X is then dropped, because it comes before all later work
 *
 * Two pieces of work that touch the same byte must be ordered, unless both only read it. Work that
 * is not dropped is "in flight": the host must not touch its bytes.
 *
 * CUDA's rules that this models:
 *   - work in one stream runs in the order of its calls;
 *   - the legacy default stream waits for all earlier work in blocking streams, and later work in
 *     blocking streams waits for it; it and non-blocking streams do not wait for each other;
 *   - an event stands for all work that came before its latest record in the record's stream.
 * The runtime library reports which calls wait for which work (gpu/cudart/order/).
 *
 * The caller serialises the calls on a struct order. */
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

/* The last earlier work in each stream, by the stream's place in the list of streams. Initialise
 * with {0}; free LAST. */
struct order_clock {
    uint64_t *last;
    size_t count;
};

enum order_kind { ORDER_WORK, ORDER_ALLOCATES, ORDER_FREES };

/* A piece of work. */
struct order_work {
    enum order_kind kind;
    char name[96];          /* for messages, such as "kernel scale" */
    struct emu_place place; /* the program's line that requested it */
    uint64_t stream;        /* the number of its stream, for messages */
    uint64_t number;        /* its number among all works, for messages */
    bool is_legacy;         /* its stream is the legacy default stream */
    /* the memory that it touches, as emu_touched() returns it, from malloc() */
    struct emu_touch *touch;
    size_t count;
};

/* Two accesses to the same bytes that nothing orders. */
struct order_conflict {
    const struct order_work *earlier, *later; /* `later` is NULL if the host made the access */
    enum emu_touch_kind earlier_touch, later_touch;
    emu_addr at;
};

typedef void order_report(void *context, const struct order_conflict *conflict);

/* Opens an order. REPORT is called for each conflict between two pieces of work. Returns NULL when
 * out of memory. */
struct order *order_open(order_report *report, void *context);
void order_close(struct order *order); /* accepts NULL */

/* Appends WORK to STREAM and compares it with all work in flight. Reports at most one conflict with
 * each piece. Takes over WORK's touches. */
void order_add(struct order *order, const struct order_stream *stream, struct order_work *work);
/* Records that STREAM was destroyed. Its work continues. */
void order_end_stream(struct order *order, const struct order_stream *stream);

/* Sets *CLOCK, the clock of an event, to all work that STREAM has received so far. */
void order_record(struct order *order, const struct order_stream *stream,
                  struct order_clock *clock);
/* Makes later work in STREAM wait for the work in CLOCK. */
void order_stream_waits(struct order *order, const struct order_stream *stream,
                        const struct order_clock *clock);

/* Record that the host has waited for the work in CLOCK, the work in STREAM, or all work. */
void order_host_waits(struct order *order, const struct order_clock *clock);
void order_host_waits_stream(struct order *order, const struct order_stream *stream);
void order_host_waits_all(struct order *order);

/* Makes the host's accesses those of a host function from now on. The function was queued behind
 * the work in CLOCK, so order_check_host() does not report that work. CLOCK is NULL when the host
 * function has ended, and must stay valid until then. */
void order_set_host(struct order *order, const struct order_clock *clock);

/* Returns whether the host may not touch SIZE bytes at ADDR now. */
bool order_check_host(const struct order *order, emu_addr addr, uint64_t size, bool writes,
                      struct order_conflict *conflict);
/* Records that the host touches SIZE bytes at ADDR. If work in flight exchanges signals with the
 * host through these bytes, the host has waited for this work. Returns whether there was such work.
 * Signal handlers may call this function, order_check_host(), order_each_touch() and
 * order_ignore(). */
bool order_signal(struct order *order, emu_addr addr, uint64_t size);
/* Records that the host has touched memory of EARLIER, which is in flight, too early. Further
 * accesses of this kind are not reported. */
void order_ignore(struct order *order, const struct order_work *earlier);
/* Reports work in flight that touches the SIZE bytes at ADDR, which the host frees now. */
bool order_check_free(const struct order *order, emu_addr addr, uint64_t size,
                      struct order_conflict *conflict);
/* Records that the memory at ADDR was freed, or that another allocation has got it, so work in
 * flight does not touch it. */
void order_forget_memory(struct order *order, emu_addr addr, uint64_t size);

/* Calls VISIT with each touch in flight among the bytes from BEGIN to END with which an access of
 * the host (or of the host function) may conflict. */
void order_each_touch(const struct order *order, emu_addr begin, emu_addr end,
                      void (*visit)(void *context, const struct emu_touch *touch), void *context);
/* Returns the number of pieces of work in flight. */
size_t order_in_flight(const struct order *order);

#endif
