/* Declares the facts about a wrong matrix that judge/wrong_*.c share. */
#ifndef JUDGE_WRONG_FACTS_H
#define JUDGE_WRONG_FACTS_H

#include <stdint.h>
#include <stdio.h>

#include "judge/wrong_matrix.h"

/* A matrix, and the record of its wrong numbers. */
struct facts {
    const struct judge_matrix *matrix;
    size_t count; /* number of the matrix's numbers */
    size_t wrong_count;
    bool *wrong;                /* whether each number is wrong */
    size_t *in_row, *in_column; /* the number of wrong numbers in each row and in each column */
    /* log10 of the chance that a number equals a different number of WANT */
    double log_chance;
    char *text;
    size_t size;
};

#define TELL(facts, ...) (snprintf((facts)->text, (facts)->size, __VA_ARGS__), true)

/* Returns whether GOT is within the error bound of number I of WANT. */
bool wrong_is_near(const struct facts *facts, double got, size_t i);

/* Returns whether MATCHES equal numbers are very unlikely to be a coincidence, even if a thousand
 * hypotheses are tried. */
bool wrong_is_no_chance(const struct facts *facts, size_t matches);

/* Writes "[2][3]", the indices of number I, or "[3]" if the matrix has one row. */
const char *wrong_index(const struct facts *facts, size_t i, char text[48]);

/* Writes the names of the rows and columns in which all numbers are wrong, apart from a few that
 * are right by chance. Returns false if a number outside of them is wrong. */
bool wrong_place(const struct facts *facts, char *text, size_t size);

/* Writes a question about the launch if no thread seems to write the elements that are wrong.
 * Otherwise writes "". */
const char *wrong_ask_for_threads(const struct facts *facts, char text[200]);

/* Tries the hypothesis that each wrong number is the right number for another place: in the same
 * row, in the same column, or at the same place of another tile. */
bool wrong_tell_moved(const struct facts *facts);

#endif
