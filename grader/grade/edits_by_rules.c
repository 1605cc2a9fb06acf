/* Makes edits by rules. Each rule corrects one typical mistake: it looks at one token, and adds the
 * edits that begin at this token. This file decides in which lines and in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/code.h"
#include "grade/edits.h"
#include "grade/rules.h"
#include "grade/visible.h"

/* Most edits of one rule in a group of lines: first each rule makes a few, so that the likeliest
 * edits of all rules come early. */
static const size_t each[] = {2, 6, 20, EDITS_MOST};

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

void rule_change_term(const struct rules *rules, size_t i, size_t count, const char *text)
{
    struct small_edit *edit = rule_put(rules, i, count, text);
    if (edit)
        edit_say(edit, "with `%s` in place of `%s` in line %u", text, rule_quote(rules, i, count),
                 edit->line);
}

void rule_append(const struct rules *rules, size_t i, const char *text)
{
    struct small_edit *edit = rule_put(rules, i + 1, 0, text);
    if (edit)
        edit_say(edit, "with something more after `%s` in line %u", rule_quote(rules, i, 1),
                 edit->line);
}

void rule_drop(const struct rules *rules, size_t i, size_t count)
{
    struct small_edit *edit = rule_put(rules, i, count, "");
    if (edit)
        edit_say(edit, "without `%s` in line %u", rule_quote(rules, i, count), edit->line);
}

const char *rule_copy(const struct rules *rules, size_t i, size_t count, char *text, size_t size)
{
    const struct token *first = rule_at(rules, i), *last = rule_at(rules, i + count - 1);
    size_t length = count ? (size_t)(last->begin + last->length - first->begin) : 0;
    snprintf(text, size, "%.*s", (int)length, first->begin);
    return text;
}

void rule_exchange(const struct rules *rules, size_t first, size_t first_count, size_t i,
                   size_t count)
{
    char parts[3][300], text[900];
    rule_copy(rules, first, first_count, parts[0], sizeof parts[0]);
    rule_copy(rules, first + first_count, i - first - first_count, parts[1], sizeof parts[1]);
    rule_copy(rules, i, count, parts[2], sizeof parts[2]);
    snprintf(text, sizeof text, "%s %s %s", parts[2], parts[1], parts[0]);
    struct small_edit *edit =
        strcmp(parts[0], parts[2]) != 0 ? rule_put(rules, first, i + count - first, text) : NULL;
    if (edit)
        edit_say(edit, "with another order in `%s` in line %u",
                 rule_quote(rules, first, i + count - first), edit->line);
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
 * and writes: there most mistakes are made. BEYOND are places outside of FIRST to LAST. HOST are
 * other lines of functions on the CPU. */
enum group { SUSPECT, PLACES, SHOWN, NEARBY, BEYOND, HOST, ELSEWHERE };

static bool is_shown(const struct edit_lines *lines, unsigned line)
{
    for (size_t i = 0; i < lines->shown_count; ++i)
        if (lines->shown[i] == line)
            return true;
    return false;
}

/* Returns whether a shown line contains the name of the function PART. If `with_called` is set, all
 * lines from FIRST to LAST count as shown. */
static bool is_called(const struct code *code, struct span part, const struct edit_lines *lines)
{
    const struct token *name = code_function(code, part);
    for (size_t i = 0; name && i < code->token_count; ++i) {
        const struct token *token = &code->tokens[i];
        bool is_inside = token->line >= lines->first && token->line <= lines->last;
        if (token_is_same(token, name) &&
            (lines->with_called ? is_inside : is_shown(lines, token->line)))
            return true;
    }
    return false;
}

/* What is known of a function: whether it has shown lines, whether they call it, and whether it
 * runs on the GPU. */
struct role {
    bool is_shown, is_called, is_on_gpu;
};

static struct role role_of(const struct code *code, struct span part,
                           const struct edit_lines *lines)
{
    return (struct role){.is_shown = has_shown(code, part, lines),
                         .is_called = is_called(code, part, lines),
                         .is_on_gpu = rule_has_name(code, part, "__global__") ||
                                      rule_has_name(code, part, "__device__")};
}

/* Returns the group of LINE of a function. IS_PLACE says whether the line says where the function
 * reads and writes. */
static enum group group_of(const struct edit_lines *lines, unsigned line, struct role role,
                           bool is_place)
{
    bool is_inside = line >= lines->first && line <= lines->last;
    if (line == lines->suspect && is_inside)
        return SUSPECT;
    if (role.is_shown && is_place && is_inside)
        return PLACES;
    if (is_inside && is_shown(lines, line))
        return SHOWN;
    bool is_near = role.is_shown || lines->shown_count == 0;
    if (role.is_called || (is_near && (is_inside || lines->is_guessed)))
        return NEARBY;
    if (role.is_shown && is_place && !lines->with_called)
        return BEYOND;
    return role.is_on_gpu ? ELSEWHERE : HOST;
}

/* Returns whether token I of a function is about streams or events: its name says so, or its type. */
static bool is_of_stream(const struct code *code, struct span part, size_t i)
{
    static const char *const words[] = {"stream", "event", "wait", "record"};
    static const char *const types[] = {"cudaStream_t", "cudaEvent_t", NULL};
    const struct token *token = &code->tokens[i];
    bool is_declared = false;
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)token->length, token->begin);
    for (size_t k = 0; k < ROWS(words); ++k)
        if (strcasestr(name, words[k]))
            return true;
    for (size_t k = part.first; token_is_name(token) && k < part.first + part.count; ++k) {
        is_declared |= token_is_one_of(&code->tokens[k], types);
        is_declared &= !strchr(";)", *code->tokens[k].begin);
        if (is_declared && token_is_same(token, &code->tokens[k]))
            return true;
    }
    return false;
}

