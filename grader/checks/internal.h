/* What the runner's own files share. A lab's checks.c sees check.h only. */
#ifndef CHECKS_INTERNAL_H
#define CHECKS_INTERNAL_H

#include <jansson.h>

#include "base/files.h"
#include "checks/check.h"
#include "grade/job.h"

#define CHECK_MESSAGE_SIZE 600
#define CHECK_MAX_BLOCKS   64

/* One run of PROGRAM, timed if REPEATS > 0. */
struct check_run {
    const char *program; /* its path */
    bool own;            /* the lab's own, not the submission */
    enum grading_device device;
    int repeats;
    bool copy_rate; /* is measured too */
    bool watched;   /* by the emulator's tools that are not always on, too */
    bool backwards; /* the last block goes first, and its last warp */
    bool hides;     /* main() is shown another input than kernels work on: gpu/remote/views.h */
    size_t
        spoils; /* > 0: there is a twin with spoilt data, one piece in so many: gpu/remote/twin.h */
};

/* A result as it is judged, and where it comes from: provenance.c. */
struct answer {
    struct answer *next;
    struct case_array array;
    bool made;            /* kernels made all of it */
    bool same;            /* so it is with other data, too, and not all zeros: */
    bool is_other_spoilt; /* that data was spoilt, and else another input */
    uint64_t values[];
};

struct trial {
    struct check_run run;
    const struct case_data *input;
    struct case_data *result; /* what the submission handed in; NULL: nothing readable */
    json_t *record;           /* the emulator's run/v1 document; NULL on a GPU */
    json_t *counters;         /* totals over its launches; NULL on a GPU */
    double seconds;           /* wall time of its process */
    struct text judged;       /* run.hides: what kernels made of the judged input, copy by copy */
    struct answer *answers;   /* those that were asked for */
    bool was_altered; /* the input could have been hidden, but did not come to the GPU as it was */
    const struct trial *open;      /* the same with nothing hidden; NULL: it was not necessary */
    const struct trial *backwards; /* the same in the other order of warps; NULL: likewise */
};

struct check {
    const struct check_info *info;
    struct grade_job job;
    uint64_t random;    /* state of the random stream */
    char context[160];  /* describes the case made last */
    unsigned run_count; /* processes so far */

    /* The verdict. */
    const char *status; /* NULL: nothing has gone wrong */
    char message[CHECK_MESSAGE_SIZE];
    char failed_case[160]; /* describes the case that it failed on; "" if that is not the point */
    bool advised;          /* hint is about this very failure; otherwise the check's own is shown */
    char hint[200];
    char broken[CHECK_MESSAGE_SIZE]; /* why the grader failed; "" if it did not */
    double points;                   /* that can be earned: as declared, or as a course has it */
    double share;                    /* of these */
    struct judge_budget budget; /* the figure's: declared, or a course's, or by check_speed() */
    bool measured;
    double value;             /* the figure's, if measured */
    char note[300];           /* shown beside the result, whatever it is; "" none */
    char file[256];           /* the source line to show; "" none */
    unsigned line;            /* from 1; 0: unknown */
    unsigned column;          /* from 1; 0: unknown */
    char kernel[200];         /* whose launch to show, if there is no line; "" none */
    char cause[400];          /* why that line costs so much; "" unknown */
    char spare[200];          /* what it would cost and give if it were ideal; "" unknown */
    json_t *counters;         /* of the last trial */
    json_t *findings;         /* of all trials */
    json_t *lines, *accesses; /* of the student's own lines, in all trials: record/lines.h */

    /* Rounds of timing. */
    unsigned round;
    double times[3][CHECK_REPEATS]; /* ms, by enum check_program */
    double walls[3][CHECK_REPEATS]; /* seconds, of the processes that said so */
    double copy_rate;               /* GB/s of this GPU's memory; 0: unknown */
    size_t input_bytes;             /* of the submission's cases */

