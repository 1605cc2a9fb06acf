/* The rules for how many threads work, how many elements they write, and where they stop. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

/* Returns whether the function declares token I in a statement that begins with WORD. */
static bool is_declared(const struct rules *rules, size_t i, const char *word)
{
    bool is_inside = false;
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        is_inside =
            (is_inside || rule_is(rules, j, word)) && !strchr(";{}", *rule_at(rules, j)->begin);
        if (is_inside && token_is_same(rule_at(rules, j), rule_at(rules, i)))
            return true;
    }
    return false;
}

/* Lets only the first thread of the grid, or of each block, execute a loop or an atomic. */
void rule_try_once(const struct rules *rules, size_t i)
{
    static const char *const conditions[] = {" if (blockIdx.x == 0 && threadIdx.x == 0)",
                                             " if (threadIdx.x == 0)"};
    bool is_atomic = strncmp(rule_at(rules, i)->begin, "atomic", strlen("atomic")) == 0;
    bool begins = strchr(";{}", *rule_at(rules, i - 1)->begin);
    if (!begins || !(is_atomic || rule_is(rules, i, "for")) ||
        !rule_has_name(rules->code, rules->part, "__global__"))
        return;
    for (size_t j = 0; j < ROWS(conditions); ++j)
        rule_insert(rules, i, conditions[j], rule_argument_length(rules, i));
}

/* Lets one thread of the grid alone do what the `if` I does, if its condition has only parameters
 * of the kernel and constants: it holds for all threads or for none. */
void rule_try_one_thread(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    size_t count = rule_condition_length(rules, i);
    size_t known = rule_find_parameters(rules, list);
    bool is_common = count > 0 && rule_has_name(rules->code, rules->part, "__global__");
    char text[300], condition[200];
    for (size_t j = i + 2; j < i + 2 + count && is_common; ++j) {
        const struct token *token = rule_at(rules, j);
        bool is_known = !token_is_name(token) || token_is_constant(token);
        for (size_t k = 0; k < known; ++k)
            is_known |= token_is_same(token, list[k].name);
        is_common = is_known;
    }
    if (!is_common)
        return;
    snprintf(text, sizeof text, "threadIdx.x == 0 && blockIdx.x == 0 && (%s)",
             rule_copy(rules, i + 2, count, condition, sizeof condition));
    struct small_edit *edit = rule_put(rules, i + 2, count, text);
    if (edit)
        edit_say(edit, "with the `if` in line %u for one thread alone", edit->line);
}

/* Ends a loop that counts `k` up from `a` at `a + n`, not at `n`. Begins at the `for`. */
void rule_try_span(const struct rules *rules, size_t i)
{
    size_t set = i + 2, start, limit, length, count;
    char text[300], parts[2][120];
    if (!rule_is(rules, i, "for"))
        return;
    while (!strchr(";{}=", *rule_at(rules, set)->begin))
        ++set;
    for (start = set + 1, length = 0; !strchr(";,{}", *rule_at(rules, start + length)->begin);)
        ++length;
    size_t compares = start + length + 2;
    limit = compares + 1;
    for (count = 0; !strchr(";&{}", *rule_at(rules, limit + count)->begin);)
        ++count;
    bool counts =
        rule_is(rules, limit + count + 1, "++") || rule_is(rules, limit + count + 2, "++");
    if (!rule_is(rules, set, "=") || length == 0 || count == 0 || !counts ||
        !rule_is(rules, compares, "<") || isdigit((unsigned char)*rule_at(rules, start)->begin))
        return;
    snprintf(text, sizeof text, "%s + %s",
             rule_copy(rules, start, length, parts[0], sizeof parts[0]),
             rule_copy(rules, limit, count, parts[1], sizeof parts[1]));
    rule_change_term(rules, limit, count, text);
}

/* Lets each thread of a block do several rounds of the `if` I with the condition of COUNT tokens
 * `threadIdx.x < ...`, if the statement after it is simple. */
