/* The rules for mistakes that students often make in CUDA. Each needs a certain pattern of code, so
 * it makes few edits, and these are tried before others. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

#define LAST_LANE "31"

bool rule_is_warp_function(const struct token *token)
{
    static const char end[] = "_sync";
    size_t length = sizeof end - 1;
    return token->length > length && strncmp(token->begin, "__", 2) == 0 &&
           strncmp(token->begin + token->length - length, end, length) == 0;
}

/* Returns whether a function of the file calls shuffles or votes. */
static bool uses_lanes(const struct rules *rules)
{
    for (size_t i = 0; i < rules->code->token_count; ++i)
        if (rule_is_warp_function(&rules->code->tokens[i]))
            return true;
    return false;
}

size_t rule_find_value(const struct rules *rules, size_t i)
{
    static const char *const before[] = {",",     "int",    "unsigned", "long",
                                         "float", "size_t", "*",        NULL};
    for (size_t j = rules->part.first + 1; j < i; ++j)
        if (rule_is(rules, j + 1, "=") && token_is_same(rule_at(rules, j), rule_at(rules, i)) &&
            token_is_one_of(rule_at(rules, j - 1), before))
            return j + 2;
    return 0;
}

/* Replaces a thread's number in its block by its number in the warp, where it is a number of bits
 * or, in a file with shuffles or votes, is compared with 0. */
void rule_try_lane(const struct rules *rules, size_t i)
{
    static const char *const shifts[] = {"<<", ">>", NULL};
    size_t value = rule_find_value(rules, i);
    bool is_thread = rule_is(rules, i, "threadIdx") && rule_is(rules, i + 2, "x");
    bool is_copy = value > 0 && rule_is(rules, value, "threadIdx") &&
                   rule_is(rules, value + 2, "x") &&
                   strchr(",;", *rule_at(rules, value + 3)->begin);
    size_t count = is_thread ? 3 : 1;
    bool is_shift = token_is_one_of(rule_at(rules, i - 1), shifts);
    bool is_first = rule_is(rules, i + count, "==") && rule_is(rules, i + count + 1, "0");
    char text[100], name[60];
    if (!(is_thread || is_copy) || !(is_shift || (is_first && uses_lanes(rules))))
        return;
    snprintf(text, sizeof text, "(%s %% 32)", rule_copy(rules, i, count, name, sizeof name));
    struct small_edit *edit = rule_put(rules, i, count, text);
    if (edit)
        edit_say(edit, "with the thread's number in its warp in place of `%s` in line %u",
                 rule_quote(rules, i, count), edit->line);
}

/* Replaces the first lane by the last one, or the other way round, in __shfl_sync() and where one
 * lane is chosen. */
void rule_try_last_lane(const struct rules *rules, size_t i)
{
    bool is_first = rule_is(rules, i, "0"), is_last = rule_is(rules, i, LAST_LANE);
    if (!is_first && !is_last)
        return;
    size_t call = rule_is(rules, i + 1, ")") ? rule_term_begin(rules, i + 2) : i;
    bool is_source = rule_is(rules, i - 1, ",") && rule_is(rules, call, "__shfl_sync");
    bool is_chosen = is_last && rule_is(rules, i - 1, "==") && uses_lanes(rules);
    if (is_source || is_chosen)
        rule_change(rules, i, is_first ? LAST_LANE : "0", "number");
}

/* Gives all lanes the variable that only the first lane sets: `if (lane == 0) v = ...;`. */
void rule_try_share(const struct rules *rules, size_t i)
{
    size_t count = rule_condition_length(rules, i);
    size_t end, name = i + count + 3;
    char text[200], variable[80];
    name += rule_is(rules, name, "{");
    end = name;
    while (rule_at(rules, end)->length > 0 && !strchr(";{}", *rule_at(rules, end)->begin))
        ++end;
    end += rule_is(rules, end + 1, "}");
    if (count == 0 || !rule_is(rules, i + count, "==") || !rule_is(rules, i + count + 1, "0") ||
        !rule_is(rules, name + 1, "=") || !uses_lanes(rules))
        return;
    rule_copy(rules, name, 1, variable, sizeof variable);
    snprintf(text, sizeof text, " %s = __shfl_sync(0xffffffff, %s, 0);", variable, variable);
    struct small_edit *edit = rule_put(rules, end + 1, 0, text);
    if (edit)
        edit_say(edit, "with a call of __shfl_sync() that gives `%s` to all lanes after line %u",
                 variable, edit->line);
}

