/* Programs whose kernels have planted defects, each next to a correct version. Comments in the
 * source say which finding is expected on which line: see support/races.cuh. */
#ifndef TESTS_SUPPORT_MARKS_H
#define TESTS_SUPPORT_MARKS_H

#include <jansson.h>
#include <stddef.h>

/* Runs PROGRAM under `lanewise run --tools TOOLS`. The program must have at least LEAST kernels,
 * and each kernel exactly the findings that its source expects. Call shell_init() before. */
void marks_check(const char *program, const char *tools, size_t least);

/* The same, with a process for each kernel, because a kernel may end its process. */
void marks_check_each(const char *program, const char *tools, size_t least);

/* Returns the errors (not the losses) of a run of PROGRAM with TOOLS and OPTIONS. The caller
 * calls json_decref(). */
json_t *marks_findings(const char *program, const char *tools, const char *options);

#endif
