/* Tests when work runs. Each row is a short program, step by step, and the times of its work.
 *
 * A step is a letter for what happens, a stream, and microseconds:
 *
 *   "K a 10"     a kernel of 10 us that takes all multiprocessors    "K a 10 .25"   a quarter of them
 *   "> a 10"     a copy to the device        "< a 10"   a copy from the device
 *   "C a 10"     a copy on the device        "n a 0"    a host function
 *   "e a"        records event e in a (e, f)            "w b e"  b waits for event e
 *   "h a"        the host waits for a, "h *" for all    "H e"    the host waits for event e
 *   "x e"        forgets event e
 *
 * Streams: l is the legacy default stream, a to c are blocking, n to p are not. An event takes 1
 * us. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/order/timeline.h"

#define MOST_STEPS 12

struct row {
    const char *name, *steps[MOST_STEPS];
    /* For each copy or kernel, the number of its step and its times, such as "0:0-10". They are
     * sorted by their ends. */
    const char *times;
};

struct run {
    struct timeline *timeline;
    struct timeline_mark events[2];
    char found[300];
};

static struct order_stream stream_of(char name)
{
    return (struct order_stream){
        .number = (uint64_t)name, .is_legacy = name == 'l', .is_blocking = name <= 'l'};
}

static void take(void *context, const struct timeline_piece *piece)
{
    struct run *run = context;
    size_t used = strlen(run->found);
    snprintf(run->found + used, sizeof run->found - used, "%s%s:%g-%g", used ? " " : "",
             piece->work->name, piece->start_us, piece->end_us);
}

static void add_work(struct run *run, const char *step, int number)
{
    struct order_stream stream = stream_of(step[2]);
    struct timeline_work work = {.engine = step[0] == '>'   ? TIMELINE_TO_DEVICE
                                           : step[0] == '<' ? TIMELINE_FROM_DEVICE
                                           : step[0] == 'n' ? TIMELINE_NOWHERE
                                                            : TIMELINE_COMPUTE,
                                 .is_copy = step[0] != 'K',
                                 .share = 1};
    sscanf(step + 4, "%lf %lf", &work.us, &work.share);
    snprintf(work.name, sizeof work.name, "%d", number);
    cr_assert(timeline_add(run->timeline, &stream, &work));
}

static void perform(struct run *run, const char *step, int number)
{
    struct timeline *t = run->timeline;
    struct order_stream stream = stream_of(step[2]);
    switch (step[0]) {
    case 'e':
    case 'f':
        cr_assert(timeline_record(t, &stream, &run->events[step[0] - 'e'], false));
        return;
    case 'w':
        cr_assert(timeline_wait(t, &stream, &run->events[step[4] - 'e']));
        return;
    case 'h':
        if (step[2] == '*')
            timeline_host_waits_all(t);
        else
            timeline_host_waits_stream(t, &stream);
        return;
    case 'H':
        timeline_host_waits(t, &run->events[step[2] - 'e']);
        return;
    case 'x':
        timeline_forget(t, &run->events[step[2] - 'e']);
        return;
    default:
        add_work(run, step, number);
    }
}

static void check(const struct row *row)
{
    struct run run = {.found = ""};
    run.timeline = timeline_open(1, take, &run);
    for (int i = 0; i < MOST_STEPS && row->steps[i]; i++)
        perform(&run, row->steps[i], i);
    timeline_host_waits_all(run.timeline);
    cr_expect_str_eq(run.found, row->times, "%s: '%s', expected '%s'", row->name, run.found,
                     row->times);
    timeline_close(run.timeline);
}

#define CHECK_ALL(rows)                                                                            \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                     \
    check(&(rows)[i])

Test(timeline, of_streams)
{
    static const struct row rows[] = {
        {"one stream", {"> a 5", "K a 10", "< a 5"}, "0:0-5 1:5-15 2:15-20"},
        {"two streams overlap",
         {"> a 5", "K a 10", "< a 5", "> b 5", "K b 10", "< b 5"},
         "0:0-5 3:5-10 1:5-15 2:15-20 4:15-25 5:25-30"},
        {"legacy waits for blocking ones", {"> a 5", "> b 5", "K l 2"}, "0:0-5 1:5-10 2:10-12"},
        {"blocking ones wait for legacy", {"K l 2", "> a 5"}, "0:0-2 1:2-7"},
        {"blocking ones wait for earlier legacy work only", {"> a 5", "K l 2"}, "0:0-5 1:5-7"},
        {"non-blocking ones do not wait", {"K l 5", "> n 2", "K l 1"}, "1:0-2 0:0-5 2:5-6"},
        {"legacy does not wait for non-blocking ones", {"> n 9", "K l 2"}, "1:0-2 0:0-9"},
        {"a host function takes its turn", {"K a 3", "n a 0", "> a 2"}, "0:0-3 2:3-5"},
    };
    CHECK_ALL(rows);
}

