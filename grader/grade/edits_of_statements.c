/* The rules that change arguments, declarations and whole statements. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

size_t rule_argument_length(const struct rules *rules, size_t i)
{
    int depth = 0;
    size_t length = 0;
    for (; rule_at(rules, i + length)->length > 0; ++length) {
        const struct token *token = rule_at(rules, i + length);
        bool opens = strchr("([{", *token->begin), closes = strchr(")]}", *token->begin);
        if (depth == 0 &&
            (closes || token_is(token, ",") || token_is(token, ";") || token_is(token, ">>>")))
            break;
        depth += opens - closes;
    }
    return length;
}

/* Finds the first token of the argument that ends before the comma I. Returns false if the comma is
 * not in a list of arguments. */
static bool find_argument(const struct rules *rules, size_t i, size_t *first)
{
    int depth = 0;
    bool found = false;
    for (size_t j = i; j-- > rules->part.first;) {
        const struct token *token = rule_at(rules, j);
        bool opens = strchr("([", *token->begin) || token_is(token, "<<<");
        if (strchr(";{}", *token->begin))
            return false;
        if (depth == 0 && (opens || token_is(token, ",")) && !found)
            found = true, *first = j + 1;
        if (depth == 0 && opens)
            return true;
        depth += (strchr(")]", *token->begin) || token_is(token, ">>>")) - opens;
    }
    return false;
}

/* Returns whether the argument that begins at token FIRST has its order by its type, as in atomic
 * functions, follows a mask of lanes, or in any order means the same. */
static bool is_ordered(const struct rules *rules, size_t first)
{
    static const char *const names[] = {"min", "max", "fminf", "fmaxf", NULL};
    const struct token *name = rule_at(rules, first - 2);
    return strncmp(name->begin, "atomic", strlen("atomic")) == 0 || token_is_one_of(name, names) ||
           memmem(name->begin, name->length, "_sync", strlen("_sync"));
}

/* Returns whether the arguments that begin at tokens I and J are variables of different types. */
static bool is_unlike(const struct rules *rules, size_t i, size_t j)
{
    struct variable list[VISIBLE_MOST];
    bool are_members = rule_is(rules, i + 1, ".") && rule_is(rules, j + 1, ".");
    size_t count = are_members ? visible_members(rules->code, rule_at(rules, i + 2), list)
                               : visible_find(rules->code, rules->part, i, list);
    const struct variable *one = NULL, *other = NULL;
    if (rule_is(rules, i, "&") != rule_is(rules, j, "&"))
        return true;
    i += are_members ? 2 : 0;
    j += are_members ? 2 : 0;
    for (size_t k = 0; k < count; ++k) {
        one = token_is_same(list[k].name, rule_at(rules, i)) ? &list[k] : one;
        other = token_is_same(list[k].name, rule_at(rules, j)) ? &list[k] : other;
    }
    bool has_parts = one && other && (one->is_pointer || other->is_pointer) &&
                     (rule_is(rules, i + 1, "[") || rule_is(rules, j + 1, "["));
    return one && other && !has_parts && !visible_is_alike(one, other);
}

/* Exchanges the arguments before and after a comma, or two neighbouring indices, as in a[y][x]. */
void rule_try_order(const struct rules *rules, size_t i)
{
    size_t first = i, length;
    bool is_indices = rule_is(rules, i, "]") && rule_is(rules, i + 1, "[");
    if (is_indices)
        while (first > rules->part.first && !rule_is(rules, first - 1, "["))
            --first;
    else if (!rule_is(rules, i, ",") || !find_argument(rules, i, &first))
        return;
    size_t second = i + 1 + is_indices;
    length = rule_argument_length(rules, second);
    bool is_text = *rule_at(rules, first)->begin == '"' || *rule_at(rules, second)->begin == '"';
    if (i > first && length > 0 && !is_text && !is_ordered(rules, first) &&
        (is_indices || !is_unlike(rules, first, second)))
        rule_exchange(rules, first, i - first, second, length);
}

/* Returns whether a statement begins at I. */
static bool begins_statement(const struct rules *rules, size_t i)
{
    return rule_at(rules, i)->line != rule_at(rules, i - 1)->line &&
           (rule_is(rules, i - 1, ";") || rule_is(rules, i - 1, "}") || rule_is(rules, i - 1, "{"));
}

