/* Explains sums in which some threads added wrong numbers: the numbers of some threads, warps or
 * blocks are missing, or are the only ones, or count twice. */
#include "judge/wrong_sum_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* --- parts of the grid ------------------------------------------------------------------------ */

/* A way to divide the numbers among parts of the grid. */
struct parts {
    const char *one, *more, *of; /* "thread", "threads", " of each block" */
    size_t width;                /* number of consecutive elements that belong to one part */
    /* number of parts; after the last part, the first part continues */
    size_t count;
};

enum { MOST_PARTS = 8 };

/* Writes to LIST the ways in which this launch may divide the array among threads, warps or blocks.
 * Returns the number of ways. */
static size_t list_parts(const struct judge_sum *sum, struct parts list[MOST_PARTS])
{
    size_t threads = sum->threads, all = sum->blocks * threads, used = 0;
    size_t chunk = all ? (sum->count + all - 1) / all : 0;
    const struct parts rows[MOST_PARTS] = {
        {"block", "blocks", "", threads, sum->blocks},
        {"thread", "threads", " of each block", 1, threads},
        {"warp", "warps", " of each block", WARP, threads / WARP},
        {"lane", "lanes", " of each warp", 1, threads % WARP == 0 ? WARP : 0},
        {"thread", "threads", " of the grid", 1, all},
        {"block", "blocks", "", threads * chunk, sum->blocks},
        {"thread", "threads", " of each block", chunk, threads},
        {"thread", "threads", " of the grid", chunk, all},
    };
    for (size_t i = 0; i < MOST_PARTS; ++i)
        if (rows[i].width > 0 && rows[i].count > 1 && rows[i].count <= sum->count)
            list[used++] = rows[i];
    return used;
}

/* Returns the sum of each part's terms, or NULL when out of memory. */
static uint64_t *add_up_parts(const struct facts *facts, const struct parts *parts)
{
    uint64_t *sums = calloc(parts->count, sizeof *sums);
    size_t part = 0, left = parts->width;
    for (size_t i = 0; sums && i < facts->sum->count; ++i) {
        sums[part] += sum_term(facts, i);
        if (--left == 0) {
            part = part + 1 == parts->count ? 0 : part + 1;
            left = parts->width;
        }
    }
    return sums;
}

/* Returns whether the match is certain enough to be reported. The candidates 0 and LAST need less
 * certainty, because mistakes at the ends are more common. */
static bool is_sure(const struct search *search, size_t last, double one_in)
{
    bool at_end = search->at == 0 || search->at == last;
    return sum_is_no_chance(search, at_end ? 1 : search->near, one_in);
}

/* The searches for a wrong sum among the sums of the parts. */
struct part_searches {
    /* candidates: the sum of only one part, of all parts but one, of the first parts */
    struct search only, without, first;
};

static bool tell_parts(const struct facts *facts, const struct parts *parts,
                       const struct part_searches *found)
{
    bool any = facts->sum->got != 0; /* parts without numbers add up to 0, so 0 proves nothing */
    size_t last = parts->count - 1;
    if (any && is_sure(&found->only, last, ONE_IN))
        return TELL(facts, "as if only %s %s%s added its numbers", parts->one,
                    NUMBER(found->only.at), parts->of);
    if (is_sure(&found->without, last, ONE_IN))
        return TELL(facts, "as if the numbers of %s %s%s were left out", parts->one,
                    NUMBER(found->without.at), parts->of);
    return any && sum_is_no_chance(&found->first, found->first.near, ONE_IN) &&
           TELL(facts, "as if only the first %s %s%s added their numbers",
                NUMBER(found->first.at + 1), parts->more, parts->of);
}

static bool fits_parts(const struct facts *facts, const struct parts *parts)
{
    const struct judge_sum *sum = facts->sum;
    uint64_t *sums = add_up_parts(facts, parts), all = 0;
    struct part_searches found = {.only = sum_search(sum, (uint64_t)sum->got),
                                  .without =
                                      sum_search(sum, (uint64_t)sum->want - (uint64_t)sum->got),
                                  .first = sum_search(sum, (uint64_t)sum->got)};
    for (size_t i = 0; sums && i < parts->count; ++i) {
        sum_try(&found.only, i, sums[i]);
        sum_try(&found.without, i, sums[i]);
        all += sums[i];
        if (i > 0 && i + 1 < parts->count)
            sum_try(&found.first, i, all);
    }
    free(sums);
    return tell_parts(facts, parts, &found);
}

bool sum_is_by_parts(const struct facts *facts)
{
    struct parts parts[MOST_PARTS];
    size_t count = list_parts(facts->sum, parts);
    for (size_t i = 0; i < count; ++i)
        if (fits_parts(facts, &parts[i]))
            return true;
    return false;
}

