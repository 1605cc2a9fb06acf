#include "checks/slice.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "checks/slice_text.h"

#define FARTHEST 6u /* maximum number of steps from the result */
#define UNSEEN   (FARTHEST + 1)

/* --- reading ---------------------------------------------------------------------------------- */

bool word_is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Replaces SIZE characters by spaces, but keeps newlines. */
static void blank(char *text, size_t size)
{
    for (size_t i = 0; i < size; ++i)
        text[i] = text[i] == '\n' ? '\n' : ' ';
}

/* Returns the length of the comment, literal or directive at TEXT, or 0 if there is none. IS_FIRST
 * is true if only spaces precede TEXT on its line. */
static size_t ignored(const char *text, bool is_first)
{
    if (strncmp(text, "//", 2) == 0 || (is_first && *text == '#'))
        return strcspn(text, "\n");
    if (strncmp(text, "/*", 2) == 0) {
        const char *end = strstr(text + 2, "*/");
        return end ? (size_t)(end + 2 - text) : strlen(text);
    }
    if (*text != '"' && *text != '\'')
        return 0;
    size_t length = 1;
    while (text[length] && text[length] != '\n' && text[length] != *text)
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return length + (text[length] == *text);
}

static void blank_ignored(char *text)
{
    bool is_first = true;
    while (*text) {
        size_t length = ignored(text, is_first);
        blank(text, length);
        is_first = *text == '\n' || (is_first && isspace((unsigned char)*text));
        text += length ? length : 1;
    }
}

/* Returns whether TEXT, up to a comment or the end of the line, contains the name of a variable: a
 * word that begins with a lower-case letter. */
static bool has_variable(const char *text)
{
    for (; *text && *text != '\n' && strncmp(text, "//", 2) != 0 && strncmp(text, "/*", 2) != 0;
         ++text)
        if (!word_is_letter(text[0]) && islower((unsigned char)text[1]))
            return true;
    return false;
}

/* Returns the name of the macro that the line at TEXT defines, or an empty word. */
static struct word macro_of(const char *text)
{
    static const char define[] = "#define ";
    struct word word = {0};
    if (strncmp(text, define, strlen(define)) != 0)
        return word;
    word.begin = text + strlen(define);
    while (word_is_letter(word.begin[word.length]))
        ++word.length;
    return has_variable(word.begin + word.length) ? word : (struct word){0};
}

static void split(struct slice *slice)
{
    for (char *at = slice->text; *at;) {
        size_t all = strcspn(at, "\n"), indent = strspn(at, " \t\r"), length = all;
        indent = indent < all ? indent : all;
        while (length > indent && isspace((unsigned char)at[length - 1]))
            --length;
        slice->lines[slice->count++] = (struct line){at + indent,
                                                     length - indent,
                                                     (unsigned)indent,
                                                     UNSEEN,
                                                     false,
                                                     false,
                                                     macro_of(slice->source + (at - slice->text))};
        at += all + (at[all] == '\n');
    }
}

struct slice *slice_new(const char *source)
{
    struct slice *slice = source ? calloc(1, sizeof *slice) : NULL;
    size_t count = 1;
    if (!slice)
        return NULL;
    for (const char *at = source; (at = strchr(at, '\n')); ++at)
        ++count;
    slice->farthest = FARTHEST;
    slice->text = strdup(source), slice->source = strdup(source);
    slice->lines = calloc(count, sizeof *slice->lines);
    if (!slice->text || !slice->source || !slice->lines) {
        slice_free(slice);
        return NULL;
    }
    blank_ignored(slice->text);
    split(slice);
    return slice;
}

void slice_free(struct slice *slice)
{
    if (!slice)
        return;
    free(slice->text);
    free(slice->source);
    free(slice->lines);
    free(slice);
}

/* --- words ------------------------------------------------------------------------------------ */

bool line_next_word(const struct line *line, struct word *word)
{
    const char *end = line->text + line->length;
    const char *at = word->begin ? word->begin + word->length : line->text;
    while (at < end) {
        size_t length = 0;
        while (at + length < end && word_is_letter(at[length]))
            ++length;
        bool is_member = at > line->text &&
                         (at[-1] == '.' || (at - line->text > 1 && at[-1] == '>' && at[-2] == '-'));
        if (length > 0 && !is_member && !isdigit((unsigned char)*at)) {
            *word = (struct word){at, length};
            return true;
        }
        at += length ? length : 1;
    }
    return false;
}

