/* Lab 02: neighbouring threads read neighbouring words.
 *
 * The figure is the number of 32-byte sectors that memory must deliver for 32 numbers. (A warp
 * reads 32 numbers in one request if each thread reads one number.) Run time would not show the
 * effect reliably: caches of a modern GPU hide it, and with few blocks the better kernel can even
 * be slower. The points are logarithmic: each halving of the sectors earns the same number. */
#include <math.h>

#include "checks/check.h"

LAB(.title = "Neighbouring threads read neighbouring words", .file = "coalesce.cu",
    .needs = {"01-parallelize"},
    .hints = {
        "All 32 threads of a warp read in the same step. Write down which words they read in their first step: how far apart are the words of thread 0 and thread 1?",
        "The sum does not depend on which thread reads a number. Instead of a chunk, let each thread take numbers at equal distances, so that in one step neighbouring threads read neighbouring words.",
        "Use the loop of the grid in lab 01: for (int i = me; i < n; i += all). Remove chunk, begin and end."});

#define MILLION (1 << 20)

static const struct run *sum_up(struct check *check, int n)
{
    return check_squares_run(check, "", 0, n);
}

CHECK(
    correct, .title = "exact sum of 1,048,576 numbers", .points = 10,
    .hint =
        "Add each number exactly once, in one thread. Each thread must add its `mine` to *sum with atomicAdd(). *sum must be 0 before the kernel starts.")
{
    sum_up(check, MILLION);
}

CHECK(
    ragged, .title = "exact sum for any n, such as 0, 1 and 1,000,003", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the size is the problem: each thread's loop must run while i < n, and no further. A kernel without a loop covers only as many numbers as it has threads.")
{
    /* 1 comes last: with a single number, the message cannot say which numbers are left out */
    const int sizes[] = {
        0,       check_random_int(check, 2, 300),           check_random_int(check, 8000, 9000),
        1000003, MILLION + check_random_int(check, 1, 999), 1};
    for (int i = 0; i < 6; ++i)
        sum_up(check, sizes[i]);
}

CHECK(sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
      .watched = true, .hint = "First make the sum right: see the checks above.")
{
    sum_up(check, 1 << 17);
}

/* Returns the number of sectors that RUN reads for 32 of N numbers, not for a request. A request
 * does not show how much memory must deliver: it is small if a warp has few active threads, and
 * large if a warp reads int4. */
static double figure_of(const struct run *run, int n)
{
    return check_sectors_read(run) * 32 / n;
}

CHECK(sectors, .title = "the threads of a warp read neighbouring words", .points = 70,
      .where = CHECK_COUNTS,
      .figure = {.text = "reading 32 numbers touches %s sectors of 32 bytes",
                 .want = "at most %s",
                 .counter = "global_load_sectors",
                 .budget = {.naive = 32, .solution = 4, .slack = 1.05, .scale = JUDGE_LOGARITHMIC},
                 /* check_costs() does not limit shared memory and barriers, because lab 03 teaches
                  * their use. */
                 .judges = 1 << CHECK_READS | 1 << CHECK_SHARED | 1 << CHECK_BARRIERS},
      .hint = "In one step, thread 0 reads data[i]. Which word should thread 1 read?")
{
    const struct run *run = sum_up(check, MILLION);
    /* Take the worst figure of three sizes, because a program must not be good for a million
     * numbers only. One is odd: no number of threads divides it, and a part of the data may begin
     * in the middle of a sector, so a quarter more is right. That sum is not judged: a program that
     * leaves out the remainder loses points elsewhere. */
    int fewer = MILLION - (1 << 13) * check_random_int(check, 1, 31);
    int odd = fewer - 2 * check_random_int(check, 1, 1 << 11) - 1;
    uint64_t sum;
    double figure = fmax(figure_of(run, MILLION), figure_of(sum_up(check, fewer), fewer));
    double there = figure_of(check_run(check, check_squares_case(check, "", 0, odd, &sum)), odd);
    check_measure(check, run, there > 1.3 * figure ? there : figure);
}
