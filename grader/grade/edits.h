/* Edits are small changes of a submission. If an edit makes a wrong answer right, the mistake is
 * probably in the code that it changes. At least, a change there corrects it (grade/repair.h). */
#ifndef GRADE_EDITS_H
#define GRADE_EDITS_H

#include <stdbool.h>
#include <stddef.h>

#define EDITS_MOST 64u

struct small_edit {
    size_t begin, end; /* the edit replaces these bytes of the submission */
    char *text;        /* their replacement */
    unsigned line;     /* the line of the submission that a report shows */
    unsigned column;   /* from 1, or 0 for the beginning of the line */
    size_t tokens;     /* tokens removed plus tokens added, or fewer if it only reorders tokens */
    bool is_vague;     /* it replaces several lines, or much of a line */
    bool is_guess;     /* it follows a rule, so another edit may be the right one */
    bool is_sure;      /* it is a guess, but it rarely makes up for a mistake in another place */
    unsigned last;     /* the last line that it replaces */
    char says[200];    /* such as "with another number than `8` in line 31" */
};

struct edits {
    struct small_edit list[EDITS_MOST];
    size_t count;
};

#define FOUND_EDITS 3u /* most edits that a report names */

/* Edits that make the same wrong answers right. */
struct found_edits {
    const struct small_edit *edits[FOUND_EDITS];
    size_t count;
};

/* Finds edits that make parts of SOURCE equal to SOLUTION, the smallest first. Ignores the parts
 * that SOURCE has in common with SKELETON, because the student has not begun them. SKELETON may be
 * NULL. The caller frees the edits with edits_free(). */
void edits_from_solution(struct edits *edits, const char *source, const char *solution,
                         const char *skeleton);

/* Where edits_by_rules() looks for edits. */
struct edit_lines {
    unsigned suspect;     /* the line that is most likely wrong, or 0 */
    unsigned first, last; /* only these lines are changed, except by rounding */
    unsigned shown[16];   /* lines that compute the wrong result; only their functions are changed */
    size_t shown_count;   /* 0 if all functions may be changed */
    bool has_overflow;    /* wider types are tried early */
    bool only_rounding;   /* round quotients, and make no other changes */
};

/* Finds typical small changes, such as < for <=, in the functions of SOURCE. Quotients that may
 * have to be rounded up come first, then changes of the suspect line, of the shown lines and of the
 * other lines. In each group, the most typical changes come first. The caller frees the edits with
 * edits_free(). */
void edits_by_rules(struct edits *edits, const char *source, const struct edit_lines *lines);

/* Sets EDIT's message, `says`. */
void edit_say(struct small_edit *edit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void edits_free(struct edits *edits);

#endif
