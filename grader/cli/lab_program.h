/* Builds a lab's program from the student's file, as for grading. For `lanewise run` and
 * `trace`. */
#ifndef CLI_LAB_PROGRAM_H
#define CLI_LAB_PROGRAM_H

#include <jansson.h>

#include "course/lab.h"

struct cli_lab_program {
    char folder[PATH_SIZE];  /* a private folder; "": nothing was built */
    char program[PATH_SIZE]; /* the executable in it */
    char own[PATH_SIZE];     /* the student's file */
};

/* Builds the student's file of the lab that WORD names. False: `lanewise COMMAND: ...` said why.
 * Either way the caller ends with cli_forget_lab_program(). */
bool cli_build_lab_program(const char *command, const char *word, struct cli_lab_program *built);
void cli_forget_lab_program(const struct cli_lab_program *built);

/* Replaces the path of the private folder in RECORD by the student's own path. */
void cli_name_lab_file(json_t *record, const struct cli_lab_program *built);

#endif
