/* Stores the latest events and waits. If two work items conflict, this shows which wait should have
 * ordered them but did not. */
#include <stdio.h>

#include "gpu/cudart/order/parts.h"

enum { MOST_RECORDS = 64, MOST_WAITS = 64 };

/* The latest recording of an event. CLOCK identifies the event. */
struct record {
    const struct order_clock *clock;
    uint64_t stream;
    uint64_t works; /* number of work items, in all streams, before this recording */
    struct emu_place place;
};

/* A stream's wait for an event. */
struct wait {
    uint64_t stream;
    bool is_used; /* the stream has received work since the wait */
    struct emu_place place;
    struct record event;
};

static struct record records[MOST_RECORDS];
static struct wait waits[MOST_WAITS];
static unsigned record_count, wait_count;
static uint64_t works;

void order_number_work(struct order_work *work)
{
    work->number = ++works;
}

void order_note_work(uint64_t stream)
{
    for (unsigned i = 0; i < wait_count && i < MOST_WAITS; i++)
        waits[i].is_used |= waits[i].stream == stream;
}

void order_note_record(const struct order_clock *event, uint64_t stream, struct emu_place place)
{
    unsigned i = 0;
    while (i < record_count && i < MOST_RECORDS && records[i].clock != event)
        i++;
    if (i == record_count || i == MOST_RECORDS)
        i = record_count++ % MOST_RECORDS;
    records[i] = (struct record){event, stream, works, place};
}

void order_note_wait(const struct order_clock *event, uint64_t stream, struct emu_place place)
{
    for (unsigned i = 0; i < record_count && i < MOST_RECORDS; i++)
        if (records[i].clock == event)
            waits[wait_count++ % MOST_WAITS] =
                (struct wait){.stream = stream, .place = place, .event = records[i]};
}

/* Returns whether WAIT explains why EARLIER and LATER conflict. Each of the functions below detects
 * one mistake in the program. */
typedef bool explains(const struct wait *wait, const struct order_work *earlier,
                      const struct order_work *later);

/* The mistake: a stream waits for an event that was recorded in the same stream. Such a wait orders
 * nothing. */
static bool is_vain(const struct wait *wait, const struct order_work *earlier,
                    const struct order_work *later)
{
    return wait->event.stream == wait->stream &&
           (wait->stream == earlier->stream || wait->stream == later->stream);
}

/* The mistake: the event was recorded in the right stream, but too soon, when the stream had not
 * yet received the EARLIER work item. The waiting stream has received no work since the wait, so
 * the wait should have protected the LATER work item. */
static bool is_too_early(const struct wait *wait, const struct order_work *earlier,
                         const struct order_work *later)
{
    return !wait->is_used && wait->stream == later->stream &&
           wait->event.stream == earlier->stream && wait->event.works < earlier->number;
}

/* The mistake: the wait for the earlier work item is in another stream than the later work item.
 * The waiting stream has received no work since the wait, so the wait is probably meant for the
 * later work item. */
static bool is_elsewhere(const struct wait *wait, const struct order_work *earlier,
                         const struct order_work *later)
{
    return wait->stream != later->stream && wait->stream != earlier->stream && !wait->is_used &&
           wait->event.stream == earlier->stream && wait->event.works >= earlier->number;
}

/* Returns the latest wait that is such a mistake (FITS), or NULL if there is none. */
static const struct wait *find(explains *fits, const struct order_work *earlier,
                               const struct order_work *later)
{
    unsigned count = wait_count < MOST_WAITS ? wait_count : MOST_WAITS;
    for (unsigned i = 1; i <= count; i++) {
        const struct wait *wait = &waits[(wait_count - i) % MOST_WAITS];
        /* a single call launched both, as a graph */
        bool is_graph = wait->place.line == wait->event.place.line;
        if (wait->place.line && !is_graph && fits(wait, earlier, later))
            return wait;
    }
    return NULL;
}

/* Returns whether the line that recorded WAIT's event has also recorded one after EARLIER. */
static bool has_later_record(const struct wait *wait, const struct order_work *earlier)
{
    for (unsigned i = 0; i < record_count && i < MOST_RECORDS; i++)
        if (records[i].place.line == wait->event.place.line &&
            records[i].stream == earlier->stream && records[i].works >= earlier->number)
            return true;
    return false;
}

const char *order_explain_waits(const struct order_work *earlier, const struct order_work *later,
                                char text[ORDER_ADVICE])
{
    const struct wait *vain = find(is_vain, earlier, later);
    const struct wait *early = vain ? NULL : find(is_too_early, earlier, later);
    const struct wait *other = vain || early ? NULL : find(is_elsewhere, earlier, later);
    if (vain)
        snprintf(text, ORDER_ADVICE,
                 "line %u waits for an event that line %u recorded in the same stream, so this "
                 "orders nothing: record the event in the stream of the first work, and wait in "
                 "the other stream",
                 (unsigned)vain->place.line, (unsigned)vain->event.place.line);
    else if (early && has_later_record(early, earlier))
        snprintf(text, ORDER_ADVICE,
                 "line %u waits for an event that line %u recorded before line %u started the "
                 "other work: wait for the event that line %u recorded after it",
                 (unsigned)early->place.line, (unsigned)early->event.place.line,
                 (unsigned)earlier->place.line, (unsigned)early->event.place.line);
    else if (early)
        snprintf(
            text, ORDER_ADVICE,
            "line %u records its event too early, before line %u starts the other work: record "
            "it after that line",
            (unsigned)early->event.place.line, (unsigned)earlier->place.line);
    else if (other)
        snprintf(text, ORDER_ADVICE,
                 "line %u makes a third stream wait for the other work, but not this stream: "
                 "should line %u use the third stream?",
                 (unsigned)other->place.line, (unsigned)later->place.line);
    return vain || early || other ? text : NULL;
}
