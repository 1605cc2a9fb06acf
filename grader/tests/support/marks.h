/* Checks the findings of programs with planted defects, which also contain similar correct kernels.
 * Comments in the source, a file with the program's name, list the expected findings:
 *
 *   // race-shared                        the next kernel or function has this finding,
 *   // uncoalesced-load: (stride 2        with this in its cause, or in its message if it has none,
 *   // fine                               or no finding at all
 *   s[t] = g[t]; // B                     the finding's line
 *   g[t] = s[t ^ 1]; // A                 a line that the finding also names
 *   g[t] = 1; // C                        the line of another finding of the same kind
 *   *at = 1; // A of KERNEL               the same, in a function before the kernel
 *
 * Findings about wasted work (losses) count only in programs that expect some. A deadlock must name
 * exactly the marked lines. */
#ifndef TESTS_SUPPORT_MARKS_H
#define TESTS_SUPPORT_MARKS_H

#include <jansson.h>
#include <stddef.h>

struct marks_count {
    size_t defects, twins;
};

/* Runs `lanewise run` with OPTIONS and PROGRAM. The command must end with status 0. Returns the
 * JSON document; the caller calls json_decref(). Needs shell_init(). */
json_t *marks_run(const char *options, const char *program);

/* Checks a run of PROGRAM. Each kernel and function must have the findings that the source expects.
 * Nothing else may have a finding, and the correct kernels must have been executed. Unless ID is
 * NULL, the source must expect findings of the kind ID only. */
struct marks_count marks_check(const char *program, const char *id, const json_t *document);

#endif