    /* What lives as long as the check, or as a round of timing. */
    struct case_data *cases[CHECK_MAX_BLOCKS];
    struct trial trials[CHECK_MAX_BLOCKS];
    void *blocks[CHECK_MAX_BLOCKS];
    unsigned case_count, trial_count, block_count;
};

/* The submission has failed: STATUS is one of "failed", "crashed", "timeout", "no-result". The first
 * call decides. */
void check_fail(struct check *check, const char *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replaces the check's own hint, which is about wrong answers, in the verdict just made. */
void check_advise(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The grader has failed: there will be no grade. The first call decides. */
void check_break(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Nothing has gone wrong so far. */
bool check_is_open(const struct check *check);

/* Remembers the source line that the report shall show. */
void check_point_at(struct check *check, const char *file, unsigned line, unsigned column);
/* Is FILE the student's? */
bool check_is_own_file(const struct check *check, const char *file);
/* The same for the loss that the figure's counter owes most to, with its cause. False: there is none. */
bool check_point_at_loss(struct check *check, const struct trial *trial);

/* "; no kernel was launched", where that explains a wrong answer; else "". */
const char *check_if_no_kernel(const struct trial *trial);

/* Starts the random stream of SEED and ID. */
uint64_t check_random_start(uint64_t seed, const char *id);
uint64_t check_random_next(uint64_t *state);
/* A number, not 0, for PURPOSE in the run that comes next. It follows from the seed, but a program that is given it, or
 * what is made of it, cannot tell the seed, with which it could make the input that it is not shown. */
uint64_t check_random_apart(const struct check *check, const char *purpose);

/* The declarations of this program. */
extern const struct check_info *const __start_lanewise_checks[], *const __stop_lanewise_checks[];

/* True if the check is part of a grading on DEVICE. */
bool check_runs_on(const struct check_info *info, enum grading_device device);
/* Where its trials run then. */
enum grading_device check_device(const struct check_info *info, enum grading_device graded);

/* Writes ID with '-' for '_'. */
void check_public_id(const struct check_info *info, char id[64]);

/* Another case of the same shape: its long arrays have numbers drawn from those of INPUT's, none of them 0. NULL:
 * it has none in which 16 bytes would tell a place, or memory is out. */
struct case_data *check_other_case(const struct case_data *input, uint64_t *random);
/* Of how many pieces of INPUT to spoil one, so that some 16 are spoilt. 0: none, as it is so short that an answer
 * which does not depend on them may be chance. */
size_t check_spoil_rate(const struct case_data *input);

/* What to try if an answer is wrong, and the same with other data. */
#define CHECK_ADVICE_SAME                                                                          \
    "A kernel must work it out from what cudaMemcpy() has brought to the GPU. main() only copies."

/* The result NAME as it is judged; NULL: there is none. May run the submission once more. */
const struct answer *check_answer(struct check *check, const struct trial *trial, const char *name);
void check_free_answers(struct trial *trial);
/* The run of HIDDEN once more, with nothing hidden. NULL: it failed, and there is a verdict. */
const struct trial *check_run_openly(struct check *check, const struct trial *hidden);

/* Was TRIAL right by luck only? Racecheck sees no race between atomics, but what they bring depends on who comes
 * first. So a run in which luck is looked for, and nothing was found, is judged once more with its warps in the
 * other order: this is that run. NULL: nothing more is to be judged. */
const struct trial *check_run_backwards(struct check *check, const struct trial *trial);
/* Says that the verdict on that run, if there is one, is about luck. */
void check_blame_order(struct check *check);

/* NULL: it failed, and there is a verdict. */
const struct trial *check_perform_run(struct check *check, const struct check_run *run,
                                      const struct case_data *input);

/* Judges VALUE by the check's budget. */
void check_value(struct check *check, double value);

/* Frees everything that trials, cases and inputs hold, and forgets it. */
void check_free_trials(struct check *check);
void check_free_inputs(struct check *check);

#endif
