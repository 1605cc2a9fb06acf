/* Finds the variables that a statement can use, and those that say where a function reads and
 * writes. Types are read from the text: macros are not expanded. */
#ifndef GRADE_VISIBLE_H
#define GRADE_VISIBLE_H

#include "grade/code.h"

#define VISIBLE_MOST 64u

struct variable {
    const struct token *name; /* where it is declared */
    const struct token *type; /* the type's name, such as `float` */
    bool is_pointer;          /* or an array */
    bool is_macro;            /* a constant: a macro of the file, or a name in capitals */
    size_t header_end;        /* if a `for` declares it: the end of the brackets after `for` */
    size_t end;               /* if a `for` declares it: the end of the loop; otherwise 0 */
};

/* Finds the constants of the file, and the variables that can be used at token AT of PART, a
 * function, in the order of their declarations. Returns their number. */
size_t visible_find(const struct code *code, struct span part, size_t at,
                    struct variable list[VISIBLE_MOST]);

/* Finds the members of the structure in this file that has the member TOKEN. Returns their number,
 * or 0 if there is none. */
size_t visible_members(const struct code *code, const struct token *token,
                       struct variable list[VISIBLE_MOST]);

/* Returns whether one of A and B can stand for the other: both are pointers to the same type, both
 * are integers, or both are floating-point numbers. */
bool visible_is_alike(const struct variable *a, const struct variable *b);

/* Returns whether VARIABLE is an integer, not a pointer. */
bool visible_is_integer(const struct variable *variable);

#define PLACES_MOST 48u

/* The variables that say where a function reads and writes: its indices, its pointers, the sizes of
 * its launches, the limits of its loops and conditions, and the variables from which these are
 * computed. */
struct places {
    const struct token *names[PLACES_MOST];
    size_t count;
    size_t index_count; /* the first names are in indices or conditions, so arrays among them are
                         * places, too */
};

void places_find(const struct code *code, struct span part, struct places *places);

/* Returns whether LINE of PART gives one of PLACES a value. Loops do not count. */
bool places_sets(const struct places *places, const struct code *code, struct span part,
                 unsigned line);

#endif
