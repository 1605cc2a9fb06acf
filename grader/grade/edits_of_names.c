/* The rule that uses another variable. */
#include <stdio.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

#define EACH_NAME 2u /* most variables that are tried in place of one */

static bool is_one_of(const struct token *token, const char *const *texts)
{
    for (; *texts; ++texts)
        if (token_is(token, *texts))
            return true;
    return false;
}

/* Returns whether token I is a variable whose value is read. */
static bool is_read(const struct rules *rules, size_t i)
{
    static const char *const before[] = {".", "->", "++", "--", "struct", "#", "define", NULL};
    static const char *const after[] = {"(",  ".",  "->", "<<<", "=",   "+=",  "-=", "*=", "/=",
                                        "%=", "&=", "|=", "++",  ">>=", "<<=", "--", "::", NULL};
    return token_is_name(rule_at(rules, i)) && !is_one_of(rule_at(rules, i - 1), before) &&
           !is_one_of(rule_at(rules, i + 1), after);
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

/* Replaces COUNT tokens from token I on, which are like variable OWN of LIST, by other variables of
 * LIST. If COUNT is not 1, the tokens are a thread's number. */
static void try_others(const struct rules *rules, size_t i, size_t count,
                       const struct variable *list, size_t list_count, size_t own,
                       const struct variable *like)
{
    char text[80];
    unsigned made = 0;
    for (size_t apart = 1; apart <= list_count && made < EACH_NAME; ++apart)
        for (int side = 0; side < 2; ++side) {
            size_t other = side ? own + apart : own - apart; /* wraps around below 0 */
            if (other >= list_count || !visible_is_alike(&list[other], like) ||
                list[other].is_macro != like->is_macro ||
                (count > 1 && !is_thread(rules, &list[other])) ||
                token_is_same(list[other].name, rule_at(rules, i)))
                continue;
            snprintf(text, sizeof text, "%.*s", (int)list[other].name->length,
                     list[other].name->begin);
            struct small_edit *edit = made < EACH_NAME ? rule_put(rules, i, count, text) : NULL;
            if (!edit)
                continue;
            edit_say(edit, "with another name than `%s` in line %u", rule_quote(rules, i, count),
                     edit->line);
            ++made;
        }
}

/* Replaces token I, a member of a structure of this file, by other members of the same type. */
static void try_members(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    size_t count = visible_members(rules->code, rule_at(rules, i), list), own = count;
    while (own-- > 0)
        if (token_is_same(list[own].name, rule_at(rules, i)))
            break;
    if (own < count && !rule_is(rules, i + 1, "("))
        try_others(rules, i, 1, list, count, own, &list[own]);
}

void rule_try_visible(const struct rules *rules, size_t i)
{
    static const struct token integer = {"int", 3, 0};
    struct variable list[VISIBLE_MOST], number = {.type = &integer};
    size_t count, own;
    bool is_number = rule_is(rules, i, "threadIdx") && rule_is(rules, i + 1, ".");
    if (rule_is(rules, i - 1, ".") || rule_is(rules, i - 1, "->")) {
        try_members(rules, i);
        return;
    }
    if (!is_number && !is_read(rules, i))
        return;
    count = visible_find(rules->code, rules->part, i, list);
    if (is_number) {
        try_others(rules, i, 3, list, count, count, &number);
        return;
    }
    for (own = count; own-- > 0;)
        if (token_is_same(list[own].name, rule_at(rules, i)))
            break;
    /* a loop whose condition or step uses another variable may not end */
    if (own < count && list[own].header_end < i)
        try_others(rules, i, 1, list, count, own, &list[own]);
}
