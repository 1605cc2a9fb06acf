/* Explains wrong sums. All sums are modulo 2^64, or modulo 2^32 if the result is an int, as on the
 * GPU. */
#include "judge/wrong_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define WARP 32

/* The known facts about a sum, prepared for the hypotheses. */
struct facts {
    const struct judge_sum *sum;
    bool squares;     /* the terms are the squares of the numbers, not the numbers */
    uint64_t *before; /* before[i] is the sum of the first i terms */
    char *text;
    size_t size;
};

/* Returns VALUE as the result's type stores it: an int wraps around. */
static int64_t wrap(const struct judge_sum *sum, uint64_t value)
{
    return sum->is_int ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
}

static uint64_t term(const struct facts *facts, size_t i)
{
    int64_t number = facts->sum->numbers[i];
    return (uint64_t)(facts->squares ? number * number : number);
}

static double size_of(int64_t value)
{
    return value < 0 ? -(double)value : (double)value;
}

#define TELL(facts, ...) (snprintf((facts)->text, (facts)->size, __VA_ARGS__), true)

/* --- hypotheses about the sum alone ----------------------------------------------------------- */

/* Returns a phrase such as ", the number of blocks" if COUNT is that number in the launch. Returns
 * "" if COUNT has no such meaning. */
static const char *meaning_of(const struct judge_sum *sum, uint64_t count)
{
    return count == sum->threads                 ? ", the number of threads in a block"
           : count == sum->blocks                ? ", the number of blocks"
           : count == sum->blocks * sum->threads ? ", the number of threads"
           : count == WARP                       ? ", the number of lanes in a warp"
                                                 : "";
}

/* Returns a phrase that says why the result is COUNT times too large: each thread, block or lane
 * added a whole sum. Returns "" if COUNT is not the number of any of them. */
static const char *adder_of(const struct judge_sum *sum, uint64_t count)
{
    return count == sum->threads  ? ", as if each thread of a block added the block's whole sum"
           : count == sum->blocks ? ", as if each block added up everything"
           : count == sum->blocks * sum->threads ? ", as if each thread added up everything"
           : count == WARP ? ", as if each lane of a warp added the warp's whole sum"
                           : "";
}

/* Returns whether the result is TIMES the right sum. Returns false if the right sum is small,
 * because a match then proves nothing. */
static bool is_multiple(const struct judge_sum *sum, uint64_t times)
{
    return size_of(sum->want) >= 1000 && wrap(sum, (uint64_t)sum->want * times) == sum->got;
}

static bool is_too_large(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    uint64_t all = sum->blocks * sum->threads;
    if (sum->second_threads > 0 && is_multiple(sum, 4) && !*meaning_of(sum, 4))
        return TELL(facts, "exactly 4 times too large, as if each of the two launches added every "
                           "sum to itself once");
    for (uint64_t times = 2; times <= 1024; ++times)
        if (is_multiple(sum, times))
            return TELL(facts, "exactly %s times too large%s", NUMBER(times), adder_of(sum, times));
    for (int i = 0; i < 2; ++i) {
        uint64_t times = i == 0 ? sum->blocks : all;
        if (times > 1 && is_multiple(sum, times))
            return TELL(facts, "exactly %s times too large%s", NUMBER(times), adder_of(sum, times));
    }
    return false;
}

static bool is_too_small(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    if (size_of(sum->got) < 1e6 || sum->want % sum->got != 0 || sum->want / sum->got < 2 ||
        sum->want / sum->got > 65536)
        return false;
    uint64_t times = (uint64_t)(sum->want / sum->got);
    return TELL(facts, "too small by a factor of exactly %s%s", NUMBER(times),
                meaning_of(sum, times));
}

static bool has_other_sign(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    return size_of(sum->want) >= 1000 && sum->got == wrap(sum, 0 - (uint64_t)sum->want) &&
           TELL(facts, "right except for the sign");
}

/* Returns whether 32-bit numbers have overflowed, which changes the sum by a multiple of 2^32. */
static bool has_overflowed(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    uint64_t error = (uint64_t)sum->got - (uint64_t)sum->want;
    if (sum->is_int || error == 0 || (uint32_t)error != 0)
        return false;
    if (sum->is_other)
        return TELL(facts, "only its lower 32 bits are right: does cudaMemcpy() copy back only 4 "
                           "bytes, the size of an int?");
    if ((uint64_t)sum->got >> 32 == 0)
        return TELL(facts, "it has only the lower 32 bits of the right sum");
    return TELL(facts, "its error is a multiple of 2^32, as if a 32-bit int had overflowed");
}

