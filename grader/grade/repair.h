/* Searches for the mistake of a submission with wrong answers. Tries small edits (grade/edits.h)
 * until the failed checks pass with one of them.
 *
 * All edited sources are built as one program, each in its own namespace, because nvcc compiles one
 * file much faster than many. The program's name says which of the sources runs:
 *
 *     #include "lab.h"
 *     namespace whole { ...the submission... }
 *     namespace try_0 { using namespace whole; ...the submission with edit 0... }
 *     namespace try_1 { using namespace whole; ...the submission with edit 1... }
 *     int main(int argc, char **argv) { ...calls try_1::main() if the program is PROGRAM-1... }
 *
 * PROGRAM-99999 (GRADE_NO_EDIT) calls whole::main().
 *
 * A namespace try_N contains only the functions that edit N can affect. It uses all others from the
 * namespace `whole`. */
#ifndef GRADE_REPAIR_H
#define GRADE_REPAIR_H

#include "grade/job.h"
#include "grade/result.h"

/* If an edit repairs failed checks, adds it to RESULT: as advice in the cause of these checks, or
 * as a new cause. FOLDER is the folder in which JOB was performed. If anything goes wrong, RESULT
 * stays unchanged. */
void repair_find(const struct grade_job *job, const char *folder, struct grade_result *result);

#endif
