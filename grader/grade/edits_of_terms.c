/* The rules that change operators, numbers and terms. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

/* --- terms ------------------------------------------------------------------------------------ */

static bool is_number(const struct token *token)
{
    return isdigit((unsigned char)*token->begin) && !memchr(token->begin, '.', token->length);
}

/* Returns the token that opens the bracket that token I, `)` or `]`, closes. */
static size_t opening(const struct rules *rules, size_t i)
{
    for (int depth = 1; depth > 0 && rule_at(rules, i)->length > 0;) {
        --i;
        depth += rule_is(rules, i, ")") || rule_is(rules, i, "]");
        depth -= rule_is(rules, i, "(") || rule_is(rules, i, "[");
    }
    return i;
}

size_t rule_term_begin(const struct rules *rules, size_t end)
{
    size_t first = end - 1;
    bool is_group = rule_is(rules, first, ")") || rule_is(rules, first, "]");
    if (!is_group && !token_is_name(rule_at(rules, first)) && !is_number(rule_at(rules, first)))
        return end;
    first = is_group ? opening(rules, first) : first;
    while (rule_is(rules, first, "[") &&
           (rule_is(rules, first - 1, "]") || rule_is(rules, first - 1, ")")))
        first = opening(rules, first - 1);
    if (is_group && token_is_name(rule_at(rules, first - 1)))
        --first;
    while (rule_is(rules, first - 1, ".") || rule_is(rules, first - 1, "->"))
        first -= 2;
    return first;
}

/* Returns the number of tokens of the divisor that begins at token I: a name, a number or a
 * bracket. Returns 0 for other divisors. */
static size_t divisor_length(const struct rules *rules, size_t i)
{
    size_t length = 1;
    if (rule_is(rules, i, "(")) {
        for (int depth = 1; depth > 0 && rule_at(rules, i + length)->length > 0; ++length)
            depth += rule_is(rules, i + length, "(") - rule_is(rules, i + length, ")");
        return length;
    }
    if (!token_is_name(rule_at(rules, i)) && !is_number(rule_at(rules, i)))
        return 0;
    while (rule_is(rules, i + length, ".") || rule_is(rules, i + length, "->"))
        length += 2;
    return rule_is(rules, i + length, "(") ? 0 : length;
}

size_t rule_term_length(const struct rules *rules, size_t i)
{
    size_t end = i + !rule_is(rules, i, "(");
    if (end > i && !token_is_name(rule_at(rules, i)) &&
        !isdigit((unsigned char)*rule_at(rules, i)->begin))
        return 0;
    while (rule_is(rules, end, ".") || rule_is(rules, end, "->") || rule_is(rules, end, "(") ||
           rule_is(rules, end, "[")) {
        bool is_group = rule_is(rules, end, "(") || rule_is(rules, end, "[");
        end += is_group ? rule_argument_length(rules, end + 1) : 0;
        while (is_group && rule_is(rules, end + 1, ","))
            end += 1 + rule_argument_length(rules, end + 2);
        end += 2;
    }
    return end - i;
}

/* Returns whether `- 1) / ` begins at token I, the end of a quotient that is rounded up. */
static bool ends_rounding(const struct rules *rules, size_t i)
{
    return rule_is(rules, i, "-") && rule_is(rules, i + 1, "1") && rule_is(rules, i + 2, ")") &&
           rule_is(rules, i + 3, "/");
}

bool rule_is_rounding(const struct rules *rules, size_t i)
{
    enum { LONGEST = 12 };
    if (rule_is(rules, i, "/"))
        return ends_rounding(rules, i - 3);
    if (rule_is(rules, i, "1"))
        return ends_rounding(rules, i - 1);
    for (size_t j = i; j < i + LONGEST && !strchr(";,", *rule_at(rules, j)->begin); ++j)
        if (ends_rounding(rules, j))
            return true;
    return false;
}

/* --- the rules -------------------------------------------------------------------------------- */

/* If token I is the first operator in a row of TABLE, replaces it by the second. */
static void replace_operator(const struct rules *rules, size_t i, const char *const (*table)[2],
                             size_t rows)
{
    for (size_t row = 0; row < rows; ++row)
        if (rule_is(rules, i, table[row][0]))
            rule_change(rules, i, table[row][1], "operator");
}