/* Returns whether the sum was computed in a float, which keeps 24 bits: the result then has at most
 * 24 significant bits, and its error is at most the rounding error of a float. */
static bool was_a_float(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    double error = size_of(wrap(sum, (uint64_t)sum->got - (uint64_t)sum->want));
    double want = size_of(sum->want);
    return want >= 0x1p28 && error <= want * 0x1p-18 &&
           (double)(float)sum->got == (double)sum->got &&
           TELL(facts, "as if it had been rounded to a float, which keeps 24 bits");
}

/* --- hypotheses: some threads added wrong numbers --------------------------------------------- */

/* The search for a value among many candidates, such as the sums of all blocks. */
struct search {
    const struct judge_sum *sum;
    int64_t value;
    size_t near; /* number of candidates that are at most twice as large as VALUE */
    bool found;
    size_t at; /* index of the first candidate that equals VALUE */
};

static struct search search_for(const struct judge_sum *sum, uint64_t value)
{
    return (struct search){.sum = sum, .value = wrap(sum, value)};
}

static void try(struct search *search, size_t index, uint64_t candidate)
{
    int64_t value = wrap(search->sum, candidate);
    search->near += size_of(value) <= 2 * size_of(search->value);
    if (!search->found && value == search->value) {
        search->found = true;
        search->at = index;
    }
}

/* Returns whether the match is very unlikely to be a coincidence: of ONE_IN such searches for a
 * random value, at most one would succeed. NEAR is the number of candidates near the value. */
static bool is_no_chance(const struct search *search, size_t near, double one_in)
{
    return search->found && (double)near * one_in <= 4 * size_of(search->value);
}

/* Returns whether the match is certain enough to be reported. The candidates 0 and LAST need less
 * certainty, because mistakes at the ends are more common. */
static bool is_sure(const struct search *search, size_t last, double one_in)
{
    bool at_end = search->at == 0 || search->at == last;
    return is_no_chance(search, at_end ? 1 : search->near, one_in);
}

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
        sums[part] += term(facts, i);
        if (--left == 0) {
            part = part + 1 == parts->count ? 0 : part + 1;
            left = parts->width;
        }
    }
    return sums;
}

/* for is_no_chance(): with 30 kinds of hypotheses, 1 of 1,000 wrong sums gets a false
 * explanation */
#define ONE_IN 30000

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
    return any && is_no_chance(&found->first, found->first.near, ONE_IN) &&
           TELL(facts, "as if only the first %s %s%s added their numbers",
                NUMBER(found->first.at + 1), parts->more, parts->of);
}

static bool is_by_parts(const struct facts *facts, const struct parts *parts)
{
    const struct judge_sum *sum = facts->sum;
    uint64_t *sums = add_up_parts(facts, parts), all = 0;
    struct part_searches found = {.only = search_for(sum, (uint64_t)sum->got),
                                  .without =
                                      search_for(sum, (uint64_t)sum->want - (uint64_t)sum->got),
                                  .first = search_for(sum, (uint64_t)sum->got)};
    for (size_t i = 0; sums && i < parts->count; ++i) {
        try(&found.only, i, sums[i]);
        try(&found.without, i, sums[i]);
        all += sums[i];
        if (i > 0 && i + 1 < parts->count)
            try(&found.first, i, all);
    }
    free(sums);
    return tell_parts(facts, parts, &found);
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
        try(&found->only, most, only);
        try(&found->without, most, without);
        try(&found->twice, most, twice);
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
    if (!is_no_chance(search, near, ONE_IN))
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
    struct both_searches found = {search_for(sum, (uint64_t)sum->got),
                                  search_for(sum, (uint64_t)sum->got),
                                  search_for(sum, (uint64_t)sum->got)};
    uint64_t *sums = calloc(sum->blocks * (period + 1), sizeof *sums);
    if (!sums)
        return false;
    for (size_t i = 0; i < sum->count; ++i) {
        uint64_t *mine = sums + i / sum->threads % sum->blocks * (period + 1);
        mine[i % sum->threads % period] += term(facts, i);
        mine[period] += term(facts, i);
    }
    try_first_threads(facts, period, sums, &found);
    free(sums);
    return tell_first_threads(facts, &found, &found.only, period, "counted") ||
           tell_first_threads(facts, &found, &found.without, period, "were left out") ||
           tell_first_threads(facts, &found, &found.twice, period, "were added twice");
}

