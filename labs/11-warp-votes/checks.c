/* Lab 11: compaction by votes of a warp, and sums of groups by shuffles.
 *
 * The figures are totals of the whole program. For the compaction that keeps the order (rung 1),
 * they count arrivals at barriers and passes through shared memory. For the compaction in any order
 * (rung 2), they count waits of any kind. For the sums of groups (rung 3), they count instructions
 * and additions that run one after another.
 *
 * In rungs 0 and 1, the kept numbers of each block must stay in their order, but the blocks may
 * come in any order. In rung 2, all kept numbers may come in any order. All numbers of an input
 * differ, so that in_order() can find the place of each number. */
#include <limits.h>
#include <math.h>

#include "checks/check.h"

LAB(.title = "Votes and shuffles of a warp", .file = "warp_votes.cu",
    .needs = {"04-bank-conflicts", "09-picture-sum"},
    .hints = {
        "In all three TODOs, a lane must know something about the other lanes of its warp. How many lanes before me keep their number? Which lane adds for all lanes? Where does my group begin? One ballot answers each question: it collects 32 answers in one word.",
        "The bits (1u << l) - 1 stand for the lanes before lane l. Combine them with the votes by &, and count the bits with __popc(). Every lane of the warp must call __ballot_sync() and __shfl_sync(), so call them outside of `if (i < n)` and `if (keep)`.",
        "TODO 1: if (lane == 0) firsts[warp] = __popc(votes); __syncthreads(); if (threadIdx.x == 0) { int total = 0; for (int w = 0; w < WARPS; ++w) { int mine = firsts[w]; firsts[w] = total; total += mine; } first = atomicAdd(count, total); } __syncthreads(); TODO 2: keep EACH ballots in unsigned votes[EACH], and the sum of their __popc() in total; if (lane == 0) first = atomicAdd(count, total); first = __shfl_sync(ALL, first, 0); after the numbers of each ballot, first += __popc(votes[k]). In both, a number goes to kept[first + __popc(votes & ((1u << lane) - 1))]. TODO 3: int first = 31 - __clz(begins & ((2u << lane) - 1)); then for (int off = 1; off < 32; off *= 2) { int other = __shfl_up_sync(ALL, sum, off); if (lane - off >= first) sum += other; }; a lane is the last of its group if lane == 31 or bit lane + 1 of begins is 1.",
    });

#define BLOCK   256 /* number of consecutive numbers whose order rungs 0 and 1 keep */
#define BITS    22  /* maximum number of bits of a number */
#define LARGEST (1 << BITS)

enum rung { SCAN, BALLOT, WARPS, GROUPS };

/* --- inputs and their right answers ----------------------------------------------------------- */

/* Returns N distinct numbers from 1 to LARGEST in random order. They are distinct because each step
 * below is a one-to-one mapping. */
static const int *different_numbers(struct check *check, int n)
{
    int *data = check_memory(check, (size_t)n, sizeof *data);
    unsigned factor = 2 * (unsigned)check_random_int(check, 1 << 19, 1 << 20) + 1;
    unsigned from = (unsigned)check_random_int(check, 0, LARGEST - 1), mask = LARGEST - 1;
    for (int i = 0; i < n; ++i) {
        unsigned x = ((unsigned)i + from) * factor & mask;
        x ^= x >> BITS / 2;
        x = x * factor & mask;
        data[i] = 1 + (int)(x ^ x >> BITS / 2);
    }
    return data;
}

/* Returns the ids of N numbers in groups of 1 to LONGEST numbers. The first group has LONGEST
 * numbers. Some ids have no numbers. */
static const int *group_ids(struct check *check, int n, int longest)
{
    int *ids = check_memory(check, (size_t)n, sizeof *ids);
    for (int i = 0, end = 0, id = -1; i < n; ++i) {
        if (i == end) {
            end += i == 0 ? longest : check_random_int(check, 1, longest);
            id = i == 0 ? 0 : check_random_int(check, id + 1, i);
        }
        ids[i] = id;
    }
    return ids;
}

struct job {
    int n;
    int percent; /* percentage of the numbers to keep */
    int longest; /* size of the longest group */
};

/* Returns the limit: the smallest number to keep, or more than all numbers to keep none. */
static int find_limit(const int *data, struct job job)
{
    int from = LARGEST - (int)((double)LARGEST * job.percent / 100) + 1, limit = LARGEST + 1;
    for (int i = 0; i < job.n; ++i)
        if (data[i] >= from && data[i] < limit)
            limit = data[i];
    return limit;
}

