/* How many points is a figure worth? Pure functions.
 *
 * A budget says what the naive kernel costs and what the solution costs. The naive cost earns
 * nothing; whatever is within SLACK of the solution's earns everything; between the two the share
 * grows along a straight line:
 *
 *     share 1 |--------.
 *             |         `.
 *           0 |___________`.____ figure
 *                full    naive
 *
 * Where the two lie decades apart a straight line says nothing: 32 threads in place of one are 96 % of
 * the way to 1,024. There the line is straight over the figure's logarithm, so that each time it
 * halves earns as much. */
#ifndef JUDGE_SCORE_H
#define JUDGE_SCORE_H

#include <stdbool.h>

enum judge_scale { JUDGE_LINEAR, JUDGE_LOGARITHMIC };

struct judge_budget {
    double naive;    /* the naive kernel's figure: no points */
    double solution; /* the solution's: smaller than naive if less is better, else larger */
    double slack; /* at least 1: full points up to solution * slack (or down to solution / slack) */
    enum judge_scale scale;
};

/* The figure from which on there are full points. */
double judge_full(const struct judge_budget *budget);

/* The share of the points, from 0 to 1; 0 for a figure that is no finite number. */
double judge_share(const struct judge_budget *budget, double figure);

/* SHARE of MAX points, in tenths of a point, rounded down: only a share of 1 shows as MAX. */
double judge_points(double share, double max);

/* What a program says of its time, and the clock of those who have run it. */
struct judge_clocks {
    double said; /* milliseconds that its timed pass has taken, by its own word */
    double wall; /* seconds that its process ran: start, a warm-up pass, the timed pass, the rest */
    double solution_said; /* the same of the lab's solution, which has done the same work */
    double solution_wall;
};

/* False if its word cannot be: it says more than its process ran for; or that ran much longer than the
 * solution's (by JUDGE_CLOCK_SLACK seconds and by half), and two passes as slow as it says do not explain that.
 * Small lies pass: a process takes longer to start than most kernels run. */
#define JUDGE_CLOCK_SLACK 0.5
bool judge_clocks_agree(const struct judge_clocks *clocks);

/* The least milliseconds in which kernels can read BYTES of input that is in no cache, on a GPU that copies its own
 * memory at COPY_RATE GB/s, read and written: half of what the copy would need, to be safe. 0: unknown. */
double judge_least_time(double bytes, double copy_rate);

/* True if POINTS are all of MAX, whatever the rounding of their sum. */
bool judge_is_full(double points, double max);

#endif
