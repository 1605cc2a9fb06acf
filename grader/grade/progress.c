#include "grade/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "course/lab.h"

#define SCHEMA "lanewise/progress/v1"

static bool find_file(char path[PATH_SIZE])
{
    return base_path(path, "%s/.progress.json", lab_students_folder());
}

json_t *progress_load(void)
{
    char path[PATH_SIZE];
    json_t *progress = find_file(path) ? json_load_file(path, 0, NULL) : NULL;
    const char *schema = json_string_value(json_object_get(progress, "schema"));
    if (schema && strcmp(schema, SCHEMA) == 0 && json_is_object(json_object_get(progress, "labs")))
        return progress;
    json_decref(progress);
    return json_pack("{s:s, s:{}}", "schema", SCHEMA, "labs");
}

bool progress_save(const json_t *progress)
{
    char *text = json_dumps(progress, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    char path[PATH_SIZE];
    bool saved = text && find_file(path) && base_write_file(path, text, strlen(text), 0644);
    int reason = errno;
    free(text);
    errno = reason;
    return saved;
}

json_t *progress_lab(json_t *progress, const char *lab)
{
    json_t *labs = json_object_get(progress, "labs"), *known = json_object_get(labs, lab);
    if (json_is_object(known))
        return known;
    json_object_set_new(labs, lab, json_object());
    return json_object_get(labs, lab);
}

void progress_note(json_t *progress, const json_t *result, time_t now)
{
    const char *lab = json_string_value(json_object_get(result, "lab"));
    const char *status = json_string_value(json_object_get(result, "status"));
    double score = json_number_of(result, "score");
    json_t *known = progress_lab(progress, lab);
    const json_t *best = json_object_get(known, "best");
    if (best ? score <= json_number_value(best) : score <= 0)
        return;
    json_object_set_new(known, "best", json_real(score));
    json_object_set_new(known, "best_at", json_integer((json_int_t)now));
    json_object_set_new(known, "full", json_boolean(strcmp(status, "passed") == 0));
}

bool progress_done(const json_t *progress, const char *lab)
{
    return json_is_true(
        json_object_get(json_object_get(json_object_get(progress, "labs"), lab), "full"));
}
