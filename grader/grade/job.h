/* A job is the JSON file that tells the checks runner what to check, and the folder into which the
 * runner writes its verdicts.
 *
 *     lanewise grade --job.json--> build/checks/NN-name --one NAME.json per check--> lanewise grade
 *
 * Both programs are trusted, and the folder is private to this grading. */
#ifndef GRADE_JOB_H
#define GRADE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "compile/build.h"
#include "grade/seed.h"

/* The environment variable that names the job file. It is not an argument, because Criterion runs
 * each check in a new process that inherits only the environment. */
#define GRADE_JOB_VARIABLE "LANEWISE_JOB"

/* The name of the socket that Criterion makes in /tmp for a checks runner: a format for printf,
 * whose argument is the runner's process id. */
#define GRADE_SOCKET "criterion_%ld.sock"

/* The number of the program among PROGRAM-n that has no edit. */
#define GRADE_NO_EDIT 99999

struct grade_job {
    enum grading_device device; /* where the submission is graded */
    enum sandbox_level level;   /* protection level of the submission's sandbox */
    /* path of the bubblewrap program, or "" to search for one */
    char bubblewrap[PATH_SIZE];
    struct grade_seed seed;
    bool pictures; /* records accesses, for pictures in reports */
    char folder[PATH_SIZE];
    char file_name[256]; /* name of the lab's file, "parallelize.cu" */
    /* the built submission by enum grading_device, or "" if it was not built */
    char programs[2][PATH_SIZE];
    /* the lab's solution, built for DEVICE, or "" if it was not built */
    char solution[PATH_SIZE];
    /* argument of lab_set_terms(), or NULL if there are no terms; the reader frees it */
    json_t *terms;
    /* the text of the submitted file as a JSON string, or NULL if it is not UTF-8; the reader frees
     * it */
    json_t *source;
    /* If not NULL, the runner performs only the checks with these ids. It tries the programs
     * PROGRAM-n, with the numbers n in `tries`, one after another. Instead of a verdict, it writes
     * the number of the first one that passes, or -1, and the work of all runs in warp
     * instructions: {"passed": 3, "work": 5e6}. It stops after as much work as `work`. The reader
     * frees both. */
    json_t *only, *tries;
    double work;
    double instructions; /* most warp instructions of a launch of these programs */
};

bool grade_job_write(const struct grade_job *job, const char *path);
/* Reads the job that $LANEWISE_JOB names. Returns false if there is none, or it is malformed. */
bool grade_job_read(struct grade_job *job);

#endif
