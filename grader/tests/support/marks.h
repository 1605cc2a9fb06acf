/* Programs of kernels with planted defects and of the same kernels done right, where comments say what must
 * be found on which line: see support/races.cuh. */
#ifndef TESTS_SUPPORT_MARKS_H
#define TESTS_SUPPORT_MARKS_H

#include <jansson.h>
#include <stddef.h>

/* Runs PROGRAM under `lanewise run --tools TOOLS`: each of its LEAST or more kernels must have just the
 * findings that its source expects. Needs shell_init(). */
void marks_check(const char *program, const char *tools, size_t least);

/* The same, but each kernel is run alone, by a process that it may end. */
void marks_check_each(const char *program, const char *tools, size_t least);

/* The errors, not the losses, of such a run with OPTIONS: the caller's to decref. */
json_t *marks_findings(const char *program, const char *tools, const char *options);

#endif
