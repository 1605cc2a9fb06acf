#include "gpu/order/order.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/order/clock.h"
#include "gpu/order/touches.h"

/* Largest number of pieces of work in flight. Beyond it, the oldest piece is dropped, and its
 * conflicts are missed. */
enum { MOST_IN_FLIGHT = 2048 };

struct stream {
    struct order_stream key;
    /* the work that comes before the stream's next work, including the stream's own work so far */
    struct order_clock clock;
    uint64_t count; /* number of pieces of work in the stream so far */
    bool ended;
};

/* A piece of work in flight. */
struct pending {
    struct order_work work;
    struct touches touches; /* the memory that `work` reads and writes */
    struct order_clock clock;
    size_t stream; /* index of the work's stream in the list of streams */
    uint64_t number;
    bool ignored; /* the host's accesses are not checked against this work */
    bool settled; /* the host has waited for this work, so it will be removed */
    struct pending *next;
};

struct order {
    order_report *report;
    void *context;
    struct stream *streams;
    size_t stream_count;
    struct order_clock ended;      /* the work of blocking streams that were destroyed */
    struct pending *first, **last; /* the work in flight, oldest first */
    size_t in_flight;
    /* the clock of the running host function, or NULL if none is running */
    const struct order_clock *host;
};

struct order *order_open(order_report *report, void *context)
{
    struct order *order = calloc(1, sizeof *order);
    if (order) {
        order->report = report;
        order->context = context;
        order->last = &order->first;
    }
    return order;
}

static void free_pending(struct pending *pending)
{
    free(pending->touches.list);
    clock_free(&pending->clock);
    free(pending);
}

/* Removes the work that *AT points to. */
static void drop(struct order *order, struct pending **at)
{
    struct pending *pending = *at;
    *at = pending->next;
    if (order->last == &pending->next)
        order->last = at;
    order->in_flight--;
    free_pending(pending);
}

void order_host_waits_all(struct order *order)
{
    while (order->first)
        drop(order, &order->first);
}

void order_close(struct order *order)
{
    if (!order)
        return;
    order_host_waits_all(order);
    for (size_t i = 0; i < order->stream_count; i++)
        clock_free(&order->streams[i].clock);
    clock_free(&order->ended);
    free(order->streams);
    free(order);
}

/* --- streams ---------------------------------------------------------------------------------- */

static bool has_pending(const struct order *order, size_t stream)
{
    const struct pending *pending = order->first;
    while (pending && pending->stream != stream)
        pending = pending->next;
    return pending != NULL;
}

/* Returns an entry of the list for a new stream. Reuses the entry of a stream that has ended if the
 * host has waited for all its work. Returns NULL when out of memory. */
static struct stream *find_place(struct order *order)
{
    for (size_t i = 0; i < order->stream_count; i++)
        if (order->streams[i].ended && !has_pending(order, i))
            return &order->streams[i];
    struct stream *more =
        realloc(order->streams, (order->stream_count + 1) * sizeof *order->streams);
    if (!more)
        return NULL;
    order->streams = more;
    more[order->stream_count] = (struct stream){.ended = true};
    return &more[order->stream_count++];
}

static struct stream *find_stream(struct order *order, const struct order_stream *key)
{
    for (size_t i = 0; i < order->stream_count; i++)
        if (!order->streams[i].ended && order->streams[i].key.number == key->number)
            return &order->streams[i];
    struct stream *stream = find_place(order);
    if (stream) {
        stream->key = *key;
        stream->ended = false;
    }
    return stream;
}

/* Makes later work in STREAM wait for other streams' work, as the rules of the legacy default
 * stream require. */
static bool wait_as_legacy(struct order *order, struct stream *stream)
{
    bool is_legacy = stream->key.is_legacy, done = true;
    for (size_t i = 0; i < order->stream_count && done; i++) {
        const struct stream *other = &order->streams[i];
        if (other != stream && !other->ended &&
            (is_legacy ? other->key.is_blocking : stream->key.is_blocking && other->key.is_legacy))
            done = clock_join(&stream->clock, &other->clock);
    }
    return done && (!is_legacy || clock_join(&stream->clock, &order->ended));
}