size_t rule_length_to_semicolon(const struct rules *rules, size_t i)
{
    size_t length = 0;
    while (rule_at(rules, i + length)->length > 0 &&
           !strchr(";{}", *rule_at(rules, i + length)->begin))
        ++length;
    return rule_is(rules, i + length, ";") ? length + 1 : 0;
}

size_t rule_statement_length(const struct rules *rules, size_t i)
{
    static const char *const words[] = {
        "if",         "for",   "while", "do",    "else",   "return",   "switch", "case", "#",
        "__shared__", "const", "int",   "float", "double", "unsigned", "extern", NULL};
    bool is_other = !begins_statement(rules, i) || token_is_one_of(rule_at(rules, i), words);
    return is_other ? 0 : rule_length_to_semicolon(rules, i);
}

/* Adds a barrier before a statement. */
void rule_try_barrier(const struct rules *rules, size_t i)
{
    bool is_first = i == rules->part.first || !rules->has_barriers;
    if (is_first || !begins_statement(rules, i) || rule_is(rules, i, "__syncthreads"))
        return;
    struct small_edit *edit = rule_put(rules, i, 0, " __syncthreads();");
    if (edit)
        edit_say(edit, "with a call of __syncthreads() after line %u", edit->line);
}

size_t rule_find_parameters(const struct rules *rules, struct variable list[VISIBLE_MOST])
{
    size_t body = rules->part.first, found = 0;
    while (rule_at(rules, body)->length > 0 && !rule_is(rules, body, "{"))
        ++body;
    size_t count = visible_find(rules->code, rules->part, body + 1, list);
    for (size_t i = 0; i < count; ++i)
        if (!list[i].is_macro && visible_is_integer(&list[i]) &&
            list[i].name < rule_at(rules, body))
            list[found++] = list[i];
    return found;
}

/* Executes a statement only if its index `a - b` is not negative. */
static void guard_difference(const struct rules *rules, size_t i, size_t length)
{
    char text[200], terms[2][80];
    for (size_t at = i; at < i + length; ++at) {
        size_t count = rule_is(rules, at, "[") ? rule_term_length(rules, at + 1) : 0;
        size_t second = at + 2 + count, other = rule_term_length(rules, second);
        if (count == 0 || !rule_is(rules, second - 1, "-") || !rule_is(rules, second + other, "]"))
            continue;
        snprintf(text, sizeof text, " if (%s >= %s)",
                 rule_copy(rules, at + 1, count, terms[0], sizeof terms[0]),
                 rule_copy(rules, second, other, terms[1], sizeof terms[1]));
        rule_insert(rules, i, text, length - 1);
        return;
    }
}

/* Executes a statement only if its index is smaller than a parameter of the function, or not
 * negative. */
void rule_try_guard(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    size_t length = rule_statement_length(rules, i), at = i;
    char text[150], index[60];
    guard_difference(rules, i, length);
    while (at < i + length && !(rule_is(rules, at, "[") && token_is_name(rule_at(rules, at + 1)) &&
                                rule_is(rules, at + 2, "]")))
        ++at;
    size_t count = at < i + length ? rule_find_parameters(rules, list) : 0;
    for (size_t j = 0; j < count; ++j) {
        if (token_is_same(list[j].name, rule_at(rules, at + 1)))
            continue;
        snprintf(text, sizeof text, " if (%s < %.*s)",
                 rule_copy(rules, at + 1, 1, index, sizeof index), (int)list[j].name->length,
                 list[j].name->begin);
        rule_insert(rules, i, text, length - 1);
    }
}

void rule_try_without(const struct rules *rules, size_t i)
{
    size_t length = rule_statement_length(rules, i);
    if (length > 0 && !rule_is(rules, i, "CHECK_CUDA"))
        rule_drop(rules, i, length);
}

/* Checks a condition although the one before it holds: leaves out the `else` of `else if`. */
void rule_try_else(const struct rules *rules, size_t i)
{
    if (rule_is(rules, i, "else") && rule_is(rules, i + 1, "if"))
        rule_drop(rules, i, 1);
}

/* Moves the last statement of a loop or condition behind it. */
void rule_try_behind(const struct rules *rules, size_t i)
{
    size_t length = rule_statement_length(rules, i);
    char text[200], statement[150];
    if (length == 0 || !rule_is(rules, i + length, "}") || !rule_is(rules, i - 1, ";") ||
        rule_at(rules, i + length + 1)->length == 0) /* the end of the function */
        return;
    snprintf(text, sizeof text, " } %s", rule_copy(rules, i, length, statement, sizeof statement));
    struct small_edit *edit = rule_put(rules, i, length + 1, text);
    if (edit)
        edit_say(edit, "with `%s` behind the bracket that follows line %u",
                 rule_quote(rules, i, length), edit->line);
}

