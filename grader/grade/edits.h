/* An edit is a small change of a submission. If a wrong program gives right results with an edit,
 * the mistake is probably in the code that the edit changes (grade/repair.h). */
#ifndef GRADE_EDITS_H
#define GRADE_EDITS_H

#include <stdbool.h>
#include <stddef.h>

#define EDITS_MOST  5000u /* most edits that the rules make */
#define EDITS_TRIED 160u  /* most edits that edits_by_rules() returns: the likeliest */

struct small_edit {
    size_t begin, end; /* the edit replaces these bytes of the submission */
    char *text;        /* their replacement */
    unsigned line;     /* the line of the submission that a report shows */
    unsigned column;   /* column of the change, from 1, or 0 for the beginning of the line */
    unsigned cost;     /* the higher, the less likely does it correct a mistake */
    size_t tokens;     /* tokens removed plus added; fewer if the edit only reorders tokens */
    bool is_vague;     /* the edit replaces several lines, or much of one line */
    bool is_launch;    /* the edit is another launch, another number or name in its <<< >>>, or
                        * another value of a macro that is the size of a launch */
    bool is_guess;     /* the edit follows a rule, so another edit may be the right one */
    bool is_sure;      /* a guess that rarely compensates for a mistake in another place */
    unsigned last;     /* the last line that the edit replaces */
    char says[200];    /* text for a message, such as "with another number than `8` in line 31" */
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

/* Finds edits that make parts of SOURCE equal to SOLUTION, the smallest first. Ignores the
 * functions that are the same in SOURCE and SKELETON, because the student has not begun them.
 * SKELETON may be NULL. The caller frees the edits with edits_free(). */
void edits_from_solution(struct edits *edits, const char *source, const char *solution,
                         const char *skeleton);

/* Where edits_by_rules() looks for edits. */
struct edit_lines {
    unsigned suspect;     /* the line that is most likely wrong, or 0 */
    unsigned first, last; /* only these lines are changed, except by rounding */
    unsigned shown[24];   /* lines that compute the wrong result; only their functions, and the
                         * functions that they call, are changed */
    size_t shown_count;   /* 0 if all functions may be changed */
    bool only_wide;       /* use wider types, and make no other changes */
    bool only_streams;    /* change only lines about streams and events */
    bool only_rounding;   /* round quotients, and make no other changes */
    bool is_close;        /* the result is only slightly wrong, so formulas are changed early */
    bool is_collision;    /* threads compute the same index, so its numbers are changed early */
    bool is_outside;      /* an access out of bounds, so sizes are changed early */
    bool is_unwritten;    /* a word is never written, so conditions are left out early */
    bool is_repeated;     /* a sum is several times too large, so one thread alone is tried early */
    bool is_guessed;      /* the suspect line is known; outside of it, only few changes are made */
    bool with_called;     /* all lines FIRST to LAST count as shown, for the functions they call */
};

/* Finds typical small changes, such as < for <=, in the functions of SOURCE. The likeliest come
 * first: patterns of typical mistakes before other changes, and changes of the suspect line before
 * those of the shown lines and of other lines. The caller frees the edits with edits_free(). */
void edits_by_rules(struct edits *edits, const char *source, const struct edit_lines *lines);

/* Sets `says`, EDIT's text for a message. */
void edit_say(struct small_edit *edit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void edits_free(struct edits *edits);

#endif
