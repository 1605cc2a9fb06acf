/* Reads the keys of a course file and their values. In many checks, the points depend on a measured
 * figure, such as a number of sectors. The value of the key "full" is the figure that earns all
 * points; the value of "naive" is the figure that earns none. */
#include "course/course.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "course/settings.h"

#define MOST_CHECKS 64
#define ALL_POINTS  100 /* the points of a lab's checks on one device (checks/check.h) */

/* --- one lab's checks ------------------------------------------------------------------------- */

/* The state of reading a course file. */
struct reading {
    struct settings settings;
    struct course *course;
};

static double declared(const json_t *check, const char *key)
{
    return json_number_of(json_object_get(check, "budget"), key);
}

/* Returns true if CHECK measures time. Such a check declares a tolerance ("slack") instead of
 * figures, because it compares the submission with the lab's solution in the same execution. */
static bool is_timed(const json_t *check)
{
    return json_object_get(check, "budget") && declared(check, "naive") == declared(check, "full");
}

/* Reads the number KEY of NODE, which replaces a number of the check ID, into TERMS. */
static void read_term(struct settings *settings, const yaml_node_t *node, const char *id,
                      const char *key, double least, double most, json_t *terms)
{
    char what[150];
    double value;
    snprintf(what, sizeof what, "%s of check %s", key, id);
    if (settings_number(settings, settings_find(settings, node, key), what, least, most, &value))
        json_object_set_new(terms, key, json_real(value));
}

/* Adds a complaint unless "full" is better than "naive". If TERMS changes only one of them, the
 * other keeps its declared value. */
static void check_figures(struct settings *settings, const yaml_node_t *node, const char *id,
                          const json_t *check, const json_t *terms)
{
    const json_t *full = json_object_get(terms, "full"), *naive = json_object_get(terms, "naive");
    if (!full && !naive)
        return;
    bool less_is_better = declared(check, "solution") < declared(check, "naive");
    double from = naive ? json_number_value(naive) : declared(check, "naive");
    double to = full ? json_number_value(full) : declared(check, "full");
    if (from != to && (to < from) == less_is_better)
        return;
    settings_complain(
        settings, node,
        "check %s: full is %g and naive is %g; %s is better here, so full must be %s naive (the lab declares full %g, naive %g)",
        id, to, from, less_is_better ? "less" : "more", less_is_better ? "below" : "above",
        declared(check, "full"), declared(check, "naive"));
}

static void read_check(struct reading *reading, const yaml_node_t *node, const json_t *check,
                       json_t *terms)
{
    static const char *const plain[] = {"points", NULL};
    static const char *const figure[] = {"points", "full", "naive", NULL};
    static const char *const timed[] = {"points", "slack", NULL};
    struct settings *settings = &reading->settings;
    const char *id = json_string_value(json_object_get(check, "id"));
    char what[120];
    json_t *own = json_object();
    snprintf(what, sizeof what, "check %s", id);
    bool has_figure = json_object_get(check, "budget") != NULL;
    if (settings_check_keys(settings, node, what,
                            !has_figure       ? plain
                            : is_timed(check) ? timed
                                              : figure)) {
        /* a threshold of 0, such as 0 bank conflicts, is allowed only if the solution reaches it */
        double least = declared(check, "full") > 0 ? 1e-9 : 0;
        read_term(settings, node, id, "points", 0, ALL_POINTS, own);
        read_term(settings, node, id, "full", least, 1e15, own);
        read_term(settings, node, id, "naive", least, 1e15, own);
        read_term(settings, node, id, "slack", 1, 1000, own);
        double tenths = json_number_of(own, "points") * 10;
        if (fabs(tenths - round(tenths)) > 1e-6)
            settings_complain(settings, node,
                              "points of check %s are %g; use at most one decimal place", id,
                              tenths / 10);
        check_figures(settings, node, id, check, own);
    }
    if (json_object_size(own) > 0)
        json_object_set(terms, id, own);
    json_decref(own);
}

/* Adds a complaint if the points of all checks on DEVICE do not add up to ALL_POINTS. */
static void check_points(struct reading *reading, const yaml_node_t *node, const struct lab *lab,
                         const json_t *terms, enum grading_device device)
{
    char list[1000] = "";
    double sum = 0;
    size_t i, used = 0;
    json_t *check;
    json_array_foreach(json_object_get(lab->declared, "checks"), i, check)
    {
        const char *id = json_string_value(json_object_get(check, "id"));
        const json_t *own = json_object_get(json_object_get(terms, id), "points");
        double points = json_number_value(own ? own : json_object_get(check, "max_points"));
        if (!lab_has_check(check, device))
            continue;
        sum += points;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s %g", used ? ", " : "",
                                     id, points);
    }
    if (fabs(sum - ALL_POINTS) > 0.01)
        settings_complain(&reading->settings, node,
                          "the points of %s on the %s add up to %g instead of %d: %s", lab->name,
                          grading_device_name(device), sum, ALL_POINTS, list);
}