/* Merges OTHER into CLOCK. When out of memory, drops all work in flight. Conflicts with this work
 * are then missed, but no false conflict is reported. */
static void join(struct order *order, struct order_clock *clock, const struct order_clock *other)
{
    if (!clock_join(clock, other))
        order_host_waits_all(order);
}

bool order_end_stream(struct order *order, const struct order_stream *key)
{
    struct stream *stream = find_stream(order, key);
    if (!stream)
        return false;
    if (key->is_blocking)
        join(order, &order->ended, &stream->clock);
    stream->ended = true;
    return has_pending(order, (size_t)(stream - order->streams));
}

void order_record(struct order *order, const struct order_stream *key, struct order_clock *clock)
{
    struct stream *stream = find_stream(order, key);
    clock_free(clock);
    if (stream && wait_as_legacy(order, stream))
        join(order, clock, &stream->clock);
    else
        order_host_waits_all(order);
}

void order_stream_waits(struct order *order, const struct order_stream *key,
                        const struct order_clock *clock)
{
    struct stream *stream = find_stream(order, key);
    if (stream && wait_as_legacy(order, stream))
        join(order, &stream->clock, clock);
    else
        order_host_waits_all(order);
}

/* --- work ------------------------------------------------------------------------------------- */

static bool is_before(const struct pending *pending, const struct order_clock *clock)
{
    return pending->number <= clock_get(clock, pending->stream);
}

static bool conflicts(const struct pending *other, const struct pending *pending,
                      struct order_conflict *conflict)
{
    *conflict = (struct order_conflict){.earlier = &other->work, .later = &pending->work};
    return !other->settled && !is_before(other, &pending->clock) &&
           touches_find(&other->touches, &pending->touches, &conflict->earlier_touch,
                        &conflict->later_touch, &conflict->at);
}

/* Reports the conflicts of PENDING with work in flight. If PENDING conflicts with two pieces of
 * work, one of which comes after the other, reports only the conflict with the later piece. If
 * PENDING waits for this piece, it also waits for the earlier one. */
static void compare(struct order *order, const struct pending *pending)
{
    struct order_conflict conflict, unused;
    for (const struct pending *other = order->first; other; other = other->next) {
        if (!conflicts(other, pending, &conflict))
            continue;
        const struct pending *later = other->next;
        while (later && !(is_before(other, &later->clock) && conflicts(later, pending, &unused)))
            later = later->next;
        if (!later)
            order->report(order->context, &conflict);
    }
}

/* Removes older work of the same stream that touches the same bytes as PENDING. The older work is
 * no longer needed: later work that conflicts with it also conflicts with PENDING. */
static void replace_older(struct order *order, const struct pending *pending)
{
    for (struct pending **at = &order->first; *at;)
        if ((*at)->settled ||
            ((*at)->stream == pending->stream && touches_equal(&(*at)->touches, &pending->touches)))
            drop(order, at);
        else
            at = &(*at)->next;
    if (order->in_flight >= MOST_IN_FLIGHT)
        drop(order, &order->first);
}

static void append(struct order *order, struct pending *pending)
{
    *order->last = pending;
    order->last = &pending->next;
    order->in_flight++;
}

void order_add(struct order *order, const struct order_stream *key, struct order_work *work)
{
    struct stream *stream = find_stream(order, key);
    struct pending *pending = calloc(1, sizeof *pending);
    size_t place = stream ? (size_t)(stream - order->streams) : 0;
    if (!pending || !stream || !wait_as_legacy(order, stream) ||
        !clock_raise(&stream->clock, place, stream->count + 1) ||
        !clock_join(&pending->clock, &stream->clock)) {
        free(work->touch);
        if (pending)
            free_pending(pending);
        return;
    }
    pending->stream = place;
    pending->number = ++stream->count;
    pending->work = *work;
    pending->touches = touches_sort(work->touch, work->count);
    compare(order, pending);
    if (pending->touches.first[EMU_TOUCH_KINDS] == 0) {
        free_pending(pending);
        return;
    }
    replace_older(order, pending);
    append(order, pending);
}

