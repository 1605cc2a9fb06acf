/* Answers questions about single lines of the student's file. */
#include <ctype.h>
#include <string.h>

#include "checks/slice.h"
#include "checks/slice_text.h"

unsigned slice_count(const struct slice *slice)
{
    return slice->count;
}

bool slice_is_condition(const struct slice *slice, unsigned number)
{
    return line_is_control(&slice->lines[number - 1]) && !slice_is_loop(slice, number);
}

bool slice_is_loop(const struct slice *slice, unsigned number)
{
    const struct line *line = &slice->lines[number - 1];
    return line_begins_with(line, "for") || line_begins_with(line, "while");
}

/* Returns whether LINE contains TEXT. */
static bool contains(const struct line *line, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= line->length; ++i)
        if (memcmp(line->text + i, text, length) == 0)
            return true;
    return false;
}

bool slice_is_tree(const struct slice *slice, unsigned number)
{
    const struct line *line = &slice->lines[number - 1];
    return slice_is_loop(slice, number) &&
           (contains(line, "/= 2") || contains(line, "/=2") || contains(line, ">>=") ||
            contains(line, "/ 2)") || contains(line, "/2)"));
}

bool slice_shuffles(const struct slice *slice, unsigned number)
{
    for (unsigned i = number; i <= slice->count && i < number + 3; ++i)
        if (contains(&slice->lines[i - 1], "__shfl_"))
            return true;
    return false;
}

/* Returns whether the name NAME begins at byte AT of LINE and ends there; a longer name that begins
 * with NAME does not count. */
static bool ends_name(const struct line *line, size_t at, const char *name)
{
    size_t end = at + strlen(name);
    return end <= line->length && memcmp(line->text + at, name, end - at) == 0 &&
           (end == line->length || !word_is_letter(line->text[end]));
}

bool slice_has_name(const struct slice *slice, unsigned number, const char *name)
{
    const struct line *line = &slice->lines[number - 1];
    for (size_t i = 0; i < line->length; ++i)
        if ((i == 0 || !word_is_letter(line->text[i - 1])) && ends_name(line, i, name))
            return true;
    return false;
}

bool slice_has_member(const struct slice *slice, unsigned number, const char *name)
{
    const struct line *line = &slice->lines[number - 1];
    for (size_t i = 1; i < line->length; ++i)
        if ((line->text[i - 1] == '.' || line->text[i - 1] == '>') && ends_name(line, i, name))
            return true;
    return false;
}

bool slice_has_text(const struct slice *slice, unsigned number, const char *text)
{
    return contains(&slice->lines[number - 1], text);
}

static void copy_word(struct word word, char *name, size_t size)
{
    size_t length = word.length < size ? word.length : size - 1;
    memcpy(name, word.begin, length);
    name[length] = '\0';
}

/* Returns whether the value that LINE assigns to WORD contains TEXT. The value ends at a comma or
 * semicolon that is not in brackets. */
static bool sets_to(const struct line *line, struct word word, const char *text)
{
    const char *at = line_after(line, word), *end = line->text + line->length, *begin = at;
    int depth = 0;
    if (!text_is_assignment(at, end))
        return false;
    while (at < end && (depth > 0 || (*at != ',' && *at != ';'))) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        ++at;
    }
    return memmem(begin, (size_t)(at - begin), text, strlen(text));
}

/* Returns the last line from FIRST to AT that gives the variable NAME a value containing TEXT, or
 * `count` if there is none. */
static unsigned find_setter(const struct slice *slice, unsigned first, unsigned at,
                            struct word name, const char *text)
{
    for (unsigned i = at + 1; i-- > first;) {
        struct word word = {0};
        while (line_next_word(&slice->lines[i], &word))
            if (word_is_same(word, name) && sets_to(&slice->lines[i], word, text))
                return i;
    }
    return slice->count;
}