/* Takes the next element of a ring, or the one before: slot is `f % SLOTS`, and [slot] becomes
 * [(slot + 1) % SLOTS]. */
void rule_try_ring(const struct rules *rules, size_t i)
{
    size_t value =
        rule_is(rules, i, "[") && rule_is(rules, i + 2, "]") && token_is_name(rule_at(rules, i + 1))
            ? rule_find_value(rules, i + 1)
            : 0;
    char text[200], name[60], count[60];
    if (value == 0 || !rule_is(rules, value + 1, "%") || !rule_is(rules, value + 3, ";"))
        return;
    rule_copy(rules, i + 1, 1, name, sizeof name);
    rule_copy(rules, value + 2, 1, count, sizeof count);
    snprintf(text, sizeof text, "(%s + 1) %% %s", name, count);
    rule_change_term(rules, i + 1, 1, text);
    snprintf(text, sizeof text, "(%s + %s - 1) %% %s", name, count, count);
    rule_change_term(rules, i + 1, 1, text);
}

/* Exchanges `a = b; c = a;`: the old value of `a` is overwritten before it is saved. */
void rule_try_saved(const struct rules *rules, size_t i)
{
    size_t next = i + 1;
    if (!token_is_name(rule_at(rules, i)) || !rule_is(rules, i + 1, "="))
        return;
    while (rule_at(rules, next)->length > 0 && !strchr(";{}", *rule_at(rules, next)->begin))
        ++next;
    if (token_is_name(rule_at(rules, next + 1)) && rule_is(rules, next + 2, "=") &&
        token_is_same(rule_at(rules, next + 3), rule_at(rules, i)) && rule_is(rules, next + 4, ";"))
        rule_try_moved(rules, i);
}

/* Returns whether the function gives another value to its parameter TOKEN. */
static bool is_overwritten(const struct rules *rules, size_t body, const struct token *token)
{
    for (size_t i = body + 1; i < rules->part.first + rules->part.count; ++i)
        if (token_is_same(rule_at(rules, i), token) &&
            ((rule_is(rules, i + 1, "=") && strchr(";{}", *rule_at(rules, i - 1)->begin)) ||
             rule_is(rules, i - 2, "swap") || rule_is(rules, i - 4, "swap")))
            return true;
    return false;
}

/* Passes two pointers by reference if the function exchanges them: otherwise it only exchanges its
 * own copies. Begins at the function's body. */
void rule_try_reference(const struct rules *rules, size_t i)
{
    size_t first = 0, last = 0;
    unsigned count = 0;
    char text[400] = "", *to = text;
    if (!rule_is(rules, i, "{") || !rule_is(rules, i - 1, ")") ||
        rule_has_name(rules->code, rules->part, "__global__"))
        return;
    for (size_t j = rules->part.first; j < i; ++j) {
        bool is_pointer = rule_is(rules, j - 1, "*") && token_is_name(rule_at(rules, j)) &&
                          is_overwritten(rules, i, rule_at(rules, j));
        first = is_pointer && first == 0 ? j : first;
        last = is_pointer ? j : last;
        count += is_pointer;
    }
    for (size_t j = first; count == 2 && j <= last; ++j)
        to += snprintf(to, (size_t)(text + sizeof text - to) / 2, "%s%.*s ",
                       j == first || j == last ? "&" : "", (int)rule_at(rules, j)->length,
                       rule_at(rules, j)->begin);
    struct small_edit *edit = count == 2 ? rule_put(rules, first, last + 1 - first, text) : NULL;
    if (edit)
        edit_say(edit, "with references, `*&%.*s` and `*&%.*s`, in line %u",
                 (int)rule_at(rules, first)->length, rule_at(rules, first)->begin,
                 (int)rule_at(rules, last)->length, rule_at(rules, last)->begin, edit->line);
}

