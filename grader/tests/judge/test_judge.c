/* Tests the pure functions of judge/: comparisons, budgets and points. */
#include <criterion/criterion.h>
#include <math.h>

#include "judge/compare.h"
#include "judge/score.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

Test(judge, the_first_difference_is_found)
{
    const int32_t ints[] = {1, -2, 3}, other[] = {1, 2, 4};
    const uint64_t longs[] = {1ull << 63, 7}, changed[] = {1ull << 63, 7ull | 1ull << 32};
    cr_expect_eq(judge_first_difference_int(ints, ints, 3), 3, "equal");
    cr_expect_eq(judge_first_difference_int(ints, other, 3), 1, "second of three");
    cr_expect_eq(judge_first_difference_int(ints, other, 1), 1, "before the difference");
    cr_expect_eq(judge_first_difference_int(ints, other, 0), 0, "nothing");
    cr_expect_eq(judge_first_difference_u64(longs, longs, 2), 2, "equal");
    cr_expect_eq(judge_first_difference_u64(longs, changed, 2), 1, "upper half of a number");
}

static const struct {
    const char *name;
    double got, want, bound;
    bool within;
} bounds[] = {
    {"exact", 1, 1, 0, true},
    {"at the bound", 1.5, 1, 0.5, true},
    {"above the bound", 1.5000001, 1, 0.5, false},
    {"below", 0.4, 1, 0.5, false},
    {"NaN for a number", NAN, 1, 0.5, false},
    {"NaN for a NaN", NAN, NAN, 0.5, false},
    {"infinity for infinity", INFINITY, INFINITY, 1, false},
    {"infinity within an infinite bound", INFINITY, 1, INFINITY, false},
    {"a NaN bound", 1, 1, NAN, false},
};

Test(judge, only_finite_numbers_within_the_bound_are_right)
{
    for (size_t i = 0; i < COUNT(bounds); ++i)
        cr_expect_eq(judge_within(bounds[i].got, bounds[i].want, bounds[i].bound), bounds[i].within,
                     "%s", bounds[i].name);
}

Test(judge, the_first_float_outside_is_found)
{
    const float got[] = {1, 2, NAN, 4};
    const double want[] = {1, 2.1, 3, 5}, wide[] = {0, 0.2, 9, 2}, narrow[] = {0, 0.05, 9, 2};
    cr_expect_eq(judge_first_outside(got, want, wide, 4), 2, "the NaN");
    cr_expect_eq(judge_first_outside(got, want, narrow, 4), 1, "the narrow one");
    cr_expect_eq(judge_first_outside(got, want, wide, 2), 2, "neither of the first two");
    cr_expect_eq(judge_first_outside(got, want, NULL, 4), 1, "the first that is not equal");
    cr_expect_eq(judge_count_outside(got, want, wide, 4), 1, "the NaN");
    cr_expect_eq(judge_count_outside(got, want, narrow, 4), 2);
    cr_expect_eq(judge_count_outside(got, want, NULL, 4), 3, "all but the first");
}

/* A unit in the last place is the distance to the next float away from 0. */
static const float places[] = {1, 1.5f, 2, 0.75f, 1e30f, -3, 1.5e-38f, 1e-38f, 1e-45f, 0};

Test(judge, units_in_the_last_place)
{
    for (size_t i = 0; i < COUNT(places); ++i) {
        float size = fabsf(places[i]);
        double step = (double)nextafterf(size, INFINITY) - (double)size;
        cr_expect_eq(judge_ulp((double)places[i]), step, "%g", (double)places[i]);
    }
    cr_expect_eq(judge_ulp(1 + 1e-12), ldexp(1, -23), "not a float");
}

/* For sectors, fewer are better. For speed, more is better. */
static const struct judge_budget sectors = {32, 4, 1.05, JUDGE_LINEAR},
                                 speed = {1, 101, 1, JUDGE_LINEAR}, empty = {5, 5, 1, JUDGE_LINEAR},
                                 path = {100000, 5, 2, JUDGE_LOGARITHMIC},
                                 faster = {1, 10000, 1, JUDGE_LOGARITHMIC};