void rule_try_comparison(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},
                                           {"==", "!="}, {"!=", "=="}, {"&&", "||"}, {"||", "&&"}};
    static const char *const templates[] = {"static_cast", "template", "const_cast",
                                            "reinterpret_cast", NULL};
    if (!token_is_one_of(rule_at(rules, i - 1), templates))
        replace_operator(rules, i, table, ROWS(table));
}

/* Returns whether the line of token I begins with WORD. */
static bool begins_line(const struct rules *rules, size_t i, const char *word)
{
    while (rule_at(rules, i - 1)->line == rule_at(rules, i)->line)
        --i;
    return rule_is(rules, i, word);
}

bool rule_is_unary(const struct rules *rules, size_t i)
{
    return !token_is_name(rule_at(rules, i - 1)) &&
           !isdigit((unsigned char)*rule_at(rules, i - 1)->begin) && !rule_is(rules, i - 1, ")") &&
           !rule_is(rules, i - 1, "]");
}

void rule_try_operator(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"/", "%"},   {"%", "/"},   {"+", "*"},  {"*", "+"},
                                           {"<<", ">>"}, {">>", "<<"}, {"&", "|"},  {"<", ">"},
                                           {">", "<"},   {"<=", ">="}, {">=", "<="}};
    if (!rule_is_unary(rules, i) && !rule_is_rounding(rules, i) && !begins_line(rules, i, "for"))
        replace_operator(rules, i, table, ROWS(table));
    else if (rule_is(rules, i, "-"))
        rule_drop(rules, i, 1);
}

void rule_try_sign(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"+", "-"}, {"-", "+"}, {"+=", "-="}, {"-=", "+="}};
    if (!rule_is_unary(rules, i) && !rule_is_rounding(rules, i))
        replace_operator(rules, i, table, ROWS(table));
}

struct small_edit *rule_put_brackets(const struct rules *rules, size_t i, size_t count)
{
    char inner[150], text[200];
    rule_copy(rules, i, count, inner, sizeof inner);
    snprintf(text, sizeof text, "(%s)", inner);
    struct small_edit *edit = rule_put(rules, i, count, text);
    if (edit)
        edit_say(edit, "with brackets around `%s` in line %u", inner, edit->line);
    return edit;
}

/* Adds the edit that removes the brackets around COUNT tokens from token I on. */
static void drop_brackets(const struct rules *rules, size_t i, size_t count)
{
    char inner[150];
    struct small_edit *edit =
        rule_put(rules, i, count, rule_copy(rules, i + 1, count - 2, inner, sizeof inner));
    if (edit)
        edit_say(edit, "without brackets around `%s` in line %u", inner, edit->line);
}

/* Puts brackets around a sum with the operand before or after the operator I, as in `a * (b - c)`,
 * or removes them. */
void rule_try_brackets(const struct rules *rules, size_t i)
{
    static const char *const operators[] = {"*", "/", "%", NULL};
    size_t next = i + 1, count = rule_term_length(rules, next), sign = next + count;
    size_t before = rule_term_begin(rules, i);
    bool has_brackets = rule_is(rules, next, "(");
    bool is_product = rule_is(rules, i, "*") && count > 0;
    if (!token_is_one_of(rule_at(rules, i), operators) || rule_is_unary(rules, i) || before == i)
        return;
    size_t first = rule_term_begin(rules, before - 1);
    if (is_product && has_brackets)
        drop_brackets(rules, next, count);
    else if (is_product && (rule_is(rules, sign, "+") || rule_is(rules, sign, "-")))
        rule_put_brackets(rules, next, count + 1 + rule_term_length(rules, sign + 1));
    if ((rule_is(rules, before - 1, "+") || rule_is(rules, before - 1, "-")) && first < before - 1)
        rule_put_brackets(rules, first, i - first);
}

