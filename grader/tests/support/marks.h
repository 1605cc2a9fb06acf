/* Programs with kernels with planted defects and correct twins. Comments in the source say which
 * finding is expected on which line: see support/races.cuh. */
#ifndef TESTS_SUPPORT_MARKS_H
#define TESTS_SUPPORT_MARKS_H

#include <jansson.h>
#include <stddef.h>

/* Runs PROGRAM under `lanewise run --tools TOOLS`. The program has at least LEAST kernels; each
 * must have exactly the findings that its source expects. Needs shell_init(). */
void marks_check(const char *program, const char *tools, size_t least);

/* The same, but runs each kernel in its own process, because a kernel may end the process. */
void marks_check_each(const char *program, const char *tools, size_t least);

/* The errors (not the losses) of such a run with OPTIONS. The caller calls json_decref(). */
json_t *marks_findings(const char *program, const char *tools, const char *options);

#endif