static const json_t *find_check(const struct lab *lab, const char *id,
                                const char *ids[MOST_CHECKS + 1])
{
    size_t i, count = 0;
    const json_t *found = NULL;
    json_t *check;
    json_array_foreach(json_object_get(lab->declared, "checks"), i, check)
    {
        const char *own = json_string_value(json_object_get(check, "id"));
        if (count < MOST_CHECKS)
            ids[count++] = own;
        if (strcmp(own, id) == 0)
            found = check;
    }
    ids[count] = NULL;
    return found;
}

static void read_checks(struct reading *reading, const yaml_node_t *node, const struct lab *lab,
                        struct course_lab *into)
{
    struct settings *settings = &reading->settings;
    const char *ids[MOST_CHECKS + 1] = {NULL};
    char what[200];
    yaml_node_t *key, *value;
    unsigned before = settings->complaints;
    find_check(lab, "", ids);
    snprintf(what, sizeof what, "lab %s", lab->name);
    into->terms = json_object();
    settings_check_keys(settings, node, what, ids);
    for (size_t i = 0; settings_pair(settings, node, i, &key, &value); ++i) {
        const json_t *check = key->type == YAML_SCALAR_NODE
                                  ? find_check(lab, (const char *)key->data.scalar.value, ids)
                                  : NULL;
        if (check)
            read_check(reading, value, check, into->terms);
    }
    /* check the sum only if all values could be read */
    for (enum grading_device device = ON_EMULATOR;
         device <= ON_GPU && settings->complaints == before; ++device)
        check_points(reading, node, lab, into->terms, device);
    if (json_object_size(into->terms) == 0) {
        json_decref(into->terms);
        into->terms = NULL;
    }
}

/* --- the labs --------------------------------------------------------------------------------- */

static bool is_empty(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == 0;
}

static void read_lab(struct reading *reading, const yaml_node_t *node, const char *name,
                     struct course_lab *into, struct course_lab_policy *policy)
{
    static const char *const keys[] = {"points", "weight", "deadline", "checks", NULL};
    struct settings *settings = &reading->settings;
    struct lab lab;
    char error[PATH_SIZE + 200];
    /* "02-coalesce:" without a value means that the lab counts with the points in its checks.c */
    if (is_empty(node))
        return;
    settings_check_keys(settings, node, name, keys);
    settings_number(settings, settings_find(settings, node, "points"), "points", 1, 100000,
                    &policy->points);
    settings_number(settings, settings_find(settings, node, "weight"), "weight", 0, 1000,
                    &policy->weight);
    settings_time(settings, settings_find(settings, node, "deadline"), "deadline",
                  &policy->deadline);
    const yaml_node_t *checks = settings_find(settings, node, "checks");
    if (!checks)
        return;
    if (labs_open(name, &lab, error, sizeof error)) {
        read_checks(reading, checks, &lab, into);
        labs_close(&lab);
    } else
        settings_complain(settings, checks, "%s", error);
}

/* Adds a lab with the points that its checks.c declares. */
static void add_lab(struct course *course, const char *name)
{
    struct course_lab *lab = &course->labs[course->lab_count];
    *lab = (struct course_lab){0};
    snprintf(lab->name, sizeof lab->name, "%s", name);
    course->lab_policies[course->lab_count++] = (struct course_lab_policy){.weight = 1};
}

static void read_labs(struct reading *reading, const yaml_node_t *node)
{
    struct settings *settings = &reading->settings;
    struct course *course = reading->course;
    char name[LAB_NAME_SIZE], error[2 * PATH_SIZE];
    yaml_node_t *key, *value;
    double weights = 0;
    settings_check_keys(settings, node, "labs", NULL);
    for (size_t i = 0; settings_pair(settings, node, i, &key, &value); ++i) {
        const char *word = settings_text(settings, key, "a lab's name");
        if (!word)
            continue;
        if (!labs_find(word, name, error, sizeof error))
            settings_complain(settings, key, "%s", error);
        else if (course_find(course, name))
            settings_complain(settings, key, "lab %s is listed twice: \"%s\" is the same lab", name,
                              word);
        else if (course->lab_count < MAX_LABS) {
            size_t number = course->lab_count;
            add_lab(course, name);
            read_lab(reading, value, name, &course->labs[number], &course->lab_policies[number]);
            weights += course->lab_policies[number].weight;
        }
    }
    if (settings->complaints == 0 && weights <= 0)
        settings_complain(settings, node,
                          "every lab has weight 0: give at least one a weight above 0");
}

