/* Runs the processes of a run: the program in a sandbox and, on the emulator, its device in another
 * sandbox, each with its own files and environment.
 *
 *     case ----> [ ./program --case case --result result ] ----> result    judged by the check
 *                        | socket
 *                [ ./lanewise-device ]  -----------------------> record    launches and findings
 *
 * If the run hides its input, the program gets a decoy case. The device then gets both cases, and
 * writes the results that are judged (the answers) to a third file (gpu/remote/twin.h). If the
 * input is too short to be hidden, the decoy is equal to the input. */
#ifndef CHECKS_PROCESSES_H
#define CHECKS_PROCESSES_H

#include "checks/run.h"
#include "sandbox/process.h"

#define RUN_RESULT_BYTES ((size_t)64 << 20) /* maximum size of a result file */
#define RUN_OUTPUT_BYTES ((size_t)1 << 20)
#define RUN_FILE_BYTES   (2 * RUN_RESULT_BYTES)
/* memory of each device; a run can have a second device, for other data (gpu/remote/twin.h) */
#define RUN_GPU_BYTES ((uint64_t)1 << 30)

/* The limits of a run in seconds; 0 means no limit. On the emulator, time in which a process waits
 * for a CPU does not count, so no program is stopped because the machine is busy. The limit of wall
 * time is only for the worst case. */
struct run_limits {
    unsigned wall, idle;
    unsigned program, device; /* CPU time of main() and of the emulator */
    /* time that all runs of a check may take together (see run_seconds()) */
    unsigned check;
    unsigned instructions; /* warp instructions of one launch */
    bool are_short;        /* the shorter limits, for a submission that has hung before */
};
struct run_limits run_limits_of(enum grading_device device, bool has_hung);

struct run_files {
    char folder[PATH_SIZE], input[PATH_SIZE], result[PATH_SIZE];
    char device_folder[PATH_SIZE], record[PATH_SIZE];
    /* only if the run hides its input: paths of the decoy, the judged input and the answers */
    char shown_path[PATH_SIZE], judged_path[PATH_SIZE], answers[PATH_SIZE];
    /* descriptor of inotify, which reports when INPUT is opened, or -1 if inotify failed */
    int opens;
    char program_folder[PATH_SIZE]; /* with the program, the runtime library and lanewise-device */
    /* random seeds: one for the bytes in newly allocated memory, one for the choice of spoilt
     * pieces */
    uint64_t poison, spoil;
    /* makes all pitches wider than usual (emu_options.wider_pitch), so that a program with a fixed
     * pitch gives wrong results */
    unsigned wider_pitch;
};

/* Makes the folders and files of a run on INPUT. If SHOWN is not NULL, the program gets SHOWN
 * instead of INPUT. On failure returns false with the reason in errno. */
bool run_files_make(struct run_files *files, const struct check *check, const struct run_plan *plan,
                    const struct case_data *input, const struct case_data *shown);

/* Runs the processes within LIMITS. PLAN is the plan for which run_files_make() made the files.
 * Fills both outcomes, which the caller frees; DEVICE is filled only on the emulator. */
void run_processes(const struct run_files *files, const struct check *check,
                   const struct run_plan *plan, const struct run_limits *limits,
                   struct process_outcome *program, struct process_outcome *device);

/* Returns the seconds that a run on DEVICE has taken. On the emulator, this is CPU time plus idle
 * time, which does not depend on the load of the machine; on a GPU, it is wall time. */
double run_seconds(enum grading_device device, const struct process_outcome *program,
                   const struct process_outcome *server);

/* Returns whether the program has opened its case, or true if that is unknown. */
bool run_files_opened(const struct run_files *files);

/* Removes the folders of the run. */
void run_files_remove(const struct run_files *files);

#endif
