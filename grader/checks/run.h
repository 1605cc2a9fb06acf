/* A run of the submission: all that checks judge. run.c makes it; the files that judge only read
 * it.
 *
 *     plan --> processes.c --> result and record --> struct run --> answers.c, counters.c, ... */
#ifndef CHECKS_RUN_H
#define CHECKS_RUN_H

#include <jansson.h>

#include "base/files.h"
#include "grade/job.h"
#include "record/case.h"

struct check;

/* How to run PROGRAM. */
struct run_plan {
    const char *program; /* its path */
    bool own;            /* true: the lab's own program; false: the submission */
    enum grading_device device;
    int repeats;    /* > 0: so many passes are timed */
    bool copy_rate; /* it also measures how fast the GPU copies memory */
    bool watched;   /* racecheck and initcheck watch it, too */
    bool backwards; /* the last block runs first, and of a block the last warp */
    bool scrambles; /* loads from shared memory return wrong values */
    bool hides;     /* main() sees another input than kernels work on: gpu/remote/views.h */
    bool shows;     /* hides, but both inputs are the same: it is too short to spoil any of it */
    bool diagnoses; /* it looks for the cause of a wrong answer: nothing is hidden or spoilt */
    unsigned wider_pitch; /* as in struct run_files; 0: random */
    /* > 0: a second device works on data of which one piece in so many is spoilt: gpu/remote/twin.h
     * */
    size_t spoils;
};

struct run {
    struct run_plan plan; /* as it was carried out */
    const struct case_data *input;
    struct case_data *result; /* what the submission handed in; NULL: nothing readable */
    json_t *record;           /* the emulator's run/v1 document; NULL on a GPU */
    json_t *counters;         /* totals over its launches; NULL on a GPU */
    double seconds;           /* wall time of its process */
    unsigned wider_pitch;     /* as in struct run_files */
    struct text judged;     /* if plan.hides: what kernels made of the judged input, copy by copy */
    struct answer *answers; /* the results that were judged so far: judging.h */
    bool was_altered; /* main() changed the input on its way to the GPU, so it was not hidden */
    const struct run *open;      /* the same with nothing hidden; NULL: not needed so far */
    const struct run *backwards; /* the same with plan.backwards; NULL: not needed so far */
};

/* Runs the program on INPUT. NULL: it failed, and the verdict says so. */
const struct run *check_perform_run(struct check *check, const struct run_plan *plan,
                                    const struct case_data *input);

/* Runs HIDDEN again, with nothing hidden. NULL: it failed, and the verdict says so. */
const struct run *check_run_openly(struct check *check, const struct run *hidden);

/* Was RUN right by luck only? Racecheck sees no race between atomics, but their order decides what
 * they return. So a watched run without findings is judged again with its warps in the other order.
 * Returns that run; NULL: there is nothing more to judge. */
const struct run *check_run_backwards(struct check *check, const struct run *run);

/* Runs RUN's program again, with the judged input, while loads from shared memory return wrong
 * values. Returns the result file, which the caller frees; NULL: the program did not come that far,
 * or not to its end. */
struct case_data *check_run_scrambled(struct check *check, const struct run *run);

/* What a program did when it was run again after a wrong answer. */
struct rerun {
    json_t *record;           /* NULL: none */
    struct case_data *result; /* NULL: nothing readable */
};

/* Runs RUN's program again with the judged input, on the emulator: racecheck and initcheck watch it,
 * and fresh memory holds other bytes. Both members are NULL if that would take too long, or if the
 * submission was not built for the emulator. The caller frees them. */
struct rerun check_run_again(struct check *check, const struct run *run);

/* Frees all runs of the check. */
void check_free_runs(struct check *check);

#endif
