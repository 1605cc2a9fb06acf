/* Finds the lines of the student's file that compute a result: a backward slice of the source text.
 * The slice begins at the lines that store the result. It goes back to the loops and conditions
 * around them, to the lines that set the variables in them, and to the functions that they call.
 * These lines take part in the result; the mistake is not always among them. */
#ifndef CHECKS_SLICE_H
#define CHECKS_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#define SLICE_MOST 8 /* maximum number of lines of a slice */

struct slice;

/* Returns an empty slice of SOURCE, or NULL when out of memory. */
struct slice *slice_new(const char *source);
void slice_free(struct slice *slice);

/* Makes the slice begin at line NUMBER (from 1), DISTANCE steps from the result. If NESTED is true,
 * also adds the loops and conditions around the line. */
void slice_begin_at(struct slice *slice, unsigned number, unsigned distance, bool nested);
/* If line NUMBER is in a function that KERNEL calls, makes the slice begin at these calls. */
void slice_begin_at_calls(struct slice *slice, unsigned number, const char *kernel,
                          unsigned distance);
/* Makes the slice begin at all lines of host code that contain WORD. */
void slice_begin_at_word(struct slice *slice, const char *word, unsigned distance);
/* Makes the slice begin at the last line up to line NUMBER that declares the shared array NAME. */
void slice_begin_at_shared(struct slice *slice, unsigned number, const char *name);
/* Makes the slice begin at all lines that launch KERNEL. */
void slice_begin_at_launches(struct slice *slice, const char *kernel, unsigned distance);
/* Returns the number of the last statement of the function NAME, or 0 if there is no such
 * function. */
unsigned slice_last_statement(const struct slice *slice, const char *name);

/* Makes slice_lines() prefer lines that contain the identifier NAME. NAME must stay valid. */
void slice_prefer(struct slice *slice, const char *name);
/* The kind of lines that is most likely to be wrong. */
enum slice_kind {
    SLICE_ANYTHING,
    SLICE_LOOPS,
    SLICE_CONTROL, /* loops and conditions */
    SLICE_PLACES,  /* conditions and indices */
    SLICE_VALUES
};
/* Makes slice_lines() prefer lines of KIND. */
void slice_prefer_kind(struct slice *slice, enum slice_kind kind);

/* Excludes lines that are more than DISTANCE steps from the result. */
void slice_limit(struct slice *slice, unsigned distance);

/* Computes the slice. LINES gets the numbers of the lines nearest to the result, in ascending
 * order. Returns the number of these lines. */
unsigned slice_lines(struct slice *slice, unsigned lines[SLICE_MOST]);

/* Returns whether line NUMBER belongs to the slice, at any distance from the result. */
bool slice_reaches(struct slice *slice, unsigned number);

/* Returns the number of the last line. */
unsigned slice_count(const struct slice *slice);
/* Returns whether line NUMBER begins with `if`. */
bool slice_is_condition(const struct slice *slice, unsigned number);
/* Returns whether line NUMBER begins a loop. */
bool slice_is_loop(const struct slice *slice, unsigned number);
/* Returns whether line NUMBER begins a loop that halves its variable in each round, as a tree of
 * additions does. */
bool slice_is_tree(const struct slice *slice, unsigned number);
/* Returns whether line NUMBER only sets an element of an array to another element of the same
 * array, as in s[t] = s[t + 1]. */
bool slice_moves_element(const struct slice *slice, unsigned number);
/* Returns whether line NUMBER or one of the two lines after it calls a shuffle. */
bool slice_shuffles(const struct slice *slice, unsigned number);
/* Returns whether line NUMBER has the identifier NAME. */
bool slice_has_name(const struct slice *slice, unsigned number, const char *name);
/* Returns whether line NUMBER uses the member NAME of a structure, as in p.NAME. */
bool slice_has_member(const struct slice *slice, unsigned number, const char *name);
/* Returns whether line NUMBER contains TEXT. */
bool slice_has_text(const struct slice *slice, unsigned number, const char *text);
/* Returns the last line up to NUMBER, in the same function, that contains TEXT and sets a variable
 * that line NUMBER uses. Writes the variable's name to NAME (SIZE bytes). Returns 0 if there is
 * none. */
unsigned slice_setter(const struct slice *slice, unsigned number, const char *text, char *name,
                      size_t size);
/* Returns whether some line in the function of line NUMBER contains TEXT and sets the variable
 * NAME. */
bool slice_sets_with(const struct slice *slice, unsigned number, const char *name,
                     const char *text);
/* If line NUMBER uses an element of ARRAY whose index is a variable that is computed from blockIdx,
 * writes the variable's name to NAME (SIZE bytes), and returns the line that computes it. Otherwise
 * returns 0. */
unsigned slice_block_index(const struct slice *slice, unsigned number, const char *array,
                           char *name, size_t size);
/* Returns whether line NUMBER multiplies two values. */
bool slice_multiplies(const struct slice *slice, unsigned number);
/* Returns the number of the line that begins the innermost loop around line NUMBER, or 0 if there
 * is none. */
unsigned slice_loop_around(const struct slice *slice, unsigned number);

#endif
