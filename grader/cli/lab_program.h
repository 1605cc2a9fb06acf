/* The student's program of a lab, built as a grading would build it, for `lanewise run --lab` and `trace`. */
#ifndef CLI_LAB_PROGRAM_H
#define CLI_LAB_PROGRAM_H

#include <jansson.h>

#include "course/lab.h"

struct cli_lab_program {
    char folder[PATH_SIZE];  /* private; "": nothing was built */
    char program[PATH_SIZE]; /* the executable in it */
    char own[PATH_SIZE];     /* the student's file */
};

/* Builds what labs/ holds for the lab that WORD means. False: what is wrong was said, as
 * `lanewise COMMAND` says it. Either way the
 * caller ends with cli_forget_lab_program(). */
bool cli_build_lab_program(const char *command, const char *word, struct cli_lab_program *built);
void cli_forget_lab_program(const struct cli_lab_program *built);

/* In a run's RECORD the file is called after the folder where it was compiled: gives it the name under
 * which the student knows it. */
void cli_name_lab_file(json_t *record, const struct cli_lab_program *built);

#endif
