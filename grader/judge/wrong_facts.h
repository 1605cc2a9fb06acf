/* The facts about a wrong matrix, and functions that judge/wrong_*.c share. */
#ifndef JUDGE_WRONG_FACTS_H
#define JUDGE_WRONG_FACTS_H

#include <stdint.h>
#include <stdio.h>

#include "judge/wrong_matrix.h"

/* A matrix, and where its wrong numbers are. */
struct facts {
    const struct judge_matrix *matrix;
    size_t count; /* number of elements of the matrix */
    size_t wrong_count;
    bool *wrong;                /* whether each number is wrong */
    size_t *in_row, *in_column; /* the number of wrong numbers in each row and in each column */
    /* log10 of the probability that a number equals a different number of WANT by chance */
    double log_chance;
    char *text;
    size_t size;
};

#define TELL(facts, ...) (snprintf((facts)->text, (facts)->size, __VA_ARGS__), true)

/* Returns whether GOT differs from number I of WANT by at most the error bound. */
bool wrong_is_near(const struct facts *facts, double got, size_t i);

/* Returns true if MATCHES equal numbers are very improbable as a coincidence, even if a thousand
 * hypotheses are tried. */
bool wrong_is_no_chance(const struct facts *facts, size_t matches);

/* Writes the indices of number I to TEXT: "[2][3]", or "[3]" if the matrix has one row. Returns
 * TEXT. */
const char *wrong_index(const struct facts *facts, size_t i, char text[48]);

/* Writes the names of the rows and columns in which all numbers are wrong, apart from a few that
 * are right by chance. Returns false if there are wrong numbers elsewhere, too. */
bool wrong_place(const struct facts *facts, char *text, size_t size);

/* If no thread seems to write the wrong elements, writes a question about the launch to TEXT.
 * Otherwise writes "". Returns TEXT. */
const char *wrong_ask_for_threads(const struct facts *facts, char text[200]);

/* Tries the hypothesis that each wrong number is the right number of another place: in the same
 * row, in the same column, or at the same place of another tile. If it fits, writes an explanation
 * and returns true. */
bool wrong_tell_moved(const struct facts *facts);

#endif
