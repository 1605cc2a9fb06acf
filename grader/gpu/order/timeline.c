/* Simulates the timeline from event to event. Each stream with unfinished work has a queue of
 * items, called a row. Only the first item of a row can start or run. So an item is done if its row
 * begins with a later item, and no list of finished work is needed. */
#include "gpu/order/timeline.h"

#include <stdlib.h>

/* Largest number of items that are submitted and not done. When it is reached, the program waits.
 * Today's drivers queue about this number of launches. */
#define MOST_QUEUED 1024u

#define NO_ROOM     1e-9 /* a share of the multiprocessors below this counts as none */
#define AN_END      1e-9 /* microseconds; an item with less remaining work is done */

struct item {
    enum { WORK, RECORD, WAIT } type;
    uint64_t number; /* position in the program's order of calls, from 1 */
    struct timeline_work work;
    /* for RECORD, the mark in which the time is stored, or NULL if the time is not needed */
    struct timeline_mark *mark;
    /* for WAIT, stream and number of the item that must be done first */
    uint64_t for_stream, for_number;
    bool is_running;
    double start, left, rate; /* `left` is the remaining time in microseconds at rate 1 */
    struct item *next;
};

/* A stream with unfinished items. */
struct row {
    struct order_stream stream;
    struct item *first, **last;
};

struct timeline {
    double event_us, now;
    timeline_ended *ended;
    void *context;
    struct row **rows;
    size_t row_count, row_room;
    /* rows whose first item is running, in the order in which these items started */
    struct row **running;
    size_t running_count;
    size_t queued;
    uint64_t last_number;
    struct timeline_totals totals;
};

struct timeline *timeline_open(double event_us, timeline_ended *ended, void *context)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (t)
        *t = (struct timeline){.event_us = event_us, .ended = ended, .context = context};
    return t;
}

static void free_row(struct row *row)
{
    for (struct item *item = row->first, *next; item; item = next) {
        next = item->next;
        free(item);
    }
    free(row);
}

void timeline_close(struct timeline *t)
{
    for (size_t i = 0; t && i < t->row_count; i++)
        free_row(t->rows[i]);
    if (t) {
        free(t->rows);
        free(t->running);
    }
    free(t);
}

/* --- rows ------------------------------------------------------------------------------------- */

static struct row *find_row(const struct timeline *t, uint64_t stream)
{
    for (size_t i = 0; i < t->row_count; i++)
        if (t->rows[i]->stream.number == stream)
            return t->rows[i];
    return NULL;
}

static bool make_room(struct timeline *t)
{
    if (t->row_count < t->row_room)
        return true;
    size_t room = t->row_room ? 2 * t->row_room : 8;
    struct row **rows = realloc(t->rows, room * sizeof(struct row *));
    t->rows = rows ? rows : t->rows;
    struct row **running = rows ? realloc(t->running, room * sizeof(struct row *)) : NULL;
    t->running = running ? running : t->running;
    t->row_room = running ? room : t->row_room;
    return running;
}

static struct row *row_of(struct timeline *t, const struct order_stream *stream)
{
    struct row *row = find_row(t, stream->number);
    if (row || !make_room(t) || !(row = calloc(1, sizeof *row)))
        return row;
    row->stream = *stream;
    row->last = &row->first;
    return t->rows[t->row_count++] = row;
}

static void remove_row(struct row **list, size_t *count, const struct row *row)
{
    size_t i = 0;
    while (i < *count && list[i] != row)
        i++;
    if (i == *count)
        return;
    for ((*count)--; i < *count; i++)
        list[i] = list[i + 1];
}

/* Removes the row's first item, which is done. */
static void end_item(struct timeline *t, struct row *row)
{
    struct item *item = row->first;
    if (item->type == RECORD && item->mark)
        item->mark->us = t->now;
    if (item->type == WORK && item->work.engine != TIMELINE_NOWHERE) {
        struct timeline_piece piece = {&item->work, row->stream.number, item->start, t->now};
        t->totals.us = t->now;
        *(item->work.is_copy ? &t->totals.copies : &t->totals.kernels) += 1;
        t->ended(t->context, &piece);
    }
    remove_row(t->running, &t->running_count, row);
    t->queued--;
    row->first = item->next;
    free(item);
    if (row->first)
        return;
    remove_row(t->rows, &t->row_count, row);
    free(row);
}

/* --- what can start --------------------------------------------------------------------------- */

static bool is_done(const struct timeline *t, uint64_t stream, uint64_t number)
{
    const struct row *row = find_row(t, stream);
    return !row || row->first->number > number;
}

/* Returns whether work in the stream EARLIER must end before later work in the stream LATER
 * begins. */
static bool comes_before(const struct order_stream *earlier, const struct order_stream *later)
{
    return earlier->number == later->number || (earlier->is_legacy && later->is_blocking) ||
           (earlier->is_blocking && later->is_legacy);
}

/* Returns the share of ENGINE that is free. */
static double room_in(const struct timeline *t, enum timeline_engine engine)
{
    double room = 1;
    for (size_t i = 0; i < t->running_count; i++) {
        const struct item *item = t->running[i]->first;
        if (item->work.engine == engine)
            room -= item->rate * item->work.share;
    }
    return room > NO_ROOM ? room : 0;
}

static bool may_start(const struct timeline *t, const struct row *row)
{
    const struct item *item = row->first;
    if (item->is_running || (item->type == WAIT && !is_done(t, item->for_stream, item->for_number)))
        return false;
    for (size_t i = 0; i < t->row_count; i++)
        if (t->rows[i]->first->number < item->number &&
            comes_before(&t->rows[i]->stream, &row->stream))
            return false;
    return item->work.engine == TIMELINE_NOWHERE || room_in(t, item->work.engine) > 0;
}

