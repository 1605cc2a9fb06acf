/* The labs: which there are, what they declare, and where a submission's file is. */
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

/* The folders labs/NAME that hold a checks.c. */
void labs_list(struct lab_names *list);
void labs_free(struct lab_names *list);
/* Their names as text: "01-parallelize, 02-coalesce". */
void labs_text(char *text, size_t size);

/* The name of the one lab that WORD means: all of its name, its number with or without zeros, or a
 * part that no other lab's name has. False: ERROR is one line that lists the labs. */
bool labs_find(const char *word, char name[LAB_NAME_SIZE], char *error, size_t size);

struct lab {
    char name[LAB_NAME_SIZE];
    char runner[PATH_SIZE];   /* its checks runner, build/checks/NAME */
    char solution[PATH_SIZE]; /* solutions/NAME/file */
    char file[256];           /* the file that students edit, "parallelize.cu" */
    json_t *declared;         /* what `build/checks/NAME --describe` prints: see checks/main.c */
    json_t *terms;            /* what a course has changed of that; NULL: nothing */
};

/* Opens lab NAME. False: ERROR is one line that says what is wrong and what to do. */
bool labs_open(const char *name, struct lab *lab, char *error, size_t size);
void labs_close(struct lab *lab);

/* Lets a course's TERMS take the place of what checks.c declares, in all that is graded from now on: by
 * check id, any of points, and of the figure, full and naive (for a check of time: slack). They are in
 * DECLARED from then on, and each result says that they were. NULL: none.
 *
 *     {"sectors": {"points": 60, "full": 5}, "correct": {"points": 20}}
 *
 * The caller has made sure that they fit (course/course.h). */
void lab_set_terms(struct lab *lab, const json_t *terms);

/* The untouched copy of the lab's skeleton, labs/NAME/.skeleton.cu. The tree keeps one, since a
 * student's folder need not be a clone, and in a clone they may have committed their work. False: the
 * path is too long. */
#define LAB_PRISTINE ".skeleton.cu"
bool lab_pristine_path(const struct lab *lab, char path[PATH_SIZE]);
/* The folder of the student's working files: labs/, or where $LANEWISE_LABS says, for a kit that many
 * share and none of them may write to. */
const char *lab_students_folder(void);
/* The student's working file in it, NAME/file. */
bool lab_own_path(const struct lab *lab, char path[PATH_SIZE]);

/* True if the declared CHECK is performed when DEVICE is graded. */
bool lab_has_check(const json_t *check, enum grading_device device);

/* PATH as seen from the working directory, if it is below it. */
const char *lab_shorten_path(const char *path);

/* One student's file for one lab. */
struct submission {
    char shown[PATH_SIZE]; /* its path as messages call it */
    struct text source;
    bool unfit; /* could not be opened, because of what was handed in and not of this machine */
};

/* Finds and reads the submission: PATH is the file, or a folder that holds it or NAME/file; NULL is
 * the student's own copy (lab_own_path). False: ERROR is one line, and SUBMISSION says whether it is
 * the student's doing: no such file in the folder, a link, empty, no text, for another lab. */
bool submission_open(const struct lab *lab, const char *path, struct submission *submission,
                     char *error, size_t size);
/* Can SOURCE be a submission to LAB at all? False: WHY not ("is empty: ...") is what to write behind its name. */
bool submission_check(const struct lab *lab, const struct text *source, char *why, size_t size);
/* The number of the lab that the comment on top of SOURCE says it is for; 0: it says nothing. */
unsigned lab_in_first_line(const char *source);
void submission_close(struct submission *submission);

#endif
