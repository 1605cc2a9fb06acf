/* The rules that use another name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

/* most variables that are tried in place of one: the nearest, then others */
#define EACH_NAME 2u
#define ALL_NAMES 8u
#define IN_LINE   3u

/* structures whose members are x, y and z */
static const char *const built_in[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};

/* Returns whether token I is a member of one of them. */
static bool is_built_in(const struct rules *rules, size_t i)
{
    return rule_is(rules, i - 1, ".") && token_is_one_of(rule_at(rules, i - 2), built_in);
}

bool rule_is_read(const struct rules *rules, size_t i)
{
    static const char *const before[] = {".", "->", "++", "--", "struct", "#", "define", NULL};
    static const char *const after[] = {"(",  ".",  "->", "<<<", "=",   "+=",  "-=", "*=", "/=",
                                        "%=", "&=", "|=", "++",  ">>=", "<<=", "--", "::", NULL};
    return token_is_name(rule_at(rules, i)) && !token_is_one_of(rule_at(rules, i - 1), before) &&
           !token_is_one_of(rule_at(rules, i + 1), after);
}

bool rule_is_lane_mask(const struct rules *rules, size_t i)
{
    return rule_is(rules, i - 1, "(") && rule_is_warp_function(rule_at(rules, i - 2));
}

bool rule_is_last_use(const struct rules *rules, size_t i, size_t count)
{
    struct variable list[VISIBLE_MOST];
    size_t list_count = visible_find(rules->code, rules->part, i, list);
    for (size_t j = i; j < i + count; ++j)
        for (size_t k = 0; k < list_count; ++k) {
            size_t uses = 0;
            bool is_used = !list[k].is_macro && token_is_same(list[k].name, rule_at(rules, j)) &&
                           !rule_is(rules, j - 1, ".") && !rule_is(rules, j - 1, "->");
            for (size_t m = 0; is_used && m < rules->part.count; ++m)
                uses += token_is_same(list[k].name, rule_at(rules, rules->part.first + m));
            if (uses == 2) /* its declaration and this use */
                return true;
        }
    return false;
}

/* Returns whether VARIABLE is set to a thread's number where it is declared. */
static bool is_thread(const struct rules *rules, const struct variable *variable)
{
    const struct token *token = variable->name;
    const struct token *end = rules->code->tokens + rules->code->token_count;
    for (; token < end && !strchr(";{", *token->begin); ++token)
        if (token_is(token, "threadIdx"))
            return true;
    return false;
}

/* Returns whether the line of token I has TOKEN, too. */
static bool is_in_line(const struct rules *rules, size_t i, const struct token *token)
{
    unsigned line = rule_at(rules, i)->line;
    while (rule_at(rules, i - 1)->line == line)
        --i;
    for (; rule_at(rules, i)->line == line; ++i)
        if (token_is_same(rule_at(rules, i), token))
            return true;
    return false;
}

/* Returns whether token I is in the brackets of an index. */
static bool is_in_index(const struct rules *rules, size_t i)
{
    int depth = 0;
    for (; !strchr(";{}", *rule_at(rules, i)->begin); --i) {
        depth += rule_is(rules, i, "[") - rule_is(rules, i, "]");
        if (depth > 0)
            return true;
    }
    return false;
}

/* Returns whether the function uses TOKEN in an index. */
static bool is_used_in_index(const struct rules *rules, const struct token *token)
{
    for (size_t i = rules->part.first; i < rules->part.first + rules->part.count; ++i)
        if (token_is_same(rule_at(rules, i), token) && is_in_index(rules, i))
            return true;
    return false;
}

/* Returns whether the line of token I has OTHER, a variable that could stand there: it is used as
 * an index if token I is one. */
static bool is_alike_in_line(const struct rules *rules, size_t i, const struct token *other)
{
    return is_in_line(rules, i, other) && is_in_index(rules, i) == is_used_in_index(rules, other);
}

/* Replaces COUNT tokens from token I on, which are like variable OWN of LIST, by at most MOST other
 * variables of LIST, the nearest declared first. If COUNT is not 1, the tokens are a thread's
 * number. If MOST is IN_LINE, takes only variables that the same line has. */
