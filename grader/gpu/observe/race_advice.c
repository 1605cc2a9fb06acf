#include "gpu/observe/race_advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct source_line race_place_of(const struct race *race, const struct race_access *access)
{
    return view_line(race->launch, race->sites[access->site].pc);
}

int race_compare_places(struct source_line a, struct source_line b)
{
    if (a.file != b.file)
        return a.file < b.file ? -1 : 1;
    return (a.line > b.line) - (a.line < b.line);
}

/* --- groups ----------------------------------------------------------------------------------- */

static bool is_place_of(const struct race *race, const struct race_access *access,
                        const struct race_pair *pair)
{
    struct source_line place = race_place_of(race, access);
    return place.line && (!race_compare_places(place, race_place_of(race, &pair->one)) ||
                          !race_compare_places(place, race_place_of(race, &pair->other)));
}

/* Returns whether one pair is within a warp, the other is not, and both can lack the same barrier:
 * their lines overlap. The barrier of the block is then enough for both. */
static bool is_covered(const struct race *race, const struct race_pair *a,
                       const struct race_pair *b)
{
    struct source_line a_first = race_place_of(race, &a->one),
                       a_last = race_place_of(race, &a->other),
                       b_first = race_place_of(race, &b->one),
                       b_last = race_place_of(race, &b->other);
    return (a->distance < RACE_ONE_CTA) != (b->distance < RACE_ONE_CTA) && a->causes == b->causes &&
           race_compare_places(a_first, b_last) < 0 && race_compare_places(b_first, a_last) < 0;
}

/* Returns whether both pairs lack a barrier, and have a line in common or lack the same barrier. */
static bool is_related(const struct race *race, const struct race_pair *a,
                       const struct race_pair *b)
{
    bool lack_barrier = a->causes && b->causes && !((a->causes | b->causes) & CAUSE_NO_BARRIER) &&
                        a->distance <= RACE_ONE_CTA && b->distance <= RACE_ONE_CTA;
    return lack_barrier && a->is_shared == b->is_shared &&
           (is_place_of(race, &a->one, b) || is_place_of(race, &a->other, b) ||
            is_covered(race, a, b));
}

/* Moves all pairs of group FROM to group INTO, which has a lower index. */
static void unite(struct race *race, uint32_t from, uint32_t into)
{
    for (uint32_t i = 0; i < race->pair_count; i++)
        if (race->pairs[i].group == from)
            race->pairs[i].group = into;
}

void race_find_groups(struct race *race)
{
    for (uint32_t i = 0; i < race->pair_count; i++) {
        race->pairs[i].group = i;
        for (uint32_t k = 0; k < i; k++) {
            uint32_t one = race->pairs[k].group, other = race->pairs[i].group;
            if (one != other && is_related(race, &race->pairs[k], &race->pairs[i]))
                unite(race, one > other ? one : other, one < other ? one : other);
        }
    }
}

struct race_group race_group_of(const struct race *race, uint32_t i)
{
    struct race_group group = {.first = race->pairs[i].group};
    group.example = group.first;
    for (uint32_t k = group.first; k < race->pair_count; k++) {
        const struct race_pair *pair = &race->pairs[k];
        if (pair->group != group.first)
            continue;
        if (pair->distance > race->pairs[group.example].distance)
            group.example = k;
        group.pairs++;
        group.count += pair->count;
        group.causes |= pair->causes;
    }
    group.distance = race->pairs[group.example].distance;
    return group;
}

/* --- missing barriers and fences -------------------------------------------------------------- */

/* Returns the name of the barrier that is missing. For lanes of one warp this is __syncwarp(). But
 * in a block of one warp it is __syncthreads(), which stays correct if the block grows. */
const char *race_barrier(const struct race *race, unsigned distance)
{
    return distance < RACE_ONE_CTA && race->launch->warps > 1 ? "__syncwarp()" : "__syncthreads()";
}

bool race_lacks_fence(const struct race *race)
{
    bool has_ticket = false;
    for (uint32_t i = 1; i < race->site_count; i++)
        has_ticket |= race->sites[i].kind == RACE_ATOMIC && race->code[race->sites[i].pc].shows_old;
    return !race->order.has_wide_release && has_ticket;
}

