/* Makes edits by rules. Each rule corrects one typical mistake: it looks at one token, and adds the
 * edits that begin at this token. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/code.h"
#include "grade/edits.h"
#include "grade/rules.h"
#include "grade/visible.h"

/* most edits of one rule in a group, so that room is left for the other rules; and in PLACES */
#define EACH        10u
#define EACH_PLACES 20u

const struct token *rule_at(const struct rules *rules, size_t i)
{
    static const struct token none = {"", 0, 0};
    bool is_inside = i >= rules->part.first && i < rules->part.first + rules->part.count;
    return is_inside ? &rules->code->tokens[i] : &none;
}

bool rule_is(const struct rules *rules, size_t i, const char *text)
{
    return token_is(rule_at(rules, i), text);
}

const char *rule_quote(const struct rules *rules, size_t i, size_t count)
{
    static char text[CODE_QUOTE];
    code_quote(rules->code, (struct span){i, count}, text);
    return text;
}

struct small_edit *rule_put(const struct rules *rules, size_t i, size_t count, const char *text)
{
    struct edits *edits = rules->edits;
    const struct token *first = rule_at(rules, count ? i : i - 1);
    const struct token *last = rule_at(rules, i + count - 1);
    char *copy = edits->count < rules->most && first->length > 0 ? strdup(text) : NULL;
    if (!copy)
        return NULL;
    struct small_edit *edit = &edits->list[edits->count++];
    *edit = (struct small_edit){.end = (size_t)(last->begin + last->length - rules->code->text),
                                .text = copy,
                                .line = first->line,
                                .column = code_column(rules->code, first),
                                .tokens = 1,
                                .is_guess = true};
    edit->begin = count ? (size_t)(first->begin - rules->code->text) : edit->end;
    for (const struct small_edit *other = edits->list; other < edit; ++other)
        if (other->begin == edit->begin && other->end == edit->end &&
            strcmp(other->text, text) == 0) {
            free(copy);
            --edits->count;
            return NULL;
        }
    return edit;
}

void rule_change(const struct rules *rules, size_t i, const char *text, const char *kind)
{
    struct small_edit *edit = rule_put(rules, i, 1, text);
    if (edit)
        edit_say(edit, "with another %s than `%s` in line %u", kind, rule_quote(rules, i, 1),
                 edit->line);
}

/* Adds the edit that inserts TEXT after token I. */
static void append(const struct rules *rules, size_t i, const char *text)
{
    struct small_edit *edit = rule_put(rules, i + 1, 0, text);
    if (edit)
        edit_say(edit, "with something more after `%s` in line %u", rule_quote(rules, i, 1),
                 edit->line);
}

/* Adds the edit that removes COUNT tokens, beginning at token I. */
static void drop(const struct rules *rules, size_t i, size_t count)
{
    struct small_edit *edit = rule_put(rules, i, count, "");
    if (edit)
        edit_say(edit, "without `%s` in line %u", rule_quote(rules, i, count), edit->line);
}

static const char *copy_tokens(const struct rules *rules, size_t i, size_t count, char *text,
                               size_t size)
{
    const struct token *first = rule_at(rules, i), *last = rule_at(rules, i + count - 1);
    size_t length = count ? (size_t)(last->begin + last->length - first->begin) : 0;
    snprintf(text, size, "%.*s", (int)length, first->begin);
    return text;
}

/* Adds the edit that exchanges two ranges of tokens: FIRST_COUNT tokens from token FIRST on, and
 * COUNT tokens from token I on. */
static void exchange(const struct rules *rules, size_t first, size_t first_count, size_t i,
                     size_t count)
{
    char parts[3][300], text[900];
    copy_tokens(rules, first, first_count, parts[0], sizeof parts[0]);
    copy_tokens(rules, first + first_count, i - first - first_count, parts[1], sizeof parts[1]);
    copy_tokens(rules, i, count, parts[2], sizeof parts[2]);
    snprintf(text, sizeof text, "%s %s %s", parts[2], parts[1], parts[0]);
    struct small_edit *edit =
        strcmp(parts[0], parts[2]) != 0 ? rule_put(rules, first, i + count - first, text) : NULL;
    if (edit)
        edit_say(edit, "with another order in `%s` in line %u",
                 rule_quote(rules, first, i + count - first), edit->line);
}

/* --- terms ------------------------------------------------------------------------------------ */

static bool is_number(const struct token *token)
{
    return isdigit((unsigned char)*token->begin) && !memchr(token->begin, '.', token->length);
}

/* Returns the first token of the term, such as a name, a call or a bracket, that ends before token
 * END. Returns END if there is none. */
