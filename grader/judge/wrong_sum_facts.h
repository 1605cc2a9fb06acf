/* The facts about a wrong sum, and functions that judge/wrong_sum*.c share. */
#ifndef JUDGE_WRONG_SUM_FACTS_H
#define JUDGE_WRONG_SUM_FACTS_H

#include <stdio.h>

#include "judge/wrong_sum.h"

#define WARP 32

/* The known facts about a sum, prepared for the hypotheses. */
struct facts {
    const struct judge_sum *sum;
    bool squares;     /* the terms are the squares of the numbers, not the numbers */
    uint64_t *before; /* before[i] is the sum of the first i terms */
    char *text;
    size_t size;
};

#define TELL(facts, ...) (snprintf((facts)->text, (facts)->size, __VA_ARGS__), true)

/* for sum_is_no_chance(): with 30 kinds of hypotheses, 1 of 1,000 wrong sums gets a false
 * explanation */
#define ONE_IN 30000

/* Returns VALUE as the result's type stores it: an int wraps around. */
static inline int64_t sum_wrap(const struct judge_sum *sum, uint64_t value)
{
    return sum->is_int ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
}

/* Returns term I of the sum. */
static inline uint64_t sum_term(const struct facts *facts, size_t i)
{
    int64_t number = facts->sum->numbers[i];
    return (uint64_t)(facts->squares ? number * number : number);
}

/* --- wrong_sum.c ------------------------------------------------------------------------------ */

/* Returns a phrase such as ", the number of blocks" if COUNT is that number in the launch. Returns
 * "" if COUNT has no such meaning. */
const char *sum_meaning(const struct judge_sum *sum, uint64_t count);

/* The search for a value among many candidates, such as the sums of all blocks. */
struct search {
    const struct judge_sum *sum;
    int64_t value;
    size_t near; /* number of candidates that are at most twice as large as VALUE */
    bool found;
    size_t at; /* index of the first candidate that equals VALUE */
};

struct search sum_search(const struct judge_sum *sum, uint64_t value);
/* Compares candidate number INDEX with the value. */
void sum_try(struct search *search, size_t index, uint64_t candidate);
/* Returns whether the match is very unlikely to be a coincidence: of ONE_IN such searches for a
 * random value, at most one would succeed. NEAR is the number of candidates near the value. */
bool sum_is_no_chance(const struct search *search, size_t near, double one_in);

/* --- hypotheses, in their own files ----------------------------------------------------------- */

/* Each of these writes an explanation and returns true if its hypothesis fits. */

/* wrong_sum_threads.c: only some threads, warps or blocks added their numbers. */
bool sum_is_by_parts(const struct facts *facts);
/* wrong_sum_threads.c: the first threads of each group made a mistake, in both launches. */
bool sum_is_by_first_threads(const struct facts *facts);
/* wrong_sum_steps.c: a warp's shuffles pass numbers to the wrong lanes. */
bool sum_is_by_shuffles(const struct facts *facts);
/* wrong_sum_steps.c: the threads' loops begin at a wrong number or have a wrong step. */
bool sum_is_by_loops(const struct facts *facts);

#endif
