/* Decides whether an answer is right, by pure functions that compare arrays. */
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the index of the first element that differs, or COUNT if none does. */
size_t judge_first_difference_int(const int32_t *got, const int32_t *want, size_t count);
size_t judge_first_difference_u64(const uint64_t *got, const uint64_t *want, size_t count);

/* Returns true if GOT is finite and at most BOUND away from WANT, and false if any of the three is
 * a NaN. */
bool judge_within(double got, double want, double bound);

/* Returns the unit in the last place of VALUE, which is finite, as a float. */
double judge_ulp(double value);

/* Returns the index of the first element of GOT that is not within bounds[i] of want[i], or COUNT
 * if all are. If BOUNDS is NULL, each element must equal that of WANT. */
size_t judge_first_outside(const float *got, const double *want, const double *bounds,
                           size_t count);
/* Returns the number of elements that are not within their bounds. */
size_t judge_count_outside(const float *got, const double *want, const double *bounds,
                           size_t count);

#endif
