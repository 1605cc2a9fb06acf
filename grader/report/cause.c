#include "report/cause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "record/record.h"

static bool has_check(const json_t *cause, const json_t *check)
{
    return json_array_has(json_object_get(cause, "checks"), json_object_get(check, "id"));
}

const json_t *report_cause_of(const json_t *result, const json_t *check)
{
    size_t i;
    json_t *cause;
    json_array_foreach(json_object_get(result, "causes"), i, cause)
    {
        if (has_check(cause, check))
            return cause;
    }
    return NULL;
}

bool report_says_cause(const json_t *check, const json_t *cause)
{
    const char *message = json_text_of(cause, "message");
    /* compare only the words before the first number, because numbers differ between checks */
    size_t same = strcspn(message, "0123456789");
    return same > 0 && strncmp(json_text_of(check, "message"), message, same) == 0;
}

char *report_cause_message(const json_t *cause)
{
    const char *input = json_text_of(cause, "case");
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    fprintf(memory, "%s%s%s", input, *input ? ": " : "", json_text_of(cause, "message"));
    record_write_places(memory, cause);
    fclose(memory);
    return text;
}

char *report_cause_line(const json_t *cause)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    if (json_integer_of(cause, "line") > 0)
        fprintf(memory, "%s:%lld: ", json_text_of(cause, "file"),
                (long long)json_integer_of(cause, "line"));
    fputs(json_text_of(cause, "message"), memory);
    record_write_places(memory, cause);
    fprintf(memory, " [%s]", json_text_of(cause, "id"));
    fclose(memory);
    return text;
}

char *report_message(const json_t *result, const json_t *check)
{
    const json_t *cause = report_cause_of(result, check);
    const char *message = json_text_of(check, "message");
    char *line = cause && !report_says_cause(check, cause) ? report_cause_line(cause) : NULL;
    char *text = NULL;
    int length = asprintf(&text, "%s%s%s", message, line ? "; cause: " : "", line ? line : "");
    free(line);
    return length >= 0 ? text : NULL;
}

char *report_cause_cost(const json_t *cause)
{
    size_t count = json_array_size(json_object_get(cause, "checks"));
    char *text = NULL;
    int length = count > 0 ? asprintf(&text, "it costs %.4g points in %zu check%s",
                                      json_number_of(cause, "points"), count, base_plural(count))
                           : asprintf(&text, "it costs no points, but may do so on a GPU");
    return length >= 0 ? text : NULL;
}

char *report_cause_checks(const json_t *result, const json_t *cause)
{
    char *text = NULL;
    size_t size, i;
    json_t *check;
    bool first = true;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        if (!has_check(cause, check))
            continue;
        fprintf(memory, "%s%s", first ? "" : "; ", json_text_of(check, "title"));
        first = false;
    }
    fclose(memory);
    return text;
}
