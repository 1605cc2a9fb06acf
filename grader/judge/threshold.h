/* Proposes thresholds from measurements: the worst figure for full points, and the first figure for
 * no points. Pure functions.
 *
 *     solution  good           full              poor                naive
 *     ---|-------|-------------|----------------|-------------------|-----> figure (less is better)
 *                 as good as    solution times   the best program    the naive kernel
 *                 a solution    declared slack   that must lose
 *                                                points
 *
 * The declared slack is the lab author's estimate of how much good programs differ. The slack is
 * kept if the figures of all good programs are within it and those of all poor programs beyond it.
 * Otherwise full points begin halfway (by ratio) between good and poor. */
#ifndef JUDGE_THRESHOLD_H
#define JUDGE_THRESHOLD_H

#include "judge/score.h"

/* Measured figures. */
struct judge_sample {
    double solution; /* the worst figure of the lab's solution */
    double good;     /* the worst figure of all programs that should earn full points */
    double poor;     /* the best figure of all programs that should lose points; or NAN */
    double naive;    /* the naive kernel's figure; NAN: not measured */
};

struct judge_proposal {
    bool apart;   /* false: no threshold separates good from poor; ignore the other members */
    bool moved;   /* the declared slack does not fit the measurements */
    double full;  /* the worst figure that earns full points */
    double naive; /* the best figure that earns no points */
};

/* BUDGET is the budget that the lab declares. Its direction and slack are used, and its naive
 * figure if none was measured. */
struct judge_proposal judge_propose(const struct judge_budget *budget,
                                    const struct judge_sample *sample);

/* Returns the ratio of the larger figure to the smaller; INFINITY if only the smaller is 0, 1 if
 * both are equal. */
double judge_margin(double one, double other);

/* FIGURE rounded to six significant digits, in the direction that does not make the threshold
 * harder to reach. */
double judge_round(double figure, bool less_is_better);

#endif