/* Returns whether token I, a variable, is in the condition of a `while` of the function. */
static bool ends_loop(const struct rules *rules, size_t i)
{
    bool in_header = false;
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        in_header =
            (in_header || rule_is(rules, j, "while")) && !strchr("{;", *rule_at(rules, j)->begin);
        if (in_header && token_is_same(rule_at(rules, j), rule_at(rules, i)))
            return true;
    }
    return false;
}

/* Replaces an assignment by another one: adds, or subtracts, or only sets. */
void rule_try_assignment(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"=", "+="}, {"+=", "="}, {"+=", "-="}, {"-=", "+="}};
    /* a new variable has no old value; a loop whose step does not grow would not end */
    bool is_new = rule_is(rules, i, "=") &&
                  (token_is_name(rule_at(rules, i - 2)) || rule_is(rules, i - 2, ",") ||
                   (rule_is(rules, i - 2, "*") && token_is_name(rule_at(rules, i - 3))));
    if (!is_new && !begins_line(rules, i, "for") && !ends_loop(rules, i - 1))
        replace_operator(rules, i, table, ROWS(table));
}

/* Returns whether token I is in the head of a loop whose step multiplies or divides: with another
 * number it may not end. */
static bool is_in_product_loop(const struct rules *rules, size_t i)
{
    static const char *const steps[] = {"*=", "/=", "<<=", ">>=", NULL};
    bool is_found = false;
    if (!begins_line(rules, i, "for"))
        return false;
    for (unsigned line = rule_at(rules, i)->line; rule_at(rules, i)->line == line; --i)
        ;
    for (unsigned line = rule_at(rules, ++i)->line; rule_at(rules, i)->line == line; ++i)
        is_found |= token_is_one_of(rule_at(rules, i), steps);
    return is_found;
}

/* Doubles or halves a power of two. Adds 1 to a small number or to one that is no power of two, or
 * subtracts 1. */
void rule_try_number(const struct rules *rules, size_t i)
{
    const struct token *token = rule_at(rules, i);
    char text[32], *end;
    long number = strtol(token->begin, &end, 10);
    bool is_member = rule_is(rules, i - 1, "."), is_part = rule_is_rounding(rules, i);
    const char *suffix = *end == 'u' && end + 1 == token->begin + token->length ? "u" : "";
    if (!isdigit((unsigned char)*token->begin) ||
        end + strlen(suffix) != token->begin + token->length || is_member || is_part ||
        is_in_product_loop(rules, i))
        return;
    enum { SMALL = 8 };
    bool is_mask = number > 2 && (number & (number + 1)) == 0; /* such as 31 */
    bool is_power = number > 1 && (number & (number - 1)) == 0;
    const long others[] = {2 * number + is_mask, number / 2, number + 1, number - 1};
    size_t end_of_others = (is_mask || is_power) && number > SMALL ? 2 : ROWS(others);
    for (size_t j = is_mask || is_power ? 0 : 2; j < end_of_others; ++j) {
        snprintf(text, sizeof text, "%ld%s", others[j], suffix);
        if (others[j] >= 0)
            rule_change(rules, i, text, "number");
    }
}

/* Removes `+ 1`, `- 1`, or half an element. */
void rule_try_less(const struct rules *rules, size_t i)
{
    static const char *const small[] = {"1", "0.5", "0.5f", NULL};
    bool is_sum = rule_is(rules, i, "+") || rule_is(rules, i, "-"),
         is_small = token_is_one_of(rule_at(rules, i + 1), small);
    if (is_sum && is_small && !rule_is_rounding(rules, i))
        rule_drop(rules, i, 2);
}

/* Returns the token before the value that ends with token I: `=` or `return`; or a bracket or the
 * end of a statement, if there is no such value. */
static size_t before_value(const struct rules *rules, size_t i)
{
    while (i > rules->part.first && !strchr(";{}=", *rule_at(rules, i)->begin) &&
           !rule_is(rules, i, "return"))
        --i;
    return i;
}

/* Returns whether COUNT tokens from token I on have one of OPERATORS outside of brackets. */
static bool has_operator(const struct rules *rules, size_t i, size_t count,
                         const char *const *operators)
{
    int depth = 0;
    for (size_t j = i; j < i + count; ++j) {
        bool opens = strchr("([", *rule_at(rules, j)->begin);
        depth += opens - (strchr(")]", *rule_at(rules, j)->begin) != NULL);
        if (depth == 0 && j > i && token_is_one_of(rule_at(rules, j), operators))
            return true;
    }
    return false;
}