static struct case_data *make_case(struct check *check, int rung, struct job job)
{
    const int *data = rung == GROUPS ? check_random_ints(check, (size_t)job.n, -100, 100)
                                     : different_numbers(check, job.n);
    int limit = find_limit(data, job);
    struct case_data *input =
        rung == GROUPS ? check_case(check, "rung %d, %s in groups of up to %s", rung,
                                    check_count(job.n, "number"), check_number(job.longest))
                       : check_case(check, "rung %d, %s, of which about %d %% are kept", rung,
                                    check_count(job.n, "number"), job.percent);
    check_add_ints(input, {"rung", rung}, {"n", job.n}, {"limit", limit});
    case_add(input, "data", CASE_INT, data, (size_t)job.n);
    case_add(input, "ids", CASE_INT, group_ids(check, job.n, job.longest), (size_t)job.n);
    return input;
}

/* A number and its place. Sorting by KEY does not change the order of numbers with the same KEY. */
struct placed {
    int number, key, at;
};

static int by_number(const void *a, const void *b)
{
    return ((const struct placed *)a)->number - ((const struct placed *)b)->number;
}

static int by_key(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : x->at - y->at;
}

/* Sorts the result KEPT into the order of the input, so that it can be compared number by number.
 * Numbers that the rung must keep in order, but that are in a wrong order, stay wrong. Numbers that
 * are not in the input leave a gap at the front, or stay at the end. */
static void in_order(const struct case_data *input, float *kept)
{
    int n = case_int(input, "n"), piece = case_int(input, "rung") == BALLOT ? BLOCK : 1, end = 0;
    const int *data = case_find(input, "data")->values;
    struct placed *known = malloc(2 * (size_t)n * sizeof *known), *got = known + n;
    cr_assert(known);
    for (int i = 0; i < n; ++i)
        known[i] = (struct placed){data[i], i / piece, 0};
    qsort(known, (size_t)n, sizeof *known, by_number);
    for (int i = 0; i < n; ++i) {
        struct placed wanted = {(int)kept[i], 0, 0};
        const struct placed *found = bsearch(&wanted, known, (size_t)n, sizeof *known, by_number);
        got[i] = (struct placed){wanted.number, found ? found->key : -1, i};
        end = found ? i + 1 : end;
    }
    for (int i = end; i < n; ++i)
        got[i].key = INT_MAX;
    qsort(got, (size_t)n, sizeof *got, by_key);
    for (int i = 0; i < n; ++i)
        kept[i] = (float)got[i].number;
    free(known);
}

/* Computes the result of a mistake: numbers that equal the limit are left out. */
static void keep_above(const struct case_data *input, float *kept)
{
    const int *data = case_find(input, "data")->values, limit = case_int(input, "limit");
    int count = 0, n = case_int(input, "n");
    for (int i = 0; i < n; ++i)
        if (data[i] > limit)
            kept[count++] = (float)data[i];
    while (count < n)
        kept[count++] = 0;
}

/* Computes the result of a mistake: each kept number is stored one place too far. */
static void keep_too_far(const struct case_data *input, float *kept)
{
    const int *data = case_find(input, "data")->values, limit = case_int(input, "limit");
    int count = 0, n = case_int(input, "n");
    kept[count++] = 0;
    for (int i = 0; i < n && count < n; ++i)
        if (data[i] >= limit)
            kept[count++] = (float)data[i];
    while (count < n)
        kept[count++] = 0;
}

/* Computes the result of a mistake: the last group of each warp, or the first, is left out. */
static void sum_without(const struct case_data *input, const void *how, float *sums)
{
    const int *data = case_find(input, "data")->values, *ids = case_find(input, "ids")->values;
    bool last = *(const bool *)how;
    int n = case_int(input, "n");
    for (int i = 0; i < n; ++i)
        sums[i] = 0;
    for (int i = 0; i < n; ++i) {
        int end = last ? (i | 31) < n ? i | 31 : n - 1 : i & ~31;
        if (ids[i] != ids[end])
            sums[ids[i]] += (float)data[i];
    }
}

/* Computes the result of a mistake. If CROSSES is true, sums continue from one group to the next.
 * Otherwise, every lane adds its sum to the result, not only the last lane of a group in the
 * warp. */