static size_t term_begin(const struct rules *rules, size_t end)
{
    size_t first = end - 1;
    bool is_group = rule_is(rules, first, ")") || rule_is(rules, first, "]");
    int depth = is_group ? 1 : 0;
    while (depth > 0 && rule_at(rules, first)->length > 0) {
        const struct token *token = rule_at(rules, --first);
        depth += token_is(token, ")") || token_is(token, "]");
        depth -= token_is(token, "(") || token_is(token, "[");
    }
    if (is_group && token_is_name(rule_at(rules, first - 1)))
        --first;
    if (!is_group && !token_is_name(rule_at(rules, first)) && !is_number(rule_at(rules, first)))
        return end;
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

/* Returns whether `- 1) / ` begins at token I, the end of a quotient that is rounded up. */
static bool ends_rounding(const struct rules *rules, size_t i)
{
    return rule_is(rules, i, "-") && rule_is(rules, i + 1, "1") && rule_is(rules, i + 2, ")") &&
           rule_is(rules, i + 3, "/");
}

/* Returns whether token I, an operator or a number, belongs to `+ d - 1) / d`. */
static bool is_rounding(const struct rules *rules, size_t i)
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

static void try_comparison(const struct rules *rules, size_t i)
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

static void try_operator(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"/", "%"},   {"%", "/"},   {"+", "*"},
                                           {"+", "-"},   {"-", "+"},   {"*", "+"},
                                           {"<<", ">>"}, {">>", "<<"}, {"&", "|"}};
    bool is_unary = !token_is_name(rule_at(rules, i - 1)) &&
                    !isdigit((unsigned char)*rule_at(rules, i - 1)->begin) &&
                    !rule_is(rules, i - 1, ")") && !rule_is(rules, i - 1, "]");
    if (!is_unary && !is_rounding(rules, i))
        replace_operator(rules, i, table, ROWS(table));
    else if (rule_is(rules, i, "-"))
        drop(rules, i, 1);
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
static void try_assignment(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"=", "+="}, {"+=", "="}, {"+=", "-="}, {"-=", "+="}};
    /* a new variable has no old value; a loop whose step does not grow would not end */
    bool is_new = rule_is(rules, i, "=") &&
                  (token_is_name(rule_at(rules, i - 2)) || rule_is(rules, i - 2, ",") ||
                   (rule_is(rules, i - 2, "*") && token_is_name(rule_at(rules, i - 3))));
    if (!is_new && !begins_line(rules, i, "for") && !ends_loop(rules, i - 1))
        replace_operator(rules, i, table, ROWS(table));
}

/* Doubles or halves a power of two. Adds 1 to another number, or subtracts 1. */
static void try_number(const struct rules *rules, size_t i)
{
    const struct token *token = rule_at(rules, i);
    char text[32], *end;
    long number = strtol(token->begin, &end, 10);
    bool is_member = rule_is(rules, i - 1, "."), is_part = is_rounding(rules, i);
    if (!isdigit((unsigned char)*token->begin) || end != token->begin + token->length ||
        is_member || is_part)
        return;
    bool is_mask = number > 2 && (number & (number + 1)) == 0; /* such as 31 */
    bool is_power = number > 2 && (number & (number - 1)) == 0;
    const long near[] = {number + 1, number - 1}, far[] = {2 * number + is_mask, number / 2};
    for (size_t j = 0; j < 2; ++j) {
        if (number > 2 || near[j] < 0 || (number == 2 && j == 0))
            continue;
        snprintf(text, sizeof text, "%ld", near[j]);
        rule_change(rules, i, text, "number");
    }
    for (size_t j = 0; j < 2; ++j) {
        if (number < 2 || (number == 2 && j == 1))
            continue;
        snprintf(text, sizeof text, "%ld", is_power || is_mask || number == 2 ? far[j] : near[j]);
        rule_change(rules, i, text, "number");
    }
}

/* Removes `+ 1` or `- 1`. */
static void try_less(const struct rules *rules, size_t i)
{
    bool is_sum = rule_is(rules, i, "+") || rule_is(rules, i, "-"),
         is_one = token_is(rule_at(rules, i + 1), "1");
    if (is_sum && is_one && !is_rounding(rules, i))
        drop(rules, i, 2);
}

/* Adds 1 to an index, to the last argument of a call or to the limit of a comparison, or subtracts
 * 1 from it. */
