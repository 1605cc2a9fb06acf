/* Lab 01: one thread becomes a block, and a block becomes a grid.
 *
 * The figure is the critical path: the number of instructions that the longest warp executes. The
 * more threads share the work, the less work the busiest warp has. Fewer instructions in all earn
 * no points. In each rung (version of the kernel), a program with the previous rung's count earns no
 * points, and a program with the solution's count earns all points. The counts of successive rungs
 * are orders of magnitude apart, so the points are logarithmic: each halving of the count earns the
 * same number of points. */
#include <math.h>

#include "checks/check.h"

LAB(.title = "From one thread to a grid", .file = "parallelize.cu",
    .hints = {
        "Deal the numbers out like cards. With 256 threads, which numbers does thread 0 take? Which does thread 1 take? Where does a thread begin, and how far is it to its next number?",
        "Rung 1: thread t begins at number t and steps by blockDim.x, the number of threads in its block. Rung 2: count the threads of all blocks. A thread begins at its number among all threads, and steps by the number of all threads. Then look at launch(): it asks for too few threads.",
        "Rung 1: for (int i = threadIdx.x; i < n; i += blockDim.x), launched <<<1, 1024>>>. Rung 2: the same loop from blockIdx.x * blockDim.x + threadIdx.x in steps of gridDim.x * blockDim.x, launched <<<256, 256>>>."});

enum rung { ONE_THREAD, ONE_BLOCK, GRID };

#define MILLION (1 << 20)

static const char *const names[] = {"one thread, ", "one block, ", "grid, "};

static struct case_data *make_case(struct check *check, int rung, int n, uint64_t *sum)
{
    return check_squares_case(check, names[rung], rung, n, sum);
}

static const struct run *sum_up(struct check *check, int rung, int n)
{
    return check_squares_run(check, names[rung], rung, n);
}

CHECK(
    correct, .title = "exact sum of 1,048,576 numbers", .points = 10,
    .hint =
        "Add each number exactly once, in one thread. Each thread must add its `mine` to *sum with atomicAdd(). *sum must be 0 before the kernel starts.")
{
    sum_up(check, ONE_BLOCK, MILLION);
    sum_up(check, GRID, MILLION);
}