static void sum_lanes(const struct case_data *input, const void *how, float *sums)
{
    const int *data = case_find(input, "data")->values, *ids = case_find(input, "ids")->values;
    bool crosses = *(const bool *)how;
    int n = case_int(input, "n"), sum = 0;
    for (int i = 0; i < n; ++i)
        sums[i] = 0;
    for (int i = 0; i < n; ++i) {
        bool begins = i % 32 == 0 || (!crosses && ids[i] != ids[i - 1]);
        bool ends = i % 32 == 31 || i == n - 1 || ids[i] != ids[i + 1];
        sum = data[i] + (begins ? 0 : sum);
        sums[ids[i]] += (float)(ends || !crosses ? sum : 0);
    }
}

/* Computes the result of a mistake: lane 31 adds its sum, and so does the first lane of each group,
 * instead of the last. */
static void by_first_lanes(const struct case_data *input, float *sums)
{
    const int *data = case_find(input, "data")->values, *ids = case_find(input, "ids")->values;
    int n = case_int(input, "n"), sum = 0;
    for (int i = 0; i < n; ++i)
        sums[i] = 0;
    for (int i = 0; i < n; ++i) {
        bool begins = i % 32 == 0 || ids[i] != ids[i - 1];
        sum = data[i] + (begins ? 0 : sum);
        sums[ids[i]] += (float)(begins || i % 32 == 31 ? sum : 0);
    }
}

#define GUESS(name, which) .make_so = name, CHECK_HOW(bool, which)

#define BY_FIRST                                                                                   \
    "as if the first lane of each group added its sum: only the last lane has the whole sum"
#define CROSSES                                                                                    \
    "as if the sums of a warp went on from one group to the next: a lane may only add numbers of its own group"
#define TOO_FAR                                                                                    \
    "as if each number were stored one place too far: does a lane count itself among the lanes before it?"

static const struct check_guess sum_guesses[] = {
    {CROSSES, GUESS(sum_lanes, true), .at = "if (lane >= off)"},
    {CROSSES, GUESS(sum_lanes, true), .at = "lane >= off ?"},
    {CROSSES, GUESS(sum_lanes, true)},
    {"as if each lane added its sum to the result, not only the last lane of a group",
     GUESS(sum_lanes, false)},
    {BY_FIRST, .make = by_first_lanes, .at = "is_last ="},
    {BY_FIRST, .make = by_first_lanes, .at = "last ="},
    {BY_FIRST, .make = by_first_lanes},
    {"as if the last group in each warp were left out", GUESS(sum_without, true)},
    {"as if the first group in each warp were left out", GUESS(sum_without, false)},
    {0}};

static const struct check_guess guesses[] = {
    {"as if a number that equals the limit were not kept", .make = keep_above},
    {TOO_FAR, .make = keep_too_far, .at = "(2u <<"},
    {TOO_FAR, .make = keep_too_far, .at = "#define IN_FRONT"},
    {TOO_FAR, .make = keep_too_far},
    {0}};

/* Runs RUNG, and judges its results. A short input cannot be hidden, so main() then sees the
 * kernels' input instead of a decoy. */
static const struct run *look_at(struct check *check, int rung, struct job job)
{
    const struct case_data *input = make_case(check, rung, job);
    const int *data = case_find(input, "data")->values, *ids = case_find(input, "ids")->values;
    double *values = check_memory(check, (size_t)job.n, sizeof *values);
    int count = 0, limit = case_int(input, "limit");
    for (int i = 0; i < job.n; ++i)
        if (rung == GROUPS)
            values[ids[i]] += data[i];
        else if (data[i] >= limit)
            values[count++] = data[i];
    const struct run *run = check_run(check, input);
    const char *name = rung == GROUPS ? "sums" : "kept";
    check_within(check, run, name,
                 &(struct check_matrix){1, job.n, values, .type = CASE_INT,
                                        .arrange = rung == GROUPS ? NULL : in_order,
                                        .guesses = rung == GROUPS ? sum_guesses : guesses});
    if (rung != GROUPS)
        check_equal_int(check, run, "count", count);
    if (job.n >= 16 && rung != GROUPS)
        check_made_by_kernels(check, run, "count");
    if (job.n >= 16)
        check_comes_from(check, run, name,
                         (rung == GROUPS ? 2 : 1) * (uint64_t)job.n * sizeof(int));
    return run;
}

