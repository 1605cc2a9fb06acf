/* Turns races between two instructions into findings. Races with the same cause become one
 * finding. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/deductions.h"
#include "gpu/observe/describe.h"
#include "gpu/observe/race_advice.h"

#define MAX_PAIRS 1000u

/* --- pairs of sites --------------------------------------------------------------------------- */

static struct race_pair *find_pair(struct race *race, uint32_t one, uint32_t other, bool is_shared)
{
    for (uint32_t i = 0; i < race->pair_count; i++) {
        struct race_pair *pair = &race->pairs[i];
        if (pair->one.site == one && pair->other.site == other && pair->is_shared == is_shared)
            return pair;
    }
    if (race->pair_count == MAX_PAIRS)
        return NULL;
    if (race->pair_count == race->pair_room) {
        uint32_t room = race->pair_room ? 2 * race->pair_room : 16;
        struct race_pair *pairs = realloc(race->pairs, room * sizeof *pairs);
        if (!pairs)
            return NULL;
        race->pairs = pairs;
        race->pair_room = room;
    }
    struct race_pair *pair = &race->pairs[race->pair_count++];
    *pair = (struct race_pair){.is_shared = is_shared};
    return pair;
}

struct race_pair *race_add(struct race *race, struct race_access first, struct race_access second,
                           enum race_distance distance, bool is_shared, uint64_t addr)
{
    bool in_order = first.site <= second.site;
    struct race_access one = in_order ? first : second, other = in_order ? second : first;
    struct race_pair *pair = find_pair(race, one.site, other.site, is_shared);
    if (!pair)
        return NULL;
    if (!pair->count++ || distance > pair->distance) {
        pair->one = one;
        pair->other = other;
        pair->distance = (uint8_t)distance;
        pair->addr = addr;
    }
    return pair;
}

/* --- pairs of lines --------------------------------------------------------------------------- */

/* Makes `other` the access on the later line. The finding is reported on that line, and its message
 * names the earlier line. */
static void put_later_last(const struct race *race, struct race_pair *pair)
{
    if (race_compare_places(race_place_of(race, &pair->one), race_place_of(race, &pair->other)) <=
        0)
        return;
    struct race_access one = pair->one;
    pair->one = pair->other;
    pair->other = one;
}

static bool is_same_lines(const struct race *race, const struct race_pair *a,
                          const struct race_pair *b)
{
    return a->is_shared == b->is_shared &&
           !race_compare_places(race_place_of(race, &a->one), race_place_of(race, &b->one)) &&
           !race_compare_places(race_place_of(race, &a->other), race_place_of(race, &b->other));
}

/* Returns whether both accesses are in code by AUTHOR, or by an author that view_author() ranks
 * higher. */
static bool is_of(const struct race *race, const struct race_pair *pair, enum view_author author)
{
    return view_author(race->launch, race->sites[pair->one.site].pc) >= author &&
           view_author(race->launch, race->sites[pair->other.site].pc) >= author;
}

/* Merges pairs that are on the same two lines. The example of the merged pair is the first pair
 * with the largest distance. */
static void join_pairs(struct race *race)
{
    struct race_causes causes;
    uint32_t kept = 0;
    race_causes_open(&causes, race);
    for (uint32_t i = 0; i < race->pair_count; i++)
        if (race->pairs[i].one.site == race->pairs[i].other.site)
            race->sites[race->pairs[i].one.site].is_contended = true;
    for (uint32_t i = 0; i < race->pair_count; i++) {
        struct race_pair pair = race->pairs[i];
        /* trusted library code is correct, but racecheck cannot see why */
        if (is_of(race, &pair, VIEW_TRUSTED))
            continue;
        uint32_t at = 0;
        bool is_library = pair.distance != RACE_COPY && is_of(race, &pair, VIEW_LIBRARY);
        unsigned found = is_library ? CAUSE_CALLS : race_causes_find(&causes, &pair);
        put_later_last(race, &pair);
        while (at < kept && !is_same_lines(race, &race->pairs[at], &pair))
            at++;
        uint64_t count = pair.count + (at < kept ? race->pairs[at].count : 0);
        found |= at < kept ? race->pairs[at].causes : 0;
        if (at == kept || pair.distance > race->pairs[at].distance)
            race->pairs[at] = pair;
        race->pairs[at].count = count;
        race->pairs[at].causes = (uint8_t)found;
        kept += at == kept;
    }
    race->pair_count = kept;
    race_causes_close(&causes);
}

/* --- messages --------------------------------------------------------------------------------- */

/* Writes the place of the other access: " on line 29", or " here" if both are on the same line. */
static void print_place(char *text, size_t size, const struct race *race,
                        const struct race_pair *pair)
{
    struct source_line here = race_place_of(race, &pair->other),
                       there = race_place_of(race, &pair->one);
    struct ptx_name path = ptx_file_path(race->launch->module, there.file);
    const char *slash = path.length ? memrchr(path.text, '/', path.length) : NULL;
    const char *name = slash ? slash + 1 : path.text;
    int length = (int)(path.text + path.length - name);
    if (!there.line || !race_compare_places(here, there))
        snprintf(text, size, " here");
    else if (here.file == there.file)
        snprintf(text, size, " on line %u", there.line);
    else
        snprintf(text, size, " on line %u of %.*s", there.line, length < 40 ? length : 40, name);
}

static const char *verb_of(const struct race *race, const struct race_access *access)
{
    static const char *const verbs[] = {"reads", "writes", "updates"};
    return verbs[race->sites[access->site].kind];
}