/* Returns whether a line of the function PART, which has token I, is about streams or events. */
static bool is_stream_line(const struct code *code, struct span part, size_t i)
{
    unsigned line = code->tokens[i].line;
    while (i > part.first && code->tokens[i - 1].line == line)
        --i;
    for (; i < part.first + part.count && code->tokens[i].line == line; ++i)
        if (is_of_stream(code, part, i))
            return true;
    return false;
}

typedef void (*rule_type)(const struct rules *, size_t);

/* Applies RULE to each token of the functions in CODE whose line is in GROUP, until it has made EACH
 * edits. */
static void follow(const struct code *code, struct edits *edits, rule_type rule,
                   const struct edit_lines *lines, enum group group, size_t each)
{
    bool is_backward = group == PLACES || group == BEYOND;
    size_t most = edits->count + each < EDITS_MOST ? edits->count + each : EDITS_MOST;
    struct places places;
    for (size_t i = 0; i < code->part_count; ++i) {
        struct rules rules = {code, edits, code->parts[i], most, false};
        size_t at = rules.part.first, end = at + rules.part.count;
        struct role role = role_of(code, rules.part, lines);
        bool is_place = false;
        unsigned line = 0;
        if (!code_function(code, rules.part))
            continue;
        rules.has_barriers = rule_has_name(code, rules.part, "__global__") &&
                             rule_has_name(code, rules.part, "__shared__");
        if (role.is_shown)
            places_find(code, rules.part, &places);
        while (!token_is(&code->tokens[at], "{"))
            ++at;
        for (size_t k = at; k < end; ++k) {
            /* places are walked back from the use: the last definition comes first */
            size_t token = is_backward ? end - 1 - (k - at) : k;
            if (role.is_shown && code->tokens[token].line != line)
                is_place = places_sets(&places, code, rules.part, code->tokens[token].line);
            line = code->tokens[token].line;
            if (group_of(lines, line, role, is_place) == group &&
                (!lines->only_streams || is_stream_line(code, rules.part, token)))
                rule(&rules, token);
        }
    }
}

#define SMALL_RULES rule_try_comparison, rule_try_less, rule_try_assignment
#define NAME_RULES                                                                                 \
    rule_try_order, rule_try_line_names, rule_try_name, rule_try_cuda_name, rule_try_index,        \
        rule_try_number

