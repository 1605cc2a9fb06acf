/* Finds the labs and reads their names, files and declared checks. */
#ifndef COURSE_LAB_H
#define COURSE_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "compile/build.h"

#define MAX_LABS      64
#define LAB_NAME_SIZE 128

struct lab_names {
    char *names[MAX_LABS]; /* "01-parallelize", sorted */
    size_t count;
};

/* Lists the folders labs/NAME that contain a checks.c. */
void labs_list(struct lab_names *list);
void labs_free(struct lab_names *list);
/* Writes the labs' names as TEXT: "01-parallelize, 02-coalesce". */
void labs_text(char *text, size_t size);

/* Finds the lab that WORD means. WORD is the lab's full name, its number with or without leading
 * zeros, or a part of its name that occurs in no other lab's name. On failure returns false, and
 * ERROR is one line that lists the labs. */
bool labs_find(const char *word, char name[LAB_NAME_SIZE], char *error, size_t size);

struct lab {
    char name[LAB_NAME_SIZE];
    char runner[PATH_SIZE];   /* the program that runs the lab's checks, build/checks/NAME */
    char solution[PATH_SIZE]; /* solutions/NAME/file */
    char file[256];           /* the file that students edit, "parallelize.cu" */
    json_t *declared;         /* the output of `build/checks/NAME --describe` (checks/main.c) */
    /* changes to `declared` by a course (see lab_set_terms()), or NULL if there are none */
    json_t *terms;
};

/* Opens lab NAME. On failure returns false, and ERROR is one line that says what is wrong and what
 * to do. */
bool labs_open(const char *name, struct lab *lab, char *error, size_t size);
void labs_close(struct lab *lab);

/* Applies TERMS, a course's changes of points and thresholds, to all later gradings of LAB. TERMS
 * may be NULL. For each check id, TERMS may have points, full and naive (or points and slack if the
 * check measures time). Merges them into LAB->declared; each result lists them.
 *
 *     {"sectors": {"points": 60, "full": 5}, "correct": {"points": 20}}
 *
 * The caller has validated TERMS (course/course.h). */
void lab_set_terms(struct lab *lab, const json_t *terms);

/* Sets PATH to the unchanged copy of the lab's skeleton, labs/NAME/.skeleton.cu. Git is no
 * replacement for this copy: a student's folder need not be a clone, and in a clone the student may
 * have committed changes. Returns false if the path is too long. */
#define LAB_PRISTINE ".skeleton.cu"
bool lab_pristine_path(const struct lab *lab, char path[PATH_SIZE]);
/* Returns the folder of the student's working files: labs/, or $LANEWISE_LABS for a kit that many
 * users share read-only. */
const char *lab_students_folder(void);
/* Sets PATH to the student's working file, NAME/file in lab_students_folder(). Returns false if the
 * path is too long. */
bool lab_own_path(const struct lab *lab, char path[PATH_SIZE]);

/* Returns true if CHECK, one of a lab's declared checks, runs in a grading on DEVICE. */
bool lab_has_check(const json_t *check, enum grading_device device);

#endif
