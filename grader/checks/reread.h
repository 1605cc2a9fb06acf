/* Finds out whether a wrong matrix results from reading an input in a wrong way. The lab gives the
 * right function (check_matrix.make_row); this module applies it to inputs that are transposed, cut
 * off, shifted, and so on. */
#ifndef CHECKS_REREAD_H
#define CHECKS_REREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "record/case.h"

struct check_matrix;
struct judge_matrix;

/* Writes an explanation of MATRIX, which was made from INPUT. Returns false if none was found. */
bool check_reread(const struct check_matrix *want, const struct judge_matrix *matrix,
                  const struct case_data *input, char *text, size_t size);

#endif
