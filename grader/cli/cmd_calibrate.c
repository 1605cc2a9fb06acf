/* lanewise calibrate: proposes fair thresholds for this machine, for instructors and lab authors.
 *
 *     solution, 3 seeds  \
 *     skeleton            > graded here --figures--> judge/threshold.h --> table and course file
 *     mutants            /
 *
 * A figure is the value that a check measures: a counter or a time. The output is a course file,
 * with the table in its comments. The exit code is 0 if the file has thresholds for all figures. It
 * is 2 if some thresholds are missing; a line in the file then says why. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/lab_gradings.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "judge/threshold.h"
#include "sandbox/process.h"

#define complain(...) cli_complain("calibrate", __VA_ARGS__)

/* A program shows the declared naive figure if its own figure differs by at most this factor. */
#define SAME_FIGURE 1.1

static const struct cli_syntax syntax = {
    .command = "calibrate",
    .usage =
        "usage: lanewise calibrate [--lab NAME] [--device auto|emulator|gpu] [--quick]\n"
        "Measures the labs' solutions, skeletons and mutants on this machine and proposes thresholds:\n"
        "the values that earn full points and no points. It prints a course file; progress goes to\n"
        "stderr.\n",
    .end = "exit code: 0 every figure has a proposal, 2 some have none\n"};

struct calibration {
    struct lab_gradings gradings;
    struct lab_parts parts[MAX_LABS];
    size_t lab_count;
    json_t **answers;
    bool incomplete;
};

/* --- measuring one figure --------------------------------------------------------------------- */

/* A check with a figure, and its measurements. */
struct figure {
    const char *check;
    bool timed; /* the figure is a time, compared with the solution's (checks/speed.c) */
    struct judge_budget budget;
    struct judge_sample sample;
    char poor[200]; /* name of the program whose figure is sample.poor, or "" if there is none */
    struct judge_proposal proposal;
};

static const json_t *find_check(const json_t *checks, const char *id)
{
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check)
    {
        if (strcmp(json_text_of(check, "id"), id) == 0)
            return check;
    }
    return NULL;
}

/* Returns the figure in one answer, as a fraction of the solution's figure in the same run if it is
 * a speed, so that runs are comparable. Returns NAN if there is no figure, or if the program failed
 * the check for another reason. */
static double figure_in(const struct figure *figure, const json_t *answer)
{
    const json_t *checks = json_object_get(json_object_get(answer, "result"), "checks");
    const json_t *check = find_check(checks, figure->check);
    const json_t *found = json_object_get(check, "figure");
    double value = json_number_of(found, "value");
    if (!json_is_object(found) || (!figure->timed && json_number_of(check, "points") == 0 &&
                                   judge_share(&figure->budget, value) > 0.01))
        return NAN;
    return figure->timed ? value / (json_number_of(found, "full") * figure->budget.slack) : value;
}

/* Returns true if the program of TASK is declared to lose points in this check. */
static bool should_lose(const struct figure *figure, const struct lab_task *task)
{
    if (task->kind == LAB_MUTANT)
        return mutant_find_loss(&task->parts->mutants[task->number], figure->check) != NULL;
    return task->kind == LAB_SKELETON;
}

/* Keeps the worst of several values in *KEPT if WANT is 1, the best if WANT is -1. Stores VALUE in
 * *KEPT if *KEPT is NAN, or if VALUE is worse (better) than *KEPT. */
static bool keep(const struct figure *figure, double *kept, int want, double value)
{
    int sign = figure->budget.solution < figure->budget.naive ? want : -want;
    if (!isnan(*kept) && (value - *kept) * sign <= 0)
        return false;
    *kept = value;
    return true;
}

static void take(struct figure *figure, const struct lab_task *task, double value)
{
    struct judge_sample *sample = &figure->sample;
    double declared = figure->budget.naive, away = judge_margin(value, declared);
    char name[sizeof figure->poor];
    lab_name_task(task, name, sizeof name);
    if (task->kind == LAB_SOLUTION)
        keep(figure, &sample->solution, 1, value);
    if (!should_lose(figure, task)) {
        keep(figure, &sample->good, 1, value);
        return;
    }
    if (keep(figure, &sample->poor, -1, value))
        memcpy(figure->poor, name, sizeof name);
    if (away <= SAME_FIGURE &&
        (isnan(sample->naive) || away < judge_margin(sample->naive, declared)))
        sample->naive = value;
}

/* Collects in FIGURE the values of the check DECLARED in all gradings of the lab. */
static void measure(const struct calibration *c, const struct lab_parts *parts,
                    const json_t *declared, struct figure *figure)
{
    const json_t *budget = json_object_get(declared, "budget");
    *figure = (struct figure){.check = json_string_value(json_object_get(declared, "id")),
                              .timed = strcmp(json_text_of(declared, "where"), "gpu-only") == 0,
                              .budget = {json_number_of(budget, "naive"),
                                         json_number_of(budget, "solution"),
                                         json_number_of(budget, "slack"), JUDGE_LINEAR},
                              .sample = {NAN, NAN, NAN, NAN}};
    if (figure->timed) {
        figure->budget.solution = 1;
        figure->budget.naive = 0;
    }
    for (size_t i = 0; i < c->gradings.task_count; ++i) {
        const struct lab_task *task = &c->gradings.tasks[i];
        double value = task->parts == parts ? figure_in(figure, c->answers[i]) : NAN;
        if (!isnan(value))
            take(figure, task, value);
    }
    figure->proposal = judge_propose(&figure->budget, &figure->sample);
}

/* --- the output ------------------------------------------------------------------------------- */

/* Prints FIGURE with six digits and without an exponent. */
static void print_figure(double figure)
{
    if (isnan(figure))
        printf(" %10s", "-");
    else
        printf(" %10.10g", judge_round(figure, true));
}

