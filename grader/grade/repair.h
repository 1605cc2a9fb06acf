/* Looks for the mistake of a submission with wrong answers: a small edit (grade/edits.h) with which
 * the failed checks pass.
 *
 * All edited sources are built as one program, each in a namespace of its own, because nvcc needs
 * much less time for one file than for many. The program's name says which of them runs:
 *
 *     #include "lab.h"
 *     namespace whole { ...the submission... }
 *     namespace try_0 { using namespace whole; ...the submission with edit 0... }
 *     namespace try_1 { using namespace whole; ...the submission with edit 1... }
 *     int main(int argc, char **argv) { ...calls try_1::main() if the program is PROGRAM-1... }
 *
 * A namespace has only the functions that an edit can affect; the other ones are in one for all. */
#ifndef GRADE_REPAIR_H
#define GRADE_REPAIR_H

#include "grade/job.h"
#include "grade/result.h"

/* Adds a cause to RESULT, or a place to its cause, if an edit repairs failed checks. JOB was
 * performed in FOLDER. A failure of any kind only leaves out the cause. */
void repair_find(const struct grade_job *job, const char *folder, struct grade_result *result);

#endif
