#include "grade/edits.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/code.h"

#define TRIED    32u /* maximum number of edits from the solution */
#define REGIONS  24u /* maximum number of regions of lines in which two files differ */
#define CLUSTERS 6u  /* a region with more differences than this is replaced only as a whole */
#define MOVED    16u /* differences with more tokens than this do not count as reordered */

/* --- what an edit says ------------------------------------------------------------------------ */

/* The three files that are compared. */
struct pair {
    struct code source, solution, skeleton;
    struct edits *edits;
};

static const struct token *first_of(const struct code *code, struct span span)
{
    return &code->tokens[span.first];
}

/* Returns whether SPAN consists of whole lines. */
static bool is_whole_lines(const struct code *code, struct span span)
{
    if (span.count == 0)
        return false;
    const struct token *first = first_of(code, span), *last = first + span.count - 1;
    bool begins = span.first == 0 || first[-1].line != first->line;
    bool ends = span.first + span.count == code->token_count || last[1].line != last->line;
    return begins && ends;
}

/* Returns the name of the first function that SPAN calls, or NULL. */
static const struct token *find_call(const struct code *code, struct span span)
{
    const struct token *token = first_of(code, span);
    for (size_t i = 0; i + 1 < span.count; ++i)
        if (token_is_name(&token[i]) && !token_is(&token[i], "CHECK_CUDA") &&
            !token_is(&token[i], "if") && !token_is(&token[i], "for") &&
            !token_is(&token[i], "while") && token_is(&token[i + 1], "("))
            return &token[i];
    return NULL;
}

/* Returns whether both sides of the difference WHAT have the same tokens in another order. */
static bool is_reordered(const struct pair *pair, struct difference what)
{
    bool same =
        what.left.count == what.right.count && what.left.count > 1 && what.left.count <= MOVED;
    for (size_t i = 0; same && i < what.left.count; ++i)
        same =
            code_has_token(&pair->solution, what.right, first_of(&pair->source, what.left) + i) &&
            code_has_token(&pair->source, what.left, first_of(&pair->solution, what.right) + i);
    return same;
}

static const char *kind_of(const struct token *token)
{
    static const char *const keywords[] = {"int",  "float", "double", "unsigned",
                                           "long", "char",  "const"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; ++i)
        if (token_is(token, keywords[i]))
            return "type";
    return token_is_name(token)                           ? "name"
           : *token->begin >= '0' && *token->begin <= '9' ? "number"
           : *token->begin == '.' || *token->begin == '"' ? "number"
                                                          : "operator";
}

void edit_say(struct small_edit *edit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(edit->says, sizeof edit->says, format, arguments);
    va_end(arguments);
}

/* Sets the message of EDIT, which inserts whole lines. The message names the missing call or
 * statement. */
static void say_missing(const struct pair *pair, struct difference what, struct small_edit *edit)
{
    const struct token *first = first_of(&pair->solution, what.right);
    const struct token *call = find_call(&pair->solution, what.right);
    static const char *const keywords[] = {"if", "for", "while", "return", "break", "else"};
    for (size_t i = 0; !call && i < sizeof keywords / sizeof *keywords; ++i)
        if (token_is(first, keywords[i])) {
            edit_say(edit, "with %s `%s` after line %u", i == 0 || i == 5 ? "an" : "a", keywords[i],
                     edit->line);
            return;
        }
    static const char *const assignments[] = {"=", "+=", "-=", "*=", NULL};
    const struct token *set = first;
    if (token_is_name(&first[1]) && token_is(&first[2], "=")) /* a declaration */
        ++set;
    if (call)
        edit_say(edit, "with a call of %.*s() after line %u", (int)call->length, call->begin,
                 edit->line);
    else if (token_is_name(set) && token_is_one_of(&set[1], assignments))
        edit_say(edit, "with a statement that sets `%.*s` after line %u", (int)set->length,
                 set->begin, edit->line);
    else
        edit_say(edit, "with one more statement after line %u", edit->line);
}

static void say_what(const struct pair *pair, struct difference what, struct small_edit *edit)
{
    char code[CODE_QUOTE] = "";
    const struct token *token = first_of(&pair->source, what.left);
    const struct token *call = find_call(&pair->solution, what.right);
    if (what.left.count > 0)
        code_quote(&pair->source, what.left, code);
    if (what.left.count == 0 && is_whole_lines(&pair->solution, what.right))
        say_missing(pair, what, edit);
    else if (what.left.count == 0)
        edit_say(edit, "with something more after `%.*s` in line %u", (int)token[-1].length,
                 token[-1].begin, edit->line);
    else if (what.right.count == 0)
        edit_say(edit, "without `%s` in line %u", code, edit->line);
    else if (is_reordered(pair, what))
        edit_say(edit, "with another order in `%s` in line %u", code, edit->line);
    else if (what.left.count == 1 && call &&
             token_is(first_of(&pair->solution, what.right) + what.right.count - 1, ";"))
        edit_say(edit, "with a call of %.*s() before line %u", (int)call->length, call->begin,
                 edit->line);
    else if (what.left.count == 1)
        edit_say(edit, "with another %s than `%s` in line %u", kind_of(token), code, edit->line);
    else
        edit_say(edit, "with something else than `%s` in line %u", code, edit->line);
}

