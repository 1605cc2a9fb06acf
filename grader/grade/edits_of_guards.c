/* The rules for conditions at the ends of warps, arrays and pictures. */
#include <stdio.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

/* --- lanes that have no neighbour ------------------------------------------------------------- */

/* If one of COUNT tokens from token I on calls __shfl_up_sync() or __shfl_down_sync(), or is a
 * variable whose value is such a call, writes the condition that this lane gets another lane's
 * value. */
static bool find_neighbour(const struct rules *rules, size_t i, size_t count, char condition[200])
{
    char distance[80];
    for (size_t j = i; j < i + count; ++j) {
        size_t value = token_is_name(rule_at(rules, j)) ? rule_find_value(rules, j) : 0;
        value = value > 0 ? value : j;
        bool is_up = rule_is(rules, value, "__shfl_up_sync");
        if (!is_up && !rule_is(rules, value, "__shfl_down_sync"))
            continue;
        size_t third = value + 2;
        for (int argument = 0; argument < 2; ++argument)
            third += rule_argument_length(rules, third) + 1;
        rule_copy(rules, third, rule_argument_length(rules, third), distance, sizeof distance);
        snprintf(condition, 200, is_up ? "threadIdx.x %% 32 >= %s" : "threadIdx.x %% 32 + %s < 32",
                 distance);
        return true;
    }
    return false;
}

/* Replaces COUNT tokens from token FIRST on by TEXT: an exception for lanes without a neighbour. */
static void put_exception(const struct rules *rules, size_t first, size_t count, const char *text)
{
    struct small_edit *edit = rule_put(rules, first, count, text);
    if (edit)
        edit_say(edit, "with an exception at `%s` for lanes without a neighbour in line %u",
                 rule_quote(rules, first, count), edit->line);
}

/* Excludes the lanes that get no value from another lane, where such a value is compared or added.
 * The shuffle stays before the condition, because all lanes must call it. */
void rule_try_edge_lane(const struct rules *rules, size_t i)
{
    bool differs = rule_is(rules, i, "!=");
    bool adds = rule_is(rules, i, "+=") &&
                strchr(";{}", *rule_at(rules, rule_term_begin(rules, i) - 1)->begin);
    size_t first = adds ? i + 1 : rule_term_begin(rules, i);
    size_t end =
        i + 1 + (adds ? rule_argument_length(rules, i + 1) : rule_term_length(rules, i + 1));
    char text[500], code[250], condition[200];
    if (!(differs || adds || rule_is(rules, i, "==")) || end == i + 1 || first == i ||
        !find_neighbour(rules, first, end - first, condition))
        return;
    snprintf(text, sizeof text,
             adds      ? "(%s) * (%s)"
             : differs ? "(%s || !(%s))"
                       : "(%s && %s)",
             rule_copy(rules, first, end - first, code, sizeof code), condition);
    put_exception(rules, first, end - first, text);
}

/* --- conditions of pictures and matrices ------------------------------------------------------ */

size_t rule_condition_length(const struct rules *rules, size_t i)
{
    bool is_if = rule_is(rules, i, "if") && rule_is(rules, i + 1, "(");
    return is_if ? rule_argument_length(rules, i + 2) : 0;
}

/* Returns the first of COUNT tokens from token I on that is TEXT, or I + COUNT. */
static size_t find_text(const struct rules *rules, size_t i, size_t count, const char *text)
{
    size_t j = i;
    while (j < i + count && !rule_is(rules, j, text))
        ++j;
    return j;
}

/* Compares the index that the statement after `if (a < height && b < width)` uses:
 * `[y * height + x]` needs `x < height && y < width`. Begins at the `if`. */
void rule_try_used_index(const struct rules *rules, size_t i)
{
    size_t count = rule_condition_length(rules, i), end = i + 2 + count;
    size_t both = find_text(rules, i + 2, count, "&&");
    size_t one = find_text(rules, i + 2, both - i - 2, "<") + 1;
    size_t other = find_text(rules, both, end - both, "<") + 1;
    char text[400], limits[2][100];
    if (both == end || one > both || other > end)
        return;
    size_t counts[] = {both - one, end - other}, firsts[] = {one, other};
    for (size_t j = end; rule_at(rules, j)->length > 0 && !strchr(";{}", *rule_at(rules, j)->begin);
         ++j)
        for (int k = 0; k < 2; ++k) {
            size_t plus = j + 3 + counts[k];
            if (!rule_is(rules, j, "[") || !rule_is(rules, j + 2, "*") ||
                !rule_is(rules, plus, "+") || !rule_is(rules, plus + 2, "]") ||
                !code_is_same(rules->code, (struct span){j + 3, counts[k]}, rules->code,
                              (struct span){firsts[k], counts[k]}))
                continue;
            snprintf(text, sizeof text, "%.*s < %s && %.*s < %s",
                     (int)rule_at(rules, plus + 1)->length, rule_at(rules, plus + 1)->begin,
                     rule_copy(rules, firsts[k], counts[k], limits[0], sizeof limits[0]),
                     (int)rule_at(rules, j + 1)->length, rule_at(rules, j + 1)->begin,
                     rule_copy(rules, firsts[!k], counts[!k], limits[1], sizeof limits[1]));
            rule_change_term(rules, i + 2, count, text);
        }
}

