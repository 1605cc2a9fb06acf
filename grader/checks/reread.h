/* Is a wrong matrix what becomes of an input that is read in a wrong way? The lab gives the right
 * function (check_matrix.make_row); this tries it on inputs that are transposed, cut off, shifted ... */
#ifndef CHECKS_REREAD_H
#define CHECKS_REREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "record/case.h"

struct check_matrix;
struct judge_matrix;

/* Writes an explanation of MATRIX, which was made from INPUT. False: there is none. */
bool check_reread(const struct check_matrix *want, const struct judge_matrix *matrix,
                  const struct case_data *input, char *text, size_t size);

#endif