/* Computes a product in 64 bits. */
void rule_try_wide(const struct rules *rules, size_t i)
{
    static const char *const types[] = {"int",   "long",   "unsigned", "char",
                                        "float", "double", "const",    NULL};
    size_t first = rule_is(rules, i, "*") ? rule_term_begin(rules, i) : i;
    size_t count = i + 1 + rule_term_length(rules, i + 1) - first;
    char text[200], term[150];
    if (first == i || token_is_one_of(rule_at(rules, first), types) ||
        (rule_is(rules, first - 1, ")") && rule_is(rules, first - 2, "long")))
        return;
    snprintf(text, sizeof text, "(long long)%s",
             rule_copy(rules, first, i - first, term, sizeof term));
    struct small_edit *edit = rule_put(rules, first, i - first, text);
    if (edit) {
        edit->is_sure = true;
        edit_say(edit, "with `%s` in 64 bits in line %u", rule_quote(rules, first, count),
                 edit->line);
    }
}

/* Calls an exact function in place of a fast one, such as expf() for __expf(). */
void rule_try_exact(const struct rules *rules, size_t i)
{
    static const char *const names[] = {"__expf", "__exp10f", "__logf", "__log2f", "__log10f",
                                        "__sinf", "__cosf",   "__tanf", "__powf",  NULL};
    char text[300], terms[2][120];
    if (token_is_one_of(rule_at(rules, i), names)) {
        snprintf(text, sizeof text, "%.*s", (int)rule_at(rules, i)->length - 2,
                 rule_at(rules, i)->begin + 2);
        rule_change(rules, i, text, "function");
    } else if (rule_is(rules, i, "__fdividef") && rule_is(rules, i + 1, "(")) {
        size_t above = rule_argument_length(rules, i + 2), second = i + 3 + above;
        size_t below = rule_argument_length(rules, second);
        snprintf(text, sizeof text, "((%s) / (%s))",
                 rule_copy(rules, i + 2, above, terms[0], sizeof terms[0]),
                 rule_copy(rules, second, below, terms[1], sizeof terms[1]));
        rule_change_term(rules, i, 4 + above + below, text);
    }
}

/* Computes in float, not in half precision: `__half2float(__hadd(a, b))`, or `a + b` in its
 * brackets, becomes a sum of two floats. */
void rule_try_half(const struct rules *rules, size_t i)
{
    static const char *const names[] = {"__hadd", "__hsub", "__hmul", "+", "-", "*"};
    size_t sum = i + 2, length = rule_argument_length(rules, sum), first, second, counts[2];
    char text[300], terms[2][120];
    if (!rule_is(rules, i, "__half2float") || !rule_is(rules, i + 1, "("))
        return;
    for (size_t row = 0; row < ROWS(names); ++row) {
        bool is_call = row < 3;
        first = is_call ? sum + 2 : sum;
        counts[0] = is_call ? rule_argument_length(rules, first) : rule_term_length(rules, first);
        second = first + counts[0] + 1;
        counts[1] = is_call ? rule_argument_length(rules, second) : rule_term_length(rules, second);
        if (!rule_is(rules, is_call ? sum : second - 1, names[row]) || counts[1] == 0 ||
            second + counts[1] + is_call != sum + length)
            continue;
        snprintf(text, sizeof text, "(__half2float(%s) %c __half2float(%s))",
                 rule_copy(rules, first, counts[0], terms[0], sizeof terms[0]), "+-*"[row % 3],
                 rule_copy(rules, second, counts[1], terms[1], sizeof terms[1]));
        rule_change_term(rules, i, length + 3, text);
    }
}

/* Keeps the bits of a float in place of its value, or the other way round, for atomic functions. */
void rule_try_bits(const struct rules *rules, size_t i)
{
    char text[200], term[150];
    bool is_cast = rule_is(rules, i, "(") && rule_is(rules, i + 2, ")") &&
                   !token_is_name(rule_at(rules, i - 1));
    bool to_int = rule_is(rules, i + 1, "int"), to_float = rule_is(rules, i + 1, "float");
    size_t count = is_cast ? rule_term_length(rules, i + 3) : 0;
    if (rule_is(rules, i, "__float_as_int"))
        rule_change_term(rules, i, 1, "(int)");
    if (rule_is(rules, i, "__int_as_float"))
        rule_change_term(rules, i, 1, "(float)");
    if (count == 0 || !(to_int || to_float))
        return;
    snprintf(text, sizeof text, "%s(%s)", to_int ? "__float_as_int" : "__int_as_float",
             rule_copy(rules, i + 3, count, term, sizeof term));
    rule_change_term(rules, i, 3 + count, text);
}