bool word_is_same(struct word a, struct word b)
{
    return a.length == b.length && memcmp(a.begin, b.begin, a.length) == 0;
}

bool line_begins_with(const struct line *line, const char *text)
{
    size_t length = strlen(text);
    return line->length >= length && memcmp(line->text, text, length) == 0 &&
           (line->length == length || !word_is_letter(line->text[length]));
}

bool line_is_control(const struct line *line)
{
    return line_begins_with(line, "for") || line_begins_with(line, "while") ||
           line_begins_with(line, "if") || line_begins_with(line, "else if") ||
           line_begins_with(line, "} else if");
}

/* Returns the length of the member, such as ".x" or "->x", at AT, or 0 if there is none. */
static size_t member_length(const char *at, const char *end)
{
    size_t length = end - at >= 2 && at[0] == '-' && at[1] == '>' ? 2 : at < end && *at == '.';
    while (length > 0 && at + length < end && word_is_letter(at[length]))
        ++length;
    return length;
}

const char *line_after(const struct line *line, struct word word)
{
    const char *end = line->text + line->length, *at = word.begin + word.length;
    int depth = 0;
    for (size_t length = 1; at < end && length > 0; at += length) {
        bool is_index = depth > 0 || *at == '[' || *at == ']' || *at == ' ';
        depth += (*at == '[') - (*at == ']');
        length = is_index ? 1 : member_length(at, end);
    }
    return at;
}

bool text_is_assignment(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    if (left >= 2 && ((at[0] == '+' && at[1] == '+') || (at[0] == '-' && at[1] == '-')))
        return true;
    if (left >= 2 && strchr("+-*/%&|^", *at) && at[1] == '=')
        return true;
    if (left >= 3 && (strncmp(at, "<<=", 3) == 0 || strncmp(at, ">>=", 3) == 0))
        return true;
    return left >= 1 && *at == '=' && (left < 2 || at[1] != '=');
}

/* Returns whether LINE may set the variable WORD, which occurs in it. If HAS_CALLS is true, passing
 * the variable to a function also counts. */
static bool sets_word(const struct line *line, struct word word, bool has_calls)
{
    const char *at = line_after(line, word), *end = line->text + line->length;
    struct word first = {0};
    if (text_is_assignment(at, end) ||
        (has_calls && word.begin > line->text && word.begin[-1] == '&'))
        return true;
    if (word.begin >= line->text + 2 &&
        (strncmp(word.begin - 2, "++", 2) == 0 || strncmp(word.begin - 2, "--", 2) == 0))
        return true;
    bool has_first = line_next_word(line, &first);
    bool is_dim3 = has_first && first.length == 4 && memcmp(first.begin, "dim3", 4) == 0;
    bool is_call = has_calls && has_first && !line_is_control(line) && first.begin == line->text &&
                   first.begin[first.length] == '(' && !word_is_same(first, word);
    return is_call || (is_dim3 && at < end && *at == '(');
}

static bool sets(const struct line *line, struct word name, bool has_calls)
{
    struct word word = {0};
    while (line_next_word(line, &word))
        if (word_is_same(word, name) && sets_word(line, word, has_calls))
            return true;
    return false;
}

/* --- following -------------------------------------------------------------------------------- */

/* Returns whether LINE is the opening brace of a function, which is in the first column. */
static bool is_opening(const struct line *line)
{
    return line->indent == 0 && line->length > 0 &&
           (*line->text == '{' || line->text[line->length - 1] == '{');
}

static bool is_closing(const struct line *line)
{
    return line->indent == 0 && line->length > 0 && *line->text == '}';
}

bool slice_find_function(const struct slice *slice, unsigned at, unsigned *first, unsigned *end)
{
    *first = at;
    while (*first > 0 && !is_opening(&slice->lines[*first]))
        if (is_closing(&slice->lines[--*first]))
            return false;
    for (*end = at; *end < slice->count; ++*end)
        if (is_closing(&slice->lines[*end]))
            return is_opening(&slice->lines[*first]);
    return false;
}

