/* The JSON file in which `lanewise grade` hands a job to the checks runner, and the folder for its
 * answers.
 *
 *     lanewise grade --job.json--> build/checks/NN-name --one ID.json a check--> lanewise grade
 *
 * Both sides are trusted; the folder is private to this grading. */
#ifndef GRADE_JOB_H
#define GRADE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "compile/build.h"

/* The environment variable that names the job file. Criterion's workers are fresh processes that
 * inherit only the environment. */
#define GRADE_JOB_VARIABLE "LANEWISE_JOB"

/* The socket of a checks runner, which Criterion makes in /tmp: printf's format for the process id. */
#define GRADE_SOCKET "criterion_%ld.sock"

struct grade_job {
    enum grading_device device; /* where the submission is graded */
    enum sandbox_level level;   /* of the sandbox in which it runs */
    uint64_t seed;              /* below 2^63 */
    bool pictures;              /* record accesses, for pictures */
    char folder[PATH_SIZE];
    char file_name[256];         /* the lab's, "parallelize.cu" */
    char programs[2][PATH_SIZE]; /* the built submission by enum grading_device; "": not built */
    char solution[PATH_SIZE];    /* the lab's solution, built for the same device; "": not built */
    json_t *terms;               /* of lab_set_terms(); NULL: none. The reader frees them */
};

bool grade_job_write(const struct grade_job *job, const char *path);
/* Reads the job that $LANEWISE_JOB names. False: there is none, or it is malformed. */
bool grade_job_read(struct grade_job *job);

#endif
