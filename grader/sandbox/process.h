/* Runs one program in a process and reports how it ended.
 *
 * The program gets its own session and process group, /dev/null as input, one pipe for output and
 * errors, no other descriptor (process_run_served() adds one), the command's environment, and
 * limits on time, memory, file size and output. When the program ends, or when the grader dies for
 * any reason, all processes that the program has started are killed.
 *
 * This is enough for trusted programs. Untrusted programs also need a sandbox (sandbox.h). */
#ifndef SANDBOX_PROCESS_H
#define SANDBOX_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sandbox;

struct process_command {
    const char *const *argv;        /* NULL-terminated; argv[0] is the program's path */
    const char *const *environment; /* NULL-terminated list of "NAME=value", or NULL if empty */
    const char *folder;             /* working directory, or NULL for the caller's */
    double wall_seconds;            /* more than 0; the program is killed after this time */
    unsigned cpu_seconds;           /* CPU seconds of each process, or 0 for no limit */
    /* limit of idle time, or 0 for no limit: the program is killed after it and its server have
     * only waited for this time; time in which they wait for a CPU does not count */
    double idle_seconds;
    uint64_t address_bytes; /* bytes of address space, or 0 for no limit */
    uint64_t data_bytes;    /* bytes of writable memory, or 0 for no limit */
    uint64_t file_bytes;    /* the largest file that it may write, or 0 for no limit */
    size_t output_keep;     /* bytes of output kept */
    /* the program is killed if it writes more bytes than this; must be at least output_keep */
    size_t output_limit;
    const struct sandbox *sandbox; /* for untrusted programs, or NULL if there is no sandbox */
};

enum process_end {
    PROCESS_EXITED,          /* code is the exit status */
    PROCESS_SIGNALLED,       /* code is the signal */
    PROCESS_TIMED_OUT,       /* the limit of wall time or CPU time was reached */
    PROCESS_IDLE,            /* idle_seconds was reached */
    PROCESS_TOO_MUCH_OUTPUT, /* more output than output_limit */
    /* process_start_error() gives the reason, which is never the program's fault */
    PROCESS_NOT_STARTED,
    PROCESS_INTERRUPTED, /* process_interrupt() was called */
    PROCESS_UNSERVED,    /* its server failed first, so the program was killed */
};

struct process_outcome {
    enum process_end end;
    int code;
    double seconds;      /* wall time */
    double cpu_seconds;  /* CPU time of the program and of all processes that it has started */
    double idle_seconds; /* time in which it only waited, or 0 if the command has no idle_seconds */
    /* for PROCESS_TIMED_OUT: the program used up its CPU time, not its wall time */
    bool used_cpu;
    char *output;       /* the first output_keep bytes and a NUL; the bytes may contain NULs, too */
    size_t output_size; /* without the NUL */
    bool output_cut;    /* the program wrote more than output_keep */
    pid_t pid;          /* id of the program's process, which has ended, or 0 if unknown */
};

/* Runs COMMAND to its end and fills OUTCOME, which the caller frees with process_outcome_free(). */
void process_run(const struct process_command *command, struct process_outcome *outcome);

/* Does the same as process_run(), but also runs a second process, SERVER. A socket connects the two
 * processes; each process has one end as descriptor 3. The server starts first. It must end by
 * itself, at most its own wall_seconds after the program. The program is killed if the server ends
 * first with an exit code other than 0. Fills both outcomes. */
void process_run_served(const struct process_command *command, const struct process_command *server,
                        struct process_outcome *outcome, struct process_outcome *server_outcome);
void process_outcome_free(struct process_outcome *outcome);

/* Asks the kernel to send this process, a child of PARENT, the signal NUMBER when PARENT ends.
 * Returns false if PARENT has ended already. */
bool process_end_with(pid_t parent, int number);

/* Returns one line that says why the program did not start. The text belongs to OUTCOME, or is
 * static. */
const char *process_start_error(struct process_outcome *outcome);

/* Ends the run in progress and all later runs with PROCESS_INTERRUPTED. Signal handlers may call
 * it. */
void process_interrupt(void);
/* Returns whether process_interrupt() was called. */
bool process_interrupted(void);

#endif
