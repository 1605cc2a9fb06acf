/* The rules for mistakes that the language C invites: the order of operators, integer division,
 * pointers that count elements, narrow parameters, and lengths of arrays. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

/* Returns the first token of the sum that ends before token END: of `a * b + c`, not only of c. */
static size_t sum_begin(const struct rules *rules, size_t end)
{
    static const char *const operators[] = {"+", "-", "*", NULL};
    size_t first = rule_term_begin(rules, end);
    while (token_is_one_of(rule_at(rules, first - 1), operators) &&
           !rule_is_unary(rules, first - 1) && rule_term_begin(rules, first - 1) < first - 1)
        first = rule_term_begin(rules, first - 1);
    return first;
}

/* Puts brackets around what C would compute later: `(a & b) == c`, `(1 << a) - b`,
 * `(a * b + c) / d`. */
void rule_try_precedence(const struct rules *rules, size_t i)
{
    static const char *const bits[] = {"&", "|", "^", NULL}, *const shifts[] = {"<<", ">>", NULL};
    static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">=", NULL};
    static const char *const sums[] = {"+", "-", NULL};
    size_t first = rule_term_begin(rules, i), count = rule_term_length(rules, i + 1);
    const struct token *at = rule_at(rules, i), *next = rule_at(rules, i + 1 + count);
    bool is_late = (token_is_one_of(at, bits) && token_is_one_of(next, comparisons)) ||
                   (token_is_one_of(at, shifts) && token_is_one_of(next, sums));
    struct small_edit *edit = is_late && count > 0 && !rule_is_unary(rules, i)
                                  ? rule_put_brackets(rules, first, i + 1 + count - first)
                                  : NULL;
    if (edit)
        edit->is_sure = true;
    size_t sum = rule_is(rules, i, "/") || rule_is(rules, i, "%") ? sum_begin(rules, i) : first;
    if (sum < first && !rule_is(rules, first - 1, "*"))
        rule_put_brackets(rules, sum, i - sum);
}

/* Lets `(float *)(char *)p + n` count in bytes. */
void rule_try_char(const struct rules *rules, size_t i)
{
    size_t type = i + 1 + rule_is(rules, i + 1, "const");
    bool is_cast = rule_is(rules, i, "(") && rule_is(rules, i - 1, ")") &&
                   rule_is(rules, i - 2, "*") && rule_is(rules, type, "char") &&
                   rule_is(rules, type + 1, "*") && rule_is(rules, type + 2, ")");
    size_t count = is_cast ? rule_term_length(rules, type + 3) : 0;
    struct small_edit *edit = count > 0 && rule_is(rules, type + 3 + count, "+")
                                  ? rule_put_brackets(rules, i, rule_argument_length(rules, i))
                                  : NULL;
    if (edit)
        edit->is_sure = true;
}

/* Takes an unsigned char where a char, which may be negative, is an index. */
void rule_try_unsigned(const struct rules *rules, size_t i)
{
    if (rule_is(rules, i, "char") && !rule_is(rules, i - 1, "unsigned") &&
        token_is_name(rule_at(rules, i + 1)) && rule_is(rules, i + 2, "="))
        rule_change(rules, i, "unsigned char", "type");
}

/* Keeps the low bits of a number: `& 31` for `& 32`, `% 32` for `% 31`. */
void rule_try_mask(const struct rules *rules, size_t i)
{
    char text[80], name[60], *end;
    long number = strtol(rule_at(rules, i + 1)->begin, &end, 10);
    bool is_number = end == rule_at(rules, i + 1)->begin + rule_at(rules, i + 1)->length;
    bool is_mask = rule_is(rules, i, "&") && !rule_is_unary(rules, i);
    rule_copy(rules, i + 1, 1, name, sizeof name);
    if (is_mask && is_number && number > 1 && (number & (number - 1)) == 0)
        snprintf(text, sizeof text, "%ld", number - 1);
    else if (rule_is(rules, i, "%") && is_number && number > 2 && (number & (number + 1)) == 0)
        snprintf(text, sizeof text, "%ld", number + 1);
    else if (is_mask && token_is_constant(rule_at(rules, i + 1)))
        snprintf(text, sizeof text, "(%s - 1)", name);
    else
        return;
    if (is_number)
        rule_change(rules, i + 1, text, "number");
    else
        rule_change_term(rules, i + 1, 1, text);
}