/* Adds 1 to a sum or a product that is stored or returned, or subtracts 1 from it. */
void rule_try_off_by_one(const struct rules *rules, size_t i)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", NULL};
    size_t before = before_value(rules, i);
    bool is_value = rule_is(rules, before, "=") || rule_is(rules, before, "return");
    if (!rule_is(rules, i + 1, ";") || !is_value || rule_is_rounding(rules, before + 1) ||
        !has_operator(rules, before + 1, i - before, operators))
        return;
    rule_append(rules, i, " + 1");
    rule_append(rules, i, " - 1");
}

/* Adds 1 to an index, to the last argument of a call or to the limit of a comparison, or subtracts
 * 1 from it. */
void rule_try_more(const struct rules *rules, size_t i)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL};
    bool ends_index =
        rule_is(rules, i + 1, "]") || (rule_is(rules, i + 1, ")") && rule_is(rules, i - 1, ","));
    bool is_limit = token_is_one_of(rule_at(rules, i - 1), comparisons);
    bool is_flag = strncmp(rule_at(rules, i)->begin, "cuda", strlen("cuda")) == 0;
    bool is_value = (token_is_name(rule_at(rules, i)) && !is_flag) || rule_is(rules, i, ")");
    bool goes_on = rule_at(rules, i + 1)->length == 1
                       ? strchr("([.", *rule_at(rules, i + 1)->begin) != NULL
                       : rule_is(rules, i + 1, "->");
    if (!is_value || !(ends_index || is_limit) || goes_on)
        return;
    rule_append(rules, i, " + 1");
    rule_append(rules, i, " - 1");
}

/* Replaces the number of elements by the index of the last one: `x == SIZE` becomes
 * `x == SIZE - 1`, and `row(m, m.height)` becomes `row(m, m.height - 1)`. */
void rule_try_last(const struct rules *rules, size_t i)
{
    size_t first = rule_term_begin(rules, i + 1);
    bool is_member = rule_is(rules, i - 1, ".") || rule_is(rules, i - 1, "->");
    bool is_constant = token_is_constant(rule_at(rules, i)) && first == i;
    bool is_compared = rule_is(rules, first - 1, "==");
    bool is_argument = rule_is(rules, first - 1, ",") && rule_is(rules, i + 1, ")") && is_member;
    bool ends = strchr(")&|", *rule_at(rules, i + 1)->begin);
    if ((is_member || is_constant) && ends && (is_compared || is_argument))
        rule_append(rules, i, " - 1");
}

/* Returns whether token I is a number by which the function multiplies, but not 1. */
static bool is_factor(const struct rules *rules, size_t i)
{
    return is_number(rule_at(rules, i)) && rule_at(rules, i)->length < 4 &&
           !rule_is(rules, i, "1") && (rule_is(rules, i - 1, "*") || rule_is(rules, i + 1, "*"));
}

/* Multiplies the sum of COUNT tokens from token I on by each number by which the function
 * multiplies elsewhere. */
static void put_multiples(const struct rules *rules, size_t i, size_t count)
{
    static const char *const sums[] = {"+", "-", NULL};
    char text[300], value[150], factor[20];
    if (!has_operator(rules, i, count, sums))
        return;
    rule_copy(rules, i, count, value, sizeof value);
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        if (!is_factor(rules, j) || (j >= i && j < i + count))
            continue;
        snprintf(text, sizeof text, "%s * (%s)", rule_copy(rules, j, 1, factor, sizeof factor),
                 value);
        rule_change_term(rules, i, count, text);
    }
}

/* Multiplies a sum that is stored, or is an argument of min() or max(), by a number by which the
 * function multiplies elsewhere. */