static void try_others(const struct rules *rules, size_t i, size_t count,
                       const struct variable *list, size_t list_count, size_t own,
                       const struct variable *like, unsigned most)
{
    char text[80];
    unsigned made = 0;
    for (size_t k = 0; k < 2 * list_count && made < most; ++k) {
        size_t apart = 1 + k / 2;
        size_t other = k % 2 ? own + apart : own - apart; /* wraps around below 0 */
        if (other >= list_count || !visible_is_alike(&list[other], like) ||
            (most == IN_LINE && !is_alike_in_line(rules, i, list[other].name)) ||
            list[other].is_macro != like->is_macro ||
            (count > 1 && !is_thread(rules, &list[other])) ||
            token_is_same(list[other].name, rule_at(rules, i)))
            continue;
        snprintf(text, sizeof text, "%.*s", (int)list[other].name->length, list[other].name->begin);
        struct small_edit *edit = rule_put(rules, i, count, text);
        if (!edit)
            continue;
        edit_say(edit, "with another name than `%s` in line %u", rule_quote(rules, i, count),
                 edit->line);
        ++made;
    }
}

/* Replaces token I, a member of a structure of this file, by other members of the same type. */
static void try_members(const struct rules *rules, size_t i, unsigned most)
{
    struct variable list[VISIBLE_MOST];
    if (is_built_in(rules, i))
        return;
    size_t count = visible_members(rules->code, rule_at(rules, i), list), own = count;
    while (own-- > 0)
        if (token_is_same(list[own].name, rule_at(rules, i)))
            break;
    if (own < count && !rule_is(rules, i + 1, "("))
        try_others(rules, i, 1, list, count, own, &list[own], most);
}

static void try_variables(const struct rules *rules, size_t i, unsigned most)
{
    static const struct token integer = {"int", 3, 0};
    struct variable list[VISIBLE_MOST], number = {.type = &integer};
    size_t count, own;
    bool is_number = rule_is(rules, i, "threadIdx") && rule_is(rules, i + 1, ".");
    if (rule_is(rules, i - 1, ".") || rule_is(rules, i - 1, "->")) {
        try_members(rules, i, most);
        return;
    }
    if ((!is_number && !rule_is_read(rules, i)) || rule_is_lane_mask(rules, i))
        return;
    count = visible_find(rules->code, rules->part, i, list);
    if (is_number) {
        try_others(rules, i, 3, list, count, count, &number, most);
        return;
    }
    for (own = count; own-- > 0;)
        if (token_is_same(list[own].name, rule_at(rules, i)))
            break;
    /* a loop whose condition or step uses another variable may not end */
    if (own < count && list[own].header_end < i && !rule_is_last_use(rules, i, 1))
        try_others(rules, i, 1, list, count, own, &list[own], most);
}

void rule_try_name_of_line(const struct rules *rules, size_t i)
{
    try_variables(rules, i, IN_LINE);
}

void rule_try_visible(const struct rules *rules, size_t i)
{
    try_variables(rules, i, EACH_NAME);
}

void rule_try_any_visible(const struct rules *rules, size_t i)
{
    try_variables(rules, i, ALL_NAMES);
}

void rule_try_constant(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    char text[80], *end;
    const struct token *token = rule_at(rules, i);
    bool is_number = strtol(token->begin, &end, 10) > 1 && end == token->begin + token->length;
    bool is_constant = token_is_constant(token) && rule_is_read(rules, i);
    size_t count = visible_find(rules->code, rules->part, i, list);
    for (size_t j = 0; (is_number || is_constant) && j < count; ++j)
        if (list[j].is_macro && visible_is_integer(&list[j]) &&
            strncmp(list[j].name->begin, "LAB_", strlen("LAB_")) != 0 &&
            !token_is_same(list[j].name, token)) {
            snprintf(text, sizeof text, "%.*s", (int)list[j].name->length, list[j].name->begin);
            rule_change_term(rules, i, 1, text);
        }
}

/* Appends the operator and the operand of another constant to a constant's value: after
 * `#define A (N + 8)`, the value `M` becomes `(M + 8)`. */
