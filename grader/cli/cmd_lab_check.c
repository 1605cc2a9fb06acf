/* lanewise lab-check: checks that the kit's labs are sound, for lab authors.
 *
 *     rules        lab_rules.c: files, texts, points
 *     skeleton     must compile and score less than half of the points
 *     solution     must get full marks with all seeds, and show the figures that checks declare
 *     mutants      must lose the points that they declare, in each check; some must show the naive
 *                  figures that checks declare
 *
 * Programs are graded like a student's file (lab_gradings.h). Prints one line for each violation,
 * then a table. The exit code is 0 if all labs are sound, otherwise 2. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/lab_gradings.h"
#include "sandbox/process.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"

static const struct cli_syntax syntax = {
    .command = "lab-check",
    .usage =
        "usage: lanewise lab-check [--lab NAME] [--device auto|emulator|gpu] [--quick] [--seeds N]\n"
        "Checks that labs are sound: their files follow the rules, the skeleton scores less than half,\n"
        "the solution full marks with each seed, and each mutant loses the points that it declares\n"
        "(grader/grade/mutant.h).\n",
    .end = "exit code: 0 sound, 2 not sound\n"};

/* A row of the table. */
struct row {
    struct lab_parts parts;
    struct lab_findings findings;
    bool readable;
    double skeleton;         /* score of the skeleton */
    unsigned solutions;      /* number of seeds with which the solution gets full marks */
    unsigned mutants;        /* number of graded mutants that lose exactly what they declare */
    unsigned graded_mutants; /* number of graded mutants */
};

struct kit {
    struct lab_gradings gradings;
    struct row rows[MAX_LABS];
    size_t row_count;
};

/* --- judging ---------------------------------------------------------------------------------- */

/* Returns true if MUTANT lost as many points in CHECK as it declares. Otherwise reports a
 * violation. */
static bool judge_loss(struct row *row, const struct mutant *mutant, const json_t *check)
{
    const char *id = json_string_value(json_object_get(check, "id"));
    const char *message = json_string_value(json_object_get(check, "message"));
    const struct mutant_loss *loss = mutant_find_loss(mutant, id);
    double lost = json_number_of(check, "max_points") - json_number_of(check, "points");
    bool good = !loss              ? lost < 0.05
                : loss->points < 0 ? lost >= 0.05
                                   : fabs(lost - loss->points) < 0.05;
    if (good)
        return true;
    if (loss && loss->points < 0)
        lab_violates(&row->findings, "mutant %s: %s should lose points", mutant->name, id);
    else
        lab_violates(&row->findings, "mutant %s: %s should lose %g, but loses %g%s%s", mutant->name,
                     id, loss ? loss->points : 0, lost, message[0] ? ": " : "", message);
    return false;
}

#define FIGURE_SLACK 0.05 /* a figure may differ from the declared figure by this fraction */

/* Returns the declared budget of the check ID, or NULL if it has none. */
static const json_t *budget_of(const struct lab *lab, const char *id)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(lab->declared, "checks"), i, check)
    {
        if (strcmp(json_text_of(check, "id"), id) == 0)
            return json_object_get(check, "budget");
    }
    return NULL;
}

/* Returns true if CHECK's figure equals the figure that the lab declares under KEY ("naive" or
 * "solution"), or if the lab declares none, as for times. Otherwise reports a violation. */
static bool judge_figure(struct row *row, const char *name, const json_t *check, const char *key)
{
    const char *id = json_text_of(check, "id");
    const json_t *figure = json_object_get(json_object_get(check, "figure"), "value");
    double want = json_number_value(json_object_get(budget_of(&row->parts.lab, id), key));
    double value = json_number_value(figure);
    if (want == 0 || (figure && fabs(value - want) <= FIGURE_SLACK * want))
        return true;
    lab_violates(&row->findings, "%s: the figure of %s is %g, but checks.c declares .%s = %g", name,
                 id, value, key, want);
    return false;
}

static void judge_mutant(struct row *row, const char *name, const struct mutant *mutant,
                         const json_t *result)
{
    size_t i;
    json_t *check;
    bool good = true;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        good = judge_loss(row, mutant, check) && good;
        if (mutant_is_naive(mutant, json_text_of(check, "id")))
            good = judge_figure(row, name, check, "naive") && good;
    }
    row->mutants += good;
}

/* Reports each check in which the solution lost points, or missed the declared figure. */
static void judge_solution(struct row *row, const char *name, const json_t *result)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        double points = json_number_of(check, "points"), most = json_number_of(check, "max_points");
        if (points < most - 0.05)
            lab_violates(&row->findings, "%s: %g of %g for %s: %s", name, points, most,
                         json_text_of(check, "id"), json_text_of(check, "message"));
        else
            judge_figure(row, name, check, "solution");
    }
}

