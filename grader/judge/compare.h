/* Compares the numbers of an answer with the right numbers. The functions are pure (no side
 * effects). */
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the index of the first element of GOT that differs from WANT, or COUNT if none
 * differs. */
size_t judge_first_difference_int(const int32_t *got, const int32_t *want, size_t count);
size_t judge_first_difference_u64(const uint64_t *got, const uint64_t *want, size_t count);

/* Returns true if GOT is finite and differs from WANT by at most BOUND. Returns false if one of the
 * three numbers is a NaN. */
bool judge_within(double got, double want, double bound);

/* Returns the unit in the last place (ulp) of VALUE as a float. VALUE is finite. */
double judge_ulp(double value);

/* Returns the index of the first element of GOT that differs from want[i] by more than bounds[i],
 * or COUNT if there is none. If BOUNDS is NULL, got[i] must equal want[i]. */
size_t judge_first_outside(const float *got, const double *want, const double *bounds,
                           size_t count);
/* Returns the number of elements of GOT that differ from want[i] by more than bounds[i]. */
size_t judge_count_outside(const float *got, const double *want, const double *bounds,
                           size_t count);

#endif
