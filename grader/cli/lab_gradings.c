/* Gradings of a kit's own programs, each in a child process. */
#include "cli/lab_gradings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "run/gpu.h"
#include "run/grade.h"
#include "run/pool.h"

#define MOST_ON_GPU 8 /* gradings at a time */

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

static json_t *grade_task(size_t i, void *context)
{
    static struct run_submission submission;
    struct lab_gradings *gradings = context;
    const struct lab_task *task = &gradings->tasks[i];
    char error[6000] = "";
    json_t *result = NULL;
    lab_name_task(task, submission.shown, sizeof submission.shown);
    submission.source.bytes = source_of(task);
    submission.source.size = strlen(submission.source.bytes);
    struct run_grading grading = {.lab = &task->parts->lab,
                                  .submission = &submission,
                                  .device = gradings->device,
                                  .gpu_name = gradings->gpu_name,
                                  .gpu_arch = run_gpu_arch(),
                                  .unsafe = true, /* the kit's own programs */
                                  .seed = task->kind == LAB_SOLUTION ? task->number : 1};
    enum run_grade_end end = run_grade(&grading, &result, error, sizeof error);
    if (end == RUN_GRADED)
        return json_pack("{s:o}", "result", result);
    return json_pack("{s:s, s:b}", "error", error, "interrupted", end == RUN_GRADE_INTERRUPTED);
}

static void add_task(struct lab_gradings *gradings, const struct lab_parts *parts,
                     enum lab_kind kind, size_t number)
{
    if (gradings->task_count < LAB_MOST_TASKS)
        gradings->tasks[gradings->task_count++] = (struct lab_task){parts, kind, number};
}

unsigned lab_plan(struct lab_gradings *gradings, const struct lab_parts *parts)
{
    unsigned mutants = 0;
    add_task(gradings, parts, LAB_SKELETON, 0);
    for (size_t seed = 1; seed <= LAB_SOLUTION_SEEDS; ++seed)
        add_task(gradings, parts, LAB_SOLUTION, seed);
    for (size_t i = 0; i < parts->mutant_count; ++i) {
        if (gradings->device == RUN_GPU && parts->mutants[i].emulator_only)
            continue;
        add_task(gradings, parts, LAB_MUTANT, i);
        ++mutants;
    }
    return mutants;
}

json_t **lab_grade_all(struct lab_gradings *gradings)
{
    json_t **answers = calloc(gradings->task_count + 1, sizeof *answers);
    unsigned jobs = (unsigned)get_nprocs();
    if (gradings->device == RUN_GPU && jobs > MOST_ON_GPU)
        jobs = MOST_ON_GPU; /* their times are taken one after the other */
    if (answers)
        run_pool(gradings->task_count, jobs, grade_task, gradings, answers);
    return answers;
}