static bool is_built(struct row *row, const char *name, const json_t *result)
{
    const json_t *build = json_object_get(result, "build");
    const char *messages = json_string_value(json_object_get(build, "messages"));
    bool built = strcmp(json_text_of(result, "status"), "not-built") != 0;
    if (!built)
        lab_violates(&row->findings, "%s does not compile: %.*s", name,
                     (int)strcspn(messages, "\n"), messages);
    else if (messages[0] && !strstr(name, "mutant"))
        lab_violates(&row->findings, "%s compiles with a warning: %.*s", name,
                     (int)strcspn(messages, "\n"), messages);
    return built;
}

static void judge(const struct lab_task *task, const json_t *answer)
{
    struct row *row = (struct row *)((char *)task->parts - offsetof(struct row, parts));
    const json_t *result = json_object_get(answer, "result");
    const char *error = json_string_value(json_object_get(answer, "error"));
    char name[200];
    lab_name_task(task, name, sizeof name);
    if (!result)
        lab_violates(&row->findings, "%s could not be graded: %s", name,
                     error ? error : "its process failed");
    else if (!is_built(row, name, result))
        return;
    else if (task->kind == LAB_SKELETON && (row->skeleton = json_number_of(result, "score")) >= 50)
        lab_violates(&row->findings, "the skeleton scores %g; it must be under 50", row->skeleton);
    else if (task->kind == LAB_SOLUTION) {
        row->solutions += strcmp(json_text_of(result, "status"), "passed") == 0;
        judge_solution(row, name, result);
    } else if (task->kind == LAB_MUTANT)
        judge_mutant(row, name, &task->parts->mutants[task->number], result);
}

/* --- all labs --------------------------------------------------------------------------------- */

/* Reads lab NAME, applies the rules, and adds its gradings. */
static void add_lab(struct kit *kit, const char *name)
{
    struct row *row = &kit->rows[kit->row_count++];
    row->findings.lab = name;
    row->readable = lab_read_parts(name, &row->parts, &row->findings);
    if (!row->readable)
        return;
    lab_apply_rules(&row->parts, &row->findings);
    row->graded_mutants = lab_plan(&kit->gradings, &row->parts);
}

static bool grade_all(struct kit *kit)
{
    json_t **answers = lab_grade_all(&kit->gradings, NULL);
    if (!answers)
        return false;
    for (size_t i = 0; i < kit->gradings.task_count; ++i) {
        if (!process_interrupted())
            judge(&kit->gradings.tasks[i], answers[i]);
        json_decref(answers[i]);
    }
    free(answers);
    return true;
}

static unsigned print_table(const struct kit *kit, double seconds)
{
    unsigned violations = 0;
    int width = 3;
    for (size_t i = 0; i < kit->row_count; ++i) {
        int length = (int)strlen(kit->rows[i].findings.lab);
        width = length > width ? length : width;
        violations += kit->rows[i].findings.count;
    }
    printf("%s%-*s  skeleton  solution  mutants  hints  lines\n", violations ? "\n" : "", width,
           "lab");
    for (size_t i = 0; i < kit->row_count; ++i) {
        const struct row *row = &kit->rows[i];
        printf("%-*s  ", width, row->findings.lab);
        if (row->readable)
            printf("%6.4g %%  %u of %u    %2u of %-2u %5zu  %3u/%-3u  ", row->skeleton,
                   row->solutions, kit->gradings.seeds, row->mutants, row->graded_mutants,
                   json_array_size(json_object_get(row->parts.lab.declared, "hints")),
                   lab_count_lines(row->parts.skeleton.bytes),
                   lab_count_lines(row->parts.solution.bytes));
        if (row->findings.count)
            printf("%u violation%s\n", row->findings.count, row->findings.count == 1 ? "" : "s");
        else
            printf("sound\n");
    }
    printf("\n%zu gradings on the %s in %.0f s: ", kit->gradings.task_count,
           grading_device_name(kit->gradings.device), seconds);
    printf(violations ? "the kit is not sound\n" : "the kit is sound\n");
    return violations;
}

static int check_kit(struct kit *kit, struct lab_names *labs)
{
    double start = clock_seconds();
    for (size_t i = 0; i < labs->count; ++i)
        add_lab(kit, labs->names[i]);
    if (!grade_all(kit))
        return cli_complain("lab-check", EXIT_GRADER, "out of memory");
    unsigned violations = process_interrupted() ? 0 : print_table(kit, clock_seconds() - start);
    for (size_t i = 0; i < kit->row_count; ++i)
        lab_free_parts(&kit->rows[i].parts);
    if (process_interrupted())
        return 128 + SIGINT;
    return violations ? EXIT_USAGE : EXIT_FULL;
}

int cmd_lab_check(int argc, char **argv)
{
    static struct kit kit; /* static because it is too large for the stack */
    struct lab_names labs;
    int code = lab_read_options(&syntax, argc, argv, &kit.gradings, &labs);
    if (code >= 0)
        return code;
    code = check_kit(&kit, &labs);
    labs_free(&labs);
    return code;
}
