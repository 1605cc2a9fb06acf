/* Runs a program in a process and reports how it ended.
 *
 * The program gets its own session and process group, /dev/null as input, one pipe for output and
 * errors, the command's environment, and limits on time, memory, file size and output. It has no
 * other descriptors, unless it has a server (process_run_served()). When the program ends, or when
 * the grader dies for any reason, all processes started by the program are killed.
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
    const char *folder;             /* working directory, or NULL for that of the caller */
    /* wall time after which the program is killed; must be more than 0 */
    double wall_seconds;
    unsigned cpu_seconds; /* limit of the CPU time of each process, or 0 for no limit */
    /* Limit of idle time, or 0 for no limit. Idle time is time in which neither the program nor its
     * server uses or waits for a CPU or a disk. The program is killed when it reaches the limit. */
    double idle_seconds;
    uint64_t address_bytes; /* limit of its address space in bytes, or 0 for no limit */
    uint64_t data_bytes;    /* limit of its writable memory in bytes, or 0 for no limit */
    uint64_t file_bytes;    /* maximum size in bytes of a file that it writes, or 0 for no limit */
    size_t output_keep;     /* maximum number of bytes of output that are kept */
    /* the program is killed if it writes more bytes than this; must be at least output_keep */
    size_t output_limit;
    const struct sandbox *sandbox; /* for untrusted programs, or NULL if there is no sandbox */
};

enum process_end {
    PROCESS_EXITED,          /* `code` is the exit status */
    PROCESS_SIGNALLED,       /* `code` is the signal */
    PROCESS_TIMED_OUT,       /* the limit of wall time or CPU time was reached */
    PROCESS_IDLE,            /* idle_seconds was reached */
    PROCESS_TOO_MUCH_OUTPUT, /* more output than output_limit */
    /* process_start_error() gives the reason, which is never the program's fault */
    PROCESS_NOT_STARTED,
    PROCESS_INTERRUPTED, /* process_interrupt() was called */
    PROCESS_UNSERVED,    /* the program was killed because its server had failed */
};

struct process_outcome {
    enum process_end end;
    int code;
    double seconds;      /* wall time */
    double cpu_seconds;  /* CPU time of the program and of all processes started by it */
    double idle_seconds; /* idle time, or 0 if the command has no limit of it */
    /* for PROCESS_TIMED_OUT: the limit of CPU time was reached, not that of wall time */
    bool used_cpu;
    /* the first output_keep bytes of output, which may contain NULs, followed by a NUL */
    char *output;
    size_t output_size; /* without the NUL */
    bool output_cut;    /* the program wrote more than output_keep bytes */
    pid_t pid;          /* process id of the program, which has ended, or 0 if unknown */
};

/* Runs COMMAND to its end and fills OUTCOME. The caller must call process_outcome_free(). */
void process_run(const struct process_command *command, struct process_outcome *outcome);

/* Does the same as process_run(), but also runs a second process, SERVER. A pair of sockets
 * connects the two processes: each has one socket as descriptor 3. The server starts first. It must
 * end by itself, at most its own wall_seconds after the program. If the server ends first with an
 * exit code other than 0, the program is killed. Fills both outcomes. */
void process_run_served(const struct process_command *command, const struct process_command *server,
                        struct process_outcome *outcome, struct process_outcome *server_outcome);
void process_outcome_free(struct process_outcome *outcome);

/* Requests that the kernel send signal NUMBER to this process, a child of PARENT, when PARENT ends.
 * Returns false if PARENT has already ended. */
bool process_end_with(pid_t parent, int number);

/* Returns one line that says why the program did not start. The text belongs to OUTCOME, or is
 * static. */
const char *process_start_error(struct process_outcome *outcome);

/* Ends the present run and all later runs with PROCESS_INTERRUPTED. May be called by signal
 * handlers. */
void process_interrupt(void);
/* Returns whether process_interrupt() has been called. */
bool process_interrupted(void);

#endif