void rule_try_multiple(const struct rules *rules, size_t i)
{
    size_t begin = before_value(rules, i), first = i + 2;
    if (rule_is(rules, i + 1, ";") && rule_is(rules, begin, "="))
        put_multiples(rules, begin + 1, i - begin);
    if (!rule_is(rules, i, "min") && !rule_is(rules, i, "max"))
        return;
    for (int argument = 0; argument < 2; ++argument) {
        size_t count = rule_argument_length(rules, first);
        put_multiples(rules, first, count);
        first += count + 1;
    }
}

/* Appends a factor to a product that is stored: a constant that limits a loop of the function. Each
 * thread or warp has that many elements. */
void rule_try_scale(const struct rules *rules, size_t i)
{
    static const char *const sums[] = {"+", "-", "/", "%", "?", NULL};
    static const char *const products[] = {"*", NULL};
    size_t begin = before_value(rules, i);
    char text[100], name[80];
    if (!rule_is(rules, i + 1, ";") || !rule_is(rules, begin, "=") ||
        !has_operator(rules, begin + 1, i - begin, products) ||
        has_operator(rules, begin + 1, i - begin, sums))
        return;
    for (size_t j = rules->part.first + 1; j < rules->part.first + rules->part.count; ++j) {
        const struct token *limit = rule_at(rules, j);
        if (!rule_is(rules, j - 1, "<") || !rule_is(rules, j + 1, ";") ||
            !token_is_constant(limit) ||
            code_has_token(rules->code, (struct span){begin, i + 1 - begin}, limit))
            continue;
        snprintf(text, sizeof text, " * %s", rule_copy(rules, j, 1, name, sizeof name));
        rule_append(rules, i, text);
    }
}

/* Counts in single elements, not in groups: after `a = n / 4`, the index `a + b` becomes
 * `4 * a + b`. */
void rule_try_unit(const struct rules *rules, size_t i)
{
    size_t value = rule_find_value(rules, i), end = value;
    char text[120], parts[2][50];
    if (value == 0 || !rule_is(rules, i + 1, "+") || rule_is(rules, i - 1, "*"))
        return;
    while (!strchr(",;{}", *rule_at(rules, end)->begin))
        ++end;
    if (!rule_is(rules, end - 2, "/") || !isdigit((unsigned char)*rule_at(rules, end - 1)->begin))
        return;
    snprintf(text, sizeof text, "%s * %s", rule_copy(rules, end - 1, 1, parts[0], sizeof parts[0]),
             rule_copy(rules, i, 1, parts[1], sizeof parts[1]));
    rule_change_term(rules, i, 1, text);
}

/* Adds a variable to a sum that is stored, or subtracts one, the nearest declared first. Leaves out
 * those that the statement has. */
void rule_try_offset(const struct rules *rules, size_t i)
{
    enum { MOST = 3 };
    static const char *const sums[] = {"+", "-", NULL};
    struct variable list[VISIBLE_MOST];
    char text[100];
    size_t begin = before_value(rules, i), made = 0;
    bool is_sum = rule_is(rules, i + 1, ";") && rule_is(rules, begin, "=") &&
                  has_operator(rules, begin + 1, i - begin, sums);
    struct span used = {begin - 1, i + 2 - begin};
    for (size_t j = is_sum ? visible_find(rules->code, rules->part, i, list) : 0;
         j-- > 0 && made < MOST;) {
        if (!visible_is_integer(&list[j]) || list[j].is_macro ||
            code_has_token(rules->code, used, list[j].name))
            continue;
        for (int sign = 0; sign < 2; ++sign) {
            snprintf(text, sizeof text, " %c %.*s", "-+"[sign], (int)list[j].name->length,
                     list[j].name->begin);
            rule_append(rules, i, text);
        }
        ++made;
    }
}

/* Extends an assignment: adds or subtracts a constant that the function uses, or multiplies by it,
 * or by a number by which the function multiplies. Leaves out assignments of a number, such as
 * 0. */
void rule_try_term(const struct rules *rules, size_t i)
{
    char text[100], name[80];
    size_t begin = before_value(rules, i);
    if (!rule_is(rules, i + 1, ";") || !rule_is(rules, begin, "=") ||
        isdigit((unsigned char)*rule_at(rules, i)->begin))
        return;
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        const struct token *token = rule_at(rules, j);
        rule_copy(rules, j, 1, name, sizeof name);
        for (int sign = 0; token_is_constant(token) && sign < 2; ++sign) {
            snprintf(text, sizeof text, " %c %s", "-+"[sign], name);
            rule_append(rules, i, text);
        }
        snprintf(text, sizeof text, " * %s", name);
        if (token_is_constant(token) || is_factor(rules, j))
            rule_append(rules, i, text);
    }
}

