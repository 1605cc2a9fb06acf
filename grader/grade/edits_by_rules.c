/* Makes edits by rules. Each rule corrects one typical mistake: it looks at one token, and adds the
 * edits that begin at this token. This file decides which edits are likelier than others. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/code.h"
#include "grade/edits.h"
#include "grade/rules.h"
#include "grade/visible.h"

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
    size_t length = edit->end - edit->begin;
    bool is_known =
        strlen(text) == length && memcmp(rules->code->text + edit->begin, text, length) == 0;
    for (const struct small_edit *other = edits->list; other < edit; ++other)
        is_known |= other->begin == edit->begin && other->end == edit->end &&
                    strcmp(other->text, text) == 0;
    if (!is_known)
        return edit;
    free(copy);
    --edits->count;
    return NULL;
}

void rule_change(const struct rules *rules, size_t i, const char *text, const char *kind)
{
    struct small_edit *edit = rule_put(rules, i, 1, text);
    if (edit)
        edit_say(edit, "with another %s than `%s` in line %u", kind, rule_quote(rules, i, 1),
                 edit->line);
}

struct small_edit *rule_change_term(const struct rules *rules, size_t i, size_t count,
                                    const char *text)
{
    struct small_edit *edit = rule_put(rules, i, count, text);
    if (edit)
        edit_say(edit, "with `%s` in place of `%s` in line %u", text, rule_quote(rules, i, count),
                 edit->line);
    return edit;
}

void rule_append(const struct rules *rules, size_t i, const char *text)
{
    struct small_edit *edit = rule_put(rules, i + 1, 0, text);
    if (edit)
        edit_say(edit, "with something more after `%s` in line %u", rule_quote(rules, i, 1),
                 edit->line);
}

void rule_insert(const struct rules *rules, size_t i, const char *text, size_t count)
{
    struct small_edit *edit = rule_put(rules, i, 0, text);
    if (!edit)
        return;
    edit->line = rule_at(rules, i)->line;
    edit->column = code_column(rules->code, rule_at(rules, i));
    edit_say(edit, "with `%s` before `%s` in line %u", text + 1, rule_quote(rules, i, count),
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
 * other places and calls of the CUDA library in functions on the CPU. */
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

/* Returns whether a function with shown lines, or one that they call, uses SYMBOL. If `with_called`
 * is set, all lines from FIRST to LAST count as shown. */
static bool uses_symbol(const struct code *code, const struct token *symbol,
                        const struct edit_lines *lines)
{
    for (size_t i = 0; i < code->part_count; ++i) {
        struct span part = code->parts[i];
        bool is_near = lines->with_called && code->tokens[part.first].line <= lines->last &&
                       code->tokens[part.first + part.count - 1].line >= lines->first;
        if (code_has_token(code, part, symbol) && code_function(code, part) &&
            (is_near || has_shown(code, part, lines) || is_called(code, part, lines)))
            return true;
    }
    return false;
}

/* Returns whether one of the tokens of PART, or only of LINE if this is not 0, copies to a symbol
 * that a function with shown lines uses. */
