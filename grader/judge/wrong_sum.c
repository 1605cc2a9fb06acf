/* Explains wrong sums. All sums are modulo 2^64, or modulo 2^32 if the result is an int, as on the
 * GPU. */
#include "judge/wrong_sum_facts.h"

#include <stdlib.h>

#include "base/number.h"

static double size_of(int64_t value)
{
    return value < 0 ? -(double)value : (double)value;
}

/* --- hypotheses about the sum alone ----------------------------------------------------------- */

const char *sum_meaning(const struct judge_sum *sum, uint64_t count)
{
    return count == sum->threads                 ? ", the number of threads in a block"
           : count == sum->blocks                ? ", the number of blocks"
           : count == sum->blocks * sum->threads ? ", the number of threads"
           : count == WARP                       ? ", the number of lanes in a warp"
                                                 : "";
}

/* Returns a phrase that says why the result is COUNT times too large: each thread, block or lane
 * added a whole sum. Returns "" if COUNT is not the number of any of them. */
static const char *adder_of(const struct judge_sum *sum, uint64_t count)
{
    return count == sum->threads  ? ", as if each thread of a block added the block's whole sum"
           : count == sum->blocks ? ", as if each block added up everything"
           : count == sum->blocks * sum->threads ? ", as if each thread added up everything"
           : count == WARP ? ", as if each lane of a warp added the warp's whole sum"
                           : "";
}

/* Returns whether the result is TIMES the right sum. Returns false if the right sum is small,
 * because a match then proves nothing. */
static bool is_multiple(const struct judge_sum *sum, uint64_t times)
{
    return size_of(sum->want) >= 1000 && sum_wrap(sum, (uint64_t)sum->want * times) == sum->got;
}

static bool is_too_large(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    uint64_t all = sum->blocks * sum->threads;
    if (sum->second_threads > 0 && is_multiple(sum, 4) && !*sum_meaning(sum, 4))
        return TELL(facts, "exactly 4 times too large, as if each of the two launches added every "
                           "sum to itself once");
    for (uint64_t times = 2; times <= 1024; ++times)
        if (is_multiple(sum, times))
            return TELL(facts, "exactly %s times too large%s", NUMBER(times), adder_of(sum, times));
    for (int i = 0; i < 2; ++i) {
        uint64_t times = i == 0 ? sum->blocks : all;
        if (times > 1 && is_multiple(sum, times))
            return TELL(facts, "exactly %s times too large%s", NUMBER(times), adder_of(sum, times));
    }
    return false;
}

static bool is_too_small(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    if (size_of(sum->got) < 1e6 || sum->want % sum->got != 0 || sum->want / sum->got < 2 ||
        sum->want / sum->got > 65536)
        return false;
    uint64_t times = (uint64_t)(sum->want / sum->got);
    return TELL(facts, "too small by a factor of exactly %s%s", NUMBER(times),
                sum_meaning(sum, times));
}

static bool has_other_sign(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    return size_of(sum->want) >= 1000 && sum->got == sum_wrap(sum, 0 - (uint64_t)sum->want) &&
           TELL(facts, "right except for the sign");
}

/* Returns whether 32-bit numbers have overflowed, which changes the sum by a multiple of 2^32. */
static bool has_overflowed(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    uint64_t error = (uint64_t)sum->got - (uint64_t)sum->want;
    if (sum->is_int || error == 0 || (uint32_t)error != 0)
        return false;
    if (sum->is_other)
        return TELL(facts, "only its lower 32 bits are right: does cudaMemcpy() copy back only 4 "
                           "bytes, the size of an int?");
    if ((uint64_t)sum->got >> 32 == 0)
        return TELL(facts, "it has only the lower 32 bits of the right sum");
    return TELL(facts, "its error is a multiple of 2^32, as if a 32-bit int had overflowed");
}

/* Returns whether the sum was computed in a float, which keeps 24 bits: the result then has at most
 * 24 significant bits, and its error is at most the rounding error of a float. */
static bool was_a_float(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    double error = size_of(sum_wrap(sum, (uint64_t)sum->got - (uint64_t)sum->want));
    double want = size_of(sum->want);
    return want >= 0x1p28 && error <= want * 0x1p-18 &&
           (double)(float)sum->got == (double)sum->got &&
           TELL(facts, "as if it had been rounded to a float, which keeps 24 bits");
}

/* --- searches --------------------------------------------------------------------------------- */

struct search sum_search(const struct judge_sum *sum, uint64_t value)
{
    return (struct search){.sum = sum, .value = sum_wrap(sum, value)};
}

void sum_try(struct search *search, size_t index, uint64_t candidate)
{
    int64_t value = sum_wrap(search->sum, candidate);
    search->near += size_of(value) <= 2 * size_of(search->value);
    if (!search->found && value == search->value) {
        search->found = true;
        search->at = index;
    }
}

bool sum_is_no_chance(const struct search *search, size_t near, double one_in)
{
    return search->found && (double)near * one_in <= 4 * size_of(search->value);
}

/* --- hypotheses about consecutive numbers ----------------------------------------------------- */

static void name_range(char *text, size_t size, const struct judge_sum *sum, size_t from, size_t to)
{
    if (to - from == 1)
        snprintf(text, size, "%s[%zu]", sum->name, from);
    else
        snprintf(text, size, "%s[%zu] to %s[%zu]", sum->name, from, sum->name, to - 1);
}

