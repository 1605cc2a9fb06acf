/* Edits are small changes of a submission. If an edit makes a wrong answer right, the mistake is
 * probably in the code that it changes. At least, a change there corrects it (grade/repair.h). */
#ifndef GRADE_EDITS_H
#define GRADE_EDITS_H

#include <stdbool.h>
#include <stddef.h>

#define EDITS_MOST 96u

struct small_edit {
    size_t begin, end; /* the edit replaces these bytes of the submission */
    char *text;        /* their replacement */
    unsigned line;     /* the line of the submission that a report shows */
    unsigned column;   /* from 1, or 0 for the beginning of the line */
    size_t tokens;     /* tokens removed plus tokens added, or fewer if it only reorders tokens */
    bool is_vague;     /* it replaces several lines, or much of a line */
    bool is_guess;     /* it follows a rule, so another edit may be the right one */
    unsigned last;     /* the last line that it replaces */
    char says[200];    /* such as "with another number than `8` in line 31" */
};

struct edits {
    struct small_edit list[EDITS_MOST];
    size_t count;
};

/* Finds edits that make parts of SOURCE equal to SOLUTION, the smallest first. Ignores the parts
 * that SOURCE has in common with SKELETON, because the student has not begun them. SKELETON may be
 * NULL. The caller frees the edits with edits_free(). */
void edits_from_solution(struct edits *edits, const char *source, const char *solution,
                         const char *skeleton);

/* Finds typical small changes, such as < for <=, in the functions of SOURCE. Begins with the
 * changes in line SUSPECT, unless SUSPECT is 0. Those in the lines FIRST to LAST follow. In each of
 * the two groups, the most typical changes come first. The caller frees the edits with
 * edits_free(). */
void edits_by_rules(struct edits *edits, const char *source, unsigned suspect, unsigned first,
                    unsigned last);

/* Sets EDIT's message, `says`. */
void edit_say(struct small_edit *edit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void edits_free(struct edits *edits);

#endif
