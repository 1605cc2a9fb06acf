/* Lab 04: a tree reduction in shared memory, without divergence and without bank conflicts.
 *
 * Each TODO lowers one counter:
 *
 *     TODO 1    the instructions of the longest warp: a tree replaces the loop of thread 0
 *     TODO 2a   the divergent branches of a tree that picks its threads by t % (2 * off)
 *     TODO 2b   the bank conflicts of a tree whose thread t works on place 2 * off * t
 *     TODO 3    the barriers
 *
 * A loop of thread 0 has almost no divergence and no conflicts. So the checks of these two
 * counters, and the check for races, give points only to trees. */
#include <math.h>

#include "checks/check.h"

LAB(.title = "A tree without divergence and bank conflicts", .file = "bank_conflicts.cu",
    .needs = {"03-shared-reduce"},
    .hints = {
        "Do one TODO at a time, and grade after each. TODO 1 makes the longest warp short, but its tree diverges. TODO 2a ends the divergence but causes bank conflicts. TODO 2b removes the bank conflicts. TODO 3 saves barriers.",
        "The tree of TODO 2b: for (int off = blockDim.x / 2; off > 0; off /= 2) { if (t < off) sums[t] += sums[t + off]; __syncthreads(); }. The barrier is after the if, not inside it.",
        "TODO 3: let the loop above run while off >= 32. Then if (t < 32) { int total = sums[t]; for (int off = 16; off > 0; off /= 2) total += __shfl_down_sync(0xffffffff, total, off); if (t == 0) result[blockIdx.x] = total; }.",
    });

enum rung { THREAD_0, TREE };

static const struct run *sum_up(struct check *check, struct check_sum_job job)
{
    return check_sum_run(check, "", TREE, job);
}

CHECK(
    correct, .title = "exact sum of 100,003 numbers", .points = 10,
    .hint =
        "Draw your tree for 8 threads: does each sum reach sums[0] exactly once? Does every step wait for the step before it? Does each shuffle read only from lanes that also call it?")
{
    sum_up(check, (struct check_sum_job){100003, 64, 256});
}

