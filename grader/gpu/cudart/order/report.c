/* Reports the findings of the order check. */
#include <stdio.h>
#include <string.h>

#include "gpu/cudart/order/parts.h"

enum { MOST_KEPT = 64 };

static struct host_conflict kept[MOST_KEPT];
static unsigned kept_count;

/* Returns a verb for an access that the work in flight may still make. */
static const char *verb(enum emu_touch_kind touch)
{
    return touch == EMU_READS ? "read" : "write";
}

static const char *verbs(enum emu_touch_kind touch)
{
    return touch == EMU_READS ? "reads" : "writes";
}

/* --- conflicts between two work items --------------------------------------------------------- */

static bool is_same_place(struct emu_place one, struct emu_place other)
{
    return one.line == other.line && one.file && other.file && strcmp(one.file, other.file) == 0;
}

/* Returns whether no conflict on these two lines has been reported yet. */
static bool is_new(struct emu_place earlier, struct emu_place later)
{
    enum { MOST = 256 };
    static struct emu_place known[MOST][2];
    static unsigned count;
    for (unsigned i = 0; i < count; i++)
        if (is_same_place(known[i][0], earlier) && is_same_place(known[i][1], later))
            return false;
    if (count == MOST)
        return false;
    known[count][0] = earlier;
    known[count++][1] = later;
    return true;
}

/* Writes advice if one of the two work items is in the default stream, which does not wait for
 * non-blocking streams. Otherwise returns NULL. */
static const char *explain_default(const struct order_work *earlier, const struct order_work *later,
                                   char text[ORDER_ADVICE])
{
    const struct order_work *work = later->is_legacy ? later : earlier;
    if (!work->is_legacy || !work->place.line)
        return NULL;
    bool is_kernel = strncmp(work->name, "kernel ", 7) == 0;
    snprintf(text, ORDER_ADVICE,
             "the %s in line %u names no stream, so it runs in the default stream: should it be in "
             "the other work's stream%s?",
             is_kernel ? "launch" : "call", (unsigned)work->place.line,
             is_kernel ? ", <<<blocks, threads, 0, stream>>>" : "");
    return text;
}

void order_report_work(void *context, const struct order_conflict *conflict)
{
    const struct order_work *earlier = conflict->earlier, *later = conflict->later;
    struct rt_places places = {.at = later->place, .earlier = earlier->place};
    char advice[ORDER_ADVICE];
    (void)context;
    if (earlier->place.file && !is_new(earlier->place, later->place))
        return;
    if (later->kind == ORDER_FREES) {
        places.earlier_text = "this work may still run";
        rt_finding_at("freed-in-use", NULL, &places, 1,
                      "cudaFreeAsync() frees memory that %s, in another stream, may still %s",
                      earlier->name, verb(conflict->earlier_touch));
    } else if (earlier->kind == ORDER_ALLOCATES) {
        places.earlier_text = "allocated in another stream";
        rt_finding_at("used-too-early", NULL, &places, 1,
                      "%s %s memory that another stream may not have allocated yet", later->name,
                      verbs(conflict->later_touch));
    } else {
        places.earlier_text = "the other stream's work";
        places.help = order_explain_waits(earlier, later, advice);
        if (!places.help)
            places.help = explain_default(earlier, later, advice);
        rt_finding_at("race-streams", NULL, &places, 1,
                      "%s %s memory that %s, in another stream, may still %s", later->name,
                      verbs(conflict->later_touch), earlier->name, verb(conflict->earlier_touch));
    }
}

void order_report_free(const struct order_conflict *conflict)
{
    const struct order_work *earlier = conflict->earlier;
    struct rt_places places = {.at = rt_caller(), .earlier = earlier->place};
    places.earlier_text = "this work may still run";
    if (earlier->place.file && !is_new(earlier->place, places.at))
        return;
    rt_finding_at("freed-in-use", NULL, &places, 1, "the host frees memory that %s may still %s",
                  earlier->name, verb(conflict->earlier_touch));
}

/* --- with the host ---------------------------------------------------------------------------- */

static bool is_same(const struct host_conflict *one, const struct host_conflict *other)
{
    return one->stack[0] == other->stack[0] && one->writes == other->writes &&
           one->place.line == other->place.line && strcmp(one->earlier, other->earlier) == 0;
}

void order_keep(const struct order_conflict *conflict, bool writes, void *const *stack, int depth)
{
    struct host_conflict found = {.place = conflict->earlier->place,
                                  .earlier_touch = conflict->earlier_touch,
                                  .writes = writes,
                                  .count = 1,
                                  .depth = depth};
    const int most = sizeof found.stack / sizeof *found.stack;
    if (found.depth > most)
        found.depth = most;
    memcpy(found.stack, stack, (size_t)found.depth * sizeof *stack);
    memcpy(found.earlier, conflict->earlier->name, sizeof found.earlier);
    for (unsigned i = 0; i < kept_count; i++)
        if (is_same(&kept[i], &found)) {
            kept[i].count++;
            return;
        }
    if (kept_count < MOST_KEPT)
        kept[kept_count++] = found;
}

static void report(const struct host_conflict *conflict)
{
    struct rt_places places = {.at = rt_place_in(conflict->stack, conflict->depth),
                               .earlier = conflict->place,
                               .earlier_text = "this work may still run"};
    if (places.at.file && conflict->place.file && !is_new(conflict->place, places.at))
        return;
    rt_finding_at(conflict->writes ? "host-writes-early" : "host-reads-early", NULL, &places, 1,
                  "the host %s memory that %s may still %s",
                  conflict->writes ? "writes to" : "reads", conflict->earlier,
                  verb(conflict->earlier_touch));
}

void order_report_kept(void)
{
    struct host_conflict own[MOST_KEPT];
    if (!kept_count)
        return;
    order_lock();
    unsigned count = kept_count;
    memcpy(own, kept, count * sizeof *own);
    kept_count = 0;
    order_unlock();
    for (unsigned i = 0; i < count; i++)
        report(&own[i]);
}
