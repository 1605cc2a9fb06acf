/* Grades the kit's own programs: each lab's skeleton, its solution with several seeds, and its
 * mutants. grade_submission() grades each of them like a student's file, in parallel processes. */
#ifndef CLI_LAB_GRADINGS_H
#define CLI_LAB_GRADINGS_H

#include <stdio.h>

#include "cli/lab_rules.h"
#include "cli/options.h"

#define LAB_MOST_SEEDS 500 /* maximum number of seeds with which each solution is graded */
#define LAB_MOST_TASKS 20000

enum lab_kind { LAB_SKELETON, LAB_SOLUTION, LAB_MUTANT };

/* One grading. */
struct lab_task {
    const struct lab_parts *parts;
    enum lab_kind kind;
    size_t number; /* the mutant's index in PARTS, or the solution's seed */
};

struct lab_gradings {
    enum grading_device device;
    bool quick;     /* grade only one mutant for each check */
    unsigned seeds; /* number of seeds for each solution */
    char gpu_name[256];
    struct lab_task tasks[LAB_MOST_TASKS];
    size_t task_count;
};

/* Reads the options --lab, --device, --quick and --seeds, and finds the device and the labs
 * (without --lab, all labs). From then on, Ctrl-C stops running gradings. SYNTAX is the command's
 * syntax without options. Returns the exit code, or -1 if the command should continue; in that
 * case, the caller frees LABS with labs_free() in the end. */
int lab_read_options(const struct cli_syntax *syntax, int argc, char **argv,
                     struct lab_gradings *gradings, struct lab_names *labs);

/* Adds the gradings of one lab. PARTS must stay in place until all gradings are done. Returns the
 * number of mutants added. On a GPU, leaves out mutants that only the emulator can detect. If
 * `quick` is set, adds only one mutant for each check, and no mutants that lose nothing. */
unsigned lab_plan(struct lab_gradings *gradings, const struct lab_parts *parts);

/* Writes the task's NAME: "the skeleton", "the solution, seed 2" or "mutant one-warp". */
void lab_name_task(const struct lab_task *task, char *name, size_t size);

/* Runs all gradings and shows progress on TO, unless TO is NULL. Returns one answer per task:
 * {"result": ...}, {"error": ...}, or NULL if the task's process failed. After an interrupt
 * (process_interrupted()), some answers are missing. The caller owns the array and the answers.
 * Returns NULL when out of memory. */
json_t **lab_grade_all(struct lab_gradings *gradings, FILE *to);

#endif
