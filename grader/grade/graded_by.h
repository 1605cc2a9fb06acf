/* Everything that decides a grade besides the submission and the seed: the lab, this kit, the
 * compiler. */
#ifndef GRADE_GRADED_BY_H
#define GRADE_GRADED_BY_H

#include <jansson.h>

#include "course/lab.h"

/* Returns a new object, or NULL when out of memory:
 *
 *   {"lab_sha256":    its checks.c (now and when built), its solution, the headers of shared/,
 *    "grader_sha256": the sources of the kit's programs and libraries, the gcc version, the flags,
 *    "compiler":      nvcc's name for its build: "cuda_13.0.r13.0/compiler.36424714_0"}
 *
 * The same sources give the same hash in any folder; another gcc gives another hash. An
 * unreadable file is hashed as such. */
json_t *graded_by_json(const struct lab *lab);

#endif