/* Runs all rungs that have a TODO. */
static void look_at_all(struct check *check, struct job job)
{
    for (int rung = BALLOT; rung <= GROUPS; ++rung)
        look_at(check, rung, job);
}

/* --- the checks ------------------------------------------------------------------------------- */

/* Advice about wrong results. */
static const char *const rung_hints[] = {
    [BALLOT] =
        "Rung 1: draw a warp of 8 lanes. Three lanes keep their number. Which bits are set in the ballot? Which of them stand for lanes before lane 5? Where do the numbers of each warp begin?",
    [WARPS] =
        "Rung 2: draw a warp of 8 lanes and two ballots. Which bits stand for lanes before lane 5? Do all lanes know what the atomicAdd() of one lane returned? Where do the numbers of the next ballot begin?",
    [GROUPS] =
        "Rung 3: draw a warp of 8 lanes with three groups. Which lanes' numbers may a lane add? Which lane has the whole sum of a group? Do all lanes call each shuffle?",
};

CHECK(correct, .title = "right numbers and sums for 20,000 numbers", .points = 10,
      .hint = "Draw a warp of 8 lanes. Which bits are set in each ballot?")
{
    for (int rung = BALLOT; rung <= GROUPS; ++rung) {
        check_set_hint(check, rung_hints[rung]);
        look_at(check, rung, (struct job){20000, 50, 20});
    }
}

