/* A run is one execution of the submission, with all data that checks judge. run.c makes runs;
 * other files only read them. */
#ifndef CHECKS_RUN_H
#define CHECKS_RUN_H

#include <jansson.h>

#include "base/files.h"
#include "gpu/device.h"
#include "grade/job.h"
#include "record/case.h"

struct check;

/* How a run executes PROGRAM. */
struct run_plan {
    const char *program; /* its path */
    bool own;            /* PROGRAM is the lab's own program, not the submission */
    enum grading_device device;
    int repeats; /* number of timed passes, or 0 */
    /* the run also measures the speed at which the GPU copies memory */
    bool copy_rate;
    bool watched;                /* racecheck and initcheck are active */
    bool backwards;              /* blocks, and the warps of each block, run in reverse order */
    enum emu_scramble scrambles; /* loads from this kind of memory return wrong values */
    bool hides; /* main() sees a decoy, not the kernels' input (gpu/remote/views.h) */
    /* like `hides`, but main() sees this case instead of a decoy, and reads the kernels' results
     * for the judged input; or NULL */
    const struct case_data *misleads;
    /* like `hides`, but the decoy equals the input, because the input is too short to spoil */
    bool shows;
    /* the run searches for the cause of a wrong answer, so it neither hides nor spoils the input */
    bool diagnoses;
    unsigned wider_pitch; /* as in struct run_files; 0 for a random number */
    /* if not 0, a second device works on data in which about one of SPOILS pieces is spoilt
     * (gpu/remote/twin.h) */
    size_t spoils;
};

struct run {
    struct run_plan plan; /* the plan as it was carried out */
    const struct case_data *input;
    char context[160];        /* describes the input (see struct check) */
    struct case_data *result; /* the submission's result file, or NULL if it cannot be read */
    json_t *record;           /* the emulator's run/v1 document, or NULL on a GPU */
    json_t *counters;         /* totals over the run's launches, or NULL on a GPU */
    double seconds;           /* wall time of the program's process */
    unsigned wider_pitch;     /* as in struct run_files */
    /* if plan.hides is true: the bytes of each copy to the host, computed from the judged input */
    struct text judged;
    struct answer *answers; /* list of the results that were judged so far (judging.h) */
    /* main() changed the input before it copied it to the GPU, so the input was not hidden */
    bool was_altered;
    /* the repetition of this run without a decoy, or NULL if there is none yet */
    const struct run *open;
    /* the repetition of this run with plan.backwards, or NULL if there is none yet */
    const struct run *backwards;
};

/* Runs the program on INPUT. If it failed, sets the verdict and returns NULL. */
const struct run *check_perform_run(struct check *check, const struct run_plan *plan,
                                    const struct case_data *input);

/* Repeats the run HIDDEN without a decoy. If the program fails, sets the verdict and returns
 * NULL. */
const struct run *check_run_openly(struct check *check, const struct run *hidden);

/* Finds out whether RUN was right only by luck: the order of atomics can change the result, but
 * racecheck does not report this as a race. If RUN had racecheck and initcheck active, and they
 * found nothing, repeats it with its warps in the other order. Returns the second run, or NULL if
 * there is none. */
const struct run *check_run_backwards(struct check *check, const struct run *run);

/* Repeats RUN with the judged input and with loads from MEMORY that return wrong values. Returns
 * the result file, which the caller frees. Returns NULL if the program failed, or left no readable
 * result. */
struct case_data *check_run_scrambled(struct check *check, const struct run *run,
                                      enum emu_scramble memory);

/* Repeats RUN with two inputs of the same shape: main() gets SHOWN, but the kernels get RUN's
 * input, and main() reads back their results. Returns the same as check_run_scrambled(). */
struct case_data *check_run_misled(struct check *check, const struct run *run,
                                   const struct case_data *shown);

/* The outcome of a second run after a wrong answer. */
struct rerun {
    json_t *record;           /* NULL if there is none */
    struct case_data *result; /* NULL if it cannot be read */
};

/* Runs RUN's program again on the emulator with the judged input, with racecheck and initcheck
 * active, and with other contents in newly allocated memory. Both members are NULL if that would
 * take too long, or if the submission was not built for the emulator. The caller frees them with
 * check_free_rerun(). */
struct rerun check_run_again(struct check *check, const struct run *run);
void check_free_rerun(struct rerun *again);

/* Frees all runs of the check. */
void check_free_runs(struct check *check);

#endif