/* --- making edits ----------------------------------------------------------------------------- */

static bool is_known(const struct edits *edits, const struct small_edit *edit)
{
    for (size_t i = 0; i < edits->count; ++i)
        if (edits->list[i].begin == edit->begin && edits->list[i].end == edit->end &&
            strcmp(edits->list[i].text, edit->text) == 0)
            return true;
    return false;
}

/* Returns how many brackets of SPAN are still open at its end, minus those that close others. */
static int open_brackets(const struct code *code, struct span span)
{
    int open = 0;
    for (size_t i = span.first; i < span.first + span.count; ++i) {
        const struct token *token = &code->tokens[i];
        open += token->length == 1 && strchr("([{", *token->begin);
        open -= token->length == 1 && strchr(")]}", *token->begin);
    }
    return open;
}

/* Returns whether token I is in the value of a macro that is the size of a launch. */
static bool is_launch_constant(const struct code *code, size_t i)
{
    unsigned line = code->tokens[i].line;
    while (i > 0 && code->tokens[i - 1].line == line)
        --i;
    return i + 2 < code->token_count && token_is(&code->tokens[i], "#") &&
           token_is(&code->tokens[i + 1], "define") &&
           code_sizes_launch(code, &code->tokens[i + 2]);
}

/* Returns whether the left side of WHAT, a part of a statement, is a launch, or is in its <<< >>>.
 * Another launch can make up for a mistake in the kernel, which should be right for any launch. */
static bool is_of_launch(const struct pair *pair, struct difference what)
{
    const struct token *token = first_of(&pair->source, what.left);
    bool found = false;
    for (size_t i = 0; i < what.left.count; ++i) {
        found |= token_is(&token[i], "<<<");
        if (strchr(";{}", *token[i].begin) && i + 1 < what.left.count)
            return false;
    }
    if (found)
        return true;
    for (size_t i = what.left.first; what.left.count > 0 && i-- > 0;) {
        const struct token *before = &pair->source.tokens[i];
        if (token_is(before, "<<<"))
            return true;
        if (strchr(";{}", *before->begin) || token_is(before, ">>>"))
            return false;
    }
    return false;
}

/* Returns whether the submission may use the variable TOKEN in PART: it occurs there, or outside of
 * all functions. */
static bool is_known_in(const struct code *code, struct span part, const struct token *token)
{
    bool found = code_has_token(code, part, token);
    for (size_t i = 0; !found && i < code->part_count; ++i)
        found = !code_function(code, code->parts[i]) && code_has_token(code, code->parts[i], token);
    return found;
}

/* Returns whether the right side of WHAT, which declares nothing, uses a variable that the
 * submission does not have there. Then the edit would not compile. */
static bool is_foreign(const struct pair *pair, struct difference what)
{
    const struct token *token = first_of(&pair->solution, what.right);
    struct span part = code_part_of(&pair->source, what.left.first);
    bool found = false;
    for (size_t i = 0; i < what.right.count; ++i) {
        static const char *const words[] = {"if",   "for",   "while",    "return",
                                            "else", "break", "continue", NULL};
        bool is_variable = token_is_name(&token[i]) && !isupper((unsigned char)*token[i].begin) &&
                           *token[i].begin != '_' && !token_is(&token[i + 1], "(") &&
                           strncmp(token[i].begin, "cuda", 4) != 0 &&
                           !token_is_one_of(&token[i], words);
        if (strcmp(kind_of(&token[i]), "type") == 0)
            return false;
        if (i > 0 && (token_is(&token[i - 1], ".") || token_is(&token[i - 1], "->")))
            continue;
        found |= is_variable && !is_known_in(&pair->source, part, &token[i]) &&
                 !token_is(&token[i + 1], ".");
    }
    return found;
}

/* Returns whether the left side of WHAT calls a function that the student has written or changed:
 * the mistake is probably in there, and the right side only does without it. */