/* Writes the last part of the message: the barrier, fence or atomic that is missing. */
static void print_cause(char *text, size_t size, const struct race *race,
                        const struct race_pair *pair)
{
    const char *barrier = race_barrier(race, pair->distance);
    bool one_atomic = race->sites[pair->one.site].kind == RACE_ATOMIC ||
                      race->sites[pair->other.site].kind == RACE_ATOMIC;
    if (pair->causes & CAUSE_CALLS)
        snprintf(text, size, "no %s between two calls", barrier);
    else if (pair->causes & CAUSE_UPDATE)
        snprintf(text, size, "one of the two updates is lost");
    else if (pair->causes & CAUSE_WRITES)
        snprintf(text, size, "one of the two values is lost");
    else if (pair->distance == RACE_COPY)
        snprintf(text, size, "no wait for the asynchronous copy in between");
    else if (pair->distance == RACE_GRID && pair->is_shared)
        snprintf(text, size, "no cluster.sync() in between");
    else if (pair->distance == RACE_GRID && one_atomic)
        snprintf(text, size, "only one of the accesses is atomic");
    else if (pair->distance == RACE_GRID)
        snprintf(text, size, "%s",
                 race_lacks_fence(race) ? "no __threadfence() in between"
                                        : "nothing orders the accesses");
    else if (pair->causes & CAUSE_STATEMENT)
        snprintf(text, size, "nothing orders a read and a write in the same statement");
    else if (!(pair->causes & CAUSE_ROUND))
        snprintf(text, size, "no %s in between", barrier);
    else if (!(pair->causes & CAUSE_STRAIGHT))
        snprintf(text, size, "no %s before the loop's next iteration", barrier);
    else
        snprintf(text, size, "no %s in between or before the loop's next iteration", barrier);
}

static void print_message(char *text, size_t size, const struct race *race,
                          const struct race_pair *pair)
{
    char here[112], there[112], name[32], place[80], cause[100];
    const struct launch_view *launch = race->launch;
    describe_thread(here, sizeof here, launch, pair->other.thread, pair->other.cta, true);
    describe_thread(there, sizeof there, launch, pair->one.thread, pair->one.cta,
                    pair->distance == RACE_GRID);
    describe_variable(name, sizeof name, launch, pair->is_shared, pair->addr);
    print_place(place, sizeof place, race, pair);
    print_cause(cause, sizeof cause, race, pair);
    snprintf(text, size, "%s %s the word%s%s that %s %s%s: %s", here, verb_of(race, &pair->other),
             *name ? " of " : "", name, there, verb_of(race, &pair->one), place, cause);
}

/* --- findings --------------------------------------------------------------------------------- */

/* Stores the pairs of pcs for initcheck. It uses them to find reads that came too early because of
 * the race. */
static void list_pairs(struct finding *finding, const struct race *race,
                       const struct race_group *group)
{
    for (uint32_t i = group->first; i < race->pair_count; i++) {
        const struct race_pair *pair = &race->pairs[i];
        if (pair->group != group->first || finding->pair_count == FINDING_PAIRS)
            continue;
        uint32_t *listed = finding->pairs[finding->pair_count++];
        listed[0] = race->sites[pair->one.site].pc;
        listed[1] = race->sites[pair->other.site].pc;
    }
}

static void add_finding(const struct race *race, const struct race_group *group)
{
    const struct race_pair *pair = &race->pairs[group->example];
    struct findings *findings = race->launch->findings;
    uint32_t pc = race->sites[pair->other.site].pc, related = race->sites[pair->one.site].pc;
    struct finding *finding = findings_add_pair(
        findings, pair->is_shared ? "race-shared" : "race-global", pc, related, group->count);
    if (finding) {
        print_message(finding->message, sizeof finding->message, race, pair);
        if (group->pairs > 1 && !(group->causes & CAUSE_CALLS))
            race_print_others(finding->message, sizeof finding->message, race, group);
        race_print_advice(finding->advice, sizeof finding->advice, race, group);
        if (group->causes & CAUSE_WRITES)
            finding->deduction =
                group->distance <= RACE_ONE_WARP ? DEDUCED_LANES_STORE : DEDUCED_BOTH_STORE;
        else if (race->sites[pair->other.site].kind == RACE_READ)
            finding->deduction = DEDUCED_READ;
        if (!(group->causes & CAUSE_NO_BARRIER))
            list_pairs(finding, race, group);
    }
    findings_unlock(findings);
}

/* Compares two pairs by source line, so that the order of the report does not depend on the
 * order of the accesses. */
static int by_place(const void *a, const void *b, void *race)
{
    const struct race_pair *x = a, *y = b;
    int order = race_compare_places(race_place_of(race, &x->other), race_place_of(race, &y->other));
    if (!order)
        order = race_compare_places(race_place_of(race, &x->one), race_place_of(race, &y->one));
    return order ? order : x->is_shared - y->is_shared;
}

/* Reports that memory ran out. Otherwise, a launch that was checked only in part would seem
 * correct. */
static void report_memory_out(const struct race *race)
{
    struct findings *findings = race->launch->findings;
    struct finding *finding = findings_add(findings, "races-unwatched", 0);
    if (finding)
        snprintf(finding->message, sizeof finding->message,
                 "race detection stopped early because memory ran out");
    findings_unlock(findings);
}

void race_report(struct race *race)
{
    if (race->failed || race->order.failed)
        report_memory_out(race);
    join_pairs(race);
    if (race->pair_count)
        qsort_r(race->pairs, race->pair_count, sizeof *race->pairs, by_place, race);
    race_find_groups(race);
    for (uint32_t i = 0; i < race->pair_count; i++) {
        struct race_group group = race_group_of(race, i);
        if (group.first == i)
            add_finding(race, &group);
    }
}