/* Returns whether the condition with token I, up to the bracket or operator around it, has the name
 * NAME. */
static bool condition_has(const struct rules *rules, size_t i, const char *name)
{
    int depth = 0;
    while (!strchr("(;{}", *rule_at(rules, i)->begin) && !rule_is(rules, i, "="))
        --i;
    for (++i; depth >= 0 && !strchr("?;{}", *rule_at(rules, i)->begin); ++i) {
        if (rule_is(rules, i, name))
            return true;
        depth += rule_is(rules, i, "(") - rule_is(rules, i, ")");
    }
    return false;
}

/* Writes the condition at token I, COUNT tokens long, with a comparison of NAME before or after it:
 * NAME must not be negative, and smaller than LIMIT unless this is NULL. */
static void put_axis(const struct rules *rules, size_t i, size_t count, const char *name,
                     const char *limit)
{
    bool is_inside = rule_is(rules, i + 1, "<");
    const char *link = is_inside ? "&&" : "||", *low = is_inside ? ">= 0" : "< 0";
    char text[400], code[150];
    rule_copy(rules, i, count, code, sizeof code);
    if (limit)
        snprintf(text, sizeof text, "%s %s %s %s %s %s %s %s", code, link, name, low, link, name,
                 is_inside ? "<" : ">=", limit);
    else
        snprintf(text, sizeof text, "%s %s %s %s", name, low, link, code);
    rule_change_term(rules, i, count, text);
}

/* Compares the other coordinate, too: `x < width` becomes `x < width && y >= 0 && y < height`. If
 * the condition has both coordinates, compares this one with 0. */
void rule_try_other_axis(const struct rules *rules, size_t i)
{
    static const char *const names[][2] = {
        {"x", "y"}, {"tx", "ty"}, {"column", "row"}, {"col", "row"}, {"column", "line"}};
    static const char *const limits[][2] = {
        {"width", "height"}, {"columns", "rows"}, {"cols", "rows"}, {"w", "h"}};
    bool compares = rule_is(rules, i + 1, "<") || rule_is(rules, i + 1, ">=");
    size_t count = rule_term_length(rules, i + 2);
    char limit[150];
    if (!compares || count == 0 || rule_is(rules, i - 1, "."))
        return;
    for (size_t k = 0; k < 2 * ROWS(names) * ROWS(limits); ++k) {
        const char *const *name = names[k / 2 % ROWS(names)];
        const char *const *size = limits[k / 2 / ROWS(names)];
        size_t other = !(k % 2);
        if (!rule_is(rules, i, name[!other]) || !rule_is(rules, i + 1 + count, size[!other]) ||
            !rule_has_name(rules->code, rules->part, name[other]))
            continue;
        size_t used = strlen(rule_copy(rules, i + 2, count - 1, limit, sizeof limit));
        snprintf(limit + used, sizeof limit - used, "%s", size[other]);
        bool is_known = condition_has(rules, i, name[other]);
        put_axis(rules, i, 2 + count, name[is_known ? !other : other], is_known ? NULL : limit);
        return;
    }
}

/* Adds the middle of a symmetric sum only once: in `a[i - d] + a[i + d]`, both terms are the same
 * element if d is 0. */
void rule_try_middle(const struct rules *rules, size_t i)
{
    size_t first = rule_term_begin(rules, i), count = i - first, sign = 0, differing = 0;
    char text[300], code[150], distance[80];
    if (!rule_is(rules, i, "+") || count == 0 || rule_term_length(rules, i + 1) != count)
        return;
    for (size_t k = 0; k < count; ++k)
        if (!token_is_same(rule_at(rules, first + k), rule_at(rules, i + 1 + k))) {
            sign = first + k;
            ++differing;
        }
    bool is_pair = rule_is(rules, sign, "-") || rule_is(rules, sign, "+");
    if (differing != 1 || !is_pair || !token_is_name(rule_at(rules, sign + 1)))
        return;
    snprintf(text, sizeof text, "(%s != 0) * %s",
             rule_copy(rules, sign + 1, 1, distance, sizeof distance),
             rule_copy(rules, i + 1, count, code, sizeof code));
    struct small_edit *edit = rule_put(rules, i + 1, count, text);
    if (edit)
        edit_say(edit, "with `%s` left out if %s is 0, where it counts twice, in line %u", code,
                 distance, edit->line);
}
