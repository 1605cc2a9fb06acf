/* One run of a submission, as processes: its program in a sandbox and, on the emulator, its device in
 * another, with the files and the environment that each of them gets.
 *
 *     case ----> [ ./program --case case --result result ] ----> result    judged by the check
 *                        | socket
 *                [ ./lanewise-device ]  -----------------------> record    launches and findings
 *
 * If the run hides its input, the case that the program gets is another one. The device has both then, and leaves
 * what is to be judged in a file of its own: gpu/remote/twin.h. */
#ifndef CHECKS_RUN_H
#define CHECKS_RUN_H

#include "checks/internal.h"
#include "sandbox/process.h"

#define PROCESS_RESULT_BYTES ((size_t)64 << 20) /* the longest result that is read */
#define PROCESS_OUTPUT_LIMIT ((size_t)1 << 20)
#define PROCESS_FILE_BYTES   (2 * PROCESS_RESULT_BYTES)
#define PROCESS_GPU_BYTES                                                                          \
    ((uint64_t)1 << 30) /* device memory; its process may hold a twin's, too */

struct process {
    char folder[PATH_SIZE], input[PATH_SIZE], result[PATH_SIZE];
    char device_folder[PATH_SIZE], record[PATH_SIZE];
    /* of a run that hides its input */
    char shown_path[PATH_SIZE], judged_path[PATH_SIZE], answers[PATH_SIZE];
    char program_folder[PATH_SIZE]; /* the runtime library and the device are there, too */
    uint64_t poison, spoil;         /* the seeds of fresh memory's bytes, and of what is spoilt */
};

/* Makes the folders and files of RUN, with INPUT as its case; the program gets SHOWN in its place, if that is not NULL.
 * False: errno says why. */
bool process_prepare(struct process *process, const struct check *check,
                     const struct check_run *run, const struct case_data *input,
                     const struct case_data *shown);

/* Runs it for SECONDS at most; RUN hides its input if, and only if, it was prepared with another one to be shown.
 * Both outcomes are filled, and to be freed; DEVICE only if RUN is on the emulator, otherwise it stays as it is. */
void process_execute(const struct process *process, const struct check *check,
                     const struct check_run *run, int seconds, struct process_outcome *program,
                     struct process_outcome *device);

/* Removes the folders. */
void process_remove(const struct process *process);

#endif
