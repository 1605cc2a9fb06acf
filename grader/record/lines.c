#include "record/lines.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "record/record.h"

static bool is_file(const json_t *element, const char *name)
{
    const char *file = json_string_value(json_object_get(element, "file"));
    const char *slash = file ? strrchr(file, '/') : NULL;
    return !name || (file && strcmp(slash ? slash + 1 : file, name) == 0);
}

static json_int_t line_of(const json_t *element)
{
    return json_integer_of(element, "line");
}

/* Returns the counters of LINE. Adds the line if it is missing. LINES is sorted and can have
 * thousands of elements, so this is a binary search. */
static json_t *counters_of(json_t *lines, json_int_t line)
{
    size_t at = 0, end = json_array_size(lines);
    while (at < end) {
        size_t middle = at + (end - at) / 2;
        bool before = line_of(json_array_get(lines, middle)) < line;
        at = before ? middle + 1 : at;
        end = before ? end : middle;
    }
    if (line_of(json_array_get(lines, at)) != line)
        json_array_insert_new(lines, at, json_pack("{s:I, s:{}}", "line", line, "counters"));
    return json_object_get(json_array_get(lines, at), "counters");
}

static void add_counters(json_t *sums, const json_t *counters)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
    {
        json_int_t sum = json_integer_of(sums, name);
        json_object_set_new(sums, name, json_integer(sum + json_integer_value(value)));
    }
}

void record_add_lines(json_t *lines, const json_t *from, const char *file_name)
{
    size_t i;
    json_t *line;
    json_array_foreach(from, i, line)
    {
        if (line_of(line) > 0 && is_file(line, file_name))
            add_counters(counters_of(lines, line_of(line)), json_object_get(line, "counters"));
    }
}

static json_int_t loss_of(const json_t *access)
{
    return json_integer_of(access, "cost") - json_integer_of(access, "ideal");
}

static void add_access(json_t *accesses, json_t *access)
{
    size_t i;
    json_t *known;
    json_array_foreach(accesses, i, known)
    {
        if (line_of(known) != line_of(access) ||
            !json_equal(json_object_get(known, "file"), json_object_get(access, "file")))
            continue;
        if (loss_of(access) > loss_of(known))
            json_array_set(accesses, i, access);
        return;
    }
    if (i < RECORD_ACCESSES)
        json_array_append(accesses, access);
}

void record_add_accesses(json_t *accesses, const json_t *from, const char *file_name)
{
    size_t i;
    json_t *access;
    json_array_foreach(from, i, access)
    {
        if (is_file(access, file_name))
            add_access(accesses, access);
    }
}
