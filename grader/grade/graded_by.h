/* Describes everything that determines a grade, apart from the submission and the seed: the lab,
 * this kit and the compiler. */
#ifndef GRADE_GRADED_BY_H
#define GRADE_GRADED_BY_H

#include <jansson.h>

#include "course/lab.h"

/* Returns a new object, or NULL when out of memory:
 *
 *   {"lab_sha256":    hash of the lab's checks.c (now and when it was built), its solution and the
 *                     headers of shared/,
 *    "grader_sha256": hash of the sources of the kit's programs and libraries, the gcc version and
 *                     the flags,
 *    "compiler":      the build of nvcc, such as "cuda_13.0.r13.0/compiler.36424714_0"}
 *
 * Equal sources give equal hashes in any folder. Another version of gcc gives another hash. A file
 * that cannot be read changes the hash, but is not an error. */
json_t *graded_by_json(const struct lab *lab);

#endif