static const rule_type patterns[] = {rule_try_saved,     rule_try_lane,      rule_try_last_lane,
                                     rule_try_edge_lane, rule_try_offset,    rule_try_exact,
                                     rule_try_bits,      rule_try_reference, NULL};
static const rule_type sizes[] = {rule_try_bytes, NULL};
static const rule_type units[] = {rule_try_units, rule_try_factor, NULL};
static const rule_type rounding[] = {rule_try_rounding, NULL};
static const rule_type widths[] = {rule_try_wide, rule_try_type, NULL};
static const rule_type formulas[] = {rule_try_sign, rule_try_brackets, NULL};
static const rule_type numbers[] = {rule_try_number, NULL};
static const rule_type typical[] = {SMALL_RULES, NAME_RULES, rule_try_visible, NULL};
/* in places, another variable is the likeliest mistake */
static const rule_type of_places[] = {SMALL_RULES, rule_try_visible, NAME_RULES, NULL};
static const rule_type terms[] = {rule_try_term, rule_try_more, NULL};
static const rule_type conditions[] = {rule_try_condition, NULL};
static const rule_type any_names[] = {rule_try_any_visible, NULL};
static const rule_type parts[] = {rule_try_condition, rule_try_part,       rule_try_start,
                                  rule_try_constant,  rule_try_expression, NULL};
static const rule_type others[] = {rule_try_moved,
                                   rule_try_rounding_down,
                                   rule_try_barrier,
                                   rule_try_term,
                                   rule_try_operator,
                                   rule_try_more,
                                   rule_try_type,
                                   rule_try_brackets,
                                   rule_try_without,
                                   rule_try_any_visible,
                                   NULL};

/* The order of the edits: groups of rules for groups of lines. */
static const struct step {
    const rule_type *rules;
    enum group first, last;
} order[] = {
    {widths, SUSPECT, NEARBY},   {patterns, SUSPECT, NEARBY},   {rounding, SUSPECT, NEARBY},
    {patterns, HOST, HOST},      {sizes, SUSPECT, HOST},        {formulas, SUSPECT, NEARBY},
    {units, SUSPECT, NEARBY},    {conditions, PLACES, NEARBY},  {numbers, PLACES, PLACES},
    {numbers, BEYOND, BEYOND},   {rounding, BEYOND, ELSEWHERE}, {typical, SUSPECT, SUSPECT},
    {parts, SUSPECT, SUSPECT},   {of_places, PLACES, PLACES},   {parts, PLACES, PLACES},
    {any_names, PLACES, PLACES}, {terms, PLACES, PLACES},       {typical, SHOWN, NEARBY},
    {parts, SHOWN, NEARBY},      {of_places, BEYOND, BEYOND},   {parts, BEYOND, BEYOND},
    {others, SUSPECT, NEARBY},   {others, BEYOND, HOST},        {typical, HOST, HOST},
    {parts, HOST, HOST}};

/* Returns whether the rules of STEP are applied to GROUP. */
static bool applies(const struct edit_lines *lines, const struct step *step, enum group group,
                    size_t round)
{
    const rule_type *rules = step->rules;
    if (lines->only_rounding || lines->only_wide)
        return rules == (lines->only_rounding ? rounding : widths);
    if (rules == widths)
        return false;
    if (rules == formulas)
        return lines->is_close || lines->is_guessed;
    if (rules == conditions)
        return lines->is_unwritten;
    if (rules == numbers)
        return lines->is_collision;
    return !lines->is_guessed || round > 0 || rules == patterns || group == SUSPECT ||
           group > NEARBY;
}

void edits_by_rules(struct edits *edits, const char *source, const struct edit_lines *lines)
{
    struct code code;
    edits->count = 0;
    bool good = code_open(&code, source);
    for (size_t round = 0; good && round < ROWS(each); ++round)
        for (size_t i = 0; i < ROWS(order); ++i)
            for (enum group group = order[i].first; group <= order[i].last; ++group)
                for (const rule_type *rule = order[i].rules; *rule; ++rule)
                    if (applies(lines, &order[i], group, round))
                        follow(&code, edits, *rule, lines, group, each[round]);
    code_close(&code);
}