CHECK(
    ragged, .title = "exact sum for any n, such as 0, 1 and 1,000,003", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the size is the problem: each thread's loop must run while i < n, and no further. A kernel without a loop covers only as many numbers as it has threads.")
{
    /* The last size exceeds all other inputs, so that a grid of exactly a million threads is too
     * small. */
    const int sizes[] = {0, 1, check_random_int(check, 2, 300), 1000003,
                         MILLION + check_random_int(check, 1, 999)};
    for (int rung = ONE_BLOCK; rung <= GRID; ++rung)
        for (int i = 0; i < 5; ++i)
            sum_up(check, rung, sizes[i]);
}

CHECK(sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
      .watched = true, .hint = "First make the sum right: see the checks above.")
{
    sum_up(check, ONE_BLOCK, 1 << 14);
    sum_up(check, GRID, 1 << 17);
}

/* Instructions of the longest warp for a million numbers, measured with one thread and with one
 * block of 1,024 threads. grader/tests/grade/test_grade.c repeats these measurements, and those of
 * the checks' figures. */
#define ONE_THREAD_PATH   4456470
#define ONE_BLOCK_PATH    8205
#define LONGEST_WARP_TEXT "the longest warp does the work of %s instructions"

/* The costs that check_costs() does not limit in this lab. The figures limit CHECK_PATH, and
 * MOST_OCCUPIED limits CHECK_WORK and CHECK_IDLE. The other costs are the subjects of later labs:
 * lab 02 teaches which words a warp should read together, and lab 03 how the threads of a block
 * combine sums. */
#define JUDGED                                                                                     \
    (1 << CHECK_PATH | 1 << CHECK_WORK | 1 << CHECK_IDLE | 1 << CHECK_READS | 1 << CHECK_WRITES |  \
     1 << CHECK_BARRIERS)

/* warp instructions for each 32 numbers: nearly those that the solution executes */
#define USUAL_WORK 7.9

/* The limit of occupied_instructions for each 32 numbers. The solution's is 8. In a kernel whose
 * threads take four numbers each, and that combines its threads' sums with shuffles, it is 33. */
#define MOST_OCCUPIED 40

/* Returns the instructions of the longest warp in RUN on N numbers. If all warps together execute
 * fewer than USUAL_WORK, scales the count up, because one block with unrolled loops must not seem
 * to be a grid. For one block, also scales it up to a million numbers. For a grid, makes another
 * run with the opposite order of warps, and takes the larger count. If warps poll while they wait
 * for another warp, they poll longer in the order in which this warp runs last. */
static double path_of(struct check *check, int rung, const struct run *run, int n)
{
    static const char path[] = "longest_warp_instructions";
    double work = check_counter(run, "warp_instructions");
    double scale = work > 0 ? fmax(1, USUAL_WORK * n / 32 / work) : 1;
    return scale * (rung == GRID ? check_worse_counter(check, run, path)
                                 : check_counter(run, path) * MILLION / n);
}

/* Returns the longest path of two runs on fewer numbers, because a program must not be fast for a
 * million numbers only. One number is odd: no number of threads divides it. That sum is not judged:
 * a program that leaves out the remainder loses points elsewhere. */
static double path_elsewhere(struct check *check, int rung)
{
    uint64_t sum;
    int n = MILLION - (1 << 16) * check_random_int(check, 1, 7);
    int odd = n - 2 * check_random_int(check, 1, 1 << 14) - 1;
    double path = path_of(check, rung, sum_up(check, rung, n), n);
    const struct run *run = check_run(check, make_case(check, rung, odd, &sum));
    return fmax(path, path_of(check, rung, run, odd));
}

/* If a grid has fewer threads than this, the hint says that it needs more blocks. */
#define FEW_THREADS 8192

/* Rung 2 must share the work among this number of warps, which is more than a block has. Two large
 * blocks are enough. */
#define WARPS_OF_GRID 50

/* Checks that rung 1 launches one block, and that several blocks share the work of rung 2. */
static void share_among_blocks(struct check *check, int rung, const struct run *run)
{
    double most = 0;
    for (size_t i = 0; check_launch(run, i).blocks > 0; ++i)
        most = fmax(most, check_launch(run, i).blocks);
    if (rung == ONE_BLOCK && most > 1)
        check_refuse(check, run, "In launch(), start rung 1 as <<<1, ...>>>.",
                     "rung 1 launches %s blocks, not one", check_number(most));
    if (rung == GRID)
        check_is_shared(
            check, run, check_sectors_read(run), WARPS_OF_GRID,
            "In launch(), start many blocks of about 256 threads. Give work to all of them, at the same time.");
}

/* Measures how well the threads share the work: the instructions of the longest warp. */
static void measure_path(struct check *check, int rung)
{
    double elsewhere = path_elsewhere(check, rung);
    const struct run *run = sum_up(check, rung, MILLION);
    double path = path_of(check, rung, run, MILLION);
    double threads = check_launch(run, 0).blocks * check_launch(run, 0).threads;
    if (threads < FEW_THREADS && rung == GRID)
        check_hint(check,
                   "launch() starts %s for %s numbers. Start many blocks of about 256 threads.",
                   check_count(threads, "thread"), check_number(MILLION));
    check_measure(check, run, elsewhere > 1.1 * path ? elsewhere : path);
    share_among_blocks(check, rung, run);
    if (threads < FEW_THREADS && rung == GRID)
        check_show_line(check, "sum_grid<<<");
    /* counts an idle lane as a lane with work */
    double idle =
        check_counter(run, "warp_instructions") - check_counter(run, "thread_instructions") / 32;
    if (path < ONE_THREAD_PATH / 2 && idle > ONE_THREAD_PATH / 32)
        check_refuse(check, run,
                     "Ask for blocks of 32, 64, 128, ... threads, and give work to all threads.",
                     "threads without work waste as much time as %s warp instructions take",
                     check_number(idle));
    double reads = check_counter(run, "global_load_sectors_ideal") / (MILLION / 8);
    if (reads > 1.5)
        check_refuse(check, run, "Read each number once, in one thread.",
                     "the threads read each number about %.1f times", reads);
    check_occupied(
        check, run, MILLION, MOST_OCCUPIED,
        "Do each part of the work once, in one thread. Leave out work that the answer does not need, and let no warp wait for another one.");
}

CHECK(
    block_path, .title = "one block shares the work", .points = 30, .where = CHECK_COUNTS,
    .figure = {.text = LONGEST_WARP_TEXT,
               .want = "at most %s",
               .counter = "warp_instructions",
               .judges = JUDGED,
               .budget = {.naive = ONE_THREAD_PATH,
                          .solution = ONE_BLOCK_PATH,
                          .slack = 1.5,
                          .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "Thread t begins at number t and steps by blockDim.x. How many threads does launch() ask for? A block may have 1024.")
{
    measure_path(check, ONE_BLOCK);
}

#define GRID_HINT                                                                                  \
    "This thread is number blockIdx.x * blockDim.x + threadIdx.x of gridDim.x * blockDim.x "       \
    "threads. How many blocks does launch() ask for, and of how many threads?"

CHECK(grid_path, .title = "a grid shares the work", .points = 40, .where = CHECK_EMULATOR_ONLY,
      .figure = {.text = LONGEST_WARP_TEXT,
                 .want = "at most %s",
                 .counter = "warp_instructions",
                 .judges = JUDGED,
                 /* Slack 3, because a kernel that first combines sums in shared memory, as in lab
                  * 03, is right, too. Its path is twice as long, but fewer threads wait for
                  * *sum. */
                 .budget = {.naive = ONE_BLOCK_PATH,
                            .solution = 127,
                            .slack = 3,
                            .scale = JUDGE_LOGARITHMIC}},
      .hint = GRID_HINT)
{
    measure_path(check, GRID);
}

/* this check measures time, because a GPU shows the effect clearly */
CHECK(grid_speed, .title = "a grid is far faster than one thread", .points = 40,
      .where = CHECK_GPU_ONLY,
      .figure = {.text = "on 16,777,216 numbers the grid is %s times as fast as one thread",
                 .want = "at least %s",
                 .budget = {.slack = 3}},
      .hint = GRID_HINT)
{
    uint64_t sum;
    check_each_pass(check, make_case(check, GRID, 1 << 17, &sum), (1 << 17) * sizeof(int));
    check_time(check, CHECK_NAIVE, make_case(check, ONE_THREAD, 1 << 24, &sum));
    while (check_again(check)) {
        const struct case_data *input = make_case(check, GRID, 1 << 24, &sum);
        check_equal_u64(check, check_time(check, CHECK_YOURS, input), "sum", sum);
        check_time(check, CHECK_SOLUTION, input);
    }
    check_speed(check);
}