static bool is_by_first_threads(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    if (sum->second_threads == 0 || sum->blocks == 0 || sum->threads == 0 || sum->got == 0)
        return false;
    for (size_t period = 2; period < sum->threads; period *= 2)
        if (sum->threads % period == 0 && is_in_both_launches(facts, period))
            return true;
    return is_in_both_launches(facts, sum->threads);
}

/* --- shuffles --------------------------------------------------------------------------------- */

/* A kind of shuffle: returns the lane whose value LANE receives. */
typedef size_t passer(size_t lane, size_t off);

static size_t from_lower(size_t lane, size_t off)
{
    return lane >= off ? lane - off : lane;
}

static size_t from_same(size_t lane, size_t off)
{
    (void)lane;
    return off;
}

/* Returns the sum that lane 0 has after each lane has added the values of five shuffles to its
 * own. */
static uint64_t add_by_shuffles(passer *from, const uint64_t *lanes)
{
    uint64_t now[WARP], next[WARP];
    memcpy(now, lanes, sizeof now);
    for (size_t off = WARP / 2; off > 0; off /= 2) {
        for (size_t lane = 0; lane < WARP; ++lane)
            next[lane] = now[lane] + now[from(lane, off)];
        memcpy(now, next, sizeof now);
    }
    return now[0];
}

/* Tests whether the shuffle FROM, which is called NAME, explains the wrong sum, and reports it.
 * SUMS has 32 sums for each block; each sum is over the threads with the same lane. */
static bool tell_shuffle(const struct facts *facts, const uint64_t *sums, passer *from,
                         const char *name)
{
    const struct judge_sum *sum = facts->sum;
    struct search search = search_for(sum, (uint64_t)sum->got);
    uint64_t lanes[WARP] = {0};
    for (size_t block = 0; block < sum->blocks; ++block)
        lanes[block % sum->second_threads % WARP] += add_by_shuffles(from, sums + block * WARP);
    try(&search, 0, add_by_shuffles(from, lanes));
    return is_no_chance(&search, 1, ONE_IN) &&
           TELL(facts, "as if the last 32 sums were added with %s() in place of __shfl_down_sync()",
                name);
}

static bool is_by_shuffles(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    if (sum->second_threads == 0 || sum->blocks == 0 || sum->threads == 0 ||
        sum->threads % WARP != 0)
        return false;
    uint64_t *sums = calloc(sum->blocks * WARP, sizeof *sums);
    for (size_t i = 0; sums && i < sum->count; ++i)
        sums[i / sum->threads % sum->blocks * WARP + i % WARP] += term(facts, i);
    bool told = sums && (tell_shuffle(facts, sums, from_lower, "__shfl_up_sync") ||
                         tell_shuffle(facts, sums, from_same, "__shfl_sync"));
    free(sums);
    return told;
}

/* --- loops ------------------------------------------------------------------------------------ */

/* A way to compute the number at which a thread's loop begins: blockIdx.x * BLOCK_STEP +
 * threadIdx.x * THREAD_STEP. TEXT is this expression in CUDA C. */
struct begin {
    const char *text;
    size_t block_step, thread_step;
};

/* Writes to BEGINS[i] the number of threads whose loop begins at number i. */
static void count_begins(const struct facts *facts, const struct begin *begin, uint64_t *begins)
{
    const struct judge_sum *sum = facts->sum;
    memset(begins, 0, sum->count * sizeof *begins);
    for (size_t block = 0; block < sum->blocks; ++block)
        for (size_t thread = 0; thread < sum->threads; ++thread) {
            size_t at = block * begin->block_step + thread * begin->thread_step;
            if (at < sum->count)
                begins[at]++;
        }
}

/* Returns the sum that all threads together compute if each loop advances by STEP. */
static uint64_t add_up_loops(const struct facts *facts, const uint64_t *begins, uint64_t *times,
                             size_t step)
{
    uint64_t total = 0;
    for (size_t i = 0; i < facts->sum->count; ++i) {
        times[i] = begins[i] + (i >= step ? times[i - step] : 0);
        total += term(facts, i) * times[i];
    }
    return total;
}

/* The loops that lead to exactly the wrong sum. */
struct loop_fits {
    size_t count, step;
    const char *begins[2];
};

/* Reports the loops that fit. If two loops fit, reports both beginnings if they have the same step.
 * If their steps differ, reports nothing, because the input is too small to tell which is right. */
