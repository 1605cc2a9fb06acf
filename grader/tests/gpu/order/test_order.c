/* Tests the search for accesses to the same bytes that are not ordered (conflicts). Each row is a
 * short program, step by step, and its conflicts.
 *
 * A step has a letter for the action, a stream, and the bytes that it touches:
 *
 *   "W s 0-8"   work in stream s writes bytes 0 to 7     "R s 0-8"   it reads them
 *   "U s 0-8"   it updates them with atomics             "S s 0-8"   it signals with them
 *   "+ s 0-8"   it allocates them                        "- s 0-8"   it frees them
 *   "e s"       records event e in s (e, f)              "> s e"     s waits for event e
 *   "h s"       the host waits for s                     "H e"       the host waits for event e
 *   "h *"       the host waits for all                   "x s"       destroys s
 *   "r 0-8"     the host reads bytes 0 to 7              "w 0-8"     it writes them
 *   "f 0-8"     the host frees them
 *
 * Streams: l is the legacy default stream, a to c are blocking, n to p are not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/order/order.h"

#define MOST_STEPS 10

struct row {
    const char *name, *steps[MOST_STEPS];
    /* for each conflict, the numbers of its two steps, such as "0-2"; in the order of their discovery */
    const char *conflicts;
};

struct run {
    struct order *order;
    struct order_clock events[2];
    char found[200];
};

static struct order_stream stream_of(char name)
{
    return (struct order_stream){
        .number = (uint64_t)name, .is_legacy = name == 'l', .is_blocking = name <= 'l'};
}

static void note(struct run *run, const struct order_work *earlier, const char *later)
{
    size_t used = strlen(run->found);
    snprintf(run->found + used, sizeof run->found - used, "%s%s-%s", used ? " " : "", earlier->name,
             later);
}

static void take(void *context, const struct order_conflict *conflict)
{
    note(context, conflict->earlier, conflict->later->name);
}

static struct order_clock *event_of(struct run *run, char name)
{
    return &run->events[name - 'e'];
}

static void add_work(struct run *run, const char *step, int number, emu_addr begin, emu_addr end)
{
    static const char kinds[] = "RWUS";
    const char *kind = strchr(kinds, step[0]);
    struct order_stream stream = stream_of(step[2]);
    struct order_work work = {.kind = step[0] == '+'   ? ORDER_ALLOCATES
                                      : step[0] == '-' ? ORDER_FREES
                                                       : ORDER_WORK,
                              .touch = malloc(sizeof *work.touch),
                              .count = 1};
    snprintf(work.name, sizeof work.name, "%d", number);
    *work.touch =
        (struct emu_touch){begin, end, kind ? (enum emu_touch_kind)(kind - kinds) : EMU_WRITES};
    order_add(run->order, &stream, &work);
}

static void touch_on_host(struct run *run, char step, const char *name, emu_addr begin,
                          emu_addr end)
{
    struct order_conflict conflict;
    order_signal(run->order, begin, end - begin);
    if (step == 'f' ? order_check_free(run->order, begin, end - begin, &conflict)
                    : order_check_host(run->order, begin, end - begin, step == 'w', &conflict))
        note(run, conflict.earlier, name);
    if (step == 'f')
        order_forget_memory(run->order, begin, end - begin);
}

static void perform(struct run *run, const char *step, int number)
{
    struct order_stream stream = stream_of(step[2]);
    unsigned begin = 0, end = 0;
    char name[12];
    snprintf(name, sizeof name, "%d", number);
    sscanf(step + (strchr("rwf", step[0]) ? 2 : 4), "%u-%u", &begin, &end);
    switch (step[0]) {
    case 'e':
    case 'f':
    case 'r':
    case 'w':
        if (end > 0)
            touch_on_host(run, step[0], name, begin, end);
        else
            order_record(run->order, &stream, event_of(run, step[0]));
        return;
    case '>':
        order_stream_waits(run->order, &stream, event_of(run, step[4]));
        return;
    case 'h':
        if (step[2] == '*')
            order_host_waits_all(run->order);
        else
            order_host_waits_stream(run->order, &stream);
        return;
    case 'H':
        order_host_waits(run->order, event_of(run, step[2]));
        return;
    case 'x':
        order_end_stream(run->order, &stream);
        return;
    default:
        add_work(run, step, number, begin, end);
    }
}

static void check(const struct row *row)
{
    struct run run = {.found = ""};
    run.order = order_open(take, &run);
    for (int i = 0; i < MOST_STEPS && row->steps[i]; i++)
        perform(&run, row->steps[i], i);
    cr_expect_str_eq(run.found, row->conflicts, "%s: '%s', expected '%s'", row->name, run.found,
                     row->conflicts);
    order_close(run.order);
    free(run.events[0].last);
    free(run.events[1].last);
}

