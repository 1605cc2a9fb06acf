/* Defines the table of formats, and functions that the writers of formats share. */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#include "report/result_terminal.h"

static void write_json(FILE *to, const json_t *document, const struct report_context *context)
{
    json_dumpf(document, to, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    fputc('\n', to);
}

static const struct {
    const char *name;
    report_writer *write;
} formats[] = {{"gradescope", report_gradescope},
               {"autolab", report_autolab},
               {"classroom50", report_classroom50},
               {"junit", report_junit},
               {"csv", report_csv},
               {"json", write_json},
               {"lines", report_lines}};
enum { FORMATS = sizeof formats / sizeof *formats };

report_writer *report_format(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].write;
    return NULL;
}

void report_format_names(char *text, size_t size)
{
    FILE *to = fmemopen(text, size, "w");
    if (!to)
        return;
    for (size_t i = 0; i < FORMATS; i++)
        fprintf(to, "%s%s", i ? ", " : "", formats[i].name);
    fclose(to);
}

json_t *report_results(const json_t *document)
{
    json_t *results = json_object_get(document, "results");
    return results ? json_incref(results) : json_pack("[O]", document);
}

json_t *report_check_name(const json_t *document, const json_t *result, const json_t *check)
{
    const char *title = json_string_value(json_object_get(check, "title"));
    const char *lab = json_string_value(json_object_get(result, "lab"));
    if (document == result || !lab || !title)
        return json_string(title ? title : "");
    return json_sprintf("%s: %s", lab, title);
}

char *report_check_feedback(const json_t *result, const json_t *check)
{
    const char *status = json_string_value(json_object_get(check, "status"));
    const json_t *build = json_object_get(result, "build");
    const char *messages = json_string_value(json_object_get(build, "messages"));
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    report_check_plain(memory, result, check);
    if (status && strcmp(status, "not-built") == 0 && messages)
        fputs(messages, memory);
    fclose(memory);
    return text;
}
