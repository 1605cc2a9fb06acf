/* Proposes thresholds from measurements. */
#include "judge/threshold.h"

#include <math.h>

/* Returns true if A is a worse figure than B. */
static bool is_worse(double a, double b, bool less_is_better)
{
    return less_is_better ? a > b : a < b;
}

/* Returns the geometric mean of two figures, or the arithmetic mean if one figure is 0. */
static double halfway(double one, double other)
{
    return one > 0 && other > 0 ? sqrt(one * other) : (one + other) / 2;
}

struct judge_proposal judge_propose(const struct judge_budget *budget,
                                    const struct judge_sample *sample)
{
    bool less = budget->solution < budget->naive;
    struct judge_proposal proposal = {
        .full = less ? sample->solution * budget->slack : sample->solution / budget->slack,
        .naive = isnan(sample->naive) ? budget->naive : sample->naive};
    proposal.moved = is_worse(sample->good, proposal.full, less) ||
                     (!isnan(sample->poor) && !is_worse(sample->poor, proposal.full, less));
    if (proposal.moved)
        proposal.full = halfway(sample->good, isnan(sample->poor) ? proposal.naive : sample->poor);
    proposal.apart = is_worse(proposal.naive, proposal.full, less) &&
                     (isnan(sample->poor) || is_worse(sample->poor, sample->good, less));
    return proposal;
}

double judge_margin(double one, double other)
{
    if (one == other)
        return 1;
    return one > other ? one / other : other / one; /* the division by 0 gives INFINITY */
}

double judge_round(double figure, bool less_is_better)
{
    if (figure == 0 || !isfinite(figure))
        return figure;
    double unit = pow(10, floor(log10(fabs(figure))) - 5);
    double steps = figure / unit;
    /* keep a figure of at most six digits unchanged, although the division is inexact */
    if (fabs(steps - round(steps)) < 1e-6)
        return round(steps) * unit;
    return (less_is_better ? ceil(steps) : floor(steps)) * unit;
}
