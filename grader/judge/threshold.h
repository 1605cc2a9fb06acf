/* Proposes thresholds from measurements: the worst figure that earns full points, and the best
 * figure that earns no points. The functions are pure (no side effects).
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
    /* whether a threshold separates good from poor; if false, the other members are meaningless */
    bool apart;
    bool moved;   /* the declared slack does not fit, so the proposal changes it */
    double full;  /* the worst figure that earns full points */
    double naive; /* the best figure that earns no points */
};

/* Proposes thresholds. Uses the direction and the slack of BUDGET, the budget that the lab
 * declares, and its naive figure if none was measured. */
struct judge_proposal judge_propose(const struct judge_budget *budget,
                                    const struct judge_sample *sample);

/* Returns the ratio of the larger figure to the smaller. Returns INFINITY if only one of them is 0,
 * and 1 if both are equal. */
double judge_margin(double one, double other);

/* Returns FIGURE rounded to six significant digits, up or down so that the threshold becomes no
 * harder to reach. */
double judge_round(double figure, bool less_is_better);

#endif
