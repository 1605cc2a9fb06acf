/* What is wrong with a sum? A pure function that tries small hypotheses, such as "the last numbers
 * were left out".
 *
 * A hypothesis is told only if it gives exactly the wrong sum, and if so few of its kind come near
 * that sum that one of them hardly fits by chance. */
#ifndef JUDGE_WRONG_SUM_H
#define JUDGE_WRONG_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct judge_sum {
    bool is_int;            /* the sum is a 32-bit int; false: a 64-bit number */
    int64_t got, want;      /* got != want */
    const char *name;       /* of the array whose numbers, or their squares, are added up */
    const int32_t *numbers; /* NULL: unknown; then WANT alone is used */
    size_t count;
    size_t blocks, threads; /* of the launch that adds up; 0: unknown */
    size_t second_threads;  /* of a second launch, of one block, that adds up the sums that the
                               * blocks of the first one leave; 0: there is none */
};

/* Writes an explanation that continues "sum is 62, but 31 is right: ". False: there is none. */
bool judge_wrong_sum(const struct judge_sum *sum, char *text, size_t size);

#endif