/* --- advice about barriers -------------------------------------------------------------------- */

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text->at, text->left, format, args);
    va_end(args);
    if (length > 0 && (size_t)length < text->left) {
        text->at += length;
        text->left -= (size_t)length;
    }
}

/* The lines of the first and the second access of a pair, or a range of lines. */
struct span {
    uint32_t low, high;
};

static struct span span_of(const struct race *race, const struct race_pair *pair)
{
    return (struct span){race_place_of(race, &pair->one).line,
                         race_place_of(race, &pair->other).line};
}

static struct span group_span(const struct race *race, const struct race_group *group)
{
    struct span all = {UINT32_MAX, 0};
    for (uint32_t i = group->first; i < race->pair_count; i++) {
        struct span span = span_of(race, &race->pairs[i]);
        if (race->pairs[i].group != group->first)
            continue;
        all.low = span.low < all.low ? span.low : all.low;
        all.high = span.high > all.high ? span.high : all.high;
    }
    return all;
}

/* Returns whether LINE has a statement that reads and writes shared data, and so needs a barrier
 * between the read and the write. */
static bool is_statement_line(const struct race *race, const struct race_group *group,
                              uint32_t line)
{
    for (uint32_t i = group->first; i < race->pair_count; i++)
        if (race->pairs[i].group == group->first && race->pairs[i].causes & CAUSE_STATEMENT &&
            race_place_of(race, &race->pairs[i].one).line == line)
            return true;
    return false;
}

#define MOST_SPANS 4 /* advice names at most this many places for barriers */

/* Finds ranges of lines such that one barrier in each range is enough for all pairs of the group
 * that lack a barrier between their lines. Returns the number of ranges, at most MOST_SPANS + 1. */
static unsigned find_spans(const struct race *race, const struct race_group *group,
                           struct span *spans)
{
    unsigned count = 0;
    /* pairs are sorted by the line of `other`, which is the later of their two lines */
    for (uint32_t i = group->first; i < race->pair_count; i++) {
        const struct race_pair *pair = &race->pairs[i];
        struct span span = span_of(race, pair);
        bool is_done = pair->group != group->first || !(pair->causes & CAUSE_STRAIGHT) ||
                       is_statement_line(race, group, span.low);
        for (unsigned k = 0; k < count && !is_done; k++) {
            struct span *known = &spans[k];
            if (span.low >= known->high || span.high <= known->low)
                continue;
            known->low = span.low > known->low ? span.low : known->low;
            known->high = span.high < known->high ? span.high : known->high;
            is_done = true;
        }
        if (!is_done && count <= MOST_SPANS)
            spans[count++] = span;
    }
    return count;
}

/* Returns whether a pair of the group lacks a barrier before the next iteration of a loop. Ignores
 * lines for which append_statements() already advises a barrier. */
static bool lacks_round(const struct race *race, const struct race_group *group)
{
    for (uint32_t i = group->first; i < race->pair_count; i++) {
        const struct race_pair *pair = &race->pairs[i];
        if (pair->group == group->first && pair->causes & CAUSE_ROUND &&
            !is_statement_line(race, group, span_of(race, pair).high))
            return true;
    }
    return false;
}

static void append_statements(struct text *text, const struct race *race,
                              const struct race_group *group, const char *barrier)
{
    unsigned count = 0;
    for (uint32_t i = group->first; i < race->pair_count; i++) {
        const struct race_pair *pair = &race->pairs[i];
        if (pair->group == group->first && pair->causes & CAUSE_STATEMENT)
            append(text, "%s%u", count++ ? ", " : "in line ", span_of(race, pair).high);
    }
    append(text, " and every similar step, read into a variable, call %s, write, and call %s again",
           barrier, barrier);
}

static void append_spans(struct text *text, const struct race *race, const struct race_group *group,
                         const char *barrier)
{
    struct span spans[MOST_SPANS + 1];
    unsigned count = find_spans(race, group, spans);
    if (count > MOST_SPANS) {
        append(text, "put a %s between any two of these lines", barrier);
        return;
    }
    append(text, "put a %s between lines", barrier);
    for (unsigned i = 0; i < count; i++)
        append(text, "%s %u and %u", i ? ", between" : "", spans[i].low, spans[i].high);
}

