/* Writes one line for each finding and for each of the compiler's messages, in gcc's form, so that
 * an editor can show them beside the lines of the file:
 *
 *     parallelize.cu:57:13: warning: one lane does nearly all of the work [serial-kernel] */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* Writes TEXT as one line, with SEPARATOR before it. Writes nothing if TEXT is empty. */
static void put(FILE *to, const char *separator, const char *text)
{
    char *line = base_one_line(text);
    if (line && *line)
        fprintf(to, "%s%s", separator, line);
    free(line);
}

static void put_finding(FILE *to, const json_t *finding)
{
    json_int_t line = json_integer_of(finding, "line"), column = json_integer_of(finding, "column");
    const char *file = json_text_of(finding, "file"), *severity = json_text_of(finding, "severity");
    if (!*file || line < 1)
        return;
    put(to, "", file);
    fprintf(to, ":%lld:", (long long)line);
    if (column > 0)
        fprintf(to, "%lld:", (long long)column);
    put(to, " ", *severity ? severity : "error");
    put(to, ": ", json_text_of(finding, "message"));
    put(to, "; ", json_text_of(finding, "cause"));
    put(to, "; ", json_text_of(finding, "help"));
    put(to, " [", json_text_of(finding, "id"));
    fputs("]\n", to);
}

/* Returns whether LINE is a message in gcc's form. */
static bool is_message(const char *line)
{
    static const char *const marks[] = {" error: ", " warning: ", " note: "};
    const char *colon = strchr(line, ':');
    if (!colon || colon == line || *line == ' ' || colon[1] < '0' || colon[1] > '9')
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
        if (strstr(colon, marks[i]))
            return true;
    return false;
}

/* Writes the compiler's lines that are messages in gcc's form. The other lines only show the
 * source. */
static void put_build(FILE *to, const json_t *result)
{
    char *messages = strdup(json_text_of(json_object_get(result, "build"), "messages")), *rest;
    char *line = messages ? strtok_r(messages, "\n", &rest) : NULL;
    for (; line; line = strtok_r(NULL, "\n", &rest)) {
        base_clean_text(line, strlen(line));
        if (is_message(line))
            fprintf(to, "%s\n", line);
    }
    free(messages);
}

void report_lines(FILE *to, const json_t *document, const struct report_context *context)
{
    json_t *results = report_results(document), *result, *finding;
    size_t i, k;
    json_array_foreach(results, i, result)
    {
        put_build(to, result);
        json_array_foreach(json_object_get(result, "findings"), k, finding)
            put_finding(to, finding);
    }
    json_decref(results);
}