static void try_more(const struct rules *rules, size_t i)
{
    static const char *const comparisons[] = {"<", "<=", ">", ">=", NULL};
    bool ends_index =
        rule_is(rules, i + 1, "]") || (rule_is(rules, i + 1, ")") && rule_is(rules, i - 1, ","));
    bool is_limit = token_is_one_of(rule_at(rules, i - 1), comparisons);
    bool is_value = token_is_name(rule_at(rules, i)) || rule_is(rules, i, ")");
    bool goes_on = rule_at(rules, i + 1)->length == 1
                       ? strchr("([.", *rule_at(rules, i + 1)->begin) != NULL
                       : rule_is(rules, i + 1, "->");
    if (!is_value || !(ends_index || is_limit) || goes_on)
        return;
    append(rules, i, " + 1");
    append(rules, i, " - 1");
}

/* Extends an assignment: adds or subtracts a constant that the function uses, or multiplies by it,
 * or by a number by which the function multiplies. If the assignment uses blockDim, also
 * multiplies by gridDim.x. */
static void try_term(const struct rules *rules, size_t i)
{
    char text[100];
    size_t begin = i;
    while (begin > rules->part.first && !strchr(";{}=", *rule_at(rules, begin)->begin))
        --begin;
    if (!rule_is(rules, i + 1, ";") || !rule_is(rules, begin, "="))
        return;
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        const struct token *token = rule_at(rules, j);
        for (int sign = 0; token_is_constant(token) && sign < 3; ++sign) {
            char name[80];
            snprintf(text, sizeof text, " %c %s", "-+*"[sign],
                     copy_tokens(rules, j, 1, name, sizeof name));
            append(rules, i, text);
        }
        if (is_number(token) && token->length < 4 && !rule_is(rules, j, "1") &&
            (rule_is(rules, j - 1, "*") || rule_is(rules, j + 1, "*"))) {
            snprintf(text, sizeof text, " * %.*s", (int)token->length, token->begin);
            append(rules, i, text);
        }
    }
    for (size_t j = begin; j < i; ++j)
        if (rule_is(rules, j, "blockDim"))
            append(rules, i, " * gridDim.x");
}

/* Rounds the quotient at token I down, if it is rounded up: `(a + d - 1) / d`. */
static void try_rounding_down(const struct rules *rules, size_t i)
{
    size_t count = divisor_length(rules, i + 1), plus = i - 4 - count;
    size_t first = term_begin(rules, i);
    char parts[2][150], text[400];
    if (!rule_is(rules, i, "/") || count == 0 || !ends_rounding(rules, i - 3) || plus <= first ||
        !rule_is(rules, plus, "+"))
        return;
    for (size_t j = 0; j < count; ++j)
        if (!token_is_same(rule_at(rules, plus + 1 + j), rule_at(rules, i + 1 + j)))
            return;
    copy_tokens(rules, first, plus - first, parts[0], sizeof parts[0]);
    copy_tokens(rules, i, count + 1, parts[1], sizeof parts[1]);
    snprintf(text, sizeof text, "%s) %s", parts[0], parts[1]);
    struct small_edit *edit = rule_put(rules, first, i + 1 + count - first, text);
    if (edit)
        edit_say(edit, "with `%s` not rounded up in line %u",
                 rule_quote(rules, first, i + 1 + count - first), edit->line);
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
    return false;
}

/* Rounds a quotient up, unless it is rounded up already. */
static void try_rounding(const struct rules *rules, size_t i)
{
    char left[150], by[150], text[600];
    size_t first = term_begin(rules, i), count = divisor_length(rules, i + 1);
    if (!rule_is(rules, i, "/") || first == i || count == 0 || is_rounded(rules, i) ||
        !is_for_gpu(rules))
        return;
    if (ends_rounding(rules, i - 3))
        return;
    while (rule_is(rules, first - 1, "*") && term_begin(rules, first - 1) < first - 1)
        first = term_begin(rules, first - 1);
    copy_tokens(rules, first, i - first, left, sizeof left);
    copy_tokens(rules, i + 1, count, by, sizeof by);
    snprintf(text, sizeof text, "(%s + %s - 1) / %s", left, by, by);
    struct small_edit *edit = rule_put(rules, first, i + 1 + count - first, text);
    if (edit) {
        edit->is_sure = true;
        edit_say(edit, "with `%s` rounded up in line %u",
                 rule_quote(rules, first, i + 1 + count - first), edit->line);
    }
}

/* Returns the number of tokens of the argument that begins at token I. The argument ends before a
 * comma or closing bracket that is not inside its own brackets. */
static size_t argument_length(const struct rules *rules, size_t i)
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
 * functions, or in any order means the same. */
