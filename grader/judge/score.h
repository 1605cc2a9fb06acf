/* Converts a figure to points, by pure functions.
 *
 * A budget declares two figures: the naive kernel's and the solution's. The naive figure earns no
 * points. A figure within SLACK of the solution's earns all points. In between, the share grows
 * along a straight line:
 *
 *     share 1 |--------.
 *             |         `.
 *           0 |___________`.____ figure
 *                full    naive
 *
 * If the two figures are orders of magnitude apart, a straight line is useless. If the figure falls
 * as 1 / threads, for example, the step from one thread to 32 is already 97 % of the way to 1,024
 * threads. For such a budget, the line is straight in the figure's logarithm, so each halving of
 * the figure earns the same number of points. */
#ifndef JUDGE_SCORE_H
#define JUDGE_SCORE_H

#include <stdbool.h>
#include <stddef.h>

enum judge_scale { JUDGE_LINEAR, JUDGE_LOGARITHMIC };

struct judge_budget {
    double naive; /* the naive kernel's figure, which earns no points */
    /* the solution's figure, which is smaller than `naive` if less is better, otherwise larger */
    double solution;
    /* at least 1; full points go up to solution * slack (or down to solution / slack) */
    double slack;
    enum judge_scale scale;
};

/* Returns the worst figure that still earns full points. */
double judge_full(const struct judge_budget *budget);

/* Returns the share of the points, from 0 to 1, or 0 if FIGURE is not finite. */
double judge_share(const struct judge_budget *budget, double figure);

/* Returns SHARE of MAX points, rounded down to tenths of a point, so only a share of 1 gives
 * MAX. */
double judge_points(double share, double max);

/* A program's own timing, and the measurements of the grader's clock. */
struct judge_clocks {
    double reported; /* milliseconds of the timed pass, as the program reports them */
    /* seconds that its process ran, for start, warm-up pass, timed pass and exit */
    double wall;
    double solution_reported; /* times of the lab's solution, which did the same work */
    double solution_wall;
};

/* Returns false if the reported time cannot be true, for one of two reasons. The reported time
 * exceeds the process's wall time. Or the process ran much longer than the solution's (by more than
 * JUDGE_CLOCK_SLACK seconds and by more than half), and two passes at the reported speed do not
 * explain the difference. Small lies pass, because starting a process takes longer than most
 * kernels run. */
#define JUDGE_CLOCK_SLACK 0.5
bool judge_clocks_agree(const struct judge_clocks *clocks);

/* Returns whether the longest of COUNT times is at most JUDGE_STEADY times the shortest. Then two
 * more times would hardly move the median. */
#define JUDGE_STEADY 1.02
bool judge_is_steady(const double *times, size_t count);

/* Returns a lower bound, in milliseconds, for kernels that read BYTES of uncached input. COPY_RATE
 * (GB/s, reads plus writes) is how fast the GPU copies its own memory. The bound is half of the
 * copy's time, to be safe. Returns 0 if it is unknown. */
double judge_least_time(double bytes, double copy_rate);

/* Returns true if POINTS are all of MAX, apart from the rounding of their sum. */
bool judge_is_full(double points, double max);

#endif