static bool tell_loops(const struct facts *facts, const struct loop_fits *fits)
{
    return fits->count > 0 && fits->count <= 2 &&
           TELL(facts, "as if each loop began at %s%s%s and stepped by %s%s", fits->begins[0],
                fits->count == 2 ? " or " : "", fits->count == 2 ? fits->begins[1] : "",
                NUMBER(fits->step), meaning_of(facts->sum, fits->step));
}

static void note_loop(struct loop_fits *fits, const char *begin, size_t step)
{
    if (fits->count > 0 && step != fits->step)
        /* count a loop with a different step as a third fit, because the result is then
         * ambiguous */
        fits->count = 2;
    if (fits->count < 2)
        fits->begins[fits->count] = begin;
    fits->step = step;
    fits->count++;
}

/* Returns whether an earlier element of BEGINS leads to the same numbers in this grid. */
static bool is_begin_again(const struct judge_sum *sum, const struct begin *begins, size_t index)
{
    for (size_t i = 0; i < index; ++i)
        if (begins[i].thread_step == begins[index].thread_step &&
            (sum->blocks == 1 || begins[i].block_step == begins[index].block_step))
            return true;
    return false;
}

static bool is_step_again(const size_t *steps, size_t index)
{
    for (size_t i = 0; i < index; ++i)
        if (steps[i] == steps[index])
            return true;
    return false;
}

/* Tries loops that begin at a wrong number, or that have a wrong step. */
static bool try_loops(const struct facts *facts, uint64_t *begins, uint64_t *times)
{
    const struct judge_sum *sum = facts->sum;
    size_t blocks = sum->blocks, threads = sum->threads, all = blocks * threads;
    const struct begin rows[] = {{"blockIdx.x * blockDim.x + threadIdx.x", threads, 1},
                                 {"threadIdx.x", 0, 1},
                                 {"blockIdx.x", 1, 0},
                                 {"blockIdx.x * gridDim.x + threadIdx.x", blocks, 1},
                                 {"blockIdx.x + threadIdx.x", 1, 1}};
    const size_t steps[] = {threads, blocks, all, 1, WARP, 2 * all, blocks + threads};
    struct loop_fits fits = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (is_begin_again(sum, rows, i))
            continue;
        count_begins(facts, &rows[i], begins);
        for (size_t j = 0; j < sizeof steps / sizeof *steps; ++j) {
            struct search search = search_for(sum, (uint64_t)sum->got);
            if (!is_step_again(steps, j))
                try(&search, 0, add_up_loops(facts, begins, times, steps[j]));
            if (is_no_chance(&search, 1, ONE_IN))
                note_loop(&fits, rows[i].text, steps[j]);
        }
    }
    return tell_loops(facts, &fits);
}

static bool is_by_loops(const struct facts *facts)
{
    size_t count = facts->sum->count;
    bool known = facts->sum->blocks > 0 && facts->sum->threads > 0;
    uint64_t *begins = calloc(count, sizeof *begins), *times = calloc(count, sizeof *times);
    bool told = known && begins && times && try_loops(facts, begins, times);
    free(begins);
    free(times);
    return told;
}

/* --- hypotheses about consecutive numbers ----------------------------------------------------- */

static void name_range(char *text, size_t size, const struct judge_sum *sum, size_t from, size_t to)
{
    if (to - from == 1)
        snprintf(text, size, "%s[%zu]", sum->name, from);
    else
        snprintf(text, size, "%s[%zu] to %s[%zu]", sum->name, from, sum->name, to - 1);
}

static bool lacks_range(const struct facts *facts, size_t from, size_t to)
{
    char range[120];
    size_t all = facts->sum->blocks * facts->sum->threads;
    bool is_end = to == facts->sum->count && from > 0 && to - from > 1;
    name_range(range, sizeof range, facts->sum, from, to);
    if (is_end && from == all)
        return TELL(facts,
                    "as if %s were left out: does each of the %s threads add only one number?",
                    range, NUMBER(all));
    return TELL(facts, "as if %s%s%s were left out", is_end ? "the last numbers, " : "", range,
                is_end ? "," : "");
}