#define CHECK_ALL(rows)                                                                            \
    for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++)                                     \
    check(&(rows)[i])

Test(order, of_kinds_of_access)
{
    static const struct row rows[] = {
        {"write, then read", {"W n 0-8", "R o 0-8"}, "0-1"},
        {"read, then write", {"R n 0-8", "W o 0-8"}, "0-1"},
        {"two writes", {"W n 0-8", "W o 0-8"}, "0-1"},
        {"two reads", {"R n 0-8", "R o 0-8"}, ""},
        {"two updates", {"U n 0-8", "U o 0-8"}, ""},
        {"update, then read", {"U n 0-8", "R o 0-8"}, "0-1"},
        {"write, then update", {"W n 0-8", "U o 0-8"}, "0-1"},
        {"signals", {"S n 0-8", "W o 0-8", "S p 0-8"}, ""},
        {"volatile accesses to many bytes", {"S n 0-5000", "W o 8-16", "S p 0-5000"}, "0-1 1-2"},
        {"neighbours", {"W n 0-8", "W o 8-16"}, ""},
        {"one byte in common", {"W n 0-9", "W o 8-16"}, "0-1"},
        {"one inside the other", {"W n 0-90", "R o 8-16"}, "0-1"},
    };
    CHECK_ALL(rows);
}

Test(order, of_streams)
{
    static const struct row rows[] = {
        {"one stream", {"W a 0-8", "R a 0-8"}, ""},
        {"two blocking streams", {"W a 0-8", "R b 0-8"}, "0-1"},
        {"blocking, then legacy", {"W a 0-8", "R l 0-8"}, ""},
        {"legacy, then blocking", {"W l 0-8", "R a 0-8"}, ""},
        {"legacy between", {"W a 0-8", "R l 20-28", "R b 0-8"}, ""},
        {"legacy before both", {"W l 20-28", "W a 0-8", "R b 0-8"}, "1-2"},
        {"non-blocking, then legacy", {"W n 0-8", "R l 0-8"}, "0-1"},
        {"legacy, then non-blocking", {"W l 0-8", "R n 0-8"}, "0-1"},
        {"three streams", {"W a 0-8", "W b 8-16", "R c 0-16"}, "0-2 1-2"},
        {"destroyed, then used by another", {"W n 0-8", "x n", "R o 0-8"}, "0-2"},
        {"destroyed, then legacy", {"W a 0-8", "x a", "R l 0-8"}, ""},
        {"created again", {"W n 0-8", "x n", "R n 0-8"}, "0-2"},
        {"replaced by the same", {"W n 0-8", "W n 0-8", "R o 0-8"}, "1-2"},
    };
    CHECK_ALL(rows);
}

Test(order, of_events)
{
    static const struct row rows[] = {
        {"event", {"W n 0-8", "e n", "> o e", "R o 0-8"}, ""},
        {"recorded too early", {"e n", "W n 0-8", "> o e", "R o 0-8"}, "1-3"},
        {"waits before the record", {"W n 0-8", "> o e", "e n", "R o 0-8"}, "0-3"},
        {"recorded again", {"W n 0-8", "e n", "W n 8-16", "e n", "> o e", "R o 0-16"}, ""},
        {"waits, then recorded again",
         {"W n 0-8", "e n", "> o e", "W n 8-16", "e n", "R o 0-16"},
         "3-5"},
        {"through a third stream", {"W n 0-8", "e n", "> o e", "f o", "> p f", "R p 0-8"}, ""},
        {"of a later record", {"W n 0-8", "e n", "e o", "> p e", "R p 0-8"}, "0-4"},
        {"of the legacy stream", {"W a 0-8", "e l", "> n e", "R n 0-8"}, ""},
        {"legacy waits, blocking follows", {"W n 0-8", "e n", "> l e", "R a 0-8"}, ""},
        {"the later of two", {"W n 0-8", "e n", "> o e", "W o 0-8", "R p 0-8"}, "3-4"},
        {"joins one of two", {"W n 0-8", "W o 8-16", "e n", "> p e", "R p 0-16"}, "1-4"},
    };
    CHECK_ALL(rows);
}

