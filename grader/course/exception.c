#include "course/exception.h"

#include <stdlib.h>
#include <string.h>

#include "base/people.h"

/* The position of an exception in the file: the node of the student's id, and the nodes of the
 * lab's key and value. */
struct place {
    const char *student;
    const yaml_node_t *key, *value;
};

/* Appends an exception for STUDENT, a string that the exception then owns. Sets only its student
 * and its line. Returns NULL when out of memory. */
static struct course_exception *add(struct course_exceptions *exceptions, char *student,
                                    const struct place *place)
{
    size_t count = exceptions->count;
    struct course_exception *all = reallocarray(exceptions->all, count + 1, sizeof *all);
    if (!all || !student)
        return NULL;
    exceptions->all = all;
    all[count] =
        (struct course_exception){.student = student, .line = place->key->start_mark.line + 1};
    ++exceptions->count;
    return &all[count];
}

static void read_values(struct settings *settings, const yaml_node_t *node, double most,
                        struct course_exception *into)
{
    static const char *const keys[] = {"deadline", "points", "why", NULL};
    const yaml_node_t *points = settings_find(settings, node, "points");
    if (!settings_check_keys(settings, node, into->lab, keys))
        return;
    settings_time(settings, settings_find(settings, node, "deadline"), "deadline", &into->deadline);
    into->by_hand = settings_number(settings, points, "points", 0, most, &into->points);
    const char *why = settings_text(settings, settings_find(settings, node, "why"), "why");
    into->why = strdup(why ? why : "");
    if (!into->by_hand && into->deadline == 0 && !points)
        settings_complain(
            settings, node,
            "this exception changes nothing: add a deadline or points, or write %s: excused",
            into->lab);
}

static void read_lab(struct settings *settings, const struct place *place,
                     course_full_marks full_marks, const void *context,
                     struct course_exceptions *exceptions)
{
    char name[LAB_NAME_SIZE], error[2 * PATH_SIZE];
    const char *word = settings_text(settings, place->key, "a lab's name");
    if (!word)
        return;
    if (!labs_find(word, name, error, sizeof error)) {
        settings_complain(settings, place->key, "%s", error);
        return;
    }
    double most = full_marks(context, name);
    char *student = people_normalise(place->student);
    bool again = student && course_exception_find(exceptions, student, name);
    struct course_exception *into = most > 0 && !again ? add(exceptions, student, place) : NULL;
    if (!into) {
        settings_complain(settings, place->key,
                          again ? "%s is listed twice" : "%s is not one of this course's labs",
                          name);
        free(student);
        return;
    }
    strcpy(into->lab, name);
    into->excused = place->value->type == YAML_SCALAR_NODE &&
                    strcmp((const char *)place->value->data.scalar.value, "excused") == 0;
    if (into->excused)
        into->why = strdup("");
    else
        read_values(settings, place->value, most, into);
}

void course_exceptions_read(struct settings *settings, const yaml_node_t *node,
                            course_full_marks full_marks, const void *context,
                            struct course_exceptions *exceptions)
{
    yaml_node_t *student, *labs;
    *exceptions = (struct course_exceptions){0};
    settings_check_keys(settings, node, "students", NULL);
    for (size_t i = 0; settings_pair(settings, node, i, &student, &labs); ++i) {
        struct place place = {.student = settings_text(settings, student, "a student's id")};
        yaml_node_t *key, *value;
        if (!place.student || !settings_check_keys(settings, labs, place.student, NULL))
            continue;
        for (size_t k = 0; settings_pair(settings, labs, k, &key, &value); ++k) {
            place.key = key;
            place.value = value;
            read_lab(settings, &place, full_marks, context, exceptions);
        }
    }
}

void course_exceptions_free(struct course_exceptions *exceptions)
{
    for (size_t i = 0; i < exceptions->count; ++i) {
        free(exceptions->all[i].student);
        free(exceptions->all[i].why);
    }
    free(exceptions->all);
    *exceptions = (struct course_exceptions){0};
}

const struct course_exception *course_exception_find(const struct course_exceptions *exceptions,
                                                     const char *student, const char *lab)
{
    for (size_t i = 0; exceptions && i < exceptions->count; ++i)
        if (strcmp(exceptions->all[i].student, student) == 0 &&
            strcmp(exceptions->all[i].lab, lab) == 0)
            return &exceptions->all[i];
    return NULL;
}