Test(timeline, of_engines)
{
    static const struct row rows[] = {
        {"copies in one direction queue up", {"> n 5", "> o 5"}, "0:0-5 1:5-10"},
        {"copies in both directions do not", {"> n 5", "< o 5"}, "1:0-5 0:0-5"},
        {"kernels that fill the chip queue up", {"K n 5", "K o 5"}, "0:0-5 1:5-10"},
        {"kernels that fit run side by side", {"K n 5 .5", "K o 4 .5"}, "1:0-4 0:0-5"},
        {"a later kernel gets what is left", {"K n 6 .75", "K o 6 .5"}, "0:0-6 1:0-9"},
        {"a copy on the device needs the multiprocessors", {"K n 6", "C o 4"}, "0:0-6 1:6-10"},
        {"a kernel does not wait for a copy", {"> n 6", "K o 4"}, "1:0-4 0:0-6"},
        {"the program's order decides",
         {"K n 2", "> o 1", "K o 5", "K p 3"},
         "1:0-1 0:0-2 2:2-7 3:7-10"},
    };
    CHECK_ALL(rows);
}

Test(timeline, of_events)
{
    static const struct row rows[] = {
        {"an event takes its time", {"K n 5", "e n", "K n 2"}, "0:0-5 2:6-8"},
        {"a stream waits", {"K n 5", "e n", "w o e", "> o 2"}, "0:0-5 3:6-8"},
        {"only for the latest record", {"e n", "K n 5", "w o e", "> o 2"}, "3:1-3 1:1-6"},
        {"never recorded", {"w o e", "> o 2"}, "1:0-2"},
        {"through a third stream",
         {"K n 5 .1", "e n", "w o e", "f o", "w p f", "K p 2"},
         "0:0-5 5:7-9"},
        {"recorded again", {"e n", "K n 5", "e n", "w o e", "> o 1"}, "1:1-6 4:7-8"},
        {"forgotten while it is pending", {"K n 5", "e n", "x e", "> n 1"}, "0:0-5 3:6-7"},
    };
    CHECK_ALL(rows);
}

Test(timeline, of_the_host)
{
    static const struct row rows[] = {
        {"submits at once", {"K n 5", "> o 2"}, "1:0-2 0:0-5"},
        {"waits for a stream", {"K n 5", "h n", "> o 2"}, "0:0-5 2:5-7"},
        {"waits for the legacy stream", {"K a 5", "> n 9", "h l", "< o 2"}, "0:0-5 3:5-7 1:0-9"},
        {"waits for an event", {"K n 5", "e n", "K n 3", "H e", "> o 2"}, "0:0-5 4:6-8 2:6-9"},
        {"waits for all", {"K n 5", "> o 9", "h *", "> p 1"}, "0:0-5 1:0-9 3:9-10"},
    };
    CHECK_ALL(rows);
}

static void ignore(void *context, const struct timeline_piece *piece)
{
    (void)piece;
    ++*(unsigned *)context;
}

Test(timeline, totals)
{
    unsigned ended = 0;
    struct timeline *timeline = timeline_open(1, ignore, &ended);
    struct order_stream a = stream_of('n'), b = stream_of('o');
    struct timeline_work kernel = {.engine = TIMELINE_COMPUTE, .share = 1, .us = 10};
    struct timeline_work copy = {
        .engine = TIMELINE_TO_DEVICE, .share = 1, .us = 4, .is_copy = true, .bytes = 8};
    struct timeline_mark start = {0}, end = {0};
    timeline_record(timeline, &a, &start, false);
    timeline_add(timeline, &a, &kernel);
    timeline_record(timeline, &a, &end, false);
    timeline_add(timeline, &b, &copy);
    timeline_host_waits_all(timeline);
    struct timeline_totals totals = timeline_totals(timeline);
    cr_expect_eq(ended, 2);
    cr_expect_float_eq(end.us - start.us, 11, 1e-9, "%g us between the events", end.us - start.us);
    cr_expect_float_eq(totals.us, 11, 1e-9);
    cr_expect_float_eq(totals.kernels_us, 10, 1e-9);
    cr_expect_float_eq(totals.copies_us, 4, 1e-9);
    cr_expect_float_eq(totals.overlapped_us, 3, 1e-9);
    cr_expect(totals.kernels == 1 && totals.copies == 1);
    timeline_close(timeline);
}

/* A program that never waits fills the queue. The oldest work then ends. */
Test(timeline, the_queue_is_bounded)
{
    unsigned ended = 0;
    struct timeline *timeline = timeline_open(1, ignore, &ended);
    struct timeline_work kernel = {.engine = TIMELINE_COMPUTE, .share = 1, .us = 1};
    for (int i = 0; i < 100000; i++) {
        struct order_stream stream = stream_of((char)('a' + i % 16));
        cr_assert(timeline_add(timeline, &stream, &kernel));
    }
    cr_expect(ended > 98000 && ended < 100000, "%u", ended);
    timeline_host_waits_all(timeline);
    cr_expect_eq(ended, 100000);
    cr_expect_float_eq(timeline_totals(timeline).us, 100000, 1e-3);
    timeline_close(timeline);
}