/* Returns the number of tokens of the statement or declaration that begins at token I, or 0. */
static size_t moved_length(const struct rules *rules, size_t i)
{
    static const char *const types[] = {"const", "int", "float", "double", "unsigned", NULL};
    bool declares = begins_statement(rules, i) && token_is_one_of(rule_at(rules, i), types);
    return declares ? rule_length_to_semicolon(rules, i) : rule_statement_length(rules, i);
}

/* Exchanges a statement with the one after it, which may be a declaration. */
void rule_try_moved(const struct rules *rules, size_t i)
{
    size_t length = rule_statement_length(rules, i);
    size_t other = length > 0 ? moved_length(rules, i + length) : 0;
    size_t used = rules->edits->count;
    if (other == 0)
        return;
    rule_exchange(rules, i, length, i + length, other);
    if (rules->edits->count > used)
        edit_say(&rules->edits->list[used], "with another order of lines %u and %u",
                 rule_at(rules, i)->line, rule_at(rules, i + length)->line);
}

/* Returns whether the function adds to the variable that is declared at token I, or multiplies
 * it. */
static bool grows(const struct rules *rules, size_t i)
{
    static const char *const operators[] = {"+=", "*", "+", NULL};
    for (size_t j = i + 1; j < rules->part.first + rules->part.count; ++j)
        if (token_is_same(rule_at(rules, i), rule_at(rules, j)) &&
            (token_is_one_of(rule_at(rules, j + 1), operators) || rule_is(rules, j - 1, "*")))
            return true;
    return false;
}

/* Gives a variable that grows, or an array, more bits. */
void rule_try_type(const struct rules *rules, size_t i)
{
    bool is_int = rule_is(rules, i, "int") && !rule_is(rules, i - 1, "unsigned");
    bool is_unsigned = rule_is(rules, i, "unsigned") && !rule_is(rules, i + 1, "long");
    size_t name = i + 1 + (is_unsigned && rule_is(rules, i + 1, "int"));
    bool is_variable = token_is_name(rule_at(rules, name)) && rule_is(rules, name + 1, "=");
    bool is_array = token_is_name(rule_at(rules, name)) && rule_is(rules, name + 1, "[");
    bool is_of_loop = rule_is(rules, i - 1, "(") && rule_is(rules, i - 2, "for");
    bool can_overflow = (is_variable && grows(rules, name) && !is_of_loop) || is_array;
    if (is_array && (rule_is(rules, i, "short") || rule_is(rules, i, "char")))
        rule_change(rules, i, "int", "type");
    if (can_overflow && is_int)
        rule_change(rules, i, "long long", "type");
    if (can_overflow && is_unsigned)
        rule_change(rules, i, "unsigned long long", "type");
    if (rule_is(rules, i, "float") && is_variable)
        rule_change(rules, i, "double", "type");
}

/* --- loops ------------------------------------------------------------------------------------ */

/* If the bracket I, `{`, begins the body of a loop, returns the number of the word `for` or
 * `while`. Otherwise returns 0. */
static size_t find_loop(const struct rules *rules, size_t i)
{
    int depth = 0;
    if (!rule_is(rules, i, "{") || !rule_is(rules, i - 1, ")"))
        return 0;
    for (size_t j = i - 1; j > rules->part.first; --j) {
        depth += rule_is(rules, j, ")") - rule_is(rules, j, "(");
        if (depth == 0)
            return rule_is(rules, j - 1, "for") || rule_is(rules, j - 1, "while") ? j - 1 : 0;
    }
    return 0;
}

/* Returns the number of the bracket that closes the one at I, `{`. */
static size_t find_end(const struct rules *rules, size_t i)
{
    int depth = 0;
    do
        depth += rule_is(rules, i, "{") - rule_is(rules, i, "}");
    while (depth > 0 && rule_at(rules, ++i)->length > 0);
    return i;
}

/* Returns whether the function declares the variable I before token END, and sets it to 0 there. */
static bool begins_with_zero(const struct rules *rules, size_t i, size_t end)
{
    for (size_t j = rules->part.first; j < end; ++j) {
        const char *number = rule_at(rules, j + 2)->begin;
        if (token_is_same(rule_at(rules, j), rule_at(rules, i)) && rule_is(rules, j + 1, "=") &&
            isdigit((unsigned char)*number) && strtod(number, NULL) == 0)
            return token_is_name(rule_at(rules, j - 1)) || rule_is(rules, j - 1, ",");
    }
    return false;
}