/* Returns the end of the indices after WORD, as in "[y][x]". */
static const char *end_of_indices(const struct line *line, struct word word)
{
    const char *at = word.begin + word.length, *end = line->text + line->length;
    int depth = 0;
    while (at < end && (depth > 0 || *at == '[')) {
        depth += (*at == '[') - (*at == ']');
        ++at;
    }
    return at;
}

bool slice_moves_element(const struct slice *slice, unsigned number)
{
    const struct line *line = &slice->lines[number - 1];
    const char *line_end = line->text + line->length;
    struct word to = {0}, from;
    if (!line_next_word(line, &to) || to.begin != line->text || to.begin[to.length] != '[')
        return false;
    const char *at = end_of_indices(line, to);
    at += strspn(at, " ");
    if (at >= line_end || *at != '=' || at[1] == '=')
        return false;
    from = (struct word){at + 1 + strspn(at + 1, " "), to.length};
    if (from.begin + from.length >= line_end || !word_is_same(from, to) ||
        from.begin[from.length] != '[')
        return false;
    at = end_of_indices(line, from);
    return at + 1 == line_end && *at == ';';
}

unsigned slice_setter(const struct slice *slice, unsigned number, const char *text, char *name,
                      size_t size)
{
    unsigned first, end;
    struct word word = {0};
    if (number > slice->count || !slice_find_function(slice, number - 1, &first, &end))
        return 0;
    while (line_next_word(&slice->lines[number - 1], &word)) {
        unsigned found = find_setter(slice, first, number - 1, word, text);
        if (found == slice->count)
            continue;
        copy_word(word, name, size);
        return found + 1;
    }
    return 0;
}

bool slice_sets_with(const struct slice *slice, unsigned number, const char *name, const char *text)
{
    unsigned first, end;
    struct word word = {name, strlen(name)};
    return number <= slice->count && slice_find_function(slice, number - 1, &first, &end) &&
           find_setter(slice, first, end - 1, word, text) < slice->count;
}

/* Returns the number of square brackets that open between BEGIN and AT and are still open at AT. */
static int brackets_between(const char *begin, const char *at)
{
    int depth = 0;
    for (; begin < at; ++begin)
        depth += (*begin == '[') - (*begin == ']');
    return depth;
}

unsigned slice_block_index(const struct slice *slice, unsigned number, const char *array,
                           char *name, size_t size)
{
    unsigned first, function_end;
    struct word word = {0}, wanted = {array, strlen(array)};
    const char *begin = NULL, *end = NULL;
    if (!*array || number > slice->count ||
        !slice_find_function(slice, number - 1, &first, &function_end))
        return 0;
    const struct line *line = &slice->lines[number - 1];
    while (line_next_word(line, &word)) {
        if (word_is_same(word, wanted)) {
            const char *until = end_of_indices(line, word);
            begin = word.begin + word.length;
            end = until > begin ? until : end;
            continue;
        }
        if (!end || word.begin >= end || brackets_between(begin, word.begin) != 1)
            continue; /* in s[data[i]], the index of `data` is not part of the index of `s` */
        unsigned found = find_setter(slice, first, number - 1, word, "blockIdx");
        if (found == slice->count)
            continue;
        copy_word(word, name, size);
        return found + 1;
    }
    return 0;
}

bool slice_multiplies(const struct slice *slice, unsigned number)
{
    const struct line *line = &slice->lines[number - 1];
    for (size_t i = 1; i + 2 < line->length; ++i)
        if (line->text[i] == '*' && line->text[i - 1] == ' ' &&
            (line->text[i + 1] == ' ' || line->text[i + 1] == '='))
            return true;
    return false;
}

unsigned slice_loop_around(const struct slice *slice, unsigned number)
{
    unsigned indent = slice->lines[number - 1].indent;
    for (unsigned i = number - 1; i > 0 && slice->lines[i].text[0] != '}'; --i) {
        const struct line *line = &slice->lines[i - 1];
        if (line->length == 0 || line->indent >= indent)
            continue;
        indent = line->indent;
        if (slice_is_loop(slice, i))
            return i;
    }
    return 0;
}
