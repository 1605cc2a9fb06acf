/* Converts columns of the line table to columns of the student's file. They differ because nvcc
 * counts columns after it has expanded macros, including its own keywords such as __global__. */
#ifndef COMPILE_COLUMN_H
#define COMPILE_COLUMN_H

#include <jansson.h>
#include <stddef.h>

/* Returns the column in LINE (LENGTH bytes) of the token for which nvcc reports COLUMN. Both
 * columns count from 1. Returns 0 if it is unknown, because other macros have moved the token. */
unsigned compile_true_column(const char *line, size_t length, unsigned column);

/* Corrects "column" in each of FINDINGS (of lanewise/run/v1) whose "file" can be read. */
void compile_true_columns(json_t *findings);

#endif
