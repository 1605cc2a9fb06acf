/* Converts columns of the line table into columns of the student's file. They differ because
 * nvcc counts columns after macros, including its own keywords such as __global__, are expanded. */
#ifndef COMPILE_COLUMN_H
#define COMPILE_COLUMN_H

#include <jansson.h>
#include <stddef.h>

/* Returns the column in LINE (LENGTH bytes) of the token that nvcc reports at COLUMN (both count
 * from 1). Returns 0 if it is unknown, because macros moved the token. */
unsigned compile_true_column(const char *line, size_t length, unsigned column);

/* Corrects "column" in each of FINDINGS (of lanewise/run/v1) whose "file" can be read on this
 * machine. */
void compile_true_columns(json_t *findings);

#endif
