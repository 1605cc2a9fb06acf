/* Grades the kit's own programs: each lab's skeleton, its solution with several seeds, and its
 * mutants. Each is graded by grade_submission() like a student's file, in parallel processes. */
#ifndef CLI_LAB_GRADINGS_H
#define CLI_LAB_GRADINGS_H

#include <stdio.h>

#include "cli/lab_rules.h"
#include "cli/options.h"

#define LAB_SOLUTION_SEEDS 3
#define LAB_MOST_TASKS     2000

enum lab_kind { LAB_SKELETON, LAB_SOLUTION, LAB_MUTANT };

/* One grading. */
struct lab_task {
    const struct lab_parts *parts;
    enum lab_kind kind;
    size_t number; /* the mutant's, or the seed's */
};

struct lab_gradings {
    enum grading_device device;
    char gpu_name[256];
    struct lab_task tasks[LAB_MOST_TASKS];
    size_t task_count;
};

/* Reads the options --lab and --device, and finds the device and the labs (all without --lab).
 * Ctrl-C then ends running gradings. SYNTAX names the command and describes it, without options.
 * Returns -1 to go on, with LABS for labs_free(), or the exit code. */
int lab_read_options(const struct cli_syntax *syntax, int argc, char **argv,
                     struct lab_gradings *gradings, struct lab_names *labs);

/* Adds the gradings of one lab. PARTS must stay in place until all are done. Returns the number of
 * mutants added; on a GPU this excludes mutants that only the emulator can detect. */
unsigned lab_plan(struct lab_gradings *gradings, const struct lab_parts *parts);

/* "the skeleton", "the solution, seed 2", "mutant one-warp" */
void lab_name_task(const struct lab_task *task, char *name, size_t size);

/* Runs all gradings and shows progress on TO (NULL: nowhere). Returns one answer per task:
 * {"result": ...}, {"error": ...}, or NULL if its process failed. Answers are missing if
 * process_interrupted(). The caller owns the array and the answers. NULL: out of memory. */
json_t **lab_grade_all(struct lab_gradings *gradings, FILE *to);

#endif