static bool lacks_range(const struct facts *facts, size_t from, size_t to)
{
    char range[120];
    size_t all = facts->sum->blocks * facts->sum->threads;
    bool is_end = to == facts->sum->count && from > 0 && to - from > 1;
    name_range(range, sizeof range, facts->sum, from, to);
    if (is_end && from == all)
        return TELL(facts,
                    "as if %s were left out: does each of the %s threads add only one number?",
                    range, NUMBER(all));
    return TELL(facts, "as if %s%s%s were left out", is_end ? "the last numbers, " : "", range,
                is_end ? "," : "");
}

/* Tries the hypothesis that the last or the first numbers are missing or counted twice. */
static bool is_by_range(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    size_t count = sum->count;
    struct search last = sum_search(sum, (uint64_t)sum->want - (uint64_t)sum->got), first = last;
    struct search twice = sum_search(sum, (uint64_t)sum->got - (uint64_t)sum->want);
    for (size_t i = 1; i <= count; ++i) {
        sum_try(&last, i, facts->before[count] - facts->before[count - i]);
        sum_try(&first, i, facts->before[i]);
        sum_try(&twice, i, facts->before[count] - facts->before[count - i]);
    }
    if (sum_is_no_chance(&last, last.near, 1000))
        return lacks_range(facts, count - last.at, count);
    if (sum_is_no_chance(&first, first.near, 1000))
        return lacks_range(facts, 0, first.at);
    if (sum_is_no_chance(&twice, twice.near, ONE_IN)) {
        char range[120];
        name_range(range, sizeof range, sum, count - twice.at, count);
        return TELL(facts, "as if %s were added twice", range);
    }
    return false;
}

/* Tries the hypothesis that one number is missing or counted twice. */
static bool is_by_number(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    struct search missing = sum_search(sum, (uint64_t)sum->want - (uint64_t)sum->got);
    struct search twice = sum_search(sum, (uint64_t)sum->got - (uint64_t)sum->want);
    for (size_t i = 0; i < sum->count; ++i) {
        sum_try(&missing, i, sum_term(facts, i));
        sum_try(&twice, i, sum_term(facts, i));
    }
    if (sum_is_no_chance(&missing, missing.near, ONE_IN))
        return TELL(facts, "as if %s[%zu] were left out", sum->name, missing.at);
    return sum_is_no_chance(&twice, twice.near, ONE_IN) &&
           TELL(facts, "as if %s[%zu] were added twice", sum->name, twice.at);
}

/* Tries the hypothesis that each thread adds up its numbers in a float, and that the threads' sums
 * are then added as integers. */
static bool is_by_floats(const struct facts *facts)
{
    const struct judge_sum *sum = facts->sum;
    size_t all = sum->blocks * sum->threads;
    uint64_t total = 0;
    for (size_t thread = 0; thread < all && thread < sum->count; ++thread) {
        float mine = 0;
        for (size_t i = thread; i < sum->count; i += all)
            mine += (float)(int64_t)sum_term(facts, i);
        total += (uint64_t)(int64_t)mine;
    }
    return sum_wrap(sum, total) == sum->got && size_of(sum->got) > 1e6 &&
           TELL(facts, "as if each thread added up in a float, which keeps 24 bits");
}

/* --- all -------------------------------------------------------------------------------------- */

/* Tries the hypothesis that the numbers were added instead of their squares, or the squares instead
 * of the numbers. */
static bool is_by_other_terms(const struct facts *facts)
{
    struct facts other = *facts;
    uint64_t total = 0;
    other.squares = !facts->squares;
    for (size_t i = 0; i < facts->sum->count; ++i)
        total += sum_term(&other, i);
    return sum_wrap(facts->sum, total) == facts->sum->got && size_of(facts->sum->got) >= 1000 &&
           TELL(facts, facts->squares ? "as if the numbers were added, not their squares"
                                      : "as if the squares of the numbers were added");
}

/* Computes `before`, the partial sums of the terms. Returns false if the sum of all terms is not
 * WANT. */
static bool add_up(struct facts *facts, bool squares)
{
    const struct judge_sum *sum = facts->sum;
    facts->squares = squares;
    for (size_t i = 0; i < sum->count; ++i)
        facts->before[i + 1] = facts->before[i] + sum_term(facts, i);
    return sum_wrap(sum, facts->before[sum->count]) == sum->want;
}

/* Tries the hypotheses, the cheapest first. */
static bool explain_by_numbers(const struct facts *facts)
{
    return is_by_range(facts) || is_by_other_terms(facts) || is_by_floats(facts) ||
           sum_is_by_parts(facts) || is_by_number(facts) || sum_is_by_first_threads(facts) ||
           sum_is_by_shuffles(facts) || sum_is_by_loops(facts);
}

bool judge_wrong_sum(const struct judge_sum *sum, char *text, size_t size)
{
    struct facts facts = {.sum = sum, .text = text, .size = size};
    bool told = is_too_large(&facts) || has_other_sign(&facts) || is_too_small(&facts) ||
                has_overflowed(&facts);
    if (told || !sum->numbers || sum->count == 0)
        return told || was_a_float(&facts);
    if (sum->got == 0 && sum->count == 1)
        return TELL(&facts, "as if %s[0], the only number, were left out", sum->name);
    if (sum->got == 0)
        return TELL(&facts, "as if no number were added");
    facts.before = calloc(sum->count + 1, sizeof *facts.before);
    if (facts.before && (add_up(&facts, false) || add_up(&facts, true)))
        told = explain_by_numbers(&facts);
    free(facts.before);
    return told || was_a_float(&facts);
}
