/* Why is an answer wrong? After check_fail(), these functions look for the cause: an error that a
 * second, watched run finds, or else a small hypothesis that gives exactly the wrong numbers. */
#ifndef CHECKS_WRONG_H
#define CHECKS_WRONG_H

#include <stdint.h>

#include "record/case.h"

struct check;
struct check_matrix;
struct run;

/* A number of TYPE is GOT, but WANT is right. SAME: it does not depend on the data. */
void check_explain_number(struct check *check, const struct run *run, enum case_type type,
                          const void *got, const void *want, bool same);

/* The matrix NAME is GOT, but WANT is right. */
void check_explain_matrix(struct check *check, const struct run *run, const char *name,
                          const float *got, const struct check_matrix *want, bool same);

#endif