Test(order, of_the_host)
{
    static const struct row rows[] = {
        {"reads what is written", {"W a 0-8", "r 4-5"}, "0-1"},
        {"reads what is read", {"R a 0-8", "r 4-5"}, ""},
        {"writes what is read", {"R a 0-8", "w 4-5"}, "0-1"},
        {"reads other bytes", {"W a 0-8", "r 8-9"}, ""},
        {"reads what is updated", {"U a 0-8", "r 4-5"}, "0-1"},
        {"waits for the stream", {"W a 0-8", "h a", "r 4-5"}, ""},
        {"waits for another stream", {"W a 0-8", "h b", "r 4-5"}, "0-2"},
        {"waits for all", {"W n 0-8", "h *", "r 4-5"}, ""},
        {"waits for the legacy stream", {"W a 0-8", "h l", "r 4-5"}, ""},
        {"the legacy stream is not enough", {"W n 0-8", "h l", "r 4-5"}, "0-2"},
        {"waits for an empty blocking stream", {"W l 0-8", "h a", "r 4-5"}, "0-2"},
        {"waits for an event", {"W n 0-8", "e n", "H e", "r 4-5"}, ""},
        {"an event before the work", {"e n", "W n 0-8", "H e", "r 4-5"}, "1-3"},
        {"waits, so later work comes after", {"W n 0-8", "h n", "R o 0-8"}, ""},
        {"waits for a stream that waited", {"W n 0-8", "e n", "> o e", "h o", "r 0-1"}, ""},
        {"a signal", {"S n 0-4", "r 0-4", "r 0-4"}, ""},
        {"data behind a signal", {"W n 8-16", "S n 0-4", "r 0-4", "r 8-9"}, ""},
        {"data of another stream", {"W o 8-16", "S n 0-4", "r 0-4", "r 8-9"}, "0-3"},
    };
    CHECK_ALL(rows);
}

Test(order, of_memory)
{
    static const struct row rows[] = {
        {"freed in another stream", {"R n 0-8", "- o 0-8"}, "0-1"},
        {"freed in the stream", {"R n 0-8", "- n 0-8"}, ""},
        {"freed behind an event", {"R n 0-8", "e n", "> o e", "- o 0-8"}, ""},
        {"used before it is allocated", {"+ n 0-8", "W o 0-8"}, "0-1"},
        {"used behind an event", {"+ n 0-8", "e n", "> o e", "W o 0-8"}, ""},
        {"freed by the host", {"W n 0-8", "f 0-8"}, "0-1"},
        {"freed by the host after waiting", {"W n 0-8", "h n", "f 0-8"}, ""},
        {"allocated, then freed by the host", {"+ n 0-8", "f 0-8"}, ""},
        {"new memory at the address", {"W n 0-8", "f 0-8", "W o 0-8"}, "0-1"},
        {"half of it freed", {"W n 0-8", "f 0-4", "W o 0-4", "W o 4-8"}, "0-1 0-3"},
    };
    CHECK_ALL(rows);
}

static void none(void *context, const struct order_conflict *conflict)
{
    (void)context;
    (void)conflict;
    cr_expect(false, "a conflict");
}

/* The host launches in a loop and never waits. The list of launches must not grow without limit. */
Test(order, keeps_little)
{
    struct order *order = order_open(none, NULL);
    struct order_stream stream = stream_of('n');
    for (uint64_t i = 0; i < 100000; i++) {
        struct order_work work = {.touch = malloc(sizeof *work.touch), .count = 1};
        *work.touch = (struct emu_touch){8 * (i % 5000), 8 * (i % 5000) + 8, EMU_WRITES};
        order_add(order, &stream, &work);
    }
    cr_expect_leq(order_in_flight(order), 2048u);
    cr_expect_geq(order_in_flight(order), 1000u);
    order_close(order);
}

static void count(void *context, const struct emu_touch *touch)
{
    (void)touch;
    ++*(unsigned *)context;
}

/* A host function runs after earlier work in its own stream, but not after work in other streams. */
Test(order, of_host_functions)
{
    struct run run = {.found = ""};
    struct order_stream n = stream_of('n');
    struct order_conflict conflict;
    unsigned touches = 0;
    run.order = order_open(take, &run);
    add_work(&run, "W n", 0, 0, 8);
    add_work(&run, "W o", 1, 8, 16);
    order_record(run.order, &n, &run.events[0]);
    order_set_host(run.order, &run.events[0]);
    cr_expect(!order_check_host(run.order, 0, 8, false, &conflict));
    cr_expect(order_check_host(run.order, 8, 8, false, &conflict));
    order_each_touch(run.order, 0, 16, count, &touches);
    cr_expect_eq(touches, 1u);
    order_set_host(run.order, NULL);
    cr_expect(order_check_host(run.order, 0, 8, false, &conflict));
    order_ignore(run.order, conflict.earlier);
    cr_expect(!order_check_host(run.order, 0, 8, false, &conflict));
    order_close(run.order);
    free(run.events[0].last);
}