/* Adds line AT to the slice, or shortens its distance. Returns whether the slice has changed. */
static bool mark(struct slice *slice, unsigned at, unsigned distance, bool nested)
{
    struct line *line = &slice->lines[at];
    if (distance >= line->distance)
        return false;
    line->distance = distance;
    line->nested |= nested;
    return true;
}

/* Adds the loops and conditions around line AT, and the conditions before it that lead to a
 * return. */
static bool mark_around(struct slice *slice, unsigned at, unsigned first)
{
    unsigned indent = slice->lines[at].indent, distance = slice->lines[at].distance + 1;
    bool changed = false;
    for (unsigned i = at; i-- > first;) {
        const struct line *line = &slice->lines[i];
        bool guards = line_is_control(line) && i + 1 < slice->count &&
                      line_begins_with(&slice->lines[i + 1], "return");
        if (line->length == 0 || (line->indent >= indent && !guards))
            continue;
        indent = line->indent < indent ? line->indent : indent;
        changed |= line_is_control(line) && mark(slice, i, distance, true);
        if (guards && slice->farthest == 1 && slice->kind == SLICE_CONTROL)
            changed |= mark(slice, i + 1, distance, false);
    }
    return changed;
}

/* Returns whether LINE calls a function of lab.h that reads the case. Such lines are right in every
 * program. */
static bool reads_case(const struct line *line)
{
    struct word word = {0};
    while (line_next_word(line, &word))
        if (word.length > 4 && memcmp(word.begin, "lab_", 4) == 0)
            return true;
    return false;
}

/* Adds the lines from FIRST to END that set the variable NAME, which line AT uses. In host code,
 * passing the variable to a function does not count as setting it, because most functions there do
 * not set their arguments. */
static bool mark_setters(struct slice *slice, struct word name, unsigned first, unsigned end,
                         unsigned at)
{
    unsigned distance = slice->lines[at].distance + 1;
    bool changed = false, nested = slice->lines[at].nested;
    for (unsigned i = first; i < end; ++i)
        changed |= sets(&slice->lines[i], name, nested && i < at) &&
                   !reads_case(&slice->lines[i]) && mark(slice, i, distance, nested);
    return changed;
}

/* Returns whether LINE, in its first column, defines the function NAME. */
static bool defines(const struct line *line, struct word name)
{
    struct word word = {0};
    if (line->indent > 0 || line->length == 0 || line->text[line->length - 1] == ';' ||
        !memchr(line->text, '(', line->length))
        return false;
    while (line_next_word(line, &word))
        if (word_is_same(word, name) && word.begin[word.length] == '(')
            return true;
    return false;
}

/* Returns whether the slice begins in the function whose definition is at line AT. */
static bool begins_in(const struct slice *slice, unsigned at)
{
    for (unsigned i = at + 1; i < slice->count && !is_closing(&slice->lines[i]); ++i)
        if (slice->lines[i].begins)
            return true;
    return false;
}

/* Returns the line that defines the function NAME, or `count` if there is none. If several
 * functions have this name, returns the one in which the slice begins, because only this one
 * certainly takes part. */
static unsigned find_definition(const struct slice *slice, struct word name)
{
    unsigned found = slice->count, begun = slice->count, definitions = 0;
    for (unsigned i = 0; i < slice->count; ++i) {
        if (!defines(&slice->lines[i], name))
            continue;
        ++definitions;
        found = i;
        begun = begins_in(slice, i) ? i : begun;
    }
    return definitions > 1 ? begun : found;
}

/* Returns the last line of the function that is defined at line AT, or `count` if there is none. */
static unsigned last_of(const struct slice *slice, unsigned at)
{
    unsigned last = slice->count;
    for (unsigned i = at + 1; i < slice->count && !is_closing(&slice->lines[i]); ++i)
        if (slice->lines[i].indent > 0 && slice->lines[i].length > 1 &&
            !line_begins_with(&slice->lines[i], "__syncthreads"))
            last = i;
    return last;
}

/* Returns whether LINE only returns a variable, as in "return sum;". */
static bool returns_variable(const struct line *line)
{
    struct word word = {0};
    return line_begins_with(line, "return") && line_next_word(line, &word) &&
           line_next_word(line, &word) && word.begin[word.length] == ';';
}