static bool fills_symbol(const struct code *code, struct span part, unsigned line,
                         const struct edit_lines *lines)
{
    static const char *const calls[] = {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", NULL};
    for (size_t i = part.first; i + 2 < part.first + part.count; ++i)
        if (token_is_one_of(&code->tokens[i], calls) &&
            (line == 0 || code->tokens[i].line == line) &&
            uses_symbol(code, &code->tokens[i + 2], lines))
            return true;
    return false;
}

/* What is known of a function: whether it has shown lines, whether they call it, whether it only
 * fills a constant array that they use, and whether it runs on the GPU. */
struct role {
    bool is_shown, is_called, fills_symbol, is_on_gpu;
};

static struct role role_of(const struct code *code, struct span part,
                           const struct edit_lines *lines)
{
    return (struct role){.is_shown = has_shown(code, part, lines),
                         .is_called = is_called(code, part, lines),
                         .fills_symbol = fills_symbol(code, part, 0, lines) &&
                                         !rule_has_name(code, part, "<<<") &&
                                         !rule_has_name(code, part, "main"),
                         .is_on_gpu = rule_has_name(code, part, "__global__") ||
                                      rule_has_name(code, part, "__device__")};
}

/* Returns whether the statement that begins at token I of the function PART is a call whose first
 * argument begins with a variable of a shown line: the call probably gives it a value. */
static bool is_source(const struct code *code, struct span part, size_t i,
                      const struct edit_lines *lines)
{
    const struct token *token = &code->tokens[i];
    size_t variable = i + 2 + (i + 2 < code->token_count && token_is(&token[2], "&"));
    if (variable >= part.first + part.count || !token_is_name(token) || !token_is(&token[1], "(") ||
        !token_is_name(&code->tokens[variable]) || (i > 0 && !strchr(";{})", *token[-1].begin)))
        return false;
    for (size_t j = part.first; j < part.first + part.count; ++j)
        if (token_is_same(&code->tokens[j], &code->tokens[variable]) &&
            is_shown(lines, code->tokens[j].line))
            return true;
    return false;
}

/* Returns the group of LINE of a function. IS_PLACE says whether the line says where the function
 * reads and writes, IS_SOURCE whether it gives a variable of a shown line a value. */
static enum group group_of(const struct edit_lines *lines, unsigned line, struct role role,
                           bool is_place, bool is_source)
{
    bool is_inside = line >= lines->first && line <= lines->last;
    if (line == lines->suspect && is_inside)
        return SUSPECT;
    bool shows_place = lines->is_guessed && is_shown(lines, line);
    if (role.is_shown && is_place && (is_inside || shows_place))
        return PLACES;
    if ((is_inside && is_shown(lines, line)) || role.fills_symbol || is_source)
        return SHOWN;
    bool is_near = role.is_shown || lines->shown_count == 0;
    if (role.is_called || (is_near && (is_inside || lines->is_guessed)))
        return NEARBY;
    if (role.is_shown && is_place && !lines->with_called)
        return BEYOND;
    return is_place && !role.is_on_gpu ? HOST : ELSEWHERE;
}

/* Returns whether the statement with token I, in a function on the CPU, is about the GPU: a launch,
 * its size, or a call of the CUDA library. */
static bool is_of_gpu(const struct code *code, struct span part, size_t i)
{
    while (i > part.first && !strchr(";{}", *code->tokens[i - 1].begin))
        --i;
    for (; i < part.first + part.count && !strchr(";{}", *code->tokens[i].begin); ++i) {
        const struct token *token = &code->tokens[i];
        if (token_is(token, "<<<") || token_is(token, "dim3") ||
            strncmp(token->begin, "cuda", strlen("cuda")) == 0)
            return true;
    }
    return false;
}

/* Returns whether token I of a function is about streams or events: it begins a launch, its name or
 * its type says so, or it is a variable that is the size of an array of them. */
static bool is_of_stream(const struct code *code, struct span part, size_t i)
{
    static const char *const words[] = {"stream", "event", "wait", "record"};
    static const char *const types[] = {"cudaStream_t", "cudaEvent_t", NULL};
    const struct token *token = &code->tokens[i];
    bool is_declared = false;
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)token->length, token->begin);
    if (token_is(token, "<<<"))
        return true;
    for (size_t k = 0; k < ROWS(words); ++k)
        if (strcasestr(name, words[k]))
            return true;
    bool is_variable = token_is_name(token) && !token_is_constant(token);
    for (size_t k = part.first; is_variable && k < part.first + part.count; ++k) {
        is_declared |= token_is_one_of(&code->tokens[k], types);
        is_declared &= !strchr(";)", *code->tokens[k].begin);
        if (is_declared && token_is_same(token, &code->tokens[k]))
            return true;
    }
    return false;
}

/* Returns whether the line of the function PART that begins with token I reads the lab's input or
 * frees memory. */