/* Adds a stream to a launch without one. */
void rule_try_stream(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    char text[120], stream[100];
    size_t commas = 0;
    if (!rule_is(rules, i, "<<<"))
        return;
    size_t end = i + 1 + rule_argument_length(rules, i + 1);
    for (; rule_is(rules, end, ","); ++commas)
        end += 1 + rule_argument_length(rules, end + 1);
    size_t count = commas == 1 ? visible_find(rules->code, rules->part, i, list) : 0;
    for (size_t j = 0; j < count; ++j)
        for (size_t k = rules->part.first; k < rules->part.first + rules->part.count; ++k) {
            bool is_element = rule_is(rules, k + 1, "[") && !rule_is(rules, k - 1, "cudaStream_t");
            if (!token_is(list[j].type, "cudaStream_t") || is_element != list[j].is_pointer ||
                !token_is_same(rule_at(rules, k), list[j].name))
                continue;
            rule_copy(rules, k, rule_term_length(rules, k), stream, sizeof stream);
            snprintf(text, sizeof text, ", 0, %s", stream);
            struct small_edit *edit = rule_put(rules, end, 0, text);
            if (edit)
                edit_say(edit, "with the stream `%s` for the launch in line %u", stream,
                         edit->line);
        }
}

/* Returns the index of the first token of the difference `s - a`, if token I is the bracket before
 * it or a variable with this value. Otherwise returns 0. */
static size_t find_difference(const struct rules *rules, size_t i)
{
    size_t value = rule_is(rules, i, "(") ? i + 1 : rule_find_value(rules, i);
    bool is_difference = value > 0 && token_is_name(rule_at(rules, value)) &&
                         rule_is(rules, value + 1, "-") &&
                         token_is_name(rule_at(rules, value + 2)) &&
                         strchr(";,)", *rule_at(rules, value + 3)->begin);
    return is_difference ? value : 0;
}

/* Computes the error of the sum `s = a + b` for any a and b: `b - (s - a)` is right only if a is
 * the larger one. */
void rule_try_two_sum(const struct rules *rules, size_t i)
{
    size_t count = rule_term_length(rules, i + 1);
    size_t value = rule_is(rules, i, "-") ? find_difference(rules, i + 1) : 0;
    char text[700], parts[4][100];
    if (value == 0 || !token_is_name(rule_at(rules, i - 1)))
        return;
    rule_copy(rules, i - 1, 1, parts[0], sizeof parts[0]);
    rule_copy(rules, i + 1, count, parts[1], sizeof parts[1]);
    rule_copy(rules, value, 1, parts[2], sizeof parts[2]);
    rule_copy(rules, value + 2, 1, parts[3], sizeof parts[3]);
    snprintf(text, sizeof text, "(%s - (%s - %s)) + (%s - %s)", parts[3], parts[2], parts[1],
             parts[0], parts[1]);
    rule_change_term(rules, i - 1, 2 + count, text);
}

/* Takes the absolute value of a difference whose maximum a function computes. */
void rule_try_absolute(const struct rules *rules, size_t i)
{
    static const char *const maxima[] = {"fmaxf", "fmax", "max", "atomicMax", NULL};
    bool is_value = rule_is(rules, i - 2, "float") && rule_is(rules, i, "=");
    size_t first = i + 1, count = is_value ? rule_argument_length(rules, first) : 0;
    bool has_maximum = false;
    char text[300], value[200];
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j)
        has_maximum |= token_is_one_of(rule_at(rules, j), maxima);
    if (rule_is(rules, i, "fmaxf") && rule_is(rules, i + 1, "(")) {
        first = i + 3 + rule_argument_length(rules, i + 2);
        count = rule_argument_length(rules, first);
    }
    if (count == 0 || !has_maximum || isdigit((unsigned char)*rule_at(rules, first)->begin) ||
        rule_is(rules, first, "fabsf"))
        return;
    snprintf(text, sizeof text, "fabsf(%s)", rule_copy(rules, first, count, value, sizeof value));
    rule_change_term(rules, first, count, text);
}
