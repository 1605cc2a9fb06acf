/* Keeps a student's progress: for each lab the best score with its date, the points of the last
 * grading, and the number of hints shown. No grade depends on the progress.
 *
 * The progress is in the file labs/.progress.json, next to the student's files; `make clean` does
 * not remove the file, and git ignores it. Only gradings of the student's own files count. If the
 * file cannot be read or written, progress is not remembered, but this is not an error. */
#ifndef GRADE_PROGRESS_H
#define GRADE_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

/* Returns a new object:
 *
 * {"schema": "lanewise/progress/v1",
 *  "labs": {"01-parallelize": {"best": 60, "best_at": UNIX SECONDS, "full": false, "hints": 1,
 *                              "last": {"emulator": {"score": 60, "checks": {"right": 10, ...}}}}}}
 *
 * "labs" is empty if the file is missing or damaged. */
json_t *progress_load(void);
/* Replaces the file. On failure returns false with the reason in errno. */
bool progress_save(const json_t *progress);

/* Returns LAB's entry in PROGRESS, which the caller may change. Adds a missing entry. */
json_t *progress_lab(json_t *progress, const char *lab);

/* Records the points of RESULT, a lanewise/result/v1 made at time NOW, if the submission was built.
 * If its score is the best so far, also records it as the best. */
void progress_note(json_t *progress, const json_t *result, time_t now);

/* Returns a text about the change since the last grading on the same device, such as "75 -> 85: no
 * bank conflicts in shared memory". The caller frees it. Returns NULL if nothing has changed, there
 * was no earlier grading, or RESULT was not built. *DIFFERENCE gets the number of points gained,
 * which is negative for a loss. */
char *progress_change(const json_t *progress, const json_t *result, double *difference);

/* Returns true if LAB has ever had full marks. */
bool progress_done(const json_t *progress, const char *lab);

#endif