static const struct {
    const char *name;
    const struct judge_budget *budget;
    double figure, share;
} shares[] = {
    {"the naive figure earns nothing", &sectors, 32, 0},
    {"worse than naive earns nothing", &sectors, 33, 0},
    {"the solution earns all", &sectors, 4, 1},
    {"within the slack earns all", &sectors, 4.2, 1},
    {"better than the solution earns all", &sectors, 1, 1},
    {"half-way earns half", &sectors, 18.1, 0.5},
    {"a NaN earns nothing", &sectors, NAN, 0},
    {"infinity earns nothing", &sectors, INFINITY, 0},
    {"minus infinity earns nothing", &sectors, -INFINITY, 0},
    {"more is better: naive", &speed, 1, 0},
    {"more is better: half-way earns half", &speed, 51, 0.5},
    {"more is better: all", &speed, 101, 1},
    {"more is better: beyond", &speed, 100000, 1},
    {"more is better: slower than naive", &speed, 0.5, 0},
    {"decades: naive", &path, 100000, 0},
    {"decades: each earns as much", &path, 1000, 0.5},
    {"decades: within the slack", &path, 10, 1},
    {"decades: nothing at all", &path, 0, 1},
    {"decades: worse than naive", &path, 200000, 0},
    {"decades: a negative figure earns nothing", &path, -1, 0},
    {"decades, more is better", &faster, 10, 0.25},
    {"decades, more is better: nothing at all", &faster, 0, 0},
    {"an empty budget earns nothing at its figure", &empty, 5, 0},
};

Test(judge, shares_lie_on_the_budgets_line)
{
    for (size_t i = 0; i < COUNT(shares); ++i) {
        double share = judge_share(shares[i].budget, shares[i].figure);
        cr_expect(fabs(share - shares[i].share) < 1e-9, "%s: %g", shares[i].name, share);
    }
}

static const struct {
    const char *name;
    double share, max, points;
} roundings[] = {
    {"nothing", 0, 40, 0},
    {"everything", 1, 40, 40},
    {"rounded down to a tenth", 0.5554, 10, 5.5},
    {"almost everything is not everything", 0.99999, 40, 39.9},
    {"a tenth that is not exact in binary", 0.7, 10, 7},
    {"a negative share", -1, 40, 0},
    {"a NaN", NAN, 40, 0},
};

Test(judge, points_are_tenths_rounded_down)
{
    for (size_t i = 0; i < COUNT(roundings); ++i) {
        double points = judge_points(roundings[i].share, roundings[i].max);
        cr_expect(fabs(points - roundings[i].points) < 1e-9, "%s: %g", roundings[i].name, points);
    }
}

static const struct {
    const char *name;
    struct judge_clocks clocks; /* claimed ms and measured seconds; the same of the solution */
    bool agree;
} clocks[] = {
    {"as the solution", {0.06, 1.2, 0.06, 1.2}, true},
    {"a slow start", {0.06, 1.6, 0.06, 1.2}, true},
    {"a busy machine", {0.06, 5.9, 0.06, 4.0}, true},
    {"slow, with a true claim", {430, 2.06, 0.06, 1.2}, true},
    {"very slow, with a true claim", {3000, 7.4, 0.06, 1.2}, true},
    {"slow, with a claim of the solution's time", {0.05, 2.06, 0.06, 1.2}, false},
    {"slow, with a claim of half the time", {500, 6.2, 0.06, 1.2}, false},
    {"faster than the solution", {0.03, 1.1, 0.06, 1.2}, true},
    {"a claim longer than the process ran", {5000, 1.2, 0.06, 1.2}, false},
    {"a solution that is slow", {100, 2.0, 2000, 5.0}, true},
};

Test(judge, a_programs_times_are_believed_within_the_graders)
{
    for (size_t i = 0; i < COUNT(clocks); ++i)
        cr_expect_eq(judge_clocks_agree(&clocks[i].clocks), clocks[i].agree, "%s", clocks[i].name);
}

Test(judge, times_are_steady_within_two_percent)
{
    static const struct {
        double times[3];
        bool steady;
    } rows[] = {
        {{1, 1, 1}, true},
        {{1.019, 1, 1.01}, true},
        {{1, 1.021, 1}, false},
        {{1.01, 1, 0.985}, false},
    };
    for (size_t i = 0; i < COUNT(rows); ++i)
        cr_expect_eq(judge_is_steady(rows[i].times, 3), rows[i].steady, "row %zu", i);
}

/* The input is 64 MiB, on an H100, where the solution takes 0.081 ms. */
Test(judge, reading_takes_time)
{
    cr_expect_float_eq(judge_least_time(1 << 26, 2850), 0.01177, 1e-5);
    cr_expect_eq(judge_least_time(1 << 26, 0), 0, "not measured");
}

Test(judge, full_marks_need_every_tenth)
{
    cr_expect(judge_is_full(100, 100), "exactly");
    cr_expect(judge_is_full(15 + 15 + 29.9 + 0.1 + 40, 100), "a sum with rounding errors");
    cr_expect(!judge_is_full(99.9, 100), "a tenth less");
}