/* If CALL is a call of a function in this file, adds the line that returns the function's result.
 * DISTANCE is the distance of the call. If this line only returns a variable, it does not count as
 * a step. */
static bool mark_called(struct slice *slice, struct word call, unsigned distance)
{
    if (call.begin[call.length] != '(')
        return false;
    unsigned definition = find_definition(slice, call);
    unsigned last = definition < slice->count ? last_of(slice, definition) : slice->count;
    if (last >= slice->count)
        return false;
    return mark(slice, last, distance + !returns_variable(&slice->lines[last]), true);
}

/* If NAME is a macro that uses a variable, adds the line that defines the macro. */
static bool mark_macro(struct slice *slice, struct word name, unsigned distance)
{
    for (unsigned i = 0; i < slice->count; ++i)
        if (slice->lines[i].macro.length > 0 && word_is_same(slice->lines[i].macro, name))
            return mark(slice, i, distance, false);
    return false;
}

static bool follow(struct slice *slice, unsigned at)
{
    const struct line *line = &slice->lines[at];
    unsigned first, end, distance = line->distance + 1;
    struct word word = {0};
    bool changed = false;
    if (distance > slice->farthest || (!line->nested && !line->begins) ||
        !slice_find_function(slice, at, &first, &end))
        return false;
    if (line->nested)
        changed |= mark_around(slice, at, first);
    while (line_next_word(line, &word)) {
        changed |= mark_setters(slice, word, first, end, at);
        changed |= mark_called(slice, word, line->distance);
        changed |= mark_macro(slice, word, distance);
    }
    return changed;
}

/* --- for the caller --------------------------------------------------------------------------- */

void slice_begin_at(struct slice *slice, unsigned number, unsigned distance, bool nested)
{
    if (number == 0 || number > slice->count)
        return;
    mark(slice, number - 1, distance, nested);
    slice->lines[number - 1].begins = true;
    const struct line *before = number > 1 ? &slice->lines[number - 2] : NULL;
    if (before && before->length > 0 && before->text[before->length - 1] == ',')
        /* the statement begins on the line above */
        slice_begin_at(slice, number - 1, distance, nested);
}

void slice_begin_at_word(struct slice *slice, const char *word, unsigned distance)
{
    for (unsigned i = 1; i <= slice->count; ++i)
        if (slice_has_name(slice, i, word))
            slice_begin_at(slice, i, distance, false);
}

void slice_begin_at_shared(struct slice *slice, unsigned number, const char *name)
{
    for (unsigned i = number < slice->count ? number : slice->count; i > 0; --i)
        if (slice_has_name(slice, i, "__shared__") && slice_has_name(slice, i, name)) {
            slice_begin_at(slice, i, 0, false);
            return;
        }
}

/* Returns the name of the function whose opening brace is on line OPENING. The name is before the
 * first bracket of its definition, the nearest line above that begins in the first column. */
static struct word name_of(const struct slice *slice, unsigned opening)
{
    struct word word = {0};
    for (unsigned i = opening + 1; i-- > 0 && slice->lines[i].length > 0; word.begin = NULL)
        while (slice->lines[i].indent == 0 && line_next_word(&slice->lines[i], &word))
            if (word.begin[word.length] == '(')
                return word;
    return (struct word){"", 0};
}

void slice_begin_at_calls(struct slice *slice, unsigned number, const char *kernel,
                          unsigned distance)
{
    unsigned opening, start, end, last = slice_last_statement(slice, kernel);
    if (last == 0 || number == 0 || number > slice->count ||
        !slice_find_function(slice, number - 1, &opening, &end) ||
        !slice_find_function(slice, last - 1, &start, &end) || start == opening)
        return;
    struct word name = name_of(slice, opening), word = {0};
    for (unsigned i = start + 1; i < end; ++i, word.begin = NULL)
        while (line_next_word(&slice->lines[i], &word))
            if (word_is_same(word, name) && word.begin[word.length] == '(')
                slice_begin_at(slice, i + 1, distance, true);
}

void slice_limit(struct slice *slice, unsigned distance)
{
    slice->farthest = distance < FARTHEST ? distance : FARTHEST;
}