static void loop_over_thread(const struct rules *rules, size_t i, size_t count)
{
    size_t body = i + 3 + count, length = rule_length_to_semicolon(rules, body), to = 0;
    char text[700], condition[150];
    if (length == 0)
        return;
    to += (size_t)snprintf(text, sizeof text,
                           "for (int each = threadIdx.x; each%s; each += blockDim.x) ",
                           rule_copy(rules, i + 5, count - 3, condition, sizeof condition));
    for (size_t j = body; j < body + length && to + 100 < sizeof text; ++j) {
        bool is_thread = rule_is(rules, j, "threadIdx") && rule_is(rules, j + 2, "x");
        to += (size_t)snprintf(text + to, 100, "%.*s ",
                               is_thread ? 4 : (int)rule_at(rules, j)->length,
                               is_thread ? "each" : rule_at(rules, j)->begin);
        j += is_thread ? 2 : 0;
    }
    struct small_edit *edit = rule_put(rules, i, body + length - i, text);
    if (edit)
        edit_say(edit, "with a loop, not only an `if`, over `threadIdx.x %s` in line %u", condition,
                 edit->line);
}

/* Returns whether one of the tokens from token I on, up to a comma or semicolon, is TEXT. */
static bool value_has(const struct rules *rules, size_t i, const char *text)
{
    while (!strchr(",;", *rule_at(rules, i)->begin) && !rule_is(rules, i, text))
        ++i;
    return rule_is(rules, i, text);
}

/* Lets each thread do several rounds: `if (t < n)` becomes a loop if t begins as the thread's
 * number in its block or in the grid. */
void rule_try_loop(const struct rules *rules, size_t i)
{
    size_t count = rule_condition_length(rules, i);
    size_t value = count > 0 && rule_is(rules, i + 3, "<") ? rule_find_value(rules, i + 2) : 0;
    char text[400], name[60], condition[150];
    if (count > 4 && rule_is(rules, i + 2, "threadIdx") && rule_is(rules, i + 5, "<"))
        loop_over_thread(rules, i, count);
    if (value == 0 || !value_has(rules, value, "threadIdx"))
        return;
    bool is_number =
        rule_is(rules, value, "threadIdx") && strchr(",;", *rule_at(rules, value + 3)->begin);
    bool is_in_grid = value_has(rules, value, "blockIdx");
    rule_copy(rules, i + 2, 1, name, sizeof name);
    rule_copy(rules, i + 2, count, condition, sizeof condition);
    if (is_number)
        snprintf(text, sizeof text, "for (int %s = threadIdx.x; %s; %s += blockDim.x)", name,
                 condition, name);
    else
        snprintf(text, sizeof text, "for (; %s; %s += gridDim.x * blockDim.x)", condition, name);
    struct small_edit *edit = is_number || is_in_grid ? rule_put(rules, i, count + 3, text) : NULL;
    if (edit)
        edit_say(edit, "with a loop, not only an `if`, over `%s` in line %u", condition,
                 edit->line);
}

/* Lets a loop step by all threads of the grid, not only by those of one block, or by the blocks. */
void rule_try_step(const struct rules *rules, size_t i)
{
    size_t count = rule_term_length(rules, i + 1);
    bool ends = strchr(";,)", *rule_at(rules, i + 1 + count)->begin);
    bool is_block = rule_is(rules, i + 1, "blockDim") ||
                    (count == 1 && token_is_constant(rule_at(rules, i + 1)) &&
                     code_sizes_launch(rules->code, rule_at(rules, i + 1)));
    bool is_grid = rule_is(rules, i + 1, "gridDim");
    char text[150], term[80];
    if (!(rule_is(rules, i, "+=") || rule_is(rules, i, "=")) || !ends || !(is_block || is_grid) ||
        !rule_has_name(rules->code, rules->part, "blockIdx"))
        return;
    snprintf(text, sizeof text, is_block ? "gridDim.x * %s" : "%s * blockDim.x",
             rule_copy(rules, i + 1, count, term, sizeof term));
    rule_change_term(rules, i + 1, count, text);
}

