/* Edits are small changes of a submission. If one of them makes a wrong answer right, the mistake
 * is where it changes the file, or can at least be corrected there (grade/repair.h). */
#ifndef GRADE_EDITS_H
#define GRADE_EDITS_H

#include <stdbool.h>
#include <stddef.h>

#define EDITS_MOST 96u

struct small_edit {
    size_t begin, end; /* the bytes that it replaces */
    char *text;        /* their replacement */
    unsigned line;     /* the line of the submission that a report shows */
    unsigned column;   /* from 1, or 0 for the beginning of the line */
    size_t tokens;     /* number of tokens removed and added; fewer if it only moves them */
    bool is_vague;     /* it replaces several lines, or much of a line */
    bool is_guess;     /* it follows a rule, so another edit may be the right one */
    unsigned last;     /* the last line that it replaces */
    char says[200];    /* such as "with another number than `8` in line 31" */
};

struct edits {
    struct small_edit list[EDITS_MOST];
    size_t count;
};

/* Finds edits that make parts of SOURCE equal to SOLUTION, the smallest first. Leaves alone what
 * SOURCE has in common with SKELETON, which may be NULL: the student has not begun this part. The
 * caller frees the edits with edits_free(). */
void edits_from_solution(struct edits *edits, const char *source, const char *solution,
                         const char *skeleton);

/* Finds typical small changes, such as < for <=, in the functions of SOURCE: first in line SUSPECT,
 * unless it is 0, then from line FIRST to line LAST. The most typical ones come first. The caller
 * frees the edits. */
void edits_by_rules(struct edits *edits, const char *source, unsigned suspect, unsigned first,
                    unsigned last);

/* Sets what EDIT says. */
void edit_say(struct small_edit *edit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void edits_free(struct edits *edits);

#endif