void slice_begin_at_launches(struct slice *slice, const char *kernel, unsigned distance)
{
    struct word name = {kernel, strlen(kernel)};
    for (unsigned i = 0; *kernel && i < slice->count; ++i) {
        struct word word = {0};
        while (line_next_word(&slice->lines[i], &word))
            if (word_is_same(word, name) && word.begin[word.length] == '<')
                slice_begin_at(slice, i + 1, distance, false);
    }
}

unsigned slice_last_statement(const struct slice *slice, const char *name)
{
    unsigned definition = find_definition(slice, (struct word){name, strlen(name)});
    unsigned last = definition < slice->count ? last_of(slice, definition) : slice->count;
    return last < slice->count ? last + 1 : 0;
}

void slice_prefer(struct slice *slice, const char *name)
{
    if (slice->name_count < SLICE_NAMES)
        slice->names[slice->name_count++] = name;
}

void slice_prefer_kind(struct slice *slice, enum slice_kind kind)
{
    slice->kind = kind;
}

/* Returns whether LINE only initialises a new variable with a constant, or only returns a value. */
static bool is_plain(const struct line *line)
{
    const char *end = line->text + line->length, *at = memchr(line->text, '=', line->length);
    if (!at && line_begins_with(line, "return"))
        return !memchr(line->text, '(', line->length) && !memchr(line->text, '*', line->length);
    for (at = at ? at + 1 : line->text; at < end; ++at)
        if (isalpha((unsigned char)*at) || *at == '(')
            return false;
    return line->text[strcspn(line->text, " [")] != '['; /* sets an element, not a variable */
}

/* Returns the rank of line NUMBER, from 0. Lines of low rank are chosen first. */
static unsigned rank_of(const struct slice *slice, unsigned number)
{
    const struct line *line = &slice->lines[number - 1];
    bool is_named = false;
    for (unsigned i = 0; i < slice->name_count; ++i)
        is_named |= slice_has_name(slice, number, slice->names[i]);
    bool is_loop = slice_is_loop(slice, number), is_plain_line = is_plain(line);
    bool is_index =
        slice_has_name(slice, number, "threadIdx") || slice_has_name(slice, number, "blockIdx");
    if (line->distance == 0)
        return 0;
    if (line->macro.length > 0)
        return 2 * line->distance;
    bool is_likely = is_named || (slice->kind == SLICE_CONTROL && line_is_control(line)) ||
                     (slice->kind == SLICE_PLACES && (line_is_control(line) || is_index));
    if (is_loop && (slice->kind == SLICE_LOOPS || slice->kind == SLICE_CONTROL))
        return line->distance;
    if (slice->kind == SLICE_VALUES && (is_index || (line_is_control(line) && !is_loop)))
        return 2 * line->distance + 7;
    return 2 * line->distance + (is_plain_line && !line_is_control(line) ? 8 : is_likely ? 0 : 2);
}

static void follow_all(struct slice *slice)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < slice->count; ++i)
            changed |= slice->lines[i].distance < UNSEEN && follow(slice, i);
    }
}

bool slice_reaches(struct slice *slice, unsigned number)
{
    follow_all(slice);
    return number > 0 && number <= slice->count && slice->lines[number - 1].distance < UNSEEN;
}

unsigned slice_lines(struct slice *slice, unsigned lines[SLICE_MOST])
{
    unsigned count = 0, limit = 0, sizes[2 * UNSEEN + 11] = {0}, sum = 0;
    follow_all(slice);
    for (unsigned i = 1; i <= slice->count; ++i)
        if (slice->lines[i - 1].distance < UNSEEN)
            ++sizes[rank_of(slice, i)];
    while (limit < 2 * UNSEEN + 10 && sum + sizes[limit] <= SLICE_MOST)
        sum += sizes[limit++];
    /* if not all lines of rank LIMIT fit, choose the last, which are nearest to the result */
    unsigned skipped = sum + sizes[limit] - SLICE_MOST;
    skipped = sum + sizes[limit] > SLICE_MOST ? skipped : 0;
    for (unsigned i = 1; i <= slice->count && count < SLICE_MOST; ++i) {
        unsigned rank = slice->lines[i - 1].distance < UNSEEN ? rank_of(slice, i) : UINT_MAX;
        bool is_skipped = rank == limit && skipped > 0;
        skipped -= is_skipped;
        if (rank <= limit && !is_skipped)
            lines[count++] = i;
    }
    return count;
}