/* --- the same kernel twice -------------------------------------------------------------------- */

/* Searches for a mistake that the kernel makes in both launches. In each group of PERIOD threads,
 * the numbers of the first threads are counted alone, not counted, or counted twice. */
struct both_searches {
    struct search only, without, twice;
};

/* Tries these mistakes for the first thread of each group, for the first two threads, and so on.
 * SUMS has PERIOD sums for each block; each sum is over the threads with the same number modulo
 * PERIOD. */
static void try_first_threads(const struct facts *facts, size_t period, uint64_t *sums,
                              struct both_searches *found)
{
    const struct judge_sum *sum = facts->sum;
    for (size_t most = 1; most < period; ++most) {
        uint64_t only = 0, without = 0, twice = 0;
        for (size_t block = 0; block < sum->blocks; ++block) {
            uint64_t *mine = sums + block * (period + 1), all = mine[period];
            bool is_first = block % sum->second_threads % period < most;
            /* mine[0] is now the sum of the first MOST threads */
            mine[0] += most > 1 ? mine[most - 1] : 0;
            only += is_first ? mine[0] : 0;
            without += is_first ? 0 : all - mine[0];
            twice += (all + mine[0]) * (is_first ? 2 : 1);
        }
        sum_try(&found->only, most, only);
        sum_try(&found->without, most, without);
        sum_try(&found->twice, most, twice);
    }
}

static bool is_power_of_2(size_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

/* If only the first COUNT of each PERIOD threads counted, and both numbers are powers of two, adds
 * to the explanation that the tree lacks steps. */
static void tell_missing_steps(const struct facts *facts, size_t count, size_t period)
{
    size_t used = strlen(facts->text);
    if (!is_power_of_2(count) || !is_power_of_2(period) || count < 2)
        return;
    if (2 * count == period)
        snprintf(facts->text + used, facts->size - used,
                 ": " JUDGE_NO_STEP
                 " in which a thread adds the sum of the thread %zu places further on",
                 count);
    else
        snprintf(facts->text + used, facts->size - used,
                 ": " JUDGE_NO_STEP
                 "s in which a thread adds the sum of a thread %zu to %zu places further on",
                 count, period / 2);
}

static bool tell_first_threads(const struct facts *facts, const struct both_searches *found,
                               const struct search *search, size_t period, const char *what)
{
    size_t count = search->at, near = count == 1 ? 1 : search->near;
    if (!sum_is_no_chance(search, near, ONE_IN))
        return false;
    char group[NUMBER_SIZE + 16] = "block", threads[NUMBER_SIZE + 16] = "thread 0";
    if (period < facts->sum->threads)
        snprintf(group, sizeof group, "%s threads", NUMBER(period));
    if (count > 1)
        snprintf(threads, sizeof threads, "the first %s threads", NUMBER(count));
    snprintf(facts->text, facts->size, "as if %s%s of each %s %s, in both launches",
             search == &found->only ? "only " : "", threads, period == WARP ? "warp" : group, what);
    if (search == &found->only)
        tell_missing_steps(facts, count, period);
    return true;
}

/* Tries the hypothesis that the second launch, which runs the same kernel on the blocks' sums,
 * makes the same mistake as the first. */
static bool is_in_both_launches(const struct facts *facts, size_t period)
{
    const struct judge_sum *sum = facts->sum;
    struct both_searches found = {sum_search(sum, (uint64_t)sum->got),
                                  sum_search(sum, (uint64_t)sum->got),
                                  sum_search(sum, (uint64_t)sum->got)};
    uint64_t *sums = calloc(sum->blocks * (period + 1), sizeof *sums);
    if (!sums)
        return false;
    for (size_t i = 0; i < sum->count; ++i) {
        uint64_t *mine = sums + i / sum->threads % sum->blocks * (period + 1);
        mine[i % sum->threads % period] += sum_term(facts, i);
        mine[period] += sum_term(facts, i);
    }
    try_first_threads(facts, period, sums, &found);
    free(sums);
    return tell_first_threads(facts, &found, &found.only, period, "counted") ||
           tell_first_threads(facts, &found, &found.without, period, "were left out") ||
           tell_first_threads(facts, &found, &found.twice, period, "were added twice");
}

bool sum_is_by_first_threads(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    if (sum->second_threads == 0 || sum->blocks == 0 || sum->threads == 0 || sum->got == 0)
        return false;
    for (size_t period = 2; period < sum->threads; period *= 2)
        if (sum->threads % period == 0 && is_in_both_launches(facts, period))
            return true;
    return is_in_both_launches(facts, sum->threads);
}
