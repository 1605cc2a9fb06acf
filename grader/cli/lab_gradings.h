/* Grades the programs that a kit brings along: each lab's skeleton, its solution on several seeds, and its
 * mutants, all by grade_submission(), as a student's file would be, in processes side by side. */
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

/* Reads the options --lab and --device, and finds the device and the labs (all without --lab). Ctrl-C
 * then ends running gradings. SYNTAX names the command and describes it, without options. Returns -1
 * to go on, with LABS for labs_free(), or the exit code. */
int lab_read_options(const struct cli_syntax *syntax, int argc, char **argv,
                     struct lab_gradings *gradings, struct lab_names *labs);

/* Plans the gradings of one lab; PARTS stays where it is until all are done. Returns how many mutants are
 * among them: not those that only the emulator can see, when a GPU is graded. */
unsigned lab_plan(struct lab_gradings *gradings, const struct lab_parts *parts);

/* "the skeleton", "the solution, seed 2", "mutant one-warp" */
void lab_name_task(const struct lab_task *task, char *name, size_t size);

/* Grades all that was planned, and shows on TO (NULL: nowhere) how far it has come. One answer a task: {"result": ...}, or
 * {"error": ...}, or NULL where the process failed; answers are missing if process_interrupted(). The array and what is in it
 * are the caller's; NULL: out of memory. */
json_t **lab_grade_all(struct lab_gradings *gradings, FILE *to);

#endif
