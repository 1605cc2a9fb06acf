/* Writes what an instructor takes away from a class into the folder of --out:
 *
 *     gradebook.csv          one row a student
 *     class.json             lanewise/class/v1, for programs
 *     class.html             what the class got right and wrong, for the instructor
 *     STUDENT/results.json   lanewise/student/v1
 *     STUDENT/report.html    the same as a page, to send back
 *     feedback/              these pages under the names of the hand-ins: batch/feedback.h
 *
 * Each file appears whole or not at all, and stays untouched if nothing in it has changed. */
#ifndef BATCH_OUTPUT_H
#define BATCH_OUTPUT_H

#include "batch/store.h"

/* Writes all of it. False: ERROR (SIZE bytes) says in one line what could not be written. */
bool batch_write_all(struct batch_store *store, const json_t *class, const char *folder,
                     char *error, size_t size);

/* The students' folders of earlier runs that are nobody's of CLASS any more, by name: a new array. */
json_t *batch_old_folders(const json_t *class, const char *folder);

/* The name of a student's folder: the id, unless that cannot be a file's name or is one of those above, or
 * is very long. No two ids have the same. */
void batch_folder_name(const char *id, char name[256]);

#endif
