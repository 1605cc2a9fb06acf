/* How many points is a figure worth? Pure functions.
 *
 * A budget says what the naive kernel costs and what the solution costs. The naive cost earns
 * nothing; whatever is within SLACK of the solution's earns everything; between the two the share
 * grows along a straight line:
 *
 *     share 1 |--------.                     share 1 |--------.
 *             |         `.                           |         `.
 *           0 |___________`.____ figure            0 |___________`.____ log(figure)
 *                full    naive                          full    naive
 *                JUDGE_LINEAR                           JUDGE_LOG
 *
 * JUDGE_LOG is for figures that span several powers of ten, as when 1 thread becomes 65,536: there
 * each doubling earns the same. On the plain line the first of sixteen doublings would earn half the
 * points, and the last eight less than half a point together. */
#ifndef JUDGE_SCORE_H
#define JUDGE_SCORE_H

#include <stdbool.h>

enum judge_scale { JUDGE_LINEAR, JUDGE_LOG };

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

/* True if POINTS are all of MAX, whatever the rounding of their sum. */
bool judge_is_full(double points, double max);

#endif
