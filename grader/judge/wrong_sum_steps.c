/* Explains sums in which a step of the kernel is wrong: a shuffle between the lanes of a warp, or a
 * step of the loop in which each thread adds up its numbers. */
#include "judge/wrong_sum_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

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
    struct search search = sum_search(sum, (uint64_t)sum->got);
    uint64_t lanes[WARP] = {0};
    for (size_t block = 0; block < sum->blocks; ++block)
        lanes[block % sum->second_threads % WARP] += add_by_shuffles(from, sums + block * WARP);
    sum_try(&search, 0, add_by_shuffles(from, lanes));
    return sum_is_no_chance(&search, 1, ONE_IN) &&
           TELL(facts, "as if the last 32 sums were added with %s() in place of __shfl_down_sync()",
                name);
}

bool sum_is_by_shuffles(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    if (sum->second_threads == 0 || sum->blocks == 0 || sum->threads == 0 ||
        sum->threads % WARP != 0)
        return false;
    uint64_t *sums = calloc(sum->blocks * WARP, sizeof *sums);
    for (size_t i = 0; sums && i < sum->count; ++i)
        sums[i / sum->threads % sum->blocks * WARP + i % WARP] += sum_term(facts, i);
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
        total += sum_term(facts, i) * times[i];
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
                NUMBER(fits->step), sum_meaning(facts->sum, fits->step));
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
            struct search search = sum_search(sum, (uint64_t)sum->got);
            if (!is_step_again(steps, j))
                sum_try(&search, 0, add_up_loops(facts, begins, times, steps[j]));
            if (sum_is_no_chance(&search, 1, ONE_IN))
                note_loop(&fits, rows[i].text, steps[j]);
        }
    }
    return tell_loops(facts, &fits);
}

bool sum_is_by_loops(const struct facts *facts)
{
    size_t count = facts->sum->count;
    bool known = facts->sum->blocks > 0 && facts->sum->threads > 0;
    uint64_t *begins = calloc(count, sizeof *begins), *times = calloc(count, sizeof *times);
    bool told = known && begins && times && try_loops(facts, begins, times);
    free(begins);
    free(times);
    return told;
}