void rule_try_like_constant(const struct rules *rules, size_t i)
{
    static const char *const operators[] = {"+", "-", "*", "/", NULL};
    const struct token *tokens = rules->code->tokens;
    char text[300], value[150];
    struct span other;
    if (i != rules->part.first || rules->part.first < 3 ||
        !token_is(&tokens[rules->part.first - 2], "define"))
        return;
    rule_copy(rules, i, rules->part.count, value, sizeof value);
    for (size_t j = 0; j < rules->code->token_count; ++j) {
        const struct token *end = code_constant(rules->code, j, &other) && other.count == 5
                                      ? &tokens[other.first + 2]
                                      : NULL;
        if (!end || !token_is_one_of(end, operators) || other.first == i)
            continue;
        snprintf(text, sizeof text, "(%s %.*s %.*s)", value, (int)end->length, end->begin,
                 (int)end[1].length, end[1].begin);
        rule_change_term(rules, i, rules->part.count, text);
    }
}

/* --- names that are often confused ------------------------------------------------------------ */

bool rule_has_name(const struct code *code, struct span part, const char *name)
{
    for (size_t i = 0; i < part.count; ++i)
        if (token_is(&code->tokens[part.first + i], name))
            return true;
    return false;
}

/* If token I is one of the two names in a row of TABLE, replaces it by the other name. If IS_KNOWN
 * is false, does so only if the other name also occurs in the function (in the file, if it is a
 * member of a structure). */
static void replace_name(const struct rules *rules, size_t i, const char *const (*table)[2],
                         size_t rows, bool is_known)
{
    static const char *const types[] = {"int", "float", "unsigned", "double", "const", NULL};
    bool is_member = rule_is(rules, i - 1, ".") || rule_is(rules, i - 1, "->");
    if (token_is_one_of(rule_at(rules, i - 1), types) ||
        (!is_known && (rule_is(rules, i + 1, "(") || is_built_in(rules, i))) ||
        rule_is_lane_mask(rules, i))
        return; /* this token is a declaration's name, a function, threadIdx.x or a mask */
    struct span whole = {0, rules->code->token_count}, scope = is_member ? whole : rules->part;
    for (size_t row = 0; row < rows; ++row)
        for (int side = 0; side < 2; ++side)
            if (rule_is(rules, i, table[row][side]) &&
                (is_known || rule_has_name(rules->code, scope, table[row][!side])))
                rule_change(rules, i, table[row][!side], "name");
}

/* Replaces one of two names that students often confuse by the other one. */
void rule_try_name(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {
        {"tx", "ty"},        {"bx", "by"},        {"row", "column"}, {"row", "col"},
        {"width", "height"}, {"rows", "columns"}, {"rows", "cols"},  {"w", "h"},
        {"i", "j"},          {"i", "k"},          {"j", "k"},        {"r", "c"},
        {"n", "m"},          {"a", "b"},          {"x", "next"},     {"in", "out"},
        {"width", "depth"},  {"height", "depth"}, {"lane", "warp"},  {"first", "last"},
        {"left", "right"},   {"north", "south"},  {"east", "west"},  {"TILE_X", "TILE_Y"}};
    replace_name(rules, i, table, ROWS(table), false);
}

/* Returns whether the function has a variable AXIS, or the file uses it as in threadIdx.y. */
static bool uses_axis(const struct rules *rules, const char *axis)
{
    const struct token *token = rules->code->tokens;
    for (size_t i = 2; i < rules->code->token_count; ++i)
        if (token_is(&token[i], axis) && token_is_one_of(&token[i - 2], built_in))
            return true;
    return rule_has_name(rules->code, rules->part, axis);
}

