/* Proposes thresholds from measurements: the worst figure for full points, and the first figure for
 * no points. The functions are pure.
 *
 *     solution  good           full              poor                naive
 *     ---|-------|-------------|----------------|-------------------|-----> figure (less is better)
 *                 as good as    solution times   the best program    the naive kernel
 *                 a solution    declared slack   that must lose
 *                                                points
 *
 * The declared slack is the lab author's estimate of how much good programs differ. If the figures
 * of all good programs are within the slack and the figures of all poor programs are not, the
 * proposal keeps the slack. Otherwise it puts the figure for full points at the geometric mean of
 * good and poor. */
#ifndef JUDGE_THRESHOLD_H
#define JUDGE_THRESHOLD_H

#include "judge/score.h"

/* The measured figures from which judge_propose() computes thresholds. */
struct judge_sample {
    double solution; /* the worst figure of the lab's solution */
    double good;     /* the worst figure of all programs that should earn full points */
    double poor;     /* the best figure of all programs that should lose points, or NAN */
    double naive;    /* the naive kernel's figure, or NAN if it was not measured */
};

struct judge_proposal {
    /* false if no threshold separates good from poor; the other members are then meaningless */
    bool apart;
    bool moved;   /* the declared slack does not fit the measurements */
    double full;  /* the worst figure that earns full points */
    double naive; /* the best figure that earns no points */
};

/* Proposes thresholds. BUDGET is the budget that the lab declares. This function uses the budget's
 * direction and slack, and the budget's naive figure if none was measured. */
struct judge_proposal judge_propose(const struct judge_budget *budget,
                                    const struct judge_sample *sample);

/* Returns the ratio of the larger figure to the smaller, INFINITY if only the smaller figure is 0,
 * or 1 if both figures are equal. */
double judge_margin(double one, double other);

/* Returns FIGURE rounded to six significant digits, in the direction that does not make the
 * threshold harder to reach. */
double judge_round(double figure, bool less_is_better);

#endif