static bool is_ordered(const struct rules *rules, size_t first)
{
    static const char *const names[] = {"min", "max", "fminf", "fmaxf", NULL};
    return strncmp(rule_at(rules, first - 2)->begin, "atomic", strlen("atomic")) == 0 ||
           token_is_one_of(rule_at(rules, first - 2), names);
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
static void try_order(const struct rules *rules, size_t i)
{
    size_t first = i, length;
    bool is_indices = rule_is(rules, i, "]") && rule_is(rules, i + 1, "[");
    if (is_indices)
        while (first > rules->part.first && !rule_is(rules, first - 1, "["))
            --first;
    else if (!rule_is(rules, i, ",") || !find_argument(rules, i, &first))
        return;
    size_t second = i + 1 + is_indices;
    length = argument_length(rules, second);
    if (i > first && length > 0 && !is_ordered(rules, first) &&
        (is_indices || !is_unlike(rules, first, second)))
        exchange(rules, first, i - first, second, length);
}

/* Returns whether a statement begins at I. */
static bool begins_statement(const struct rules *rules, size_t i)
{
    return rule_at(rules, i)->line != rule_at(rules, i - 1)->line &&
           (rule_is(rules, i - 1, ";") || rule_is(rules, i - 1, "}") || rule_is(rules, i - 1, "{"));
}

/* Returns the number of tokens of the statement that begins at token I. Returns 0 if no statement
 * begins there, or if it is a declaration, a loop or another control statement. */
static size_t statement_length(const struct rules *rules, size_t i)
{
    static const char *const words[] = {
        "if",         "for",   "while", "do",    "else",   "return",   "switch", "case",
        "__shared__", "const", "int",   "float", "double", "unsigned", "extern", NULL};
    size_t length = 0;
    if (!begins_statement(rules, i) || token_is_one_of(rule_at(rules, i), words))
        return 0;
    while (rule_at(rules, i + length)->length > 0 &&
           !strchr(";{}", *rule_at(rules, i + length)->begin))
        ++length;
    return rule_is(rules, i + length, ";") ? length + 1 : 0;
}

/* Adds a barrier before a statement. */
static void try_barrier(const struct rules *rules, size_t i)
{
    bool is_first = i == rules->part.first || !rules->has_barriers;
    if (is_first || !begins_statement(rules, i) || rule_is(rules, i, "__syncthreads"))
        return;
    struct small_edit *edit = rule_put(rules, i, 0, " __syncthreads();");
    if (edit)
        edit_say(edit, "with a call of __syncthreads() after line %u", edit->line);
}

static void try_without(const struct rules *rules, size_t i)
{
    size_t length = statement_length(rules, i);
    if (length > 0 && !rule_is(rules, i, "CHECK_CUDA"))
        drop(rules, i, length);
}

/* Exchanges a statement with the one after it. */
static void try_moved(const struct rules *rules, size_t i)
{
    size_t length = statement_length(rules, i);
    size_t other = length > 0 ? statement_length(rules, i + length) : 0;
    size_t used = rules->edits->count;
    if (other == 0)
        return;
    exchange(rules, i, length, i + length, other);
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

static void try_type(const struct rules *rules, size_t i)
{
    bool is_int = rule_is(rules, i, "int") && !rule_is(rules, i - 1, "unsigned");
    bool is_unsigned = rule_is(rules, i, "unsigned") && !rule_is(rules, i + 1, "long");
    size_t name = i + 1 + (is_unsigned && rule_is(rules, i + 1, "int"));
    bool is_variable = token_is_name(rule_at(rules, name)) && rule_is(rules, name + 1, "=");
    if (is_variable && is_int && grows(rules, name))
        rule_change(rules, i, "long long", "type");
    if (is_variable && is_unsigned && grows(rules, name))
        rule_change(rules, i, "unsigned long long", "type");
    if (rule_is(rules, i, "float") && is_variable)
        rule_change(rules, i, "double", "type");
}

/* Returns whether PART has one of the lines that compute the wrong result. */
static bool has_shown(const struct code *code, struct span part, const struct edit_lines *lines)
{
    unsigned first = code->tokens[part.first].line;
    unsigned last = code->tokens[part.first + part.count - 1].line;
    for (size_t i = 0; i < lines->shown_count; ++i)
        if (lines->shown[i] >= first && lines->shown[i] <= last)
            return true;
    return false;
}

/* The groups of lines, the likeliest first. PLACES are the lines that say where a function reads
 * and writes: there most mistakes are made. */
enum group { SUSPECT, PLACES, SHOWN, NEARBY, ELSEWHERE };

/* Returns whether the lines FIRST to LAST contain the name of the function PART. */
static bool is_called(const struct code *code, struct span part, const struct edit_lines *lines)
{
    const struct token *name = code_function(code, part);
    for (size_t i = 0; name && lines->with_called && i < code->token_count; ++i) {
        const struct token *token = &code->tokens[i];
        if (token->line >= lines->first && token->line <= lines->last && token_is_same(token, name))
            return true;
    }
    return false;
}

/* Returns the group of LINE. PART_IS_SHOWN says whether its function has shown lines, IS_PLACE
 * whether the line says where the function reads and writes. */
static enum group group_of(const struct edit_lines *lines, unsigned line, bool part_is_shown,
                           bool part_is_called, bool is_place)
{
    if (line < lines->first || line > lines->last)
        return part_is_called ? NEARBY : ELSEWHERE;
    if (line == lines->suspect)
        return SUSPECT;
    if (part_is_shown && is_place)
        return PLACES;
    for (size_t i = 0; i < lines->shown_count; ++i)
        if (lines->shown[i] == line)
            return SHOWN;
    return part_is_shown || lines->shown_count == 0 ? NEARBY : ELSEWHERE;
}

typedef void (*rule_type)(const struct rules *, size_t);

/* Applies RULE to each token of the functions in CODE whose line is in GROUP. */
static void follow(const struct code *code, struct edits *edits, rule_type rule,
                   const struct edit_lines *lines, enum group group)
{
    size_t most = edits->count + (group == PLACES ? EACH_PLACES : EACH);
    most = most < EDITS_MOST ? most : EDITS_MOST;
    struct places places;
    for (size_t i = 0; i < code->part_count; ++i) {
        struct rules rules = {code, edits, code->parts[i], most, false};
        size_t at = rules.part.first, end = at + rules.part.count;
        bool is_shown = has_shown(code, rules.part, lines), is_place = false;
        bool called = is_called(code, rules.part, lines);
        unsigned line = 0;
        if (!code_function(code, rules.part))
            continue;
        rules.has_barriers = rule_has_name(code, rules.part, "__global__") &&
                             rule_has_name(code, rules.part, "__shared__");
        if (is_shown)
            places_find(code, rules.part, &places);
        while (!token_is(&code->tokens[at], "{"))
            ++at;
        for (size_t k = at; k < end; ++k) {
            /* PLACES are walked back from the use: the last definition comes first */
            size_t token = group == PLACES ? end - 1 - (k - at) : k;
            if (is_shown && code->tokens[token].line != line)
                is_place = places_sets(&places, code, rules.part, code->tokens[token].line);
            line = code->tokens[token].line;
            if (group_of(lines, line, is_shown, called, is_place) == group)
                rule(&rules, token);
        }
    }
}

#define SMALL_RULES try_comparison, try_less, try_assignment
#define NAME_RULES                                                                                 \
    try_order, rule_try_line_names, rule_try_name, rule_try_cuda_name, rule_try_index, try_number

static const rule_type typical[] = {SMALL_RULES, NAME_RULES, rule_try_visible, NULL};
/* in places, another variable is the likeliest mistake */
static const rule_type of_places[] = {SMALL_RULES, rule_try_visible, NAME_RULES, NULL};
static const rule_type terms[] = {try_term, try_more, NULL};
static const rule_type others[] = {try_rounding_down, try_barrier, try_term,
                                   try_operator,      try_more,    try_type,
                                   try_moved,         try_without, NULL};

/* The order of the edits: groups of rules for groups of lines. */
static const struct {
    const rule_type *rules;
    enum group first, last;
} order[] = {{typical, SUSPECT, SUSPECT},
             {of_places, PLACES, PLACES},
             {terms, PLACES, PLACES},
             {typical, SHOWN, NEARBY},
             {others, SUSPECT, NEARBY}};

void edits_by_rules(struct edits *edits, const char *source, const struct edit_lines *lines)
{
    struct code code;
    edits->count = 0;
    bool good = code_open(&code, source);
    for (int group = SUSPECT; good && group <= ELSEWHERE; ++group)
        follow(&code, edits, try_rounding, lines, group);
    for (int group = SUSPECT; good && lines->has_overflow && group < ELSEWHERE; ++group)
        follow(&code, edits, try_type, lines, group);
    for (size_t i = 0; good && !lines->only_rounding && i < ROWS(order); ++i)
        for (enum group group = order[i].first; group <= order[i].last; ++group)
            for (const rule_type *rule = order[i].rules; *rule; ++rule)
                follow(&code, edits, *rule, lines, group);
    code_close(&code);
}
