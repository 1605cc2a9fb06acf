/* Adds a hint of the lab to a cause, if the hint is about the cause's mistake. */
#include "grade/finding.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"

static bool costs(const json_t *cause, const json_t *check)
{
    return json_array_has(json_object_get(cause, "checks"), json_object_get(check, "id"));
}

/* If CAUSE costs the points of only one check, and all earlier checks passed, returns this check's
 * hint: the mistake is then about the requirement that this check adds. Otherwise returns NULL. */
static const json_t *hint_of_check(const struct grade_result *result, const json_t *cause)
{
    size_t i;
    json_t *check;
    if (json_array_size(json_object_get(cause, "checks")) != 1)
        return NULL;
    json_array_foreach(result->checks, i, check)
    {
        if (costs(cause, check))
            return i > 0 ? json_array_get(result->hints, i) : NULL;
        if (strcmp(json_text_of(check, "status"), "passed") != 0)
            return NULL;
    }
    return NULL;
}

/* If CAUSE affects only one of the lab's tasks (marked TODO in the skeleton), returns the hint for
 * this task. Returns NULL if it affects several tasks, or if the lab has only one task. */
static const json_t *hint_of_task(const struct grade_result *result, const json_t *cause)
{
    const json_t *found = NULL;
    bool has_others = false;
    size_t i;
    json_t *check;
    json_array_foreach(result->checks, i, check)
    {
        const json_t *hint = json_array_get(result->hints, i);
        bool is_task = strncmp(json_string_value(hint), "TODO ", strlen("TODO ")) == 0;
        if (is_task && costs(cause, check) && found)
            return NULL;
        has_others |= is_task && !costs(cause, check);
        found = is_task && costs(cause, check) ? hint : found;
    }
    return has_others ? found : NULL;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]))
        ++length;
    return length;
}

/* Returns the number of bytes of code at the beginning of TEXT: a call such as "atomicAdd(", or a
 * term such as "x + i". Returns 0 if it does not begin with code. */
static size_t code_length(const char *text)
{
    size_t length = word_length(text);
    if (length == 0 || text[length] == '(')
        return length + (length > 0);
    bool is_term = text[length] == ' ' && text[length + 1] && strchr("+-*", text[length + 1]) &&
                   text[length + 2] == ' ' && is_letter(text[length + 3]);
    return is_term ? length + 3 + word_length(text + length + 3) : 0;
}

/* Returns whether HINT quotes code of LINE, a line of the submission. */
static bool quotes(const char *hint, const char *line)
{
    for (size_t i = 0; hint[i]; ++i) {
        size_t length = i == 0 || !is_letter(hint[i - 1]) ? code_length(hint + i) : 0;
        const char *found = length > 0 ? memmem(line, strlen(line), hint + i, length) : NULL;
        if (found && (found == line || !is_letter(found[-1])) &&
            !(is_letter(found[length - 1]) && is_letter(found[length])))
            return true;
    }
    return false;
}

/* Returns whether HINT quotes code of the lines that the report shows for CAUSE. A hint that quotes
 * none of these lines may be about another mistake. */
static bool is_about(const json_t *hint, const json_t *cause)
{
    size_t i;
    json_t *line;
    const char *text = json_string_length(hint) > 0 ? json_string_value(hint) : "";
    json_array_foreach(json_object_get(cause, "also"), i, line)
    {
        if (quotes(text, json_text_of(line, "source")))
            return true;
    }
    return quotes(text, json_text_of(cause, "source"));
}

void grade_add_hints(const struct grade_result *result)
{
    size_t i;
    json_t *cause;
    json_array_foreach(result->causes, i, cause)
    {
        const json_t *hint = hint_of_check(result, cause);
        hint = hint ? hint : hint_of_task(result, cause);
        if (is_about(hint, cause))
            json_object_set(cause, "hint", (json_t *)hint);
    }
}
