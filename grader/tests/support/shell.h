/* For tests that run programs: a folder of their own, and the shell in it. */
#ifndef TESTS_SUPPORT_SHELL_H
#define TESTS_SUPPORT_SHELL_H

#include <stddef.h>

/* Makes an empty folder for this test; scripts run in it. For .init and .fini of a suite. */
void shell_init(void);
void shell_fini(void);

/* Scripts of this test may take so long, and not 100 seconds: for what builds a lot on a busy machine. With sanitizers they
 * may take three times as long. */
void shell_patience(double wall_seconds);

/* Runs SCRIPT (printf's format) in bash, in the folder. Its environment is ours without what make and
 * Criterion put there, and with
 *   $LANEWISE   build/lanewise         $PROGRAMS   the folder of built test programs
 *   $NVCC       the compiler           $TESTS      grader/tests
 *   $LIB        build/lib              $PRELOAD    for LD_PRELOAD where $LIB is used without lanewise
 * and with $LANEWISE_LABS, which is labs/ in the folder (submission.h fills it).
 * Returns what it wrote to stdout and stderr, to be freed. *CODE is its exit status (128 + signal). */
char *shell(int *code, const char *script, ...) __attribute__((format(printf, 2, 3)));

/* The same for a script that must end with status 0. */
char *shell_must(const char *script, ...) __attribute__((format(printf, 1, 2)));

/* The bytes of file NAME in the folder, or of an absolute path, with a NUL after them; *SIZE (may be
 * NULL) is without it. Fails the test if it cannot be read. */
char *shell_file(const char *name, size_t *size);

/* The bytes of the file NAME, which lies somewhere in grader/tests under a name of its own. */
char *shell_source(const char *name);

#endif
