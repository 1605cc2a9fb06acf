/* Explains which mistake makes a sum wrong. A pure function tries simple hypotheses, such as "the
 * last numbers were left out".
 *
 * A hypothesis is reported only if it leads to exactly the wrong sum, and if a match by chance is
 * very improbable. */
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
    bool is_other;     /* GOT is not a copy of any number that a kernel has left on the GPU */
    const char *name;  /* name of the array whose numbers, or their squares, are added up */
    /* the array's numbers, or NULL if they are unknown; then only hypotheses about WANT are
     * tried */
    const int32_t *numbers;
    size_t count;
    size_t blocks, threads; /* sizes in the first launch, or 0 if unknown */
    /* threads of the second launch, if there is one: its only block adds up the blocks' sums.
     * Otherwise 0. */
    size_t second_threads;
};

/* Writes an explanation, which continues the message "sum is 62, but 31 is right: ". Returns false
 * if no hypothesis fits. */
bool judge_wrong_sum(const struct judge_sum *sum, char *text, size_t size);

#endif
