/* What `lanewise grade` tells the checks runner, in a JSON file, and where the runner answers.
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

/* The environment variable that names the job file: Criterion's workers are fresh processes, which
 * inherit the environment and nothing else. */
#define GRADE_JOB_VARIABLE "LANEWISE_JOB"

struct grade_job {
    enum grading_device device; /* that the submission is graded on */
    enum sandbox_level level;   /* of the sandbox that it runs in */
    uint64_t seed;              /* below 2^63 */
    bool pictures;              /* accesses are recorded, to be drawn */
    char folder[PATH_SIZE];
    char file_name[256];         /* the lab's, "parallelize.cu" */
    char programs[2][PATH_SIZE]; /* the submission by enum grading_device; "" if not built */
    char solution[PATH_SIZE];    /* the lab's solution, built for the same device; or "" */
    json_t *terms;               /* of lab_set_terms(); NULL: none. The reader's to free */
};

bool grade_job_write(const struct grade_job *job, const char *path);
/* Reads the job that $LANEWISE_JOB names. False: there is none, or it is malformed. */
bool grade_job_read(struct grade_job *job);

#endif
