/* The student's file as slices read it: lines without comments, and their words. */
#ifndef CHECKS_SLICE_TEXT_H
#define CHECKS_SLICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "checks/slice.h"

#define SLICE_NAMES 4u

/* A word of a line. */
struct word {
    const char *begin;
    size_t length;
};

/* A line without comments, literals and directives. */
struct line {
    const char *text; /* after the indentation */
    size_t length;
    unsigned indent;
    unsigned distance; /* steps from the result, or UNSEEN */
    bool begins;       /* the slice begins here */
    bool nested;       /* the loops and conditions around it belong to the slice */
    /* the name of the macro that the line defines, if the macro uses a variable, otherwise empty */
    struct word macro;
};

struct slice {
    char *text, *source;            /* in TEXT, spaces replace comments, literals and directives */
    const char *names[SLICE_NAMES]; /* lines with these names come first */
    unsigned name_count;
    enum slice_kind kind;
    unsigned farthest;  /* maximum number of steps from the result, at most FARTHEST */
    struct line *lines; /* lines[0] is line 1 */
    unsigned count;
};

/* Returns whether C can be part of a word. */
bool word_is_letter(char c);
/* Finds the next identifier of LINE after WORD, or the first if WORD->begin is NULL. Skips members
 * of structures. */
bool line_next_word(const struct line *line, struct word *word);
/* Returns whether A and B are the same word. */
bool word_is_same(struct word a, struct word b);
/* Returns whether LINE begins with the word TEXT. */
bool line_begins_with(const struct line *line, const char *text);
/* Returns whether LINE begins a loop or a condition. */
bool line_is_control(const struct line *line);
/* Returns whether an assignment begins at AT, before END. */
bool text_is_assignment(const char *at, const char *end);
/* Returns the position after WORD and the indices, members and spaces that follow it. */
const char *line_after(const struct line *line, struct word word);
/* Gets the first and the last line of the function that contains line AT. Returns false if AT is
 * outside of all functions. */
bool slice_find_function(const struct slice *slice, unsigned at, unsigned *first, unsigned *end);

#endif