/* Used if there is no key "labs:". Adds all labs with the points that their checks.c files
 * declare. */
static void take_all_labs(struct course *course)
{
    struct lab_names names;
    labs_list(&names);
    for (size_t i = 0; i < names.count; ++i)
        add_lab(course, names.names[i]);
    labs_free(&names);
}

/* Returns the points for full marks in lab NAME in the course CONTEXT, or 0 if the lab does not
 * count. */
static double full_marks(const void *context, const char *name)
{
    const struct course *course = context;
    const struct course_lab *lab = course_find(course, name);
    double points = lab ? course->lab_policies[lab - course->labs].points : 0;
    return !lab ? 0 : points > 0 ? points : ALL_POINTS;
}

/* --- the whole file --------------------------------------------------------------------------- */

static void read_late(struct reading *reading, const yaml_node_t *node)
{
    static const char *const keys[] = {"penalty", "days", NULL};
    struct settings *settings = &reading->settings;
    struct course_policy *policy = &reading->course->policy;
    settings_check_keys(settings, node, "late", keys);
    settings_number(settings, settings_find(settings, node, "penalty"), "penalty", 0, 100,
                    &policy->late_penalty);
    const yaml_node_t *days = settings_find(settings, node, "days");
    policy->limits_late = settings_whole(settings, days, "days", 0, 366, &policy->late_limit);
}

static void read_attempts(struct reading *reading, const yaml_node_t *node)
{
    const char *word = settings_text(&reading->settings, node, "attempts");
    reading->course->policy.latest = word && strcmp(word, "latest") == 0;
    if (word && !reading->course->policy.latest && strcmp(word, "best") != 0)
        settings_complain(&reading->settings, node, "attempts must be best or latest, not \"%s\"",
                          word);
}

static void read_course(struct reading *reading)
{
    static const char *const keys[] = {"course", "attempts", "late", "per_day",
                                       "labs",   "students", NULL};
    struct settings *settings = &reading->settings;
    const yaml_node_t *root = settings_root(settings), *node;
    if (!root) {
        settings_complain(settings, NULL, "the file is empty; a course file has %s, %s or %s",
                          "labs", "attempts", "late");
        return;
    }
    settings_check_keys(settings, root, "a course", keys);
    const char *title = settings_text(settings, settings_find(settings, root, "course"), "course");
    snprintf(reading->course->title, sizeof reading->course->title, "%s", title ? title : "");
    read_attempts(reading, settings_find(settings, root, "attempts"));
    if ((node = settings_find(settings, root, "late")))
        read_late(reading, node);
    settings_whole(settings, settings_find(settings, root, "per_day"), "per_day", 1, 10000,
                   &reading->course->policy.per_day);
    if ((node = settings_find(settings, root, "labs")))
        read_labs(reading, node);
    else
        take_all_labs(reading->course);
    if ((node = settings_find(settings, root, "students")))
        course_exceptions_read(settings, node, full_marks, reading->course,
                               &reading->course->exceptions);
}

/* Sets the pointers in COURSE's policy to the lists in COURSE. */
static void connect_policy(struct course *course)
{
    for (size_t i = 0; i < course->lab_count; ++i)
        course->lab_policies[i].lab = course->labs[i].name;
    course->policy.course = course->title;
    course->policy.labs = course->lab_policies;
    course->policy.lab_count = course->lab_count;
    course->policy.exceptions = &course->exceptions;
}

bool course_read(const char *path, struct course *course, char *error, size_t size)
{
    struct reading reading = {.course = course};
    *course = (struct course){0};
    error[0] = 0;
    if (!path) {
        take_all_labs(course);
        connect_policy(course);
        return true;
    }
    if (settings_open(&reading.settings, path, error, size))
        read_course(&reading);
    settings_close(&reading.settings);
    connect_policy(course);
    if (reading.settings.complaints == 0)
        return true;
    course_free(course);
    return false;
}

void course_free(struct course *course)
{
    for (size_t i = 0; i < course->lab_count; ++i)
        json_decref(course->labs[i].terms);
    course_exceptions_free(&course->exceptions);
    *course = (struct course){0};
}

const struct course_lab *course_find(const struct course *course, const char *name)
{
    for (size_t i = 0; i < course->lab_count; ++i)
        if (strcmp(course->labs[i].name, name) == 0)
            return &course->labs[i];
    return NULL;
}
