/* Makes the seed of a grading, from which all random inputs of the grading follow.
 *
 *     the owner's secret --HMAC-SHA256 of the number--> this grading's secret --> all inputs
 *
 * The inputs must not depend on the number alone. Otherwise, a submission could find the number by
 * trying small numbers until one gives its own input, and then compute the inputs of the other
 * checks. So the inputs also depend on a secret of the grader's owner. The secret is in a file that
 * no submission can read. The same owner and the same number give the same inputs again. */
#ifndef GRADE_SEED_H
#define GRADE_SEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define GRADE_SECRET_SIZE 65 /* 64 hex digits and a NUL */

struct grade_seed {
    /* the number after --seed, or a random number; below 2^63; reports show it */
    uint64_t number;
    /* this grading's secret, which reveals no other grading's secret */
    char secret[GRADE_SECRET_SIZE];
};

/* Sets SEED to NUMBER under the owner's secret. The secret is in the file $LANEWISE_SECRET. If this
 * variable is not set, it is in lanewise/secret.key in $XDG_STATE_HOME (~/.local/state), a file
 * that the first call makes. If that file cannot be made, the secret is random, and the same NUMBER
 * gives other inputs next time. If that file is damaged, ERROR gets a warning. Returns false if
 * $LANEWISE_SECRET is set, but its file is not a key made by `lanewise key`; ERROR then gets one
 * line. */
bool grade_seed_of(uint64_t number, struct grade_seed *seed, char *error, size_t size);

/* Seed N without a secret. For the kit's own programs, which need the same inputs on every
 * machine. */
#define GRADE_SEED_OPEN(n)                                                                         \
    (struct grade_seed)                                                                            \
    {                                                                                              \
        .number = (n),                                                                             \
        .secret = "0000000000000000000000000000000000000000000000000000000000000000"               \
    }

/* Sets SEED to the seed of RESULT (lanewise/result/v1). Returns false if RESULT has no secret, as
 * in results for students. */
bool grade_seed_read(const json_t *result, struct grade_seed *seed);

#endif
