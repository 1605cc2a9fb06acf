/* Converts a figure to points. The functions are pure.
 *
 * A budget declares the figures of two programs, the naive kernel and the solution. The naive
 * figure earns no points. A figure that differs from the solution's figure by at most the factor
 * SLACK earns all points. In between, the share of the points is a linear function of the figure:
 *
 *     share 1 |--------.
 *             |         `.
 *           0 |___________`.____ figure
 *                full    naive
 *
 * If the two figures are orders of magnitude apart, a linear share is useless. Example: for a
 * figure that falls as 1 / threads, the step from 1 thread to 32 threads is already 97 % of the way
 * to 1,024 threads. For such a budget, the share is linear in the logarithm of the figure, so each
 * halving of the figure earns the same number of points. */
#ifndef JUDGE_SCORE_H
#define JUDGE_SCORE_H

#include <stdbool.h>
#include <stddef.h>

enum judge_scale { JUDGE_LINEAR, JUDGE_LOGARITHMIC };

struct judge_budget {
    double naive; /* the naive kernel's figure, which earns no points */
    /* the solution's figure: below `naive` if less is better, otherwise above */
    double solution;
    /* tolerance, at least 1: figures up to solution * slack (or down to solution / slack) earn full
     * points */
    double slack;
    enum judge_scale scale;
};

/* Returns the worst figure that still earns full points. */
double judge_full(const struct judge_budget *budget);

/* Returns the share of the points, from 0 to 1, or 0 if FIGURE is not finite. */
double judge_share(const struct judge_budget *budget, double figure);

/* Returns SHARE * MAX points, rounded down to tenths of a point. Because of the rounding, only a
 * share of 1 gives MAX. */
double judge_points(double share, double max);

/* The time that a program reports, and the time that the grader measures. */
struct judge_clocks {
    double reported; /* milliseconds of the timed pass, as the program reports them */
    /* seconds that the program's process ran: start, warm-up pass, timed pass and exit */
    double wall;
    double solution_reported; /* the same two times of the lab's solution */
    double solution_wall;
};

/* Returns false if the reported time cannot be true, for one of two reasons. It exceeds the wall
 * time of the process. Or the process ran much longer than the solution's process, and two passes
 * at the reported speed do not explain the difference. "Much" is more than JUDGE_CLOCK_SLACK
 * seconds and more than half. A slightly false time is not detected, because starting a process
 * takes longer than most kernels run. */
#define JUDGE_CLOCK_SLACK 0.5
bool judge_clocks_agree(const struct judge_clocks *clocks);

/* Returns whether the longest of the COUNT times is at most JUDGE_STEADY times as long as the
 * shortest. If so, two more measurements would hardly change the median. */
#define JUDGE_STEADY 1.02
bool judge_is_steady(const double *times, size_t count);

/* Returns a lower bound for the time, in milliseconds, of kernels that read BYTES of uncached
 * input. COPY_RATE is the speed at which the GPU copies within its memory, in GB/s of reads plus
 * writes. As a safety margin, the bound is half of the time at this speed. Returns 0 if COPY_RATE
 * is 0, which means unknown. */
double judge_least_time(double bytes, double copy_rate);

/* Returns true if POINTS equals MAX, apart from rounding errors. */
bool judge_is_full(double points, double max);

#endif
