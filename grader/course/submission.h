/* A submission is one student's file for one lab. */
#ifndef COURSE_SUBMISSION_H
#define COURSE_SUBMISSION_H

#include "course/lab.h"

#define SUBMISSION_BYTES ((size_t)1 << 20) /* maximum size of a submission; students write less */

struct submission {
    char shown[PATH_SIZE]; /* path of the file as messages show it */
    struct text source;
    /* the student's file or folder, not the machine, prevents the grading */
    bool unfit;
};

/* Finds and reads the submission. PATH is the file, or a folder that contains the file or
 * NAME/file. If PATH is NULL, reads the student's own copy (lab_own_path). On failure returns
 * false, and ERROR is one line. SUBMISSION->unfit then says whether the student caused the failure:
 * the folder lacks the file, or the file is a link, empty, not text, or for another lab. If PATH
 * itself is a link to a folder, the link is followed, because the user who named it trusts it. */
bool submission_open(const struct lab *lab, const char *path, struct submission *submission,
                     char *error, size_t size);
void submission_close(struct submission *submission);

/* Returns true if SOURCE can be a submission for LAB. On failure returns false, and WHY is the end
 * of a sentence that begins with the file's name: "is empty: ...". */
bool submission_check(const struct lab *lab, const struct text *source, char *why, size_t size);

/* Returns the lab's number in the comment at the top of SOURCE, "Lab 02: ...", or 0 if it names no
 * lab. */
unsigned submission_lab_number(const char *source);

#endif
