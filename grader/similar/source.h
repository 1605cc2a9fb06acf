/* Are two programs the same text but for what is easily changed? Pure functions over C and CUDA sources.
 *
 * Similar compiled code (similar/kernels.h) says little about a lab whose answers are short. The source says
 * more, once all that a cheat changes without thinking is gone from it:
 *
 *     for (int i = me; i < n; i += all)  { mine = mine + data[i]; }     // comment
 *     --> i = me | loop i < n | i += all | mine += data[i]              statements, in no order
 *
 * No layout, comments and braces; no const and no kinds of integers; `while` for `for`; one declaration each;
 * ++i is i += 1. Names have numbers: in each statement those of their first use there, and in a whole function
 * as well what they are used for, so that x and y swapped is another function.
 *
 * Two results: the print of all statements, to tell how alike two programs are, and the text, a hash that is
 * the same for programs which are all the same. And what a copy gives away: whoever solves a lab has no reason to
 * rename things in the functions that the skeleton gives them complete. */
#ifndef SIMILAR_SOURCE_H
#define SIMILAR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "similar/kernels.h"

#define SIMILAR_SOURCE_TEXT ((size_t)256 << 10) /* longer sources are not looked at */

/* A pair is shown if it has so many statements in common that nobody else has, and so large a share of both; or
 * somewhat fewer, and compiled kernels that are alike, too. Kernels alone prove little: of few lines can come much
 * code, the same from any lines that do the same. tests/similar/test_similar.c holds all of it against copies and against
 * independent work. */
#define SIMILAR_SOURCE_STATEMENTS 6u
#define SIMILAR_SOURCE_LINE       0.75
#define SIMILAR_SOURCE_FEWER      5u
#define SIMILAR_SOURCE_LOWER      0.4
/* So many statements of given functions under other names are no accident. */
#define SIMILAR_SOURCE_RENAMED 6u

/* A function, or whatever else stands outside of all functions. */
struct similar_function {
    uint64_t text;  /* the same for the same function under other names */
    uint64_t names; /* that are in it: another number for other ones */
    size_t statements;
};

/* Begins as {0}; similar_source_free() frees it. */
struct similar_source {
    struct fingerprint statements;
    struct similar_function *functions;
    size_t function_count;
    uint64_t text;
};

/* Reads TEXT (SIZE bytes), which may be anything. False: out of memory, or it is too long; then SOURCE is
 * empty. */
bool similar_source_read(struct similar_source *source, const char *text, size_t size);
void similar_source_free(struct similar_source *source);

/* How many statements SOURCE has in functions that are those of SKELETON with other names in them. */
size_t similar_source_renamed(const struct similar_source *source,
                              const struct similar_source *skeleton);
/* What two programs are compared by, and what one has of its own: nothing in it is given, or had by many. */
enum similar_measure { SIMILAR_STATEMENTS, SIMILAR_KERNELS, SIMILAR_MEASURES };

struct similar_own {
    struct fingerprint prints[SIMILAR_MEASURES];
};

/* Is this pair one for a human to look at, and by which MEASURE? */
bool similar_compare(const struct similar_own *left, const struct similar_own *right,
                     enum similar_measure *measure);

#endif
