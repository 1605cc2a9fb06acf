/* Finds labs. A lab declares its properties in checks.c, which is compiled into a program, the
 * checks runner. This module runs the checks runner to read them. */
#include "course/lab.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kit.h"
#include "sandbox/process.h"

static bool is_lab_name(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) < 100;
}

static int has_checks(const struct dirent *entry)
{
    char path[PATH_SIZE];
    return is_lab_name(entry->d_name) && kit_path(path, "labs/%s/checks.c", entry->d_name) &&
           access(path, R_OK) == 0;
}

void labs_list(struct lab_names *list)
{
    struct dirent **entries;
    char labs[PATH_SIZE];
    kit_path(labs, "labs");
    int count = scandir(labs, &entries, has_checks, alphasort);
    list->count = 0;
    for (int i = 0; i < count; ++i) {
        if (list->count < MAX_LABS && (list->names[list->count] = strdup(entries[i]->d_name)))
            ++list->count;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void labs_free(struct lab_names *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->names[i]);
    list->count = 0;
}

void labs_text(char *text, size_t size)
{
    struct lab_names list;
    int length = 0;
    text[0] = '\0';
    labs_list(&list);
    for (size_t i = 0; i < list.count && (size_t)length < size; ++i)
        length +=
            snprintf(text + length, size - (size_t)length, "%s%s", i ? ", " : "", list.names[i]);
    labs_free(&list);
}

/* Returns how well WORD matches the lab's NAME: 2 if WORD is the lab's name or number, 1 if WORD is
 * a part of NAME, otherwise 0. */
static int matches(const char *word, const char *name)
{
    char *end_of_word, *end_of_number;
    unsigned long wanted = strtoul(word, &end_of_word, 10);
    unsigned long number = strtoul(name, &end_of_number, 10);
    if (strcmp(word, name) == 0)
        return 2;
    if (word[0] >= '0' && word[0] <= '9' && !*end_of_word)
        return end_of_number > name && wanted == number ? 2 : 0;
    return word[0] && strstr(name, word) ? 1 : 0;
}

bool labs_find(const char *word, char name[LAB_NAME_SIZE], char *error, size_t size)
{
    struct lab_names list;
    int best = 0;
    size_t hits = 0;
    labs_list(&list);
    for (size_t i = 0; i < list.count; ++i) {
        int match = matches(word, list.names[i]);
        if (match > best)
            hits = 0;
        if (match == 0 || match < best)
            continue;
        best = match;
        ++hits;
        snprintf(name, LAB_NAME_SIZE, "%s", list.names[i]);
    }
    labs_free(&list);
    if (hits != 1) {
        char labs[PATH_SIZE];
        labs_text(labs, sizeof labs);
        snprintf(error, size, "%s \"%s\"; the labs are %s",
                 hits ? "several labs match" : "no lab is called", word, labs);
    }
    return hits == 1;
}

/* Runs the checks runner to get the lab's declaration. Returns NULL if this fails. */
static json_t *ask_runner(const char *runner)
{
    const char *argv[] = {runner, "--describe", NULL};
    struct process_command command = {
        .argv = argv, .wall_seconds = 60, .output_keep = 256 << 10, .output_limit = 256 << 10};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    json_t *declared = NULL;
    if (outcome.end == PROCESS_EXITED && outcome.code == 0)
        declared = json_loadb(outcome.output, outcome.output_size, 0, NULL);
    process_outcome_free(&outcome);
    return declared;
}

bool labs_open(const char *name, struct lab *lab, char *error, size_t size)
{
    char checks[PATH_SIZE];
    const char *file = NULL;
    *lab = (struct lab){0};
    if (!is_lab_name(name) || !kit_path(checks, "labs/%s/checks.c", name) ||
        access(checks, R_OK) != 0) {
        snprintf(error, size, "no lab is called \"%s\"", name);
        return false;
    }
    snprintf(lab->name, sizeof lab->name, "%s", name);
    kit_path(lab->runner, "%s/checks/%s", LANEWISE_BUILD, name);
    lab->declared = ask_runner(lab->runner);
    if (json_unpack(lab->declared, "{s:s}", "file", &file) != 0) {
        snprintf(error, size,
                 access(lab->runner, X_OK) == 0
                     ? "the checks of %s cannot be started; run %s --describe to see why"
                     : "the checks of %s are not built (%s): run make lanewise",
                 name, lab->runner);
        labs_close(lab);
        return false;
    }
    snprintf(lab->file, sizeof lab->file, "%s", file);
    kit_path(lab->solution, "solutions/%s/%s", name, file);
    return true;
}

void labs_close(struct lab *lab)
{
    json_decref(lab->declared);
    json_decref(lab->terms);
    lab->declared = lab->terms = NULL;
}

void lab_set_terms(struct lab *lab, const json_t *terms)
{
    size_t i;
    json_t *check;
    json_decref(lab->terms);
    lab->terms = json_deep_copy(terms);
    json_array_foreach(json_object_get(lab->declared, "checks"), i, check)
    {
        const char *id = json_string_value(json_object_get(check, "id"));
        const json_t *own = json_object_get(terms, id);
        json_t *points = json_object_get(own, "points");
        if (points)
            json_object_set(check, "max_points", points);
        json_object_update_existing(json_object_get(check, "budget"), (json_t *)own);
    }
}

bool lab_has_check(const json_t *check, enum grading_device device)
{
    return json_is_true(json_object_get(check, grading_device_name(device)));
}

bool lab_pristine_path(const struct lab *lab, char path[PATH_SIZE])
{
    return kit_path(path, "labs/%s/%s", lab->name, LAB_PRISTINE);
}

const char *lab_students_folder(void)
{
    static char kits[PATH_SIZE];
    const char *folder = getenv("LANEWISE_LABS");
    if (folder && folder[0])
        return folder;
    kit_path(kits, "labs");
    return kits;
}

bool lab_own_path(const struct lab *lab, char path[PATH_SIZE])
{
    return base_path(path, "%s/%s/%s", lab_students_folder(), lab->name, lab->file);
}
