/* Gives a test a private folder, and runs scripts there. */
#ifndef TESTS_SUPPORT_SHELL_H
#define TESTS_SUPPORT_SHELL_H

#include <stddef.h>

/* Make an empty folder for this test, in which its scripts run, and remove it. Use them as the
 * .init and .fini of a suite. */
void shell_init(void);
void shell_fini(void);
/* Returns the folder's path. */
const char *shell_folder(void);

/* Replaces the time limit of this test's scripts, which is 100 seconds. Tests call this for long
 * builds, which take longer on a busy machine. In slow builds, the limit is longer
 * (patience.h). */
void shell_patience(double wall_seconds);

/* Runs SCRIPT (printf's format) in bash, in the folder. The script gets our environment, without
 * the variables of make and Criterion, and with
 *   $LANEWISE   build/lanewise         $PROGRAMS   the folder of built test programs
 *   $NVCC       the compiler           $TESTS      grader/tests
 *   $LIB        build/lib              $PRELOAD    for LD_PRELOAD where $LIB is used without lanewise
 * and with $LANEWISE_LABS, which is labs/ in the folder (submission.h fills it).
 * Returns its stdout and stderr; the caller frees it. *CODE is the exit status (128 + signal). */
char *shell(int *code, const char *script, ...) __attribute__((format(printf, 2, 3)));

/* Does the same as shell(), for a script that must exit with status 0. */
char *shell_must(const char *script, ...) __attribute__((format(printf, 1, 2)));

/* Returns the bytes of file NAME in the folder, or of an absolute path, with a NUL after them.
 * *SIZE (SIZE may be NULL) does not count the NUL. Fails the test if the file cannot be read. */
char *shell_file(const char *name, size_t *size);

/* Returns the bytes of the file NAME, which can be anywhere in grader/tests, because file
 * names are unique there, except in advice/. */
char *shell_source(const char *name);

#endif