/* Tries the hypothesis that the last or the first numbers are missing or counted twice. */
static bool is_by_range(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    size_t count = sum->count;
    struct search last = search_for(sum, (uint64_t)sum->want - (uint64_t)sum->got), first = last;
    struct search twice = search_for(sum, (uint64_t)sum->got - (uint64_t)sum->want);
    for (size_t i = 1; i <= count; ++i) {
        try(&last, i, facts->before[count] - facts->before[count - i]);
        try(&first, i, facts->before[i]);
        try(&twice, i, facts->before[count] - facts->before[count - i]);
    }
    if (is_no_chance(&last, last.near, 1000))
        return lacks_range(facts, count - last.at, count);
    if (is_no_chance(&first, first.near, 1000))
        return lacks_range(facts, 0, first.at);
    if (is_no_chance(&twice, twice.near, ONE_IN)) {
        char range[120];
        name_range(range, sizeof range, sum, count - twice.at, count);
        return TELL(facts, "as if %s were added twice", range);
    }
    return false;
}

/* Tries the hypothesis that one number is missing or counted twice. */
static bool is_by_number(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    struct search missing = search_for(sum, (uint64_t)sum->want - (uint64_t)sum->got);
    struct search twice = search_for(sum, (uint64_t)sum->got - (uint64_t)sum->want);
    for (size_t i = 0; i < sum->count; ++i) {
        try(&missing, i, term(facts, i));
        try(&twice, i, term(facts, i));
    }
    if (is_no_chance(&missing, missing.near, ONE_IN))
        return TELL(facts, "as if %s[%zu] were left out", sum->name, missing.at);
    return is_no_chance(&twice, twice.near, ONE_IN) &&
           TELL(facts, "as if %s[%zu] were added twice", sum->name, twice.at);
}

/* Tries the hypothesis that each thread adds up its numbers in a float, and that the threads' sums
 * are then added as integers. */
static bool is_by_floats(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    size_t all = sum->blocks * sum->threads;
    uint64_t total = 0;
    for (size_t thread = 0; thread < all && thread < sum->count; ++thread) {
        float mine = 0;
        for (size_t i = thread; i < sum->count; i += all)
            mine += (float)(int64_t)term(facts, i);
        total += (uint64_t)(int64_t)mine;
    }
    return wrap(sum, total) == sum->got && size_of(sum->got) > 1e6 &&
           TELL(facts, "as if each thread added up in a float, which keeps 24 bits");
}

/* --- all -------------------------------------------------------------------------------------- */

/* Tries the hypothesis that the numbers were added instead of their squares, or the squares instead
 * of the numbers. */
static bool is_by_other_terms(const struct facts *facts)
{
    struct facts other = *facts;
    uint64_t total = 0;
    other.squares = !facts->squares;
    for (size_t i = 0; i < facts->sum->count; ++i)
        total += term(&other, i);
    return wrap(facts->sum, total) == facts->sum->got && size_of(facts->sum->got) >= 1000 &&
           TELL(facts, facts->squares ? "as if the numbers were added, not their squares"
                                      : "as if the squares of the numbers were added");
}

/* Computes `before`, the partial sums of the terms. Returns false if the sum of all terms is not
 * WANT. */
static bool add_up(struct facts *facts, bool squares)
{
    const struct judge_sum *sum = facts->sum;
    facts->squares = squares;
    for (size_t i = 0; i < sum->count; ++i)
        facts->before[i + 1] = facts->before[i] + term(facts, i);
    return wrap(sum, facts->before[sum->count]) == sum->want;
}

/* Tries the hypotheses, the cheapest first. */
static bool explain_by_numbers(const struct facts *facts)
{
    struct parts parts[MOST_PARTS];
    size_t count = list_parts(facts->sum, parts);
    if (is_by_range(facts) || is_by_other_terms(facts) || is_by_floats(facts))
        return true;
    for (size_t i = 0; i < count; ++i)
        if (is_by_parts(facts, &parts[i]))
            return true;
    return is_by_number(facts) || is_by_first_threads(facts) || is_by_shuffles(facts) ||
           is_by_loops(facts);
}

bool judge_wrong_sum(const struct judge_sum *sum, char *text, size_t size)
{
    struct facts facts = {.sum = sum, .text = text, .size = size};
    bool told = is_too_large(&facts) || has_other_sign(&facts) || is_too_small(&facts) ||
                has_overflowed(&facts);
    if (told || !sum->numbers || sum->count == 0)
        return told || was_a_float(&facts);
    if (sum->got == 0 && sum->count == 1)
        return TELL(&facts, "as if %s[0], the only number, were left out", sum->name);
    if (sum->got == 0)
        return TELL(&facts, "as if no number were added");
    facts.before = calloc(sum->count + 1, sizeof *facts.before);
    if (facts.before && (add_up(&facts, false) || add_up(&facts, true)))
        told = explain_by_numbers(&facts);
    free(facts.before);
    return told || was_a_float(&facts);
}
