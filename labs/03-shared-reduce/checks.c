/* Lab 03: one result for each block, through shared memory.
 *
 * The figure is the number of requests in which a block writes its result to global memory. A store
 * of one warp is one request, whatever the number of threads that store. check_through_shared()
 * proves that the sum comes through shared memory, and check_costs() limits useless work. A program
 * with a race can be right by luck, so racecheck finds out whether threads wait before they read
 * the values of other threads. */

#include "checks/check.h"

LAB(.title = "A block adds up its sums in shared memory", .file = "shared_reduce.cu",
    .needs = {"02-coalesce"},
    .hints = {
        "A block must do three things, in this order. Every thread stores its sum where the other threads can read it. All threads wait until the last one has stored. One thread adds up the sums and stores the total.",
        "The array belongs at the top of the kernel: __shared__ int sums[MAX_THREADS]; then sums[threadIdx.x] = mine; then __syncthreads(), for all threads and outside of any if; then if (threadIdx.x == 0) a loop over t < blockDim.x. Remove the atomicAdd().",
        "Rung 2 differs in two lines: extern __shared__ int sums[]; in the kernel, and size_t bytes = threads * sizeof(int); in add_up(). Both kernels end with if (threadIdx.x == 0) { int total = 0; for (int t = 0; t < blockDim.x; ++t) total += sums[t]; result[blockIdx.x] = total; }.",
    });

enum rung { ATOMIC, STATIC, DYNAMIC };

/* The size of one run. */
struct job {
    int rung, n, blocks, threads;
};

#define SUM_JOB(job) ((struct check_sum_job){(job).n, (job).blocks, (job).threads})

static const char *const names[] = {"atomic, ", "static, ", "dynamic, "};

static const struct run *sum_up(struct check *check, struct job job)
{
    return check_sum_run(check, names[job.rung], job.rung, SUM_JOB(job));
}

CHECK(
    correct, .title = "exact sum of 100,003 numbers", .points = 10,
    .hint =
        "Add each thread's sum exactly once. Does thread 0 wait until all threads have written to sums[] before it reads? The checks below test this.")
{
    sum_up(check, (struct job){STATIC, 100003, 64, 256});
    sum_up(check, (struct job){DYNAMIC, 100003, 64, 256});
}

