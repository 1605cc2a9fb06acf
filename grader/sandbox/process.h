/* Runs one program in a process of its own and tells how it ended.
 *
 * The program gets a fresh session and process group, /dev/null as input, one pipe for output and
 * errors, no other descriptor but for process_run_served(), exactly the environment given, and limits on time, memory, file size
 * and output. When it has ended, whatever is left of its group is killed.
 *
 * That alone is a boundary for programs that one trusts. For others there is SANDBOX: sandbox.h. */
#ifndef SANDBOX_PROCESS_H
#define SANDBOX_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sandbox;

struct process_command {
    const char *const *argv;        /* NULL-terminated; argv[0] is the program's path */
    const char *const *environment; /* NULL-terminated "NAME=value"; NULL: empty */
    const char *folder;             /* working directory; NULL: the caller's */
    double wall_seconds;            /* > 0: killed after this long */
    unsigned cpu_seconds;           /* 0: no limit */
    uint64_t address_bytes;         /* 0: no limit */
    uint64_t data_bytes;            /* memory that it can write to; 0: no limit */
    uint64_t file_bytes;            /* of each file it writes; 0: no limit */
    size_t output_keep;             /* bytes of output kept */
    size_t output_limit;            /* killed when it writes more; at least output_keep */
    bool stay_in_group;             /* trusted programs only: Ctrl-C reaches them, see exec.c */
    const struct sandbox *sandbox;  /* for programs that are not trusted; NULL: none */
};

enum process_end {
    PROCESS_EXITED,          /* code: the exit status */
    PROCESS_SIGNALLED,       /* code: the signal */
    PROCESS_TIMED_OUT,       /* wall or CPU time */
    PROCESS_TOO_MUCH_OUTPUT, /* more output than output_limit */
    PROCESS_NOT_STARTED, /* process_start_error() says why. The grader's failure, never the program's */
    PROCESS_INTERRUPTED, /* process_interrupt() was called */
};

struct process_outcome {
    enum process_end end;
    int code;
    double seconds;     /* wall time */
    char *output;       /* what it wrote, NUL-terminated, at most output_keep bytes; may hold NUL */
    size_t output_size; /* without the NUL */
    bool output_cut;    /* it wrote more than was kept */
};

/* Runs COMMAND to its end. OUTCOME is always filled; the caller frees it with process_outcome_free. */
void process_run(const struct process_command *command, struct process_outcome *outcome);

/* The same, with a SERVER beside it: descriptor 3 of both is an end of one socket. The server is started
 * first, and must end by itself within its wall_seconds once the program has. Both outcomes are filled. */
void process_run_served(const struct process_command *command, const struct process_command *server,
                        struct process_outcome *outcome, struct process_outcome *server_outcome);
void process_outcome_free(struct process_outcome *outcome);

/* Why it was PROCESS_NOT_STARTED, in one line: of OUTCOME, or a static text. */
const char *process_start_error(struct process_outcome *outcome);

/* For signal handlers: makes a run in progress, and any later one, end with PROCESS_INTERRUPTED. */
void process_interrupt(void);
/* Was it called? */
bool process_interrupted(void);

#endif