static bool is_of_lab(const struct code *code, struct span part, size_t i)
{
    unsigned line = code->tokens[i].line;
    for (; i < part.first + part.count && code->tokens[i].line == line; ++i)
        if (strncmp(code->tokens[i].begin, "lab_", strlen("lab_")) == 0 ||
            token_is(&code->tokens[i], "cudaFree") || token_is(&code->tokens[i], "free"))
            return true;
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

/* What the finding or the wrong numbers suggest. */
enum {
    CLOSE = 1,
    COLLISION = 2,
    UNWRITTEN = 4,
    OUTSIDE = 8,
    WIDE = 16,
    ROUNDING = 32,
    REPEATED = 64,
    ONLY_IF_FITS = 128 /* a flag beside these: the rule is not used otherwise */
};

/* How unlikely each rule's edits are to correct a mistake. The costs come from mistakes of students
 * whose correction is known. FITS says when a rule's edits are much likelier. */
static const struct weight {
    void (*rule)(const struct rules *, size_t);
    unsigned cost, fits;
} weights[] = {
    {rule_try_precedence, 0, 0},
    {rule_try_char, 0, 0},
    {rule_try_quotient, 0, 0},
    {rule_try_mask, 0, 0},
    {rule_try_cast, 1, 0},
    {rule_try_major, 1, 0},
    {rule_try_saved, 0, 0},
    {rule_try_last_lane, 0, 0},
    {rule_try_edge_lane, 0, 0},
    {rule_try_exact, 0, CLOSE},
    {rule_try_half, 0, 0},
    {rule_try_bits, 0, 0},
    {rule_try_reference, 0, 0},
    {rule_try_unsigned, 0, OUTSIDE},
    {rule_try_share, 0, COLLISION},
    {rule_try_step, 0, 0},
    {rule_try_two_sum, 0, CLOSE},
    {rule_try_once, 0, REPEATED | ONLY_IF_FITS},
    {rule_try_loop, 0, UNWRITTEN},
    {rule_try_clear, 0, UNWRITTEN | ONLY_IF_FITS},
    {rule_try_allocated, 0, UNWRITTEN | ONLY_IF_FITS},
    {rule_try_limit, 0, OUTSIDE},
    {rule_try_rounding, 0, ROUNDING},
    {rule_try_less, 1, OUTSIDE},
    {rule_try_pitch, 1, OUTSIDE},
    {rule_try_cleared, 2, 0},
    {rule_try_dimension, 2, UNWRITTEN | OUTSIDE},
    {rule_try_bounds, 2, UNWRITTEN | OUTSIDE},
    {rule_try_block_size, 2, UNWRITTEN | OUTSIDE},
    {rule_try_parameter, 2, WIDE | ONLY_IF_FITS},
    {rule_try_other_axis, 2, OUTSIDE},
    {rule_try_used_index, 2, UNWRITTEN | OUTSIDE},
    {rule_try_middle, 2, 0},
    {rule_try_column_first, 2, 0},
    {rule_try_transposed, 2, 0},
    {rule_try_rows, 2, 0},
    {rule_try_span, 2, 0},
    {rule_try_unit, 2, 0},
    {rule_try_one_thread, 2, 0},
    {rule_try_lane, 2, 0},
    {rule_try_ring, 2, 0},
    {rule_try_stream, 2, 0},
    {rule_try_like_constant, 2, 0},
    {rule_try_last, 2, UNWRITTEN | OUTSIDE},
    {rule_try_absolute, 2, 0},
    {rule_try_unrolled, 2, 0},
    {rule_try_factor, 3, 0},
    {rule_try_scale, 3, COLLISION | UNWRITTEN | OUTSIDE},
    {rule_try_guard, 6, OUTSIDE},
    {rule_try_bytes, 3, OUTSIDE},
    {rule_try_multiple, 3, UNWRITTEN | OUTSIDE},
    {rule_try_order, 3, COLLISION},
    {rule_try_moved, 3, COLLISION},
    {rule_try_behind, 3, COLLISION},
    {rule_try_else, 3, UNWRITTEN},
    {rule_try_expression, 4, 0},
    {rule_try_comparison, 4, OUTSIDE},
    {rule_try_name, 4, COLLISION | OUTSIDE},
    {rule_try_number_of, 4, COLLISION},
    {rule_try_line_names, 5, 0},
    {rule_try_cuda_name, 5, COLLISION},
    {rule_try_sign, 5, CLOSE},
    {rule_try_name_of_line, 5, 0},
    {rule_try_off_by_one, 5, 0},
    {rule_try_number, 5, COLLISION},
    {rule_try_part, 5, OUTSIDE},
    {rule_try_start, 5, 0},
    {rule_try_type, 5, WIDE},
    {rule_try_visible, 6, COLLISION},
    {rule_try_offset, 6, COLLISION},
    {rule_try_assignment, 6, 0},
    {rule_try_constant, 6, UNWRITTEN | OUTSIDE},
    {rule_try_operator, 6, 0},
    {rule_try_without, 6, 0},
    {rule_try_any_visible, 7, COLLISION},
    {rule_try_condition, 8, UNWRITTEN},
    {rule_try_common_factor, 8, CLOSE},
    {rule_try_index, 8, 0},
    {rule_try_wide, 8, WIDE | ONLY_IF_FITS},
    {rule_try_brackets, 9, CLOSE | OUTSIDE},
    {rule_try_difference, 9, CLOSE},
    {rule_try_more, 9, 0},
    {rule_try_term, 10, 0},
    {rule_try_barrier, 10, 0},
};

/* The cost of each group of lines. */
static const unsigned group_costs[] = {[SUSPECT] = 0, [PLACES] = 1, [SHOWN] = 1,     [NEARBY] = 3,
                                       [BEYOND] = 5,  [HOST] = 9,   [ELSEWHERE] = 12};
#define FITTING    4u /* added to the cost of a rule that does not fit */
#define TWIN       1u /* added to the cost of an edit that is made in two places */
#define TWIN_LINES 4u /* the second place is in one of these lines */

/* Where the rules are applied. */
struct place_of_rules {
    const struct edit_lines *lines;
    struct rules rules;
    enum group group;
    bool is_on_gpu;
    size_t made[ROWS(weights)]; /* edits of each rule in the current line */
};

static unsigned fits_of(const struct edit_lines *lines)
{
    return (lines->is_close || lines->is_guessed ? CLOSE : 0) |
           (lines->is_collision ? COLLISION : 0) | (lines->is_unwritten ? UNWRITTEN : 0) |
           (lines->is_outside ? OUTSIDE : 0) | (lines->only_wide ? WIDE : 0) |
           (lines->is_repeated ? REPEATED : 0) | (lines->only_rounding ? ROUNDING : 0);
}

/* Adds the edit that makes the change of EDIT in two places: here and where the same code comes
 * again in this line or the next ones, as in `f(u - 0.5f, v - 0.5f)`. Leaves out single names and
 * signs. */
static void add_twin(struct edits *edits, const char *source, const struct small_edit *edit)
{
    const char *code = source + edit->begin, *from = source + edit->end, *end = from;
    size_t length = edit->end - edit->begin, word = 0;
    for (unsigned lines = 0; *end && lines < TWIN_LINES; ++end)
        lines += *end == '\n';
    while (word < length && (isalnum((unsigned char)code[word]) || code[word] == '_'))
        ++word;
    bool is_number = length > 0 && word == length && isdigit((unsigned char)*code);
    bool is_long = length > 1 && word < length;
    const char *next =
        is_number || is_long ? memmem(from, (size_t)(end - from), code, length) : NULL;
    struct small_edit *twin = &edits->list[edits->count];
    if (!next || edits->count == EDITS_MOST || isalnum((unsigned char)next[length]))
        return;
    *twin = *edit;
    twin->end = (size_t)(next + length - source);
    twin->cost += 16 * TWIN;
    snprintf(twin->says, sizeof twin->says, "%.*s, twice", (int)sizeof twin->says - 10, edit->says);
    edits->count +=
        asprintf(&twin->text, "%s%.*s%s", edit->text, (int)(next - from), from, edit->text) >= 0;
}

/* Applies rule J to token I. COST is its cost here. The more edits a rule makes in one line, the
 * less likely is each. */
static void follow_rule(struct place_of_rules *place, size_t j, size_t i, unsigned cost)
{
    struct edits *edits = place->rules.edits;
    size_t before = edits->count;
    weights[j].rule(&place->rules, i);
    for (size_t count = edits->count; before < count; ++before) {
        edits->list[before].cost = 16 * cost + (unsigned)place->made[j]++;
        add_twin(edits, place->rules.code->text, &edits->list[before]);
    }
}

/* Applies the rules to token I. Begins with those that fit, because of two equal edits only the
 * first one stays. */
static void follow(struct place_of_rules *place, size_t i)
{
    unsigned fits = fits_of(place->lines), only = fits & (WIDE | ROUNDING);
    unsigned group = group_costs[place->group];
    bool is_far = place->is_on_gpu && place->group == ELSEWHERE;
    for (int fitting = 1; fitting >= 0; --fitting)
        for (size_t j = 0; j < ROWS(weights); ++j) {
            bool does_fit = weights[j].fits & (only ? only : fits);
            bool is_left_out =
                only || weights[j].fits & ONLY_IF_FITS || (is_far && weights[j].fits != ROUNDING);
            bool is_pattern = weights[j].cost == 0 && weights[j].fits == 0;
            unsigned cost = is_pattern && group > group_costs[NEARBY] ? group_costs[NEARBY] : group;
            if (does_fit == fitting && (does_fit || !is_left_out))
                follow_rule(place, j, i, cost + weights[j].cost + (does_fit ? 0 : FITTING));
        }
}

/* Applies the rules to the function PART. */
static void follow_part(const struct code *code, struct span part, const struct edit_lines *lines,
                        struct edits *edits)
{
    struct place_of_rules place = {.lines = lines, .rules = {code, edits, part, EDITS_MOST, false}};
    struct places places;
    struct role role = role_of(code, part, lines);
    bool is_place = false, is_left_out = false;
    unsigned line = 0;
    place.is_on_gpu = role.is_on_gpu;
    size_t i = part.first;
    place.rules.has_barriers =
        rule_has_name(code, part, "__global__") && rule_has_name(code, part, "__shared__");
    places_find(code, part, &places);
    while (!token_is(&code->tokens[i], "{"))
        ++i;
    for (; i < part.first + part.count; ++i) {
        if (code->tokens[i].line != line) {
            line = code->tokens[i].line;
            is_place = places_sets(&places, code, part, line) ||
                       (!role.is_on_gpu && is_of_gpu(code, part, i));
            is_left_out =
                (lines->only_streams && !is_stream_line(code, part, i)) || is_of_lab(code, part, i);
            place.group =
                group_of(lines, line, role, is_place,
                         is_source(code, part, i, lines) || fills_symbol(code, part, line, lines));
            memset(place.made, 0, sizeof place.made);
        }
        if (!is_left_out)
            follow(&place, i);
    }
}

/* Applies the rules to the value of a constant whose definition begins at token I, if a function
 * that may be changed uses the constant. */
static void follow_constant(const struct code *code, size_t i, const struct edit_lines *lines,
                            struct edits *edits)
{
    struct place_of_rules place = {.lines = lines,
                                   .rules = {.code = code, .edits = edits, .most = EDITS_MOST},
                                   .group = NEARBY};
    const struct token *name = code_constant(code, i, &place.rules.part);
    size_t before = edits->count;
    for (size_t j = 0; name && j < code->token_count; ++j)
        if (token_is_same(&code->tokens[j], name) && is_shown(lines, code->tokens[j].line))
            place.group = SHOWN;
    if (!name || (lines->shown_count > 0 && !uses_symbol(code, name, lines)) ||
        (lines->only_streams && !is_stream_line(code, code_part_of(code, i), i)))
        return;
    for (size_t j = 0; j < place.rules.part.count; ++j)
        follow(&place, place.rules.part.first + j);
    for (; before < edits->count; ++before)
        edits->list[before].is_launch |= code_sizes_launch(code, name);
}

/* Of two edits with the same cost, the later one comes first: it is nearer to the result. */
static int compare_costs(const void *left, const void *right)
{
    const struct small_edit *a = left, *b = right;
    return a->cost != b->cost ? (a->cost > b->cost) - (a->cost < b->cost)
                              : (a->begin < b->begin) - (a->begin > b->begin);
}

void edits_by_rules(struct edits *edits, const char *source, const struct edit_lines *lines)
{
    struct code code;
    edits->count = 0;
    bool good = code_open(&code, source);
    for (size_t i = 0; good && i < code.part_count; ++i)
        if (code_function(&code, code.parts[i]))
            follow_part(&code, code.parts[i], lines, edits);
    for (size_t i = 0; good && i < code.token_count; ++i)
        follow_constant(&code, i, lines, edits);
    code_close(&code);
    qsort(edits->list, edits->count, sizeof *edits->list, compare_costs);
    while (edits->count > EDITS_TRIED)
        free(edits->list[--edits->count].text);
}
