/* Copies the students' pages to the names of their hand-ins:
 *
 *     SUBMISSIONS/Ann Lee_4711_assignsubmission_file_/coalesce.cu
 *        feedback/Ann Lee_4711_assignsubmission_file_/report.html
 *     SUBMISSIONS/leeann_4711_815_coalesce.cu
 *        feedback/leeann_4711_815_coalesce.html
 *
 * When a zip of the folder is uploaded, a learning system uses these names to find the students. */
#ifndef BATCH_FEEDBACK_H
#define BATCH_FEEDBACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/files.h"

#define BATCH_FEEDBACK "feedback" /* the folder's name inside the folder that --out names */

/* Replaces the folder "feedback" in OUT. Its pages are copies of CLASS's pages in OUT. On failure
 * returns false, and ERROR (SIZE bytes) says why in one line. */
bool batch_write_feedback(const json_t *class, const char *out, char *error, size_t size);

/* Sets NAME to the path, inside the folder "feedback", of the page for the hand-in at PATH. If the
 * hand-in was in a lab's folder, PATH begins with the name of one of LABS. Returns false if the
 * hand-in gets no page. */
bool batch_feedback_name(const json_t *labs, const char *path, char name[PATH_SIZE]);

#endif