/* Returns whether the quotient at token I is rounded up by numbers, as in `(n + 31) / 32`. */
static bool is_rounded(const struct rules *rules, size_t i)
{
    return rule_is(rules, i - 1, ")") && rule_is(rules, i - 3, "+") &&
           is_number(rule_at(rules, i - 2)) && is_number(rule_at(rules, i + 1)) &&
           strtol(rule_at(rules, i - 2)->begin, NULL, 10) + 1 ==
               strtol(rule_at(rules, i + 1)->begin, NULL, 10);
}

/* Returns whether the function can decide which threads run or what they do. */
static bool is_for_gpu(const struct rules *rules)
{
    static const char *const words[] = {"__global__", "__device__", "dim3", "<<<", "main"};
    for (size_t i = 0; i < ROWS(words); ++i)
        if (rule_has_name(rules->code, rules->part, words[i]))
            return true;
    return !rule_has_name(rules->code, rules->part, "{"); /* the value of a constant */
}

/* Returns whether the COUNT tokens from token I on are numbers and perhaps constants, or have a
 * number with a point or a thread's number. Then a quotient of them is not a number of pieces. */
static bool is_no_length(const struct rules *rules, size_t i, size_t count)
{
    bool are_constants = true, has_number = false;
    for (size_t j = i; j < i + count; ++j) {
        const struct token *token = rule_at(rules, j);
        if (rule_is(rules, j, "threadIdx") ||
            (isdigit((unsigned char)*token->begin) && memchr(token->begin, '.', token->length)))
            return true;
        has_number |= is_number(token);
        are_constants &= is_number(token) || token_is_constant(token) || *token->begin == '/';
    }
    return are_constants && has_number;
}

/* Adds the edit that rounds up a quotient of COUNT tokens from token FIRST on: LEFT_COUNT tokens
 * divided by BY. WHOLE is BY, in brackets if it is a product. */
static void put_rounded(const struct rules *rules, size_t first, size_t left_count, size_t count,
                        const char *by, const char *whole)
{
    char left[150], text[600];
    snprintf(text, sizeof text, "(%s + %s - 1) / %s",
             rule_copy(rules, first, left_count, left, sizeof left), by, whole);
    struct small_edit *edit = rule_put(rules, first, count, text);
    if (edit) {
        edit->is_sure = true;
        edit_say(edit, "with `%s` rounded up in line %u", rule_quote(rules, first, count),
                 edit->line);
    }
}

/* Rounds a quotient up, unless it is rounded up already: `a / b / c` as a whole. */
void rule_try_rounding(const struct rules *rules, size_t i)
{
    char left[150], by[150], product[310], whole[320];
    size_t first = rule_term_begin(rules, i), count = divisor_length(rules, i + 1);
    if (!rule_is(rules, i, "/") || first == i || count == 0 || is_rounded(rules, i) ||
        !is_for_gpu(rules))
        return;
    if (ends_rounding(rules, i - 3))
        return;
    while (rule_is(rules, first - 1, "*") && rule_term_begin(rules, first - 1) < first - 1)
        first = rule_term_begin(rules, first - 1);
    if (is_no_length(rules, first, i + 1 + count - first))
        return;
    size_t dividend = rule_is(rules, first - 1, "/") ? rule_term_begin(rules, first - 1) : first;
    rule_copy(rules, i + 1, count, by, sizeof by);
    snprintf(product, sizeof product, "%s * %s",
             rule_copy(rules, first, i - first, left, sizeof left), by);
    snprintf(whole, sizeof whole, "(%s)", product);
    if (dividend < first)
        put_rounded(rules, dividend, first - 1 - dividend, i + 1 + count - dividend, product,
                    whole);
    else
        put_rounded(rules, first, i - first, i + 1 + count - first, by, by);
}