/* --- the host --------------------------------------------------------------------------------- */

void order_host_waits(struct order *order, const struct order_clock *clock)
{
    for (struct pending **at = &order->first; *at;)
        if (is_before(*at, clock))
            drop(order, at);
        else
            at = &(*at)->next;
}

void order_host_waits_stream(struct order *order, const struct order_stream *key)
{
    struct stream *stream = find_stream(order, key);
    if (!stream || (key->is_legacy && !wait_as_legacy(order, stream)))
        return;
    order_host_waits(order, &stream->clock);
}

void order_set_host(struct order *order, const struct order_clock *clock)
{
    order->host = clock;
}

/* Returns whether an access by the host may conflict with PENDING. */
static bool is_checked(const struct order *order, const struct pending *pending)
{
    return !pending->ignored && !pending->settled &&
           !(order->host && is_before(pending, order->host));
}

bool order_check_host(const struct order *order, emu_addr addr, uint64_t size, bool writes,
                      struct order_conflict *conflict)
{
    struct emu_touch touch = {addr, addr + size, writes ? EMU_WRITES : EMU_READS};
    struct touches host = touches_sort(&touch, 1);
    for (const struct pending *pending = order->first; pending; pending = pending->next) {
        *conflict = (struct order_conflict){.earlier = &pending->work};
        if (is_checked(order, pending) &&
            touches_find(&pending->touches, &host, &conflict->earlier_touch, &conflict->later_touch,
                         &conflict->at))
            return true;
    }
    return false;
}

bool order_signal(struct order *order, emu_addr addr, uint64_t size)
{
    bool found = false;
    for (const struct pending *pending = order->first; pending; pending = pending->next) {
        if (pending->settled || !touches_at(&pending->touches, EMU_SIGNALS, addr, addr + size))
            continue;
        found = true;
        for (struct pending *other = order->first; other; other = other->next)
            other->settled |= is_before(other, &pending->clock);
    }
    return found;
}

void order_ignore(struct order *order, const struct order_work *earlier)
{
    for (struct pending *pending = order->first; pending; pending = pending->next)
        if (&pending->work == earlier)
            pending->ignored = true;
}

bool order_check_free(const struct order *order, emu_addr addr, uint64_t size,
                      struct order_conflict *conflict)
{
    for (const struct pending *pending = order->first; pending; pending = pending->next)
        for (unsigned kind = 0; kind < EMU_TOUCH_KINDS && !pending->settled; kind++) {
            const struct emu_touch *touch = touches_at(&pending->touches, kind, addr, addr + size);
            *conflict = (struct order_conflict){
                .earlier = &pending->work, .earlier_touch = kind, .at = addr};
            if (touch && pending->work.kind == ORDER_WORK)
                return true;
        }
    return false;
}

void order_forget_memory(struct order *order, emu_addr addr, uint64_t size)
{
    for (struct pending **at = &order->first; *at;) {
        touches_remove(&(*at)->touches, addr, addr + size);
        if ((*at)->touches.first[EMU_TOUCH_KINDS] == 0)
            drop(order, at);
        else
            at = &(*at)->next;
    }
}

void order_each_touch(const struct order *order, emu_addr begin, emu_addr end,
                      void (*visit)(void *context, const struct emu_touch *touch), void *context)
{
    for (const struct pending *pending = order->first; pending; pending = pending->next)
        for (unsigned kind = 0; kind < EMU_TOUCH_KINDS && is_checked(order, pending); kind++) {
            const struct touches *touches = &pending->touches;
            const struct emu_touch *touch = touches_at(touches, kind, begin, end);
            const struct emu_touch *last = touches->list + touches->first[kind + 1];
            for (; touch && touch < last && touch->begin < end; touch++)
                visit(context, touch);
        }
}

size_t order_in_flight(const struct order *order)
{
    return order->in_flight;
}
