#include "grade/progress.h"

#include <errno.h>
#include <stdio.h>
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

/* --- the last grading ------------------------------------------------------------------------- */

static bool was_built(const json_t *result)
{
    return strcmp(json_text_of(result, "status"), "not-built") != 0;
}

/* Returns RESULT's score and the points of its checks, in the form of the progress file. */
static json_t *points_of(const json_t *result)
{
    size_t i;
    json_t *check, *points = json_object();
    json_array_foreach(json_object_get(result, "checks"), i, check)
        json_object_set(points, json_text_of(check, "id"), json_object_get(check, "points"));
    return json_pack("{s:f, s:o}", "score", json_number_of(result, "score"), "checks", points);
}

static void note_last(json_t *known, const json_t *result)
{
    json_t *last = json_object_get(known, "last");
    if (!json_is_object(last)) {
        json_object_set_new(known, "last", json_object());
        last = json_object_get(known, "last");
    }
    json_object_set_new(last, json_text_of(result, "device"), points_of(result));
}

/* Writes the titles of the checks that have more points in RESULT than in LAST (fewer points if
 * SIGN is -1). Returns the number of these checks. */
static size_t put_changed(FILE *to, const json_t *result, const json_t *last, int sign)
{
    enum { MOST_TITLES = 3 };
    size_t i, count = 0;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        const json_t *before = json_object_get(last, json_text_of(check, "id"));
        double more = json_number_of(check, "points") - json_number_value(before);
        if (!before || sign * more < 0.05)
            continue;
        if (count < MOST_TITLES)
            fprintf(to, "%s%s", count ? "; " : "", json_text_of(check, "title"));
        ++count;
    }
    if (count > MOST_TITLES)
        fprintf(to, "; and %zu more", count - MOST_TITLES);
    return count;
}

/* Returns the text that put_changed() writes, or NULL if there are no such checks. */
static char *list_changed(const json_t *result, const json_t *last, int sign)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    size_t count = memory ? put_changed(memory, result, last, sign) : 0;
    if (memory)
        fclose(memory);
    if (count > 0)
        return text;
    free(text);
    return NULL;
}

char *progress_change(const json_t *progress, const json_t *result, double *difference)
{
    const json_t *labs = json_object_get(progress, "labs");
    const json_t *known = json_object_get(labs, json_text_of(result, "lab"));
    const json_t *last =
        json_object_get(json_object_get(known, "last"), json_text_of(result, "device"));
    double before = json_number_of(last, "score"), now = json_number_of(result, "score");
    if (!last || !was_built(result))
        return NULL;
    char *won = list_changed(result, json_object_get(last, "checks"), 1), *text = NULL;
    char *lost = list_changed(result, json_object_get(last, "checks"), -1);
    *difference = now - before;
    const char *between = won && lost ? ". Lost: " : lost ? "lost: " : "";
    if ((won || lost) && asprintf(&text, "%.6g -> %.6g: %s%s%s", before, now, won ? won : "",
                                  between, lost ? lost : "") < 0)
        text = NULL;
    free(won);
    free(lost);
    return text;
}

/* --- the best grading ------------------------------------------------------------------------- */

void progress_note(json_t *progress, const json_t *result, time_t now)
{
    const char *lab = json_string_value(json_object_get(result, "lab"));
    const char *status = json_string_value(json_object_get(result, "status"));
    double score = json_number_of(result, "score");
    json_t *known = progress_lab(progress, lab);
    if (was_built(result))
        note_last(known, result);
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