/* Clears all elements of a shared array where each thread clears only one. */
void rule_try_clear(const struct rules *rules, size_t i)
{
    size_t length = rule_statement_length(rules, i);
    char text[300], name[60];
    if (length < 6 || !rule_is(rules, i + 1, "[") || !rule_is(rules, i + length - 3, "=") ||
        !isdigit((unsigned char)*rule_at(rules, i + length - 2)->begin) ||
        strtod(rule_at(rules, i + length - 2)->begin, NULL) != 0 ||
        !is_declared(rules, i, "__shared__"))
        return;
    rule_copy(rules, i, 1, name, sizeof name);
    snprintf(text, sizeof text,
             "for (int word = threadIdx.y * blockDim.x + threadIdx.x; word < sizeof %s / 4; "
             "word += blockDim.x * blockDim.y) ((int *)%s)[word] = 0;",
             name, name);
    struct small_edit *edit = rule_put(rules, i, length, text);
    if (edit)
        edit_say(edit, "with a loop that sets all elements of `%s` to 0 in line %u", name,
                 edit->line);
}

/* Returns whether the function compares something with the variable I: `< stop`. */
static bool is_limit(const struct rules *rules, size_t i)
{
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j)
        if (rule_is(rules, j, "<") && token_is_same(rule_at(rules, j + 1), rule_at(rules, i)))
            return true;
    return false;
}

/* Ends a part no later than the data: `int stop = start + size` becomes `min(start + size, n)`,
 * where n is a parameter. */
void rule_try_limit(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    char text[300], value[150];
    size_t length = rule_is(rules, i, "=") ? rule_argument_length(rules, i + 1) : 0;
    if (length < 3 || !rule_is(rules, i - 2, "int") || !is_limit(rules, i - 1) ||
        rule_is(rules, i + 1, "min"))
        return;
    for (size_t j = rule_find_parameters(rules, list); j-- > 0;) {
        snprintf(text, sizeof text, "min(%s, %.*s)",
                 rule_copy(rules, i + 1, length, value, sizeof value), (int)list[j].name->length,
                 list[j].name->begin);
        rule_change_term(rules, i + 1, length, text);
    }
}

/* Copies, or sets, as many bytes as cudaMalloc() has given to the array. */
void rule_try_allocated(const struct rules *rules, size_t i)
{
    static const char *const calls[] = {"cudaMemcpy", "cudaMemset", NULL};
    size_t size = i + 2 + rule_argument_length(rules, i + 2) + 1;
    char text[200];
    if (!token_is_one_of(rule_at(rules, i), calls) || !rule_is(rules, i + 3, ","))
        return;
    size += rule_argument_length(rules, size) + 1;
    for (size_t j = rules->part.first; j < i; ++j) {
        size_t count = rule_is(rules, j, "&") && rule_is(rules, j + 2, ",") &&
                               token_is_same(rule_at(rules, j + 1), rule_at(rules, i + 2))
                           ? rule_argument_length(rules, j + 3)
                           : 0;
        if (count > 0)
            rule_change_term(rules, size, rule_argument_length(rules, size),
                             rule_copy(rules, j + 3, count, text, sizeof text));
    }
}

/* Takes the block's size in place of a constant. Leaves out constants that are the block's size. */
void rule_try_block_size(const struct rules *rules, size_t i)
{
    const struct token *token = rule_at(rules, i);
    if (token_is_constant(token) && rule_is_read(rules, i) && !rule_is(rules, i - 1, "[") &&
        !rule_is_lane_mask(rules, i) && !rule_is(rules, i + 1, "]") &&
        rule_has_name(rules->code, rules->part, "__global__") &&
        !code_sizes_launch(rules->code, token))
        rule_change_term(rules, i, 1, "blockDim.x");
}
