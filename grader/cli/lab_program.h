/* Builds a lab's program from the student's file, as for grading. `lanewise run` and `lanewise
 * trace` use it. */
#ifndef CLI_LAB_PROGRAM_H
#define CLI_LAB_PROGRAM_H

#include <jansson.h>

#include "course/lab.h"

struct cli_lab_program {
    bool debug;              /* set by the caller: build with nvcc -G */
    char folder[PATH_SIZE];  /* the private folder of the build, or "" if there is none */
    char program[PATH_SIZE]; /* the executable in that folder */
    char own[PATH_SIZE];     /* the student's file */
    char source[PATH_SIZE];  /* the file that was built: OWN, or another submission */
};

/* Builds the student's file of the lab that WORD names, or SUBMISSION, a file or folder, if it is
 * not NULL. On failure prints the reason as `lanewise COMMAND: ...` and returns false. In any case,
 * the caller must call cli_forget_lab_program() in the end. */
bool cli_build_lab_program(const char *command, const char *word, const char *submission,
                           struct cli_lab_program *built);
void cli_forget_lab_program(const struct cli_lab_program *built);

/* Replaces the file's path in the private folder with the path of the student's file, everywhere in
 * RECORD. */
void cli_name_lab_file(json_t *record, const struct cli_lab_program *built);
/* Returns whether PATH, a path in the line table, is the student's file. */
bool cli_is_lab_file(const char *path, const struct cli_lab_program *built);

#endif