static struct row *next_to_start(const struct timeline *t)
{
    struct row *best = NULL;
    for (size_t i = 0; i < t->row_count; i++)
        if ((!best || t->rows[i]->first->number < best->first->number) && may_start(t, t->rows[i]))
            best = t->rows[i];
    return best;
}

static void start_all(struct timeline *t)
{
    for (struct row *row; (row = next_to_start(t));) {
        struct item *item = row->first;
        double room = item->work.engine == TIMELINE_NOWHERE ? 1 : room_in(t, item->work.engine);
        item->is_running = true;
        item->start = t->now;
        item->rate = room < item->work.share ? room / item->work.share : 1;
        t->running[t->running_count++] = row;
        if (item->left <= AN_END)
            end_item(t, row);
    }
}

/* --- time ------------------------------------------------------------------------------------- */

/* After a kernel has ended, divides the multiprocessors among the kernels that still run. */
static void set_rates(struct timeline *t)
{
    double room = 1;
    for (size_t i = 0; i < t->running_count; i++) {
        struct item *item = t->running[i]->first;
        if (item->work.engine != TIMELINE_COMPUTE)
            continue;
        double got = room < item->work.share ? room : item->work.share;
        item->rate = got / item->work.share;
        room -= got;
    }
}

static void add_time(struct timeline *t, double us)
{
    bool kernels = false, copies = false;
    for (size_t i = 0; i < t->running_count; i++) {
        struct item *item = t->running[i]->first;
        bool has_engine = item->work.engine != TIMELINE_NOWHERE;
        item->left -= item->rate * us;
        kernels |= has_engine && !item->work.is_copy;
        copies |= has_engine && item->work.is_copy;
    }
    t->totals.kernels_us += kernels ? us : 0;
    t->totals.copies_us += copies ? us : 0;
    t->totals.overlapped_us += kernels && copies ? us : 0;
    t->now += us;
}

/* Advances the time until an item ends. Returns false if there is no item that can end. */
static bool step(struct timeline *t)
{
    double us = 0;
    start_all(t);
    for (size_t i = 0; i < t->running_count; i++) {
        const struct item *item = t->running[i]->first;
        double needs = item->rate > 0 ? item->left / item->rate : 0;
        us = item->rate > 0 && (needs < us || us <= 0) ? needs : us;
    }
    if (!t->running_count || us <= 0)
        return false;
    add_time(t, us);
    for (size_t i = t->running_count; i-- > 0;)
        if (t->running[i]->first->left <= AN_END)
            end_item(t, t->running[i]);
    set_rates(t);
    return true;
}

/* --- submitting ------------------------------------------------------------------------------- */

static struct item *append(struct timeline *t, const struct order_stream *stream, double us)
{
    while (t->queued >= MOST_QUEUED && step(t))
        ;
    struct item *item = calloc(1, sizeof *item);
    struct row *row = item ? row_of(t, stream) : NULL;
    if (!row) {
        free(item);
        return NULL;
    }
    item->number = ++t->last_number;
    item->work = (struct timeline_work){.engine = TIMELINE_NOWHERE, .share = 1};
    item->left = us;
    *row->last = item;
    row->last = &item->next;
    t->queued++;
    return item;
}

bool timeline_add(struct timeline *t, const struct order_stream *stream,
                  const struct timeline_work *work)
{
    struct item *item = append(t, stream, work->us);
    if (item) {
        item->type = WORK;
        item->work = *work;
    }
    return item;
}

bool timeline_record(struct timeline *t, const struct order_stream *stream,
                     struct timeline_mark *mark, bool is_free)
{
    timeline_forget(t, mark); /* only the latest record of an event counts */
    struct item *item = append(t, stream, is_free ? 0 : t->event_us);
    if (item) {
        item->type = RECORD;
        item->mark = mark;
        *mark = (struct timeline_mark){stream->number, item->number, 0};
    }
    return item;
}

bool timeline_wait(struct timeline *t, const struct order_stream *stream,
                   const struct timeline_mark *mark)
{
    struct item *item =
        mark->number && !is_done(t, mark->stream, mark->number) ? append(t, stream, 0) : NULL;
    if (item) {
        item->type = WAIT;
        item->for_stream = mark->stream;
        item->for_number = mark->number;
    }
    return item || is_done(t, mark->stream, mark->number);
}

void timeline_forget(struct timeline *t, const struct timeline_mark *mark)
{
    const struct row *row = find_row(t, mark->stream);
    for (struct item *item = row ? row->first : NULL; item; item = item->next)
        if (item->mark == mark)
            item->mark = NULL;
}

/* --- waiting ---------------------------------------------------------------------------------- */

void timeline_host_waits(struct timeline *t, const struct timeline_mark *mark)
{
    while (!is_done(t, mark->stream, mark->number) && step(t))
        ;
}

static bool has_work_before(const struct timeline *t, const struct order_stream *stream)
{
    for (size_t i = 0; i < t->row_count; i++)
        if (comes_before(&t->rows[i]->stream, stream))
            return true;
    return false;
}

void timeline_host_waits_stream(struct timeline *t, const struct order_stream *stream)
{
    while (has_work_before(t, stream) && step(t))
        ;
}

void timeline_host_waits_all(struct timeline *t)
{
    while (t->row_count && step(t))
        ;
}

struct timeline_totals timeline_totals(const struct timeline *t)
{
    return t->totals;
}