CHECK(
    ragged, .title = "right for any size, if none or all are kept, and for any groups",
    .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise look at the ends: all 32 lanes must take part in votes and shuffles, also those with i >= n; a group can begin in one warp and end in another.")
{
    look_at_all(check, (struct job){check_random_int(check, 1, 31), 50, 5});
    look_at_all(check, (struct job){32 * check_random_int(check, 20, 60) + 1, 0, 1});
    look_at_all(check, (struct job){256 * check_random_int(check, 2, 9) - 1, 100, 3000});
    look_at_all(check, (struct job){10000 + check_random_int(check, 1, 999), 2, 100});
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "Between a write to shared memory and another warp's read of it, all threads of the block must reach one __syncthreads(). If the kept numbers must stay in order, compute the place of each from the votes, not from the order in which threads arrive.")
{
    look_at_all(check, (struct job){5000 + check_random_int(check, 1, 99), 40, 30});
}

#define LARGE (1 << 16)

/* Returns a job with a random size of nearly LARGE numbers, because a program must not be tuned for
 * one size. */
static struct job large_job(struct check *check, int longest)
{
    return (struct job){LARGE + 1 - 2 * check_random_int(check, 1, 127), 50, longest};
}

/* The limit of sectors that stores touch in rung 1, so that threads pass no numbers through global
 * memory. The kept numbers fill half as many; the solution's stores touch 1.4 times as many. In
 * rung 2, a lane may keep neighbouring numbers together, which touches more. */
#define MOST_STORED (LARGE / 8)

/* The limit of occupied_instructions for each 32 numbers. The solution's is 89 in rung 1. With 32
 * shuffles instead of a ballot, or if one warp works for all eight of a block, it is more than
 * 165. */
#define MOST_OCCUPIED 160

static void measure(struct check *check, int rung, int longest_group, const char *counters)
{
    const struct run *run = look_at(check, rung, large_job(check, longest_group));
    check_measure(check, run, check_counter(run, counters));
    if (rung == GROUPS) /* the check `steps` counts the instructions */
        return;
    if (rung == BALLOT)
        check_limit(check, run, check_counter(run, "global_store_sectors"), MOST_STORED,
                    "Write only the result to global memory.",
                    "the warps write %s sectors of 32 bytes to global memory");
    check_occupied(check, run, LARGE, MOST_OCCUPIED,
                   "Let ballots find the places, and share the work among all warps of a block.");
}

/* Racecheck is active in most runs that measure figures. So a program earns no points if it leaves
 * out a necessary barrier, or if its numbers are in order only by luck. */
CHECK(
    barriers, .title = "rung 1: each warp waits at two barriers", .points = 15,
    .where = CHECK_COUNTS, .watched = true,
    .figure =
        {.text = "the warps wait at barriers %s times",
         .want = "at most %s",
         .counter = "barriers",
         .budget = {.naive = 20480, .solution = 4096, .slack = 1.6, .scale = JUDGE_LOGARITHMIC},
         .block_votes = true,
         .judges = 1 << CHECK_BARRIERS | 1 << CHECK_PATH},
    .hint =
        "TODO 1: the lanes of a warp exchange their answers by a ballot, without a barrier. One barrier is needed before warp 0 reads what the warps have counted, and one after it.")
{
    measure(check, BALLOT, 20, "barriers");
}

CHECK(
    shared, .title = "rung 1: one number per warp in shared memory", .points = 15,
    .where = CHECK_COUNTS, .watched = true,
    .figure = {.text = "the warps make %s passes through shared memory",
               .want = "at most %s",
               .counter = CHECK_SHARED_PASSES,
               .budget = {.naive = 54016, .solution = 4608, .slack = 3, .scale = JUDGE_LOGARITHMIC},
               .block_votes = true,
               .judges = 1 << CHECK_BARRIERS | 1 << CHECK_SHARED | 1 << CHECK_PATH},
    .hint =
        "TODO 1: a ballot needs no shared memory. Store only one number for each warp there: how many numbers the warp keeps.")
{
    measure(check, BALLOT, 20, CHECK_SHARED_PASSES);
}

/* The counters of additions that must wait for another addition to the same word. */
#define QUEUES                                                                                     \
    "global_atomic_requests global_reduction_requests shared_atomic_requests atomic_collisions"

CHECK(
    waits, .title = "rung 2: one addition for 256 numbers, and no barriers", .points = 15,
    .where = CHECK_COUNTS, .watched = true,
    .figure =
        {.text = "warps wait %s times, for a barrier or for another addition",
         .want = "at most %s",
         .counter = QUEUES " barriers",
         .budget = {.naive = 32000, .solution = 256, .slack = 2.2, .scale = JUDGE_LOGARITHMIC},
         .block_votes = true,
         .judges = 1 << CHECK_ATOMICS | 1 << CHECK_BARRIERS | 1 << CHECK_PATH},
    .hint =
        "TODO 2: only one lane of the warp calls atomicAdd(), once, with all votes for the warp's 256 numbers. __shfl_sync() tells the other lanes what it returned.")
{
    measure(check, WARPS, 20, QUEUES " barriers");
}

#define AT_A_TIME 64 /* number of warps that a small GPU executes at the same time */

/* Returns the number of instructions that run one after another: those that a GPU could execute
 * while the blocks occupy it, divided by AT_A_TIME, plus those of the longest warp. So a loop in one
 * warp costs points, and so do useless steps of all warps, but a warp may do the work of several. */
static double instructions_in_turn(const struct run *run)
{
    return check_counter(run, "longest_warp_instructions") +
           check_counter(run, "occupied_instructions") / AT_A_TIME;
}

CHECK(
    steps, .title = "rung 3: no warp adds up a group one by one", .points = 15,
    .where = CHECK_COUNTS,
    .figure =
        {.text =
             "if 64 warps work at the same time, up to %s instructions run one after another for groups of up to 4, about 50 and 1,000 numbers",
         .want = "at most %s",
         .counter = "warp_instructions",
         .budget = {.naive = 6600, .solution = 2508, .slack = 1.55, .scale = JUDGE_LOGARITHMIC},
         .judges = 1 << CHECK_PATH | 1 << CHECK_ATOMICS},
    .hint =
        "TODO 3: the lanes of a warp add up their numbers in five steps, however long the groups are.")
{
    int longest[] = {1000, 4, check_random_int(check, 40, 64)};
    const struct run *runs[3];
    double turns = 0;
    for (int i = 0; i < 3; ++i) {
        runs[i] = look_at(check, GROUPS, large_job(check, longest[i]));
        turns = fmax(turns, instructions_in_turn(runs[i]));
    }
    check_measure(check, runs[0], turns);
    check_costs(check, runs[1]);
    check_costs(check, runs[2]);
}

CHECK(
    queues, .title = "rung 3: a warp adds each of its groups to the result once", .points = 10,
    .where = CHECK_COUNTS, .watched = true,
    .figure =
        {.text = "threads add to the sums %s times, one after another",
         .want = "at most %s",
         .counter = QUEUES,
         .budget = {.naive = 65000, .solution = 2048, .slack = 1.1, .scale = JUDGE_LOGARITHMIC},
         .judges = 1 << CHECK_ATOMICS | 1 << CHECK_PATH},
    .hint =
        "TODO 3: in five steps, each lane adds up the numbers of its group, from the group's first lane in this warp to itself. Only the last lane of a group in this warp adds to sums[].")
{
    measure(check, GROUPS, 1000, QUEUES);
}
