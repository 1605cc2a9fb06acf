/* Implements the rules, each in a small function. Every message names the file and says what to
 * do. */
#include "cli/lab_rules.h"

#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/kit.h"
#include "sandbox/process.h"

#define SOURCE_BYTES ((size_t)1 << 20)
#define MAX_MUTANTS  100
#define TO_WRITE     "WRITE: " /* marks the parts of a new lab that are not written yet */

void lab_violates(struct lab_findings *findings, const char *format, ...)
{
    va_list arguments;
    ++findings->count;
    printf("%s: ", findings->lab);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void read_part(const char *path, struct text *text, struct lab_findings *findings)
{
    char why[100];
    if (!base_read_file(path, SOURCE_BYTES, text, why, sizeof why))
        lab_violates(findings, "%s %s", path + strlen(kit_folder()) + 1, why);
}

static void read_mutants(struct lab_parts *parts, struct lab_findings *findings)
{
    char *paths[MAX_MUTANTS], error[300];
    size_t count = mutant_list(&parts->lab, paths, MAX_MUTANTS);
    parts->mutants = calloc(count + 1, sizeof *parts->mutants);
    for (size_t i = 0; i < count; ++i) {
        struct mutant *mutant = &parts->mutants[parts->mutant_count];
        if (mutant_read(paths[i], parts->solution.bytes, mutant, error, sizeof error))
            ++parts->mutant_count;
        else
            lab_violates(findings, "%s: %s", paths[i] + strlen(kit_folder()) + 1, error);
        free(paths[i]);
    }
}

bool lab_read_parts(const char *name, struct lab_parts *parts, struct lab_findings *findings)
{
    char error[PATH_SIZE + 200];
    *parts = (struct lab_parts){0};
    if (!labs_open(name, &parts->lab, error, sizeof error)) {
        if (!process_interrupted()) /* Ctrl-C also ends the process that describes the lab */
            lab_violates(findings, "%s", error);
        return false;
    }
    snprintf(error, sizeof error, "%s/labs/%s/%s", kit_folder(), name, parts->lab.file);
    read_part(error, &parts->skeleton, findings);
    read_part(parts->lab.solution, &parts->solution, findings);
    if (parts->solution.bytes)
        read_mutants(parts, findings);
    return parts->skeleton.bytes && parts->solution.bytes;
}

void lab_free_parts(struct lab_parts *parts)
{
    for (size_t i = 0; i < parts->mutant_count; ++i)
        mutant_free(&parts->mutants[i]);
    free(parts->mutants);
    free(parts->skeleton.bytes);
    free(parts->solution.bytes);
    labs_close(&parts->lab);
}

/* --- the rules -------------------------------------------------------------------------------- */

unsigned lab_count_lines(const char *text)
{
    unsigned count = 0;
    for (; *text; ++text)
        count += *text == '\n';
    return count;
}

static void check_sources(const struct lab_parts *parts, struct lab_findings *findings)
{
    const char *name = parts->lab.name, *file = parts->lab.file;
    unsigned skeleton = lab_count_lines(parts->skeleton.bytes);
    unsigned solution = lab_count_lines(parts->solution.bytes);
    if (skeleton > LAB_SKELETON_LINES)
        lab_violates(findings, "labs/%s/%s has %u lines; a skeleton may have at most %d", name,
                     file, skeleton, LAB_SKELETON_LINES);
    if (solution > skeleton)
        lab_violates(findings, "solutions/%s/%s has %u lines, more than its skeleton (%u)", name,
                     file, solution, skeleton);
    if (!strstr(parts->skeleton.bytes, "TODO"))
        lab_violates(findings, "labs/%s/%s has no TODO", name, file);
    if (strstr(parts->solution.bytes, "TODO"))
        lab_violates(findings, "solutions/%s/%s still has a TODO", name, file);
}

/* Checks that the copy that `make reset` restores is equal to the skeleton. */
static void check_pristine(const struct lab_parts *parts, struct lab_findings *findings)
{
    char path[PATH_SIZE], why[100];
    struct text text = {0};
    const char *name = parts->lab.name, *file = parts->lab.file;
    if (!lab_pristine_path(&parts->lab, path) ||
        !base_read_file(path, SOURCE_BYTES, &text, why, sizeof why))
        lab_violates(findings, "labs/%s/" LAB_PRISTINE " %s; run: cp labs/%s/%s labs/%s/%s", name,
                     why, name, file, name, LAB_PRISTINE);
    else if (strcmp(text.bytes, parts->skeleton.bytes) != 0)
        lab_violates(findings,
                     "labs/%s/%s differs from labs/%s/" LAB_PRISTINE
                     ", which 'make reset' restores; copy one over the other",
                     name, file, name);
    free(text.bytes);
}

static void check_texts(const struct lab_parts *parts, struct lab_findings *findings)
{
    const json_t *hints = json_object_get(parts->lab.declared, "hints");
    size_t i;
    json_t *check;
    if (json_array_size(hints) < LAB_LEAST_HINTS)
        lab_violates(findings, "checks.c has %zu hints in LAB(); it needs at least %d",
                     json_array_size(hints), LAB_LEAST_HINTS);
    json_array_foreach(json_object_get(parts->lab.declared, "checks"), i, check)
    {
        if (json_string_length(json_object_get(check, "hint")) == 0)
            lab_violates(findings, "checks.c: check %s has no hint",
                         json_string_value(json_object_get(check, "id")));
    }
}

/* Checks that at least one check searches for races and uninitialised reads. Programs with such
 * errors can give right results by luck. */
static void check_watched(const struct lab_parts *parts, struct lab_findings *findings)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(parts->lab.declared, "checks"), i, check)
    {
        if (json_is_true(json_object_get(check, "watched")) &&
            json_is_true(json_object_get(check, "counts")))
            return;
    }
    lab_violates(
        findings,
        "checks.c: no check looks for races and uninitialised reads; set .watched = true in one with CHECK_COUNTS");
}