/* Sets a sum to 0 at the beginning of each round of a loop, not only before the loop. Begins at the
 * loop's body. Leaves out sums that the loop does not use. */
void rule_try_cleared(const struct rules *rules, size_t i)
{
    size_t end = find_loop(rules, i) ? find_end(rules, i) : i;
    char text[100], name[80];
    for (size_t j = i; j < end; ++j) {
        bool is_used = false;
        if (!rule_is(rules, j + 1, "+=") || !strchr(";{})", *rule_at(rules, j - 1)->begin) ||
            !begins_with_zero(rules, j, i))
            continue;
        for (size_t k = i; k < end; ++k)
            is_used |=
                token_is_same(rule_at(rules, k), rule_at(rules, j)) && !rule_is(rules, k + 1, "+=");
        snprintf(text, sizeof text, " %s = 0;", rule_copy(rules, j, 1, name, sizeof name));
        struct small_edit *edit = is_used ? rule_put(rules, i + 1, 0, text) : NULL;
        if (edit) {
            edit->is_sure = true;
            edit_say(edit,
                     "with `%s` set to 0 at the beginning of each round of the loop in line %u",
                     name, edit->line);
        }
    }
}

/* --- series of statements --------------------------------------------------------------------- */

/* Returns the number of tokens of the `if` I and its statement. */
static size_t if_length(const struct rules *rules, size_t i)
{
    size_t body = i + rule_condition_length(rules, i) + 3, length = 0;
    int depth = 0;
    do {
        depth += rule_is(rules, body + length, "{") - rule_is(rules, body + length, "}");
        ++length;
    } while (rule_at(rules, body + length)->length > 0 &&
             (depth > 0 || !strchr(";}", *rule_at(rules, body + length - 1)->begin)));
    return body + length - i;
}

/* Returns whether the COUNT tokens from token I on are the same as those from token J on, except
 * numbers that are twice as large, at least one. */
static bool is_twice(const struct rules *rules, size_t i, size_t j, size_t count)
{
    bool has_twice = false;
    for (size_t k = 0; k < count; ++k) {
        long number = strtol(rule_at(rules, i + k)->begin, NULL, 10);
        bool is_same = token_is_same(rule_at(rules, i + k), rule_at(rules, j + k));
        bool is_double = number > 0 && number == 2 * strtol(rule_at(rules, j + k)->begin, NULL, 10);
        if (!is_same && !is_double)
            return false;
        has_twice |= is_double;
    }
    return has_twice;
}

/* Writes the COUNT tokens from token I on, with twice the numbers that differ from those at J. */
static void write_twice(const struct rules *rules, size_t i, size_t j, size_t count, char text[600])
{
    size_t to = (size_t)snprintf(text, 600, " ");
    for (size_t k = 0; k < count && to + 100 < 600; ++k) {
        const struct token *token = rule_at(rules, i + k);
        if (token_is_same(token, rule_at(rules, j + k)))
            to += (size_t)snprintf(text + to, 100, "%.*s ", (int)token->length, token->begin);
        else
            to += (size_t)snprintf(text + to, 100, "%ld ", 2 * strtol(token->begin, NULL, 10));
    }
}

/* Adds a first step to a tree whose steps are written out. If `if (size >= 512) ...` is the first
 * step and `if (size >= 256) ...` the next one, inserts `if (size >= 1024) ...` before both. */
void rule_try_unrolled(const struct rules *rules, size_t i)
{
    size_t count =
        rule_condition_length(rules, i) > 0 && begins_statement(rules, i) ? if_length(rules, i) : 0;
    char text[600];
    if (count == 0 || !is_twice(rules, i, i + count, count) || is_twice(rules, i - count, i, count))
        return;
    write_twice(rules, i, i + count, count, text);
    struct small_edit *edit = rule_put(rules, i, 0, text);
    if (!edit)
        return;
    edit->line = rule_at(rules, i)->line;
    edit->column = code_column(rules->code, rule_at(rules, i));
    edit_say(edit, "with one more step before line %u: `%s`, but with numbers twice as large",
             edit->line, rule_quote(rules, i, rule_condition_length(rules, i) + 3));
}
