/* What judge/wrong_*.c know about a wrong matrix. */
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
    size_t *in_row, *in_column; /* how many numbers are wrong in each row and in each column */
    /* log10 of the chance that a number equals a different number of WANT */
    double log_chance;
    char *text;
    size_t size;
};

#define TELL(facts, ...) (snprintf((facts)->text, (facts)->size, __VA_ARGS__), true)

/* Returns whether GOT is within the bound of the right number I. */
bool wrong_is_near(const struct facts *facts, double got, size_t i);

/* Returns whether a match of MATCHES numbers by chance is very unlikely, even if a thousand
 * hypotheses are tried. */
bool wrong_is_no_chance(const struct facts *facts, size_t matches);

/* Writes "[2][3]", the indices of number I, or "[3]" if the matrix has one row. */
const char *wrong_index(const struct facts *facts, size_t i, char text[48]);

/* Names the rows and columns in which all numbers are wrong, apart from a few that are right by
 * chance. Returns false if a number elsewhere is wrong. */
bool wrong_place(const struct facts *facts, char *text, size_t size);

/* Writes a question about the launch if the place of the wrong numbers is one that no thread seems
 * to reach, otherwise "". */
const char *wrong_ask_for_threads(const struct facts *facts, char text[200]);

/* Tries the hypothesis that each wrong number is the right number of another place in its row, or
 * in its column. */
bool wrong_tell_moved(const struct facts *facts);

#endif
