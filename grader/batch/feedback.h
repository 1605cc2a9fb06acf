/* The students' pages once more, under the names that their hand-ins had:
 *
 *     SUBMISSIONS/Ann Lee_4711_assignsubmission_file_/coalesce.cu   feedback/Ann Lee_4711_assignsubmission_file_/report.html
 *     SUBMISSIONS/leeann_4711_815_coalesce.cu                       feedback/leeann_4711_815_coalesce.html
 *
 * By these names a learning system finds the students again when a zip of the folder is uploaded. */
#ifndef BATCH_FEEDBACK_H
#define BATCH_FEEDBACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/files.h"

#define BATCH_FEEDBACK "feedback" /* its name in the folder that --out names */

/* Makes the folder anew in OUT, where the pages of CLASS are. False: ERROR (SIZE bytes) is one line. */
bool batch_write_feedback(const json_t *class, const char *out, char *error, size_t size);

/* Where in that folder the page of who handed in PATH goes, which begins with the name of one of LABS if the
 * hand-in lay in a lab's folder. False: nowhere. */
bool batch_feedback_name(const json_t *labs, const char *path, char name[PATH_SIZE]);

#endif