static bool calls_own(const struct pair *pair, struct difference what)
{
    const struct code *code = &pair->source;
    for (size_t i = 0; i < code->part_count; ++i) {
        const struct token *name = code_function(code, code->parts[i]);
        if (name && code_has_token(code, what.left, name) &&
            !code_has_part(&pair->skeleton, code, code->parts[i]))
            return true;
    }
    return false;
}

/* Returns whether WHAT inserts a declaration, such as `dim3 a(1, 2)`, of a variable that the
 * submission already has there. The new variable would only hide the mistake in the old one. */
static bool redeclares(const struct pair *pair, struct difference what)
{
    static const char *const words[] = {"return", "else", "struct", "const", NULL};
    const struct token *token = first_of(&pair->solution, what.right);
    struct span part = code_part_of(&pair->source, what.left.first);
    for (size_t i = 0; what.left.count == 0 && i + 2 < what.right.count; ++i)
        if (token_is_name(&token[i]) && !token_is_one_of(&token[i], words) &&
            token_is_name(&token[i + 1]) && token_is(&token[i + 2], "(") &&
            !(i > 0 && token_is(&token[i - 1], "(")) &&
            code_has_token(&pair->source, part, &token[i + 1]))
            return true;
    return false;
}

/* Adds the edit that replaces the left side of WHAT by its right side. */
static struct small_edit *add(struct pair *pair, struct difference what)
{
    struct edits *edits = pair->edits;
    if (edits->count == TRIED || is_foreign(pair, what) || redeclares(pair, what) ||
        (what.left.count == 0 && what.left.first == 0) ||
        open_brackets(&pair->source, what.left) != open_brackets(&pair->solution, what.right))
        return NULL;
    struct small_edit *edit = &edits->list[edits->count];
    const struct token *left = first_of(&pair->source, what.left);
    const struct token *right = first_of(&pair->solution, what.right);
    const struct token *right_last = right + what.right.count - 1;
    bool inserts = what.left.count == 0;
    const struct token *at = inserts ? left - 1 : left;
    const struct token *last = inserts ? at : left + what.left.count - 1;
    int length =
        what.right.count > 0 ? (int)(right_last->begin + right_last->length - right->begin) : 0;
    const char *gap = is_whole_lines(&pair->solution, what.right) ? "\n" : " ";
    *edit = (struct small_edit){.end = (size_t)(last->begin + last->length - pair->source.text),
                                .line = at->line,
                                .column = code_column(&pair->source, at),
                                .last = last->line,
                                .is_launch = is_of_launch(pair, what),
                                .is_vague = last->line > at->line || calls_own(pair, what),
                                .tokens = what.left.count + what.right.count};
    edit->is_vague |= edit->is_launch;
    edit->is_launch |= is_launch_constant(&pair->source, what.left.first);
    edit->tokens = is_reordered(pair, what) ? what.left.count / 2 : edit->tokens;
    edit->begin = inserts ? edit->end : (size_t)(at->begin - pair->source.text);
    if (asprintf(&edit->text, "%s%.*s%s", gap, length, right->begin, gap) < 0)
        return NULL;
    if (is_known(edits, edit)) {
        free(edit->text);
        return NULL;
    }
    say_what(pair, what, edit);
    ++edits->count;
    return edit;
}

static struct difference join(struct difference first, struct difference last)
{
    first.left.count = last.left.first + last.left.count - first.left.first;
    first.right.count = last.right.first + last.right.count - first.right.first;
    return first;
}

/* Returns whether a statement ends between two differences. */
static bool ends_between(const struct pair *pair, struct difference first, struct difference last)
{
    for (size_t i = first.left.first + first.left.count; i < last.left.first; ++i)
        if (strchr(";{}", *pair->source.tokens[i].begin))
            return true;
    return false;
}

static bool is_same_token(const void *context, size_t i, size_t j)
{
    const struct difference *region = ((const struct difference *const *)context)[1];
    const struct pair *pair = ((const void *const *)context)[0];
    return token_is_same(first_of(&pair->source, region->left) + i,
                         first_of(&pair->solution, region->right) + j);
}

/* Adds an edit for each single difference within REGION, then one for all differences of a
 * statement together. */
static void add_clusters(struct pair *pair, struct difference region)
{
    struct difference list[CLUSTERS + 1];
    const void *const context[] = {pair, &region};
    size_t counts[] = {region.left.count, region.right.count};
    size_t count = code_compare(counts, is_same_token, context, list, CLUSTERS + 1);
    for (size_t i = 0; i < count; ++i) {
        list[i].left.first += region.left.first;
        list[i].right.first += region.right.first;
    }
    for (size_t i = 0; count <= CLUSTERS && i < count; ++i)
        add(pair, list[i]);
    for (size_t i = 0, last; count <= CLUSTERS && i < count; i = last + 1) {
        for (last = i; last + 1 < count && !ends_between(pair, list[last], list[last + 1]); ++last)
            ;
        if (last > i)
            add(pair, join(list[i], list[last]));
    }
}