CHECK(
    ragged, .title = "right for any n, in blocks of 64 to 1,024 threads", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise a size is the problem: thread 0 adds up blockDim.x sums, for any number of threads; the array of rung 1 needs room for 1,024.")
{
    struct job jobs[] = {
        {STATIC, 0, 8, 64},
        {STATIC, 1, 3, 1024},
        {STATIC, 2 * check_random_int(check, 1, 400) + 1, 5, 32 * check_random_int(check, 3, 31)},
        {STATIC, 65537, 2, 64},
        {STATIC, 5000, 1500, 64}, /* more blocks than a block can have threads */
        {STATIC, 100000 + check_random_int(check, 0, 999), 300, 128},
    };
    for (int rung = STATIC; rung <= DYNAMIC; ++rung)
        for (size_t i = 0; i < sizeof jobs / sizeof *jobs; ++i) {
            jobs[i].rung = rung;
            sum_up(check, jobs[i]);
        }
}

#define WRITE_REQUESTS "global_store_requests global_atomic_requests global_reduction_requests"

/* Returns the average number of times that a block writes to global memory. The launch of the
 * second step has one block, which counts like the others. */
static double writes_a_block(const struct run *run, struct job job)
{
    return check_counter(run, WRITE_REQUESTS) / (job.blocks + 1);
}

/* The number of times that a block may write. It may write twice: if the last block adds up the
 * blocks' sums, each block also increments a counter. */
#define MOST_WRITES 2.1

/* Checks that blocks of another size and number seldom write, too, because a program must not be
 * tuned for one size. In a watched check, this run must be free of races. Other checks judge whether
 * the sums are right. Returns the run. */
static const struct run *writes_seldom(struct check *check, struct job job)
{
    int sum;
    job.threads = 32 * check_random_int(check, 3, 7);
    job.blocks = check_random_int(check, 2, 300);
    const struct run *run =
        check_run(check, check_sum_case(check, names[job.rung], job.rung, SUM_JOB(job), &sum));
    double writes = writes_a_block(run, job);
    if (writes > MOST_WRITES)
        check_refuse(check, run, "Let thread 0 alone store, after it has added up all sums.",
                     "a block writes its result to global memory %s times", check_number(writes));
    return run;
}

/* Checks that a block has little more shared memory than an int for each thread. */
static void is_small(struct check *check, const struct run *run)
{
    struct check_launch launch = check_launch(run, 0);
    double bytes = launch.static_shared_bytes + launch.dynamic_shared_bytes;
    double needed = launch.threads * sizeof(int);
    /* 1.25, because a barrier that the program implements itself takes a few bytes, too */
    if (bytes > 1.25 * needed)
        check_refuse(
            check, run,
            "TODO 2: declare sums[] as an extern array, and let the launch ask for one int per thread.",
            "a block of %s threads has %s bytes of shared memory, but uses only %s",
            check_number(launch.threads), check_number(bytes), check_number(needed));
}

/* Checks that the result comes through shared memory in blocks of any size. Also checks that rung 1
 * does not launch the kernel of rung 2. Returns a run on blocks of another size. */
static const struct run *uses_shared(struct check *check, const struct run *run, struct job job)
{
    bool is_static = job.rung == STATIC;
    check_is_counted(check, run);
    if (is_static && check_launch(run, 0).static_shared_bytes == 0)
        check_refuse(check, run, "In rung 1, give the array a length: sums[MAX_THREADS].",
                     "the kernel of rung 1 has no __shared__ array of its own");
    check_through_shared(check, run, "sum",
                         is_static ? "Do TODO 1a to 1c first." : "Do TODO 2a first.");
    return writes_seldom(check, job);
}

/* Runs JOB, and checks that the blocks of the first launch do the work. */
static const struct run *sum_up_in_blocks(struct check *check, struct job job)
{
    const struct run *run = sum_up(check, job);
    check_works_in(check, run, 0, (uint64_t)job.n * sizeof(int));
    return run;
}

/* In the naive kernel, each of a block's 8 warps makes one request. */
#define WRITES                                                                                     \
    {                                                                                              \
        .text = "a block writes its result to global memory %s times", .want = "at most %s",       \
        .counter = WRITE_REQUESTS, .budget = {.naive = 8, .solution = 1, .slack = MOST_WRITES},    \
        .judges = 1 << CHECK_BARRIERS                                                              \
    }

CHECK(one_store, .title = "rung 1: each block stores once", .points = 30, .where = CHECK_COUNTS,
      .slowest = 2.5, .figure = WRITES,
      .hint =
          "Let only thread 0 store, once, after it has added up the block's sums in shared memory.")
{
    const struct job job = {STATIC, 65536, 64, 256};
    const struct run *run = sum_up_in_blocks(check, job);
    check_measure(check, run, writes_a_block(run, job));
    uses_shared(check, run, job);
}

/* Makes a run with racecheck. A kernel without races still earns nothing if its results do not come
 * through shared memory. */
static void look_closely(struct check *check, int rung)
{
    /* The size is random, so that a program cannot be free of races for a fixed size only. */
    const struct job job = {rung, 20001 + 2 * check_random_int(check, 1, 99),
                            check_random_int(check, 8, 10), 256};
    const struct run *run = sum_up_in_blocks(check, job);
    uses_shared(check, run, job);
    check_costs(check, run);
}

#define RACE_HINT                                                                                  \
    "Between a write and another thread's read of the same word, all threads must reach one "      \
    "__syncthreads()."

CHECK(static_race, .title = "rung 1: no thread reads a word before it is written", .points = 15,
      .where = CHECK_COUNTS, .watched = true, .figure = {.judges = 1 << CHECK_BARRIERS},
      .hint = RACE_HINT)
{
    look_closely(check, STATIC);
}

CHECK(dynamic, .title = "rung 2: a block has only the shared memory that it uses", .points = 20,
      .where = CHECK_COUNTS, .slowest = 2.5, .figure = WRITES,
      .hint = "Only the declaration of sums[] and the launch differ from rung 1.")
{
    const struct job job = {DYNAMIC, 65536, 64, 256};
    const struct run *run = sum_up_in_blocks(check, job);
    is_small(check, run);
    check_measure(check, run, writes_a_block(run, job));
    is_small(check, uses_shared(check, run, job));
}

CHECK(dynamic_race, .title = "rung 2: no thread reads a word before it is written", .points = 15,
      .where = CHECK_COUNTS, .watched = true, .figure = {.judges = 1 << CHECK_BARRIERS},
      .hint = RACE_HINT)
{
    look_closely(check, DYNAMIC);
}
