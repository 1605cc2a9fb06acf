/* A student's progress: for each lab the best score with its date, and the number of hints shown.
 *
 * It is next to the student's files, in labs/.progress.json; `make clean` leaves it alone and git
 * ignores it. Only gradings of the student's own files count. If the file cannot be read or
 * written, nothing is remembered; that is not an error. */
#ifndef GRADE_PROGRESS_H
#define GRADE_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

/* {"schema": "lanewise/progress/v1",
 *  "labs": {"01-parallelize": {"best": 60, "best_at": UNIX SECONDS, "full": false, "hints": 1}}}
 * A new object; without labs if the file is missing or damaged. */
json_t *progress_load(void);
/* Replaces the file. False: errno says why. */
bool progress_save(const json_t *progress);

/* LAB's member of PROGRESS, which the caller may change. */
json_t *progress_lab(json_t *progress, const char *lab);

/* Records a lanewise/result/v1, made at NOW, if it is the best so far. */
void progress_note(json_t *progress, const json_t *result, time_t now);

/* True if LAB has ever had full marks. */
bool progress_done(const json_t *progress, const char *lab);

#endif
