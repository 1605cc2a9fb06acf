/* Grades the kit's own programs, each in a child process. */
#include "cli/lab_gradings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"
#include "grade/grade.h"
#include "grade/installed_gpu.h"
#include "report/bar.h"
#include "sandbox/pool.h"

struct options {
    const char *lab, *device, *seeds;
    bool quick;
};

static const struct cli_option table[] = {
    CLI_TEXT(lab, "lab", "NAME", "only this lab, such as 01-parallelize (default: all labs)"),
    CLI_TEXT(device, "device", "DEVICE", CLI_HELP_DEVICE),
    CLI_FLAG(quick, "quick",
             "only one mutant per check: the one marked naive, or else\n"
             "the one that fails the fewest other checks"),
    CLI_WHOLE(seeds, "seeds", "N", 1, LAB_MOST_SEEDS,
              "grade each solution with N seeds (default: 3)"),
    CLI_END};

int lab_read_options(const struct cli_syntax *text, int argc, char **argv,
                     struct lab_gradings *gradings, struct lab_names *labs)
{
    struct options options = {0};
    char name[LAB_NAME_SIZE], error[PATH_SIZE];
    const char *command = text->command;
    struct cli_syntax syntax = *text;
    syntax.options = table;
    syntax.word_advice = "name the lab with --lab";
    int code = cli_read_options(&syntax, argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_choose_device(command, options.device, &gradings->device, gradings->gpu_name,
                           sizeof gradings->gpu_name))
        return EXIT_USAGE;
    if (options.lab && !labs_find(options.lab, name, error, sizeof error))
        return cli_complain(command, EXIT_USAGE, "%s", error);
    gradings->quick = options.quick;
    gradings->seeds = options.seeds ? (unsigned)strtoul(options.seeds, NULL, 10) : 3;
    *labs = (struct lab_names){0};
    if (options.lab)
        labs->names[labs->count++] = strdup(name);
    else
        labs_list(labs);
    cli_catch_signals();
    return -1;
}

void lab_name_task(const struct lab_task *task, char *name, size_t size)
{
    if (task->kind == LAB_SKELETON)
        snprintf(name, size, "the skeleton");
    else if (task->kind == LAB_SOLUTION)
        snprintf(name, size, "the solution, seed %zu", task->number);
    else
        snprintf(name, size, "mutant %s", task->parts->mutants[task->number].name);
}

static char *source_of(const struct lab_task *task)
{
    if (task->kind == LAB_SKELETON)
        return task->parts->skeleton.bytes;
    return task->kind == LAB_SOLUTION ? task->parts->solution.bytes
                                      : task->parts->mutants[task->number].source;
}

static json_t *grade_task(size_t i, struct lab_gradings *gradings)
{
    static struct submission submission;
    const struct lab_task *task = &gradings->tasks[i];
    char error[6000] = "";
    json_t *result = NULL;
    lab_name_task(task, submission.shown, sizeof submission.shown);
    submission.source.bytes = source_of(task);
    submission.source.size = strlen(submission.source.bytes);
    struct grading grading = {.lab = &task->parts->lab,
                              .submission = &submission,
                              .device = gradings->device,
                              .gpu_name = gradings->gpu_name,
                              .gpu_arch = installed_gpu_arch(),
                              .unsafe = true, /* the kit's own programs need no sandbox */
                              .seed =
                                  GRADE_SEED_OPEN(task->kind == LAB_SOLUTION ? task->number : 1)};
    enum grade_end end = grade_submission(&grading, &result, error, sizeof error);
    if (end == GRADE_DONE)
        return json_pack("{s:o}", "result", result);
    return json_pack("{s:s}", "error", error);
}

static void add_task(struct lab_gradings *gradings, const struct lab_parts *parts,
                     enum lab_kind kind, size_t number)
{
    if (gradings->task_count < LAB_MOST_TASKS)
        gradings->tasks[gradings->task_count++] = (struct lab_task){parts, kind, number};
}

/* Returns whether mutant A represents CHECK better than mutant B: because only A shows the naive
 * figure, or because A loses points in fewer checks. */
static bool is_better(const struct mutant *a, const struct mutant *b, const char *check)
{
    bool naive[] = {mutant_is_naive(a, check), mutant_is_naive(b, check)};
    return naive[0] != naive[1] ? naive[0] : a->loss_count < b->loss_count;
}

/* Returns true if a quick lab-check must grade MUTANT: for at least one check, it is the best
 * mutant that loses points in this check. */
static bool represents_check(const struct lab_parts *parts, const struct mutant *mutant)
{
    for (size_t i = 0; i < mutant->loss_count; ++i) {
        const char *check = mutant->losses[i].check;
        const struct mutant *best = NULL;
        for (size_t k = 0; k < parts->mutant_count; ++k) {
            const struct mutant *other = &parts->mutants[k];
            if (mutant_find_loss(other, check) && (!best || is_better(other, best, check)))
                best = other;
        }
        if (best == mutant)
            return true;
    }
    return false;
}

unsigned lab_plan(struct lab_gradings *gradings, const struct lab_parts *parts)
{
    unsigned mutants = 0;
    add_task(gradings, parts, LAB_SOLUTION, 1);
    add_task(gradings, parts, LAB_SKELETON, 0);
    for (size_t i = 0; i < parts->mutant_count; ++i) {
        const struct mutant *mutant = &parts->mutants[i];
        if ((gradings->device == ON_GPU && mutant->emulator_only) ||
            (gradings->quick && !represents_check(parts, mutant)))
            continue;
        add_task(gradings, parts, LAB_MUTANT, i);
        ++mutants;
    }
    /* these gradings come last, so that the solution's program is already in the cache */
    for (size_t seed = 2; seed <= gradings->seeds; ++seed)
        add_task(gradings, parts, LAB_SOLUTION, seed);
    return mutants;
}

/* The state of running all gradings. */
struct progress {
    struct lab_gradings *gradings;
    json_t **answers;
    struct report_bar bar;
    size_t done;
};

static json_t *grade_next(size_t i, void *context)
{
    return grade_task(i, ((struct progress *)context)->gradings);
}

static void show(void *context)
{
    struct progress *progress = context;
    if (progress->bar.to)
        report_bar_show(&progress->bar, progress->done, 0, clock_seconds());
}

static bool keep(size_t i, const json_t *answer, void *context)
{
    struct progress *progress = context;
    progress->answers[i] = json_incref((json_t *)answer);
    ++progress->done;
    show(progress);
    return true;
}

json_t **lab_grade_all(struct lab_gradings *gradings, FILE *to)
{
    struct progress progress = {.gradings = gradings,
                                .answers =
                                    calloc(gradings->task_count + 1, sizeof *progress.answers)};
    struct process_pool pool = {.count = gradings->task_count,
                                .jobs = cli_most_gradings(gradings->device),
                                .context = &progress,
                                .work = grade_next,
                                .done = keep,
                                .tick = show};
    if (!progress.answers)
        return NULL;
    if (to)
        progress.bar = report_bar_begin(to, gradings->task_count, clock_seconds());
    process_pool_run(&pool);
    if (to)
        report_bar_end(&progress.bar);
    return progress.answers;
}