static void print_barriers(struct text *text, const struct race *race,
                           const struct race_group *group)
{
    const char *barrier = race_barrier(race, group->distance);
    struct span spans[MOST_SPANS + 1], all = group_span(race, group);
    bool has_statement = group->causes & CAUSE_STATEMENT,
         has_spans = find_spans(race, group, spans);
    bool has_round = lacks_round(race, group);
    if (has_statement)
        append_statements(text, race, group, barrier);
    if (has_statement && (has_spans || has_round))
        append(text, "; ");
    if (has_spans)
        append_spans(text, race, group, barrier);
    if (has_round && has_spans)
        append(text, ", and one at the end of the loop's body");
    else if (has_round)
        append(text, "put a %s at the end of the loop's body", barrier);
    append(text, ", in a place that all threads of the %s reach",
           strcmp(barrier, "__syncwarp()") == 0 ? "warp" : "block");
    if (has_round && !has_spans && all.low < all.high)
        append(text, ": all threads must pass line %u before any thread runs line %u again",
               all.high, all.low);
}

/* --- advice ----------------------------------------------------------------------------------- */

/* Writes advice for an asynchronous copy that no thread waits for. If the kernel has a wait that
 * leaves out the latest copies, the advice names this wait. */
static void print_wait(struct text *text, const struct race *race)
{
    for (uint32_t pc = 0; pc < race->launch->code_count; pc++) {
        const struct ptx_instruction *in = view_ptx(race->launch, pc);
        uint32_t line = view_line(race->launch, pc).line;
        if (!in || in->opcode != PTX_OP_cp_async_wait_group || !in->operands[0].value || !line)
            continue;
        append(text,
               "line %u waits for all groups of copies except the latest %u: if this copy can be "
               "one of the latest, wait with __pipeline_wait_prior(0), and then call "
               "__syncthreads()",
               line, (unsigned)in->operands[0].value);
        return;
    }
    append(text, "wait for the copy with __pipeline_commit() and __pipeline_wait_prior(0), or with "
                 "cuda::memcpy_async's barrier, and then call __syncthreads()");
}

/* Returns advice that names no lines, or NULL if the advice must name lines. */
static const char *plain_advice(const struct race *race, const struct race_group *group)
{
    const struct race_pair *pair = &race->pairs[group->example];
    bool one_atomic = race->sites[pair->one.site].kind == RACE_ATOMIC ||
                      race->sites[pair->other.site].kind == RACE_ATOMIC;
    if (group->causes & CAUSE_CALLS)
        return "put a __syncthreads() between two calls that use the same temporary storage, such as CUB's TempStorage";
    if (group->causes & CAUSE_UPDATE)
        return "use atomicAdd() or another atomic, or give each thread its own word; no barrier helps here";
    if (group->causes & CAUSE_WRITES)
        return "if each thread should have its own word, two threads compute the same index by mistake; otherwise let one thread write the word, or use an atomic; no barrier helps here";
    if (group->distance < RACE_GRID || group->distance == RACE_COPY)
        return NULL;
    if (pair->is_shared)
        return "put a cluster.sync() between the two accesses";
    if (one_atomic)
        return "move the access that is not atomic to another launch, before or after this one; a barrier does not put blocks in order";
    if (race_lacks_fence(race))
        return "call __threadfence() after the write and before the atomic that counts the blocks";
    return "let no block access memory that another block writes: write to a second array, or split the kernel into two launches";
}

void race_print_advice(char *text, size_t size, const struct race *race,
                       const struct race_group *group)
{
    struct text to = {text, size};
    const struct race_pair *pair = &race->pairs[group->example];
    struct source_line one = race_place_of(race, &pair->one),
                       other = race_place_of(race, &pair->other);
    const char *plain = plain_advice(race, group);
    if (plain)
        append(&to, "%s", plain);
    else if (group->distance == RACE_COPY)
        print_wait(&to, race);
    else if (!group->causes || !one.line || one.file != other.file)
        append(&to, "put a %s between the two accesses, in a place that all threads reach",
               race_barrier(race, group->distance));
    else
        print_barriers(&to, race, group);
}

void race_print_others(char *text, size_t size, const struct race *race,
                       const struct race_group *group)
{
    struct span all = group_span(race, group);
    size_t used = strlen(text);
    snprintf(text + used, size - used, "; %u such pairs on lines %u to %u", group->pairs, all.low,
             all.high);
}
