/* Converts figures into points. */
#include "judge/score.h"

#include <math.h>

double judge_full(const struct judge_budget *budget)
{
    bool less_is_better = budget->solution < budget->naive;
    return less_is_better ? budget->solution * budget->slack : budget->solution / budget->slack;
}

/* Converts FIGURE to the scale of BUDGET. */
static double on_scale(const struct judge_budget *budget, double figure)
{
    return budget->scale == JUDGE_LOGARITHMIC ? log(figure) : figure;
}

double judge_share(const struct judge_budget *budget, double figure)
{
    double naive = on_scale(budget, budget->naive), full = on_scale(budget, judge_full(budget));
    if (!isfinite(figure))
        return 0;
    double share = (naive - on_scale(budget, figure)) / (naive - full);
    /* if the two figures of the budget are equal, SHARE is a NaN, which counts as 0 */
    return share >= 1 ? 1 : share > 0 ? share : 0;
}

double judge_points(double share, double max)
{
    if (share >= 1)
        return max;
    /* the addend 1e-9 keeps a rounding error from turning 0.7 * 10 into 6.9 */
    return share > 0 ? floor(share * max * 10 + 1e-9) / 10 : 0;
}

bool judge_clocks_agree(const struct judge_clocks *clocks)
{
    double more = clocks->wall - clocks->solution_wall;
    double explained = 2 * (clocks->reported - clocks->solution_reported) / 1000;
    double slack = fmax(JUDGE_CLOCK_SLACK, clocks->solution_wall / 2);
    return clocks->reported / 1000 <= clocks->wall && more <= fmax(explained, 0) * 1.5 + slack;
}

bool judge_is_steady(const double *times, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; ++i) {
        least = fmin(least, times[i]);
        most = fmax(most, times[i]);
    }
    return most <= JUDGE_STEADY * least;
}

double judge_least_time(double bytes, double copy_rate)
{
    return copy_rate > 0 ? bytes / (copy_rate * 1e6) / 2 : 0;
}

bool judge_is_full(double points, double max)
{
    return points > max - 0.05;
}
