/* What decided a grade, beside the submission and the seed: the lab, this kit, the compiler. */
#ifndef GRADE_GRADED_BY_H
#define GRADE_GRADED_BY_H

#include <jansson.h>

#include "course/lab.h"

/* A new object:
 *
 *   {"lab_sha256":    its checks.c, as built too, its solution, and the headers of shared/,
 *    "grader_sha256": what the kit's programs and libraries were built from, with which gcc and flags,
 *    "compiler":      nvcc's own words: "cuda_13.0.r13.0/compiler.36424714_0"}
 *
 * A file that cannot be read counts as one of its own kind. The same sources in another folder are the same
 * grader; built by another gcc they are another. NULL when out of memory. */
json_t *graded_by_json(const struct lab *lab);

#endif