/* Converts a pointer before a number is added to it, not afterwards: `(T *)p + n` counts in T. */
void rule_try_cast(const struct rules *rules, size_t i)
{
    bool is_cast =
        rule_is(rules, i, "(") && rule_is(rules, i - 1, ")") && rule_is(rules, i - 2, "*");
    size_t count = is_cast ? rule_argument_length(rules, i + 1) : 0;
    size_t pointer = rule_term_length(rules, i + 1);
    char text[200];
    if (pointer == 0 || pointer >= count || !rule_is(rules, i + 1 + pointer, "+"))
        return;
    rule_change_term(rules, i, count + 2, rule_copy(rules, i + 1, count, text, sizeof text));
}

/* Returns whether one of COUNT tokens from token I on has a name like `pitch`. */
static bool has_pitch(const struct rules *rules, size_t i, size_t count)
{
    char name[80];
    for (size_t j = i; j < i + count; ++j)
        if (strcasestr(rule_copy(rules, j, 1, name, sizeof name), "pitch"))
            return true;
    return false;
}

/* Counts a pitch, which is added to a pointer, in bytes: p + y * pitch, or p[y * pitch + x]. */
void rule_try_pitch(const struct rules *rules, size_t i)
{
    bool is_index = rule_is(rules, i, "[");
    size_t first = rule_term_begin(rules, i), all = rule_argument_length(rules, i + 1), count = 0;
    char pointer[150], offset[150], rest[150], text[700];
    if (!(is_index || rule_is(rules, i, "+")) || first == i || rule_is(rules, first - 1, ")") ||
        !has_pitch(rules, i + 1, all))
        return;
    do { /* the product with the pitch, which comes first */
        count += count > 0;
        count += rule_term_length(rules, i + 1 + count);
    } while (rule_is(rules, i + 1 + count, "*"));
    bool has_rest = rule_is(rules, i + 1 + count, "+") && is_index;
    if (!has_pitch(rules, i + 1, count) || (count < all && !has_rest) || (is_index && !has_rest))
        return;
    rule_copy(rules, first, i - first, pointer, sizeof pointer);
    rule_copy(rules, i + 1, count, offset, sizeof offset);
    rule_copy(rules, i + 2 + count, is_index ? all - count - 1 : 0, rest, sizeof rest);
    snprintf(text, sizeof text, "((decltype(&%s[0]))((char *)%s + %s))%s%s%s", pointer, pointer,
             offset, is_index ? "[" : "", rest, is_index ? "]" : "");
    struct small_edit *edit = rule_put(rules, first, i + 1 + all + is_index - first, text);
    if (edit)
        edit_say(edit, "with `%s` in bytes, not elements, in line %u",
                 rule_quote(rules, i + 1, count), edit->line);
}

/* Returns whether the COUNT tokens from token I on are one integer variable. */
static bool is_integer(const struct rules *rules, size_t i, size_t count)
{
    struct variable list[VISIBLE_MOST];
    size_t list_count = visible_find(rules->code, rules->part, i, list);
    while (count == 1 && list_count-- > 0)
        if (token_is_same(list[list_count].name, rule_at(rules, i)))
            return visible_is_integer(&list[list_count]);
    return false;
}