static void check_needs(const struct lab_parts *parts, struct lab_findings *findings)
{
    size_t i;
    json_t *need;
    json_array_foreach(json_object_get(parts->lab.declared, "needs"), i, need)
    {
        const char *name = json_string_value(need);
        char path[PATH_SIZE];
        if (!kit_path(path, "labs/%s/checks.c", name) || access(path, R_OK) != 0 ||
            strcmp(name, parts->lab.name) >= 0)
            lab_violates(findings, "checks.c: .needs \"%s\" is not an earlier lab", name);
    }
}

static void check_points(const struct lab_parts *parts, struct lab_findings *findings)
{
    for (enum grading_device device = ON_EMULATOR; device <= ON_GPU; ++device) {
        double sum = 0;
        size_t i;
        json_t *check;
        json_array_foreach(json_object_get(parts->lab.declared, "checks"), i, check)
        {
            if (lab_has_check(check, device))
                sum += json_number_of(check, "max_points");
        }
        if (fabs(sum - 100) > 0.01)
            lab_violates(findings, "checks.c: the points on the %s add up to %g, not to 100",
                         grading_device_name(device), sum);
    }
}

/* Returns the declared check ID, or NULL. */
static const json_t *find_check(const struct lab_parts *parts, const char *id)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(parts->lab.declared, "checks"), i, check)
    {
        if (strcmp(json_text_of(check, "id"), id) == 0)
            return check;
    }
    return NULL;
}

static void check_mutant(const struct lab_parts *parts, const struct mutant *mutant,
                         struct lab_findings *findings)
{
    double sum = mutant->scores;
    for (size_t i = 0; i < mutant->loss_count; ++i) {
        const struct mutant_loss *loss = &mutant->losses[i];
        const json_t *check = find_check(parts, loss->check);
        if (!check)
            lab_violates(findings, "mutant %s: checks.c has no check \"%s\"", mutant->name,
                         loss->check);
        else if (lab_has_check(check, ON_EMULATOR) && loss->points < 0)
            lab_violates(findings, "mutant %s: say how many points %s loses", mutant->name,
                         loss->check);
        else if (lab_has_check(check, ON_EMULATOR))
            sum += loss->points;
    }
    if (fabs(sum - 100) > 0.05)
        lab_violates(findings, "mutant %s: its score and its losses add up to %g, not 100",
                     mutant->name, sum);
}

