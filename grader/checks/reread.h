/* Finds out whether a submission computed a wrong matrix because it read its input in a wrong way.
 * The lab declares the function that computes the right result (check_matrix.make_row). This module
 * applies it to inputs that are transposed, cut off, shifted, and so on, and compares the
 * results. */
#ifndef CHECKS_REREAD_H
#define CHECKS_REREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "record/case.h"

struct check_matrix;
struct judge_matrix;

/* Writes an explanation of MATRIX, the wrong result for INPUT, to TEXT. Returns false if there is
 * none. */
bool check_reread(const struct check_matrix *want, const struct judge_matrix *matrix,
                  const struct case_data *input, char *text, size_t size);

#endif
