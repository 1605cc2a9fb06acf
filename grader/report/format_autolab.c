/* Writes the last two lines of an autograder's output, which Autolab reads. The first line lists,
 * for each lab ("stage"), the checks that passed. The second line lists, for each lab ("problem"),
 * the score. */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

/* The flags with which jansson writes each line. Autolab puts the lines into a page, where "<" must
 * not start a tag. */
#define ONE_LINE (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH | JSON_REAL_PRECISION(12))

static json_t *test_of(const json_t *result, const json_t *check)
{
    const char *status = json_string_value(json_object_get(check, "status"));
    char *hint = report_check_feedback(result, check);
    json_t *test = json_pack("{s:b, s:s}", "passed", status && strcmp(status, "passed") == 0,
                             "hint", hint ? hint : "");
    free(hint);
    return test;
}

static json_t *stage_of(const json_t *result)
{
    size_t i;
    json_t *check, *stage = json_object();
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        const char *title = json_string_value(json_object_get(check, "title"));
        json_object_set_new(stage, title ? title : "", test_of(result, check));
    }
    return stage;
}

void report_autolab(FILE *to, const json_t *document, const struct report_context *context)
{
    json_t *results = report_results(document), *names = json_array(), *scores = json_object();
    json_t *stages = json_pack("{s:s, s:O}", "_presentation", "semantic", "stages", names);
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result)
    {
        const char *lab = json_string_value(json_object_get(result, "lab"));
        if (!lab)
            continue;
        json_array_append(names, json_object_get(result, "lab"));
        json_object_set_new(stages, lab, stage_of(result));
        json_object_set(scores, lab, json_object_get(result, "score"));
    }
    json_t *line = json_pack("{s:o, s:[O]}", "scores", scores, "scoreboard",
                             json_object_get(document, "score"));
    json_dumpf(stages, to, ONE_LINE);
    fputc('\n', to);
    json_dumpf(line, to, ONE_LINE);
    fputc('\n', to);
    json_decref(line);
    json_decref(stages);
    json_decref(names);
    json_decref(results);
}
