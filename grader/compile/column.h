/* Columns of the line table, made columns of the student's file: nvcc counts them where its own words, such
 * as __global__, have become longer ones, and where macros are what they stand for. */
#ifndef COMPILE_COLUMN_H
#define COMPILE_COLUMN_H

#include <jansson.h>
#include <stddef.h>

/* Where in LINE, of LENGTH bytes, the token begins that nvcc calls COLUMN (both from 1); 0: there is none, as
 * macros have moved it. */
unsigned compile_true_column(const char *line, size_t length, unsigned column);

/* Puts that into "column" of each of FINDINGS (of lanewise/run/v1) whose "file" can be read here. */
void compile_true_columns(json_t *findings);

#endif
