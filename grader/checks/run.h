/* A run of the submission, with all the data that checks judge. run.c makes runs; the files that
 * judge only read them. */
#ifndef CHECKS_RUN_H
#define CHECKS_RUN_H

#include <jansson.h>

#include "base/files.h"
#include "gpu/device.h"
#include "grade/job.h"
#include "record/case.h"

struct check;

/* The way in which PROGRAM is run. */
struct run_plan {
    const char *program; /* its path */
    bool own;            /* this is the lab's own program, otherwise the submission */
    enum grading_device device;
    int repeats;                 /* number of timed passes, or 0 */
    bool copy_rate;              /* the run also measures how fast the GPU copies memory */
    bool watched;                /* racecheck and initcheck also watch the run */
    bool backwards;              /* the last block runs first, and within a block the last warp */
    enum emu_scramble scrambles; /* loads from this memory return wrong values */
    bool hides; /* main() sees a different input than kernels do (gpu/remote/views.h) */
    /* like `hides`, but main() sees this case, and reads what kernels make of the judged input;
     * NULL for a decoy */
    const struct case_data *misleads;
    /* like `hides`, but with two equal inputs, because the input is too short to spoil */
    bool shows;
    /* the run looks for the cause of a wrong answer, so nothing is hidden or spoilt */
    bool diagnoses;
    unsigned wider_pitch; /* as in struct run_files; 0 for a random number */
    /* if not 0, a second device works on data in which one of this many pieces is spoilt
     * (gpu/remote/twin.h) */
    size_t spoils;
};

struct run {
    struct run_plan plan; /* the plan as it was carried out */
    const struct case_data *input;
    struct case_data *result; /* the submission's result file, or NULL if it cannot be read */
    json_t *record;           /* the emulator's run/v1 document, or NULL on a GPU */
    json_t *counters;         /* totals over its launches, or NULL on a GPU */
    double seconds;           /* wall time of its process */
    unsigned wider_pitch;     /* as in struct run_files */
    /* if plan.hides, the kernels' results from the judged input, for each copy */
    struct text judged;
    struct answer *answers; /* the results that were judged so far (judging.h) */
    bool was_altered; /* main() changed the input on its way to the GPU, so nothing was hidden */
    /* a repetition with nothing hidden, or NULL if there is none yet */
    const struct run *open;
    /* a repetition with plan.backwards, or NULL if there is none yet */
    const struct run *backwards;
};

/* Runs the program on INPUT. If it failed, sets the verdict and returns NULL. */
const struct run *check_perform_run(struct check *check, const struct run_plan *plan,
                                    const struct case_data *input);

/* Repeats the run HIDDEN with nothing hidden. If the program failed, sets the verdict and returns
 * NULL. */
const struct run *check_run_openly(struct check *check, const struct run *hidden);

/* Finds out whether RUN was right only by luck. Racecheck sees no race between atomics, but their
 * order determines their results. So a watched run without findings is repeated with its warps in
 * the other order. Returns the second run, or NULL if there is nothing more to judge. */
const struct run *check_run_backwards(struct check *check, const struct run *run);

/* Repeats RUN with the judged input, while loads from MEMORY return wrong values. Returns the
 * result file, which the caller frees. Returns NULL if the program did not end well, or left no
 * readable result. */
struct case_data *check_run_scrambled(struct check *check, const struct run *run,
                                      enum emu_scramble memory);

/* Repeats RUN, but main() sees SHOWN, a case of the same shape, and reads what kernels make of
 * RUN's input. Returns the result file, which the caller frees. NULL: as above. */
struct case_data *check_run_misled(struct check *check, const struct run *run,
                                   const struct case_data *shown);

/* The outcome of running a program again after a wrong answer. */
struct rerun {
    json_t *record;           /* NULL if there is none */
    struct case_data *result; /* NULL if it cannot be read */
};

/* Runs RUN's program again on the emulator with the judged input. Racecheck and initcheck watch the
 * run, and fresh memory holds other bytes. Both members are NULL if that would take too long, or if
 * the submission was not built for the emulator. The caller frees them with check_free_rerun(). */
struct rerun check_run_again(struct check *check, const struct run *run);
void check_free_rerun(struct rerun *again);

/* Frees all runs of the check. */
void check_free_runs(struct check *check);

#endif