static void check_mutants(const struct lab_parts *parts, struct lab_findings *findings)
{
    size_t losing = 0;
    for (size_t i = 0; i < parts->mutant_count; ++i) {
        check_mutant(parts, &parts->mutants[i], findings);
        losing += parts->mutants[i].loss_count > 0;
    }
    if (losing < LAB_LEAST_MUTANTS)
        lab_violates(findings,
                     "%zu mutant%s in grader/tests/mutants/%s lose%s points; at least %d must",
                     losing, losing == 1 ? "" : "s", parts->lab.name, losing == 1 ? "s" : "",
                     LAB_LEAST_MUTANTS);
}

/* Checks that at least one mutant loses points in each check. With such a mutant, authors can read
 * the check's message, which must lead students to the solution. */
static void check_reached(const struct lab_parts *parts, struct lab_findings *findings)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(parts->lab.declared, "checks"), i, check)
    {
        const char *id = json_text_of(check, "id");
        bool reached = false;
        for (size_t k = 0; k < parts->mutant_count && !reached; ++k)
            reached = mutant_find_loss(&parts->mutants[k], id) != NULL;
        if (!reached)
            lab_violates(findings, "no mutant in grader/tests/mutants/%s loses points in check %s",
                         parts->lab.name, id);
    }
}

/* Checks that each lab has a handout, if there are handouts. */
static void check_handout(const struct lab_parts *parts, struct lab_findings *findings)
{
    char path[PATH_SIZE];
    glob_t pages;
    bool any = kit_path(path, "handouts/[0-9][0-9]-*.md") && glob(path, 0, NULL, &pages) == 0;
    globfree(&pages);
    if (any && kit_path(path, "handouts/%s.md", parts->lab.name) && access(path, R_OK) != 0)
        lab_violates(findings, "handouts/%s.md is missing", parts->lab.name);
}

/* Reports the places in the file PATH that are not written yet. PATH is relative to the kit's
 * root. */
static void check_written(const char *path, struct lab_findings *findings)
{
    char full[PATH_SIZE], why[100];
    struct text text;
    if (!kit_path(full, "%s", path) || !base_read_file(full, SOURCE_BYTES, &text, why, sizeof why))
        return;
    for (char *at = text.bytes; (at = strstr(at, TO_WRITE)); ++at) {
        unsigned line = 1;
        for (const char *before = text.bytes; before < at; ++before)
            line += *before == '\n';
        const char *what = at + strlen(TO_WRITE);
        lab_violates(findings, "%s:%u: still to write: %.*s", path, line,
                     (int)strcspn(what, "\"*\n"), what);
    }
    free(text.bytes);
}

static void check_all_written(const struct lab_parts *parts, struct lab_findings *findings)
{
    const char *name = parts->lab.name, *file = parts->lab.file;
    char paths[4][PATH_SIZE];
    if (base_path(paths[0], "labs/%s/checks.c", name) &&
        base_path(paths[1], "labs/%s/%s", name, file) &&
        base_path(paths[2], "solutions/%s/%s", name, file) &&
        base_path(paths[3], "handouts/%s.md", name))
        for (size_t i = 0; i < 4; ++i)
            check_written(paths[i], findings);
}

void lab_apply_rules(const struct lab_parts *parts, struct lab_findings *findings)
{
    check_sources(parts, findings);
    check_pristine(parts, findings);
    check_texts(parts, findings);
    check_watched(parts, findings);
    check_needs(parts, findings);
    check_points(parts, findings);
    check_mutants(parts, findings);
    check_reached(parts, findings);
    check_handout(parts, findings);
    check_all_written(parts, findings);
}
