/* Writes an instructor's files about a class into the folder of --out:
 *
 *     gradebook.csv          one row for each student
 *     class.json             lanewise/class/v1, for programs
 *     class.html             the class's right and wrong answers, for the instructor
 *     STUDENT/results.json   lanewise/student/v1
 *     STUDENT/report.html    the same as a page, for the student
 *     feedback/              copies of these pages, named after the hand-ins (batch/feedback.h)
 *
 * No file is ever half written. Unchanged files are not touched. */
#ifndef BATCH_OUTPUT_H
#define BATCH_OUTPUT_H

#include "batch/store.h"

/* Writes all files that are listed at the top. On failure returns false, and ERROR (SIZE bytes)
 * says in one line which file could not be written. */
bool batch_write_all(struct batch_store *store, const json_t *class, const char *folder,
                     char *error, size_t size);

/* Returns a new array with the sorted names of the students' folders in FOLDER that an earlier run
 * wrote, and whose students are not in CLASS. */
json_t *batch_old_folders(const json_t *class, const char *folder);

/* Writes the name of a student's folder. The name is the id, unless the id is not a valid file
 * name, is a name that is listed at the top, or is very long. Different ids get different names. */
void batch_folder_name(const char *id, char name[256]);

#endif