/* Divides two integers as floating-point numbers. */
void rule_try_quotient(const struct rules *rules, size_t i)
{
    size_t first = rule_term_begin(rules, i), count = rule_term_length(rules, i + 1), begin = i;
    char *ends[2], term[100], text[120];
    bool is_float = false;
    if (!rule_is(rules, i, "/") || first == i || count == 0)
        return;
    while (!strchr(";{}", *rule_at(rules, begin)->begin)) {
        is_float |= rule_is(rules, begin, "float") || rule_is(rules, begin, "double");
        --begin;
    }
    long above = strtol(rule_at(rules, i - 1)->begin, &ends[0], 10);
    long below = strtol(rule_at(rules, i + 1)->begin, &ends[1], 10);
    bool are_numbers = first + 1 == i && count == 1;
    for (size_t j = 0; j < 2; ++j)
        are_numbers &=
            ends[j] == rule_at(rules, i - 1 + 2 * j)->begin + rule_at(rules, i - 1 + 2 * j)->length;
    bool are_names =
        is_float && is_integer(rules, first, i - first) && is_integer(rules, i + 1, count);
    if (!(are_numbers && below != 0 && above % below != 0) && !are_names)
        return;
    snprintf(text, sizeof text, are_names ? "(float)%s" : "%s.f",
             rule_copy(rules, first, i - first, term, sizeof term));
    struct small_edit *edit = rule_put(rules, first, i - first, text);
    if (edit) {
        edit->is_sure = true;
        edit_say(edit, "with `%s`, which C rounds down, as a quotient of floats in line %u",
                 rule_quote(rules, first, i + 1 + count - first), edit->line);
    }
}

/* Takes 64 bits in place of 32 in a parameter of a function on the GPU. Begins at the function's
 * body. */
void rule_try_parameter(const struct rules *rules, size_t i)
{
    if (!rule_is(rules, i, "{") || !rule_is(rules, i - 1, ")") ||
        !rule_has_name(rules->code, rules->part, "__device__"))
        return;
    for (size_t j = rules->part.first; j < i; ++j) {
        bool is_unsigned = rule_is(rules, j, "unsigned");
        size_t count = is_unsigned + rule_is(rules, j + is_unsigned, "int");
        bool begins = rule_is(rules, j - 1, "(") || rule_is(rules, j - 1, ",") ||
                      rule_is(rules, j - 1, "const");
        bool ends = rule_is(rules, j + count + 1, ",") || rule_is(rules, j + count + 1, ")");
        struct small_edit *edit =
            begins && ends && count > 0
                ? rule_put(rules, j, count, is_unsigned ? "unsigned long long" : "long long")
                : NULL;
        if (edit) {
            edit->is_sure = true;
            edit_say(edit, "with the parameter `%s` in 64 bits in line %u",
                     rule_quote(rules, j + count, 1), edit->line);
        }
    }
}

/* Returns whether token I is in a declaration of shared memory. */
static bool is_shared(const struct rules *rules, size_t i)
{
    while (i > rules->part.first && !strchr(";{}", *rule_at(rules, i - 1)->begin))
        --i;
    return rule_is(rules, i, "__shared__");
}

/* Returns the number of tokens of the constant expression that begins at token I, or 0. */
static size_t constant_length(const struct rules *rules, size_t i)
{
    size_t count = 0;
    while (token_is_constant(rule_at(rules, i + count)) ||
           (rule_at(rules, i + count)->length > 0 &&
            strchr("+-*/0123456789", *rule_at(rules, i + count)->begin)))
        ++count;
    return count;
}

/* Makes a shared array as long as a loop goes, or lets a loop go on to the end of the array. */
void rule_try_dimension(const struct rules *rules, size_t i)
{
    char text[100];
    bool is_array = rule_is(rules, i, "["), is_loop = rule_is(rules, i, "<");
    size_t length = is_array ? rule_argument_length(rules, i + 1) : constant_length(rules, i + 1);
    if (!(is_array && is_shared(rules, i)) && !(is_loop && rule_is(rules, i + 1 + length, ";")))
        return;
    for (size_t j = rules->part.first; length > 0 && j < rules->part.first + rules->part.count;
         ++j) {
        bool is_end = rule_is(rules, j, is_array ? "<" : "[");
        size_t count = is_end ? constant_length(rules, j + 1) : 0;
        if (count > 0 && rule_is(rules, j + 1 + count, is_array ? ";" : "]") &&
            (is_array || is_shared(rules, j)))
            rule_change_term(rules, i + 1, length,
                             rule_copy(rules, j + 1, count, text, sizeof text));
    }
}