/* Returns whether the student has changed the function (or other part) of the skeleton that
 * contains REGION. */
static bool is_begun(const struct pair *pair, struct difference region)
{
    size_t at = region.left.first;
    at -= region.left.count == 0 && at > 0;
    return !code_has_part(&pair->skeleton, &pair->source, code_part_of(&pair->source, at));
}

static bool is_same_line(const void *context, size_t i, size_t j)
{
    const struct pair *pair = context;
    return code_is_same(&pair->source, pair->source.lines[i], &pair->solution,
                        pair->solution.lines[j]);
}

/* Returns the span of the tokens in LINES, a span of CODE's lines. */
static struct span tokens_of(const struct code *code, struct span lines)
{
    const struct span *line = &code->lines[lines.first];
    size_t end = lines.first + lines.count;
    size_t first = lines.first < code->line_count ? line->first : code->token_count;
    size_t last = end < code->line_count ? code->lines[end].first : code->token_count;
    return (struct span){first, last - first};
}

static int compare_sizes(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    size_t one = a->left.count + a->right.count, other = b->left.count + b->right.count;
    return (one > other) - (one < other);
}

/* Adds the edit that only inserts the first statement of the right side of REGION. It may be the
 * missing one, while the other lines are written in another style. */
static void add_statement(struct pair *pair, struct difference region)
{
    static const char *const assignments[] = {"=", "+=", "-=", "(", "[", NULL};
    const struct token *first = first_of(&pair->solution, region.right);
    const struct token *left = first_of(&pair->source, region.left);
    size_t count = 1;
    while (count < region.right.count && first[count].line == first->line)
        ++count;
    bool has_lines = region.left.count > 0 && left[region.left.count - 1].line > left->line;
    if (has_lines && count > 3 && token_is_one_of(&first[1], assignments) &&
        token_is(&first[count - 1], ";"))
        add(pair, (struct difference){{region.left.first, 0}, {region.right.first, count}});
}

static void add_regions(struct pair *pair)
{
    struct difference list[REGIONS];
    size_t counts[] = {pair->source.line_count, pair->solution.line_count};
    size_t count = code_compare(counts, is_same_line, pair, list, REGIONS);
    for (size_t i = 0; i < count; ++i) {
        list[i].left = tokens_of(&pair->source, list[i].left);
        list[i].right = tokens_of(&pair->solution, list[i].right);
    }
    qsort(list, count, sizeof *list, compare_sizes);
    for (size_t i = 0; i < count; ++i)
        if (is_begun(pair, list[i])) {
            add_statement(pair, list[i]);
            add_clusters(pair, list[i]);
            add(pair, list[i]);
        }
}

static void add_function(struct pair *pair, struct span part)
{
    const struct token *name = code_function(&pair->source, part);
    for (size_t i = 0; name && i < pair->solution.part_count; ++i) {
        struct difference what = {part, pair->solution.parts[i]};
        const struct token *other = code_function(&pair->solution, what.right);
        if (!other || !token_is_same(name, other) ||
            code_is_same(&pair->source, part, &pair->solution, what.right))
            continue;
        struct small_edit *edit = add(pair, what);
        if (!edit)
            return;
        edit->is_vague = true;
        edit->line = name->line;
        edit->column = code_column(&pair->source, name);
        edit_say(edit, "with other lines in %.*s()", (int)name->length, name->begin);
    }
}

static int compare_edits(const void *left, const void *right)
{
    const struct small_edit *a = left, *b = right;
    if (a->tokens != b->tokens)
        return a->tokens < b->tokens ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

void edits_from_solution(struct edits *edits, const char *source, const char *solution,
                         const char *skeleton)
{
    struct pair pair = {.edits = edits};
    edits->count = 0;
    if (code_open(&pair.source, source) && code_open(&pair.solution, solution) &&
        code_open(&pair.skeleton, skeleton ? skeleton : "")) {
        add_regions(&pair);
        for (size_t i = 0; i < pair.source.part_count; ++i)
            if (!code_has_part(&pair.skeleton, &pair.source, pair.source.parts[i]))
                add_function(&pair, pair.source.parts[i]);
    }
    qsort(edits->list, edits->count, sizeof *edits->list, compare_edits);
    code_close(&pair.source);
    code_close(&pair.solution);
    code_close(&pair.skeleton);
}

void edits_free(struct edits *edits)
{
    for (size_t i = 0; i < edits->count; ++i)
        free(edits->list[i].text);
    edits->count = 0;
}