static void print_margin(double one, double other)
{
    double margin = judge_margin(one, other);
    if (!isfinite(margin)) /* one of the two figures is 0 or missing */
        printf("      -");
    else
        printf(" %5.*fx", margin < 10 ? 2 : margin < 100 ? 1 : 0, margin);
}

/* Returns the reason why there is no proposal, or NULL if there is one. */
static const char *why_not(const struct figure *figure)
{
    if (isnan(figure->sample.solution))
        return "the solution has no valid measurement: its results are wrong on this machine";
    return figure->proposal.apart
               ? NULL
               : "correct and wrong programs cannot be told apart on this machine";
}

static const char head[] =
    "#                 solution    correct       full                       wrong               none\n"
    "# check              worst      worst   declared   proposed margin       best margin   declared   proposed  best wrong program\n";

static void print_row(struct calibration *c, const struct figure *figure)
{
    const struct judge_proposal *proposal = &figure->proposal;
    const struct judge_sample *sample = &figure->sample;
    const char *why = why_not(figure);
    printf("# %-14s", figure->check);
    print_figure(sample->solution);
    print_figure(sample->good);
    print_figure(judge_full(&figure->budget));
    print_figure(why ? NAN : proposal->full);
    print_margin(why ? NAN : proposal->full, sample->good);
    print_figure(sample->poor);
    print_margin(sample->poor, why ? NAN : proposal->full);
    print_figure(figure->budget.naive);
    print_figure(why ? NAN : proposal->naive);
    printf("  %s%s%s%s\n", figure->poor[0] ? figure->poor : "-", why ? "; " : "", why ? why : "",
           !why && proposal->moved ? "; the declared slack does not fit" : "");
    c->incomplete = c->incomplete || why;
}

static void print_setting(const struct figure *figure)
{
    bool less = figure->budget.solution < figure->budget.naive;
    double full = judge_round(figure->proposal.full, less);
    if (why_not(figure))
        return;
    if (figure->timed)
        printf("      %s: {slack: %.10g}\n", figure->check, judge_round(1 / full, true));
    else
        printf("      %s: {full: %.10g, naive: %.10g}\n", figure->check, full,
               judge_round(figure->proposal.naive, less));
}

/* Reports the programs that could not be graded and therefore have no figures. */
static void print_failures(struct calibration *c, const struct lab_parts *parts)
{
    char name[200];
    for (size_t i = 0; i < c->gradings.task_count; ++i) {
        const struct lab_task *task = &c->gradings.tasks[i];
        const char *error = json_string_value(json_object_get(c->answers[i], "error"));
        if (task->parts != parts || json_object_get(c->answers[i], "result"))
            continue;
        c->incomplete = true;
        lab_name_task(task, name, sizeof name);
        printf("# %s could not be graded: %s\n", name, error ? error : "its process failed");
    }
}

static void print_lab(struct calibration *c, const struct lab_parts *parts)
{
    static struct figure figures[64];
    size_t i, count = 0;
    json_t *check;
    json_array_foreach(json_object_get(parts->lab.declared, "checks"), i, check)
    {
        if (json_object_get(check, "budget") && lab_has_check(check, c->gradings.device) &&
            count < sizeof figures / sizeof *figures)
            measure(c, parts, check, &figures[count++]);
    }
    printf("\n  # %s\n", parts->lab.name);
    print_failures(c, parts);
    if (count > 0)
        fputs(head, stdout);
    for (i = 0; i < count; ++i)
        print_row(c, &figures[i]);
    printf("  %s:\n%s", parts->lab.name, count > 0 ? "    checks:\n" : "");
    for (i = 0; i < count; ++i)
        print_setting(&figures[i]);
    fflush(stdout);
}

static void forget(struct calibration *c)
{
    for (size_t i = 0; i < c->lab_count; ++i)
        lab_free_parts(&c->parts[i]);
    for (size_t i = 0; i < c->gradings.task_count; ++i)
        json_decref(c->answers[i]);
    free(c->answers);
}

static int calibrate(struct calibration *c, const struct lab_names *labs)
{
    struct lab_findings findings = {0};
    for (size_t i = 0; i < labs->count; ++i) {
        findings.lab = labs->names[i];
        if (lab_read_parts(labs->names[i], &c->parts[c->lab_count], &findings))
            lab_plan(&c->gradings, &c->parts[c->lab_count++]);
    }
    c->answers = lab_grade_all(&c->gradings, stderr);
    if (!c->answers)
        return complain(EXIT_GRADER, "out of memory");
    if (process_interrupted()) {
        forget(c);
        return 128 + SIGINT;
    }
    bool emulated = c->gradings.device == ON_EMULATOR;
    printf(
        "# Thresholds measured %s in %zu gradings: solutions (%u seeds), skeletons\n"
        "# and mutants. Margins: how far the threshold for full points is from correct and wrong programs%s.\n"
        "labs:\n",
        emulated ? "on the emulator" : c->gradings.gpu_name, c->gradings.task_count,
        c->gradings.seeds,
        emulated
            ? ""
            : ";\n# where a figure is a time: the speed, relative to the solution's in the same run");
    for (size_t i = 0; i < c->lab_count; ++i)
        print_lab(c, &c->parts[i]);
    forget(c);
    return c->incomplete || findings.count ? EXIT_USAGE : EXIT_FULL;
}

int cmd_calibrate(int argc, char **argv)
{
    static struct calibration calibration; /* static because it is too large for the stack */
    struct lab_names labs;
    int code = lab_read_options(&syntax, argc, argv, &calibration.gradings, &labs);
    if (code >= 0)
        return code;
    code = calibrate(&calibration, &labs);
    labs_free(&labs);
    return code;
}
