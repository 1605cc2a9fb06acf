/* What the small commands for students share: `--lab NAME` and one flag or option, and the lab that it names. */
#ifndef CLI_STUDENT_H
#define CLI_STUDENT_H

#include "course/lab.h"

struct cli_student {
    const char *command; /* "hint" */
    const char *usage;   /* what --help prints */
    const char *flag;    /* "spoil": takes no value; NULL: none */
    bool flagged;        /* it was given */
    const char *option;  /* "device": another one, with a value; NULL: none */
    const char *value;   /* that was given; NULL: it was not */
    struct lab lab;      /* to be closed */
};

/* Reads the command line and opens the lab. Returns -1 to go on, or the exit code. */
int cli_read_student(struct cli_student *student, int argc, char **argv);

#endif