void rule_try_cuda_name(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {
        {"__shfl_down_sync", "__shfl_up_sync"},
        {"__shfl_down_sync", "__shfl_sync"},
        {"__shfl_up_sync", "__shfl_sync"},
        {"__any_sync", "__all_sync"},
        {"fminf", "fmaxf"},
        {"min", "max"},
        {"atomicMin", "atomicMax"},
        {"cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"},
        {"threadIdx", "blockIdx"},
        {"blockDim", "gridDim"},
    };
    static const char *const counts[][2] = {{"gridDim", "blockIdx"}};
    static const char *const axes[][2] = {{"x", "y"}};
    static const struct token thread = {"threadIdx", 9, 0};
    replace_name(rules, i, table, ROWS(table), true);
    if (rule_is(rules, i, "blockIdx") || is_in_line(rules, i, &thread))
        replace_name(rules, i, counts, ROWS(counts), true); /* a step of 0 would not end a loop */
    if (uses_axis(rules, "y"))
        replace_name(rules, i, axes, ROWS(axes), false);
}

/* Exchanges rows and columns of a matrix that a warp loads or stores. */
void rule_try_major(const struct rules *rules, size_t i)
{
    static const char *const table[][2] = {{"row_major", "col_major"},
                                           {"mem_row_major", "mem_col_major"}};
    replace_name(rules, i, table, ROWS(table), true);
}

/* Replaces a thread's number in its block by its number in the grid, or the other way round. */
void rule_try_index(const struct rules *rules, size_t i)
{
    static const char *const grid[] = {"blockIdx", ".", "x",         "*", "blockDim", ".",
                                       "x",        "+", "threadIdx", ".", "x"};
    size_t same = 0;
    while (same < ROWS(grid) && rule_is(rules, i + same, grid[same]))
        ++same;
    bool is_number = rule_is(rules, i, "threadIdx") && rule_is(rules, i + 2, "x");
    bool is_grid = same == ROWS(grid),
         is_part = rule_is(rules, i - 1, "+") || rule_is(rules, i + 3, "+");
    struct small_edit *edit = is_grid ? rule_put(rules, i, same, "threadIdx.x")
                              : is_number && !is_part
                                  ? rule_put(rules, i, 3, "(blockIdx.x * blockDim.x + threadIdx.x)")
                                  : NULL;
    if (edit)
        edit_say(edit, "with the thread's number in %s in place of `%s` in line %u",
                 is_grid ? "its block" : "the grid", rule_quote(rules, i, is_grid ? same : 3),
                 edit->line);
}

/* Exchanges two names that students often confuse, such as x and y, everywhere in the line. */
void rule_try_line_names(const struct rules *rules, size_t i)
{
    static const char *const pairs[][2] = {{"x", "y"},     {"tx", "ty"},      {"r", "c"},
                                           {"row", "col"}, {"row", "column"}, {"width", "height"}};
    struct span whole = {0, rules->code->token_count};
    size_t end = i, count = 0;
    char text[600] = "", *to = text;
    if (rule_at(rules, i - 1)->line == rule_at(rules, i)->line)
        return;
    while (rule_at(rules, end)->line == rule_at(rules, i)->line)
        ++end;
    for (size_t row = 0; row < ROWS(pairs); ++row, to = text, count = 0) {
        struct span scope = row == 0 || row + 1 == ROWS(pairs) ? whole : rules->part;
        bool is_used = (row > 0 || uses_axis(rules, "y")) &&
                       rule_has_name(rules->code, scope, pairs[row][0]) &&
                       rule_has_name(rules->code, scope, pairs[row][1]);
        for (size_t j = i; is_used && j < end && to < text + sizeof text - 100; ++j) {
            int side = rule_is(rules, j + 1, "(")         ? -1
                       : rule_is(rules, j, pairs[row][0]) ? 0
                       : rule_is(rules, j, pairs[row][1]) ? 1
                                                          : -1;
            count += side >= 0;
            if (side >= 0)
                to += snprintf(to, 100, "%s ", pairs[row][!side]);
            else
                to += snprintf(to, 100, "%.*s ", (int)rule_at(rules, j)->length,
                               rule_at(rules, j)->begin);
        }
        struct small_edit *edit = count > 0 ? rule_put(rules, i, end - i, text) : NULL;
        if (edit)
            edit_say(edit,
                     count > 1 ? "with `%s` and `%s` exchanged in line %u"
                               : "with the other one of `%s` and `%s` in line %u",
                     pairs[row][0], pairs[row][1], edit->line);
    }
}
