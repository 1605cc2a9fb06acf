/* Where may full points begin, and where none? A proposal from what was measured. Pure functions.
 *
 *     solution  good           full              poor                naive
 *     ---|-------|-------------|----------------|-------------------|-----> figure (less is better)
 *                 as good as    solution times   the nearest that    the naive kernel
 *                 a solution    declared slack   shall lose points
 *
 * The declared slack is its author's word on how far good programs lie apart, and is kept where these are
 * within it and the poor ones beyond. Where not, full points begin halfway (by ratio) between good and
 * poor. */
#ifndef JUDGE_THRESHOLD_H
#define JUDGE_THRESHOLD_H

#include "judge/score.h"

/* What was measured. */
struct judge_sample {
    double solution; /* the worst figure of the solution's */
    double good;     /* the worst figure of all programs that shall have full points */
    double poor;     /* the best figure of those that shall lose some; NAN: none was measured */
    double naive;    /* the naive kernel's figure; NAN: it was not measured */
};

struct judge_proposal {
    bool apart;   /* false: good and poor cannot be told apart here, and the rest means nothing */
    bool moved;   /* the declared slack does not fit what was measured */
    double full;  /* full points from here on */
    double naive; /* no points from here on */
};

/* BUDGET is the declared one: its direction and slack hold, and its naive figure where none was measured. */
struct judge_proposal judge_propose(const struct judge_budget *budget,
                                    const struct judge_sample *sample);

/* How many times as much the worse of two figures is; INFINITY where one of them is 0, 1 where both are. */
double judge_margin(double one, double other);

/* FIGURE in six digits, rounded so that it is no harder to reach than before. */
double judge_round(double figure, bool less_is_better);

#endif
