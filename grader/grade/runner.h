/* Starts the checks runner of a lab. */
#ifndef GRADE_RUNNER_H
#define GRADE_RUNNER_H

#include "course/lab.h"
#include "grade/job.h"
#include "sandbox/process.h"

/* Writes JOB to PATH, and runs LAB's checks runner on it in a fixed environment, so that the user's
 * variables cannot affect Criterion. Returns false, with the reason in errno, if the job cannot be
 * written. Otherwise the caller frees OUTCOME. */
bool runner_run(const struct lab *lab, const struct grade_job *job, const char *path,
                struct process_outcome *outcome);

#endif
