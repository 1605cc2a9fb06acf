/* A student's progress: for each lab the best score and when, and how many hints were told.
 *
 * It is kept beside the files that it is about, in labs/.progress.json, where `make clean` leaves it
 * alone and git ignores it. Only gradings of the student's own files count. A file that cannot be read
 * or written is no error: then nothing is remembered. */
#ifndef GRADE_PROGRESS_H
#define GRADE_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

/* {"schema": "lanewise/progress/v1",
 *  "labs": {"01-parallelize": {"best": 60, "best_at": UNIX SECONDS, "full": false, "hints": 1}}}
 * A new object; an empty one if there is none yet, or if it is damaged. */
json_t *progress_load(void);
/* Replaces the file. False: errno says why. */
bool progress_save(const json_t *progress);

/* What is known of LAB, a part of PROGRESS that may be changed. */
json_t *progress_lab(json_t *progress, const char *lab);

/* Notes a lanewise/result/v1, made at NOW, if it is better than what is known. */
void progress_note(json_t *progress, const json_t *result, time_t now);

/* Has LAB ever had full marks? */
bool progress_done(const json_t *progress, const char *lab);

#endif
