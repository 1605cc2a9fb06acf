/* Makes submissions for tests of the grader, by small edits of the solutions. Grades them like a
 * student's submissions. The shell's folder (shell.h) must exist. */
#ifndef TESTS_SUPPORT_SUBMISSION_H
#define TESTS_SUPPORT_SUBMISSION_H

#include <jansson.h>

#define SUBMISSION_EDITS 3

struct edit {
    const char *find, *replace; /* FIND must occur exactly once in the solution */
};

/* For use as the .init of a suite. Calls shell_init(), and fills labs/ in the test's folder with
 * the skeletons that a student gets, even if this tree's labs/ are changed. */
void submission_init(void);

/* Writes the solution of LAB to NAME in the shell's folder, with the edits up to the
 * first one without FIND. */
void submission_write(const char *lab, const struct edit edits[SUBMISSION_EDITS], const char *name);

/* Writes the mutant MUTANT of LAB (grade/mutant.h) to NAME, or the mutant in
 * grader/tests/MUTANT.diff if MUTANT has a slash. Returns the score that it declares. */
double submission_write_mutant(const char *lab, const char *mutant, const char *name);

/* For a script: copies five mutants of lab 02 to mutants/, for use as $LANEWISE_MUTANTS. They are
 * enough for a sound lab. int4 loses nothing, askew loses a part of the points for sectors, and
 * together the others lose points in all checks. */
#define FEW_MUTANTS                                                                                \
    "mkdir -p mutants/02-coalesce && (cd $TESTS/mutants/02-coalesce && cp int4.diff askew.diff "   \
    "chunks.diff no-tail.diff past-the-end.diff $OLDPWD/mutants/02-coalesce) &&\n"

/* Grades file NAME in the shell's folder for LAB, on the emulator with seed 1. Returns the output
 * for a terminal, which the caller frees. *CODE gets the exit status, and *RESULT (RESULT may be
 * NULL) the JSON document. */
char *submission_grade(const char *lab, const char *name, int *code, json_t **result);

/* Removes the parts of TEXT that differ between two gradings: seconds, and whether the build came
 * from the cache. Returns TEXT. */
char *submission_normalise(char *text);

/* Compares TEXT with the file grader/tests/golden/NAME.txt, or writes TEXT there for `make golden`.
 * If NAME contains a dot, the file is golden/NAME; if it contains a slash, grader/tests/NAME. */
void golden_check(const char *name, const char *text);

#endif
