/* Explains the mistake that makes a sum wrong. A pure function tries simple hypotheses, such as
 * "the last numbers were left out".
 *
 * A hypothesis is reported only if it gives exactly the wrong sum, and if a match by chance is very
 * unlikely because few hypotheses of its kind come near that sum. */
#ifndef JUDGE_WRONG_SUM_H
#define JUDGE_WRONG_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The beginning of an explanation that a tree of additions lacks a step. */
#define JUDGE_NO_STEP "as if the tree had no step"

struct judge_sum {
    bool is_int;       /* the sum is a 32-bit int, otherwise a 64-bit number */
    int64_t got, want; /* the wrong sum and the right sum, which differ */
    bool is_other;     /* GOT is not a copy of a number that a kernel has left on the GPU */
    const char *name;  /* name of the array whose numbers, or their squares, are added up */
    /* the array's numbers, or NULL if they are unknown; then only hypotheses about WANT are
     * tried */
    const int32_t *numbers;
    size_t count;
    size_t blocks, threads; /* size of the first launch, or 0 if unknown */
    /* threads of the second launch, whose only block adds up the blocks' sums, or 0 if there is
     * none */
    size_t second_threads;
};

/* Writes an explanation that continues "sum is 62, but 31 is right: ". Returns false if there is
 * none. */
bool judge_wrong_sum(const struct judge_sum *sum, char *text, size_t size);

#endif