CHECK(
    ragged, .title = "right for any n, in blocks of 64 to 1,024 threads", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the number of threads is the problem: begin or end the tree at blockDim.x, not at a fixed number.")
{
    sum_up(check, (struct check_sum_job){0, 8, 64});
    sum_up(check, (struct check_sum_job){1, 3, 1024});
    sum_up(check, (struct check_sum_job){2 * check_random_int(check, 1, 400) + 1, 5, 128});
    sum_up(check, (struct check_sum_job){65537, 2, 64});
    sum_up(check, (struct check_sum_job){100000 + check_random_int(check, 0, 999), 150, 512});
    sum_up(check, (struct check_sum_job){200001, 40, 1024});
}

/* Two runs on blocks of the same size. The checks take the larger count, because a tree must not
 * grow for some numbers of blocks only. */
struct trees {
    const struct run *usual; /* check_costs() judges this run */
    const struct run *other; /* a run with any number of blocks */
    double threads;          /* the size of a block */
    double path;             /* the instructions of the longest warps of both steps */
};

/* Returns the sum of COUNTERS for each block. The second step counts as one block. */
static double of_a_block(const struct trees *trees, const char *counters)
{
    double usual = check_launch(trees->usual, 0).blocks,
           other = check_launch(trees->other, 0).blocks;
    return fmax(check_counter(trees->usual, counters) / (usual + 1),
                check_counter(trees->other, counters) / (other + 1));
}

/* Checks that each block writes one result to global memory. If one launch does both steps, a block
 * may write one more word. */
static void leaves_one_result(struct check *check, const struct trees *trees)
{
    double results =
        of_a_block(trees, "global_store_requests global_atomic_requests global_reduction_requests");
    if (results > 2.1)
        check_refuse(check, trees->other, "Let each block write one result, as in lab 03.",
                     "a block writes its result to global memory %s times", check_number(results));
}

/* Each thread reads few numbers, and at most one in the second step, so most of the counted events
 * happen in the tree. */
static const struct run *run_tree(struct check *check, int blocks, struct trees *trees)
{
    const struct check_sum_job job = {1024 * blocks, blocks, (int)trees->threads};
    const struct run *run = sum_up(check, job);
    check_works_in(check, run, 0, (uint64_t)job.n * sizeof(int));
    trees->path = fmax(trees->path, check_counter(run, "longest_warp_instructions"));
    return run;
}

/* Runs trees on blocks of THREADS threads. The checks use different numbers of threads, because a
 * program must not be right for one size only. In the usual run, the number of blocks varies
 * little, because check_costs() compares with costs of the solution that were measured with one
 * seed. A GPU can hold all blocks at once, so a single cooperative launch can do both steps. */
static struct trees run_trees(struct check *check, int threads)
{
    struct trees trees = {.threads = threads};
    trees.usual = run_tree(check, check_random_int(check, 125, 127), &trees);
    int blocks = check_random_int(check, 20, 197);
    trees.other = run_tree(check, blocks < 125 ? blocks : blocks + 3, &trees);
    leaves_one_result(check, &trees);
    return trees;
}

/* check_costs() limits neither the total number of instructions nor idle warps: warps that wait may
 * poll, and most warps of a tree wait. Instead, the check of the longest warp limits both. */
#define POLLING (1 << CHECK_WORK | 1 << CHECK_IDLE)

/* Fails the check if more than a quarter of the threads add to shared memory by atomics. Such a
 * program is no tree, even if the threads of a warp add to different words. */
static void refuse_atomics(struct check *check, const struct trees *trees)
{
    double lanes = of_a_block(trees, "shared_atomic_lanes");
    if (lanes > trees->threads / 4.0)
        check_refuse(
            check, trees->other, "Let the threads of a warp add up first, as a tree.",
            "this check expects a tree, but in a block %s threads add to shared memory by atomics",
            check_number(lanes));
}

/* Fails the check if the lanes of a warp pass on their sums one after another. A tree of shuffles
 * needs five of them in each warp, and five more for the sums of the warps. */
static void refuse_chain(struct check *check, const struct trees *trees)
{
    double shuffles = of_a_block(trees, "shuffle_requests");
    double tree = 5 * (trees->threads / 32.0 + 1);
    if (shuffles > 2 * tree)
        check_refuse(check, trees->other, "Let half as many threads add in each step, as a tree.",
                     "a block makes %s shuffles; a tree needs %s", check_number(shuffles),
                     check_number(tree));
}

/* Fails the check if thread 0 does all the work. Even with int4, the loop of such a thread takes
 * more than 2.5 instructions for each thread of the two steps. A tree with padded indices takes 2,
 * in blocks of 256 threads or more. */
static void refuse_one_thread(struct check *check, const struct trees *trees)
{
    if (trees->path > 2.5 * trees->threads)
        check_refuse(
            check, trees->other, "Do TODO 1 first.",
            "this check expects a tree, but one warp still does all the work: it executes %s instructions",
            check_number(trees->path));
}

static struct trees grow_trees(struct check *check, int threads)
{
    struct trees trees = run_trees(check, threads);
    refuse_one_thread(check, &trees);
    refuse_atomics(check, &trees);
    return trees;
}

CHECK(
    path, .title = "many threads add at the same time", .points = 15, .where = CHECK_EMULATOR_ONLY,
    .figure =
        {.text =
             "in blocks of 1,024 threads, the longest warps of both steps execute %s instructions",
         .want = "at most %s",
         .counter = "warp_instructions",
         .budget = {.naive = 6750, .solution = 240, .slack = 1.8, .scale = JUDGE_LOGARITHMIC},
         .judges = 1 << CHECK_PATH | POLLING},
    .hint = "TODO 1: let threads that are 2 * off apart add at the same time, in ten steps.")
{
    const struct trees trees = run_trees(check, 1024);
    check_measure(check, trees.usual, trees.path);
    refuse_one_thread(check, &trees);
    refuse_atomics(check, &trees);
    refuse_chain(check, &trees);
}

/* In blocks of 1,024 threads, the solution is twice as fast as thread 0 alone, so time can be
 * judged. In blocks of 256 threads, it is not faster. (Measured:
 * grader/tests/hardware/calibration.tsv.) */
CHECK(
    speed, .title = "many threads add at the same time", .points = 15, .where = CHECK_GPU_ONLY,
    .figure =
        {.text =
             "with blocks of 1,024 threads, the program is %s times as fast as with thread 0 alone",
         .want = "at least %s",
         .budget = {.slack = 1.3}},
    .hint = "TODO 1: let threads that are 2 * off apart add at the same time, in ten steps.")
{
    const struct check_sum_job job = {1 << 24, 1 << 14, 1024}, small = {1 << 14, 4, 1024};
    int sum;
    check_each_pass(check, check_sum_case(check, "", TREE, small, &sum), (1 << 14) * sizeof(int));
    check_time(check, CHECK_NAIVE, check_sum_case(check, "", THREAD_0, job, &sum));
    while (check_again(check)) {
        const struct case_data *input = check_sum_case(check, "", TREE, job, &sum);
        check_equal_int(check, check_time(check, CHECK_YOURS, input), "sum", sum);
        check_time(check, CHECK_SOLUTION, input);
    }
    check_speed(check);
}

CHECK(
    divergence, .title = "the threads of a warp work or idle together", .points = 20,
    .where = CHECK_COUNTS,
    .figure = {.text = "divergent branches in a block of 256 threads: %s",
               .want = "at most %s",
               .counter = "divergent_branches",
               .judges = 1 << CHECK_IDLE,
               .budget = {.naive = 48, .solution = 1, .slack = 12}},
    .hint = "TODO 2a: in each step, let the first threads do the work: threads 0, 1, 2 and so on.")
{
    const struct trees trees = grow_trees(check, 256);
    double reads = of_a_block(&trees, "shared_load_requests");
    double passes =
        of_a_block(&trees, "shared_load_requests shared_store_requests shuffle_requests");
    /* rounded down: in the second step, the warp that reads the last block's result can diverge
     * once more */
    check_measure(check, trees.usual, floor(of_a_block(&trees, "divergent_branches")));
    /* A tree can also disable some threads of a warp by predicates or masks, which counters of
     * branches do not show. So count how often warps read a sum, or pass one on. A tree that picks
     * its threads by t % (2 * off) makes 95 reads. If whole warps are idle, eight steps make twelve
     * reads of two words each. If thread 0 alone adds up the last 32 sums, it makes 32 reads. */
    if (reads > 40)
        check_refuse(
            check, trees.other,
            "In each step, let one thread add for each sum that the step makes: threads 0, 1, 2 and so on.",
            "the warps of a block read shared memory %s times; they read it only 25 times if warps without additions skip the step",
            check_number(reads));
    /* Shuffles count, too. The solution makes 35 requests in all, shuffles in each warp 62, and
     * steps that read and write in turns 69. If the steps of shuffles come first, and then all
     * warps stay busy in the others, there are 80 or more. */
    if (passes > 75)
        check_refuse(
            check, trees.other, "Let warps that have nothing to add skip the step.",
            "the warps of a block load, store and shuffle sums %s times; the solution does this %s times",
            check_number(passes), check_number(35));
}

CHECK(conflicts, .title = "no bank conflicts in shared memory", .points = 10, .where = CHECK_COUNTS,
      .figure = {.text = "bank conflicts in a block of 512 threads: %s",
                 .want = "%s",
                 .counter = "shared_load_bank_conflicts",
                 .budget = {.naive = 225, .solution = 0, .slack = 1},
                 .judges = POLLING},
      .hint = "TODO 2b: let neighbouring threads touch neighbouring words, in every step.")
{
    const struct trees trees = grow_trees(check, 512);
    /* an atomic both loads and stores a word, so its conflicts count twice */
    check_measure(check, trees.usual,
                  of_a_block(&trees, "shared_load_bank_conflicts shared_store_bank_conflicts") +
                      2 * of_a_block(&trees, "shared_atomic_bank_conflicts"));
}

/* racecheck is active, so a program that leaves out a necessary barrier earns nothing */
CHECK(barriers, .title = "the last warp adds up without barriers", .points = 15,
      .where = CHECK_COUNTS, .watched = true,
      .figure = {.text = "in a block of 512 threads, each warp waits at %s barriers",
                 .want = "at most %s",
                 .counter = "barriers",
                 .budget = {.naive = 10, .solution = 5, .slack = 1},
                 .judges = 1 << CHECK_BARRIERS | 1 << CHECK_IDLE},
      .hint = "TODO 3: when 32 sums are left, only warp 0 works, and it needs no __syncthreads().")
{
    const struct trees trees = grow_trees(check, 512);
    check_measure(check, trees.usual, of_a_block(&trees, "barriers") / (512 / 32));
    refuse_chain(check, &trees);
}

CHECK(
    no_race, .title = "no thread reads a word that another may still write", .points = 20,
    .where = CHECK_COUNTS, .watched = true, .figure = {.judges = POLLING},
    .hint =
        "Between a write and another thread's read of the same word there must be a __syncthreads() or, within one warp, a __syncwarp(). `volatile` is not enough.")
{
    check_costs(check, grow_trees(check, 512).usual);
    sum_up(check, (struct check_sum_job){20001 + 2 * check_random_int(check, 1, 99), 9, 64});
    sum_up(check, (struct check_sum_job){20001 + 2 * check_random_int(check, 1, 99), 5, 1024});
}
