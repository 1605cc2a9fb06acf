/* For tests of the grader: submissions made from the solutions by small edits, graded as a student
 * would have them graded. The shell's folder (shell.h) must be there. */
#ifndef TESTS_SUPPORT_SUBMISSION_H
#define TESTS_SUPPORT_SUBMISSION_H

#include <jansson.h>

#define SUBMISSION_EDITS 3

struct edit {
    const char *find, *replace; /* FIND must be there exactly once */
};

/* For .init of a suite: shell_init(), and in labs/ the skeletons as a student gets them, whatever the
 * labs/ of this tree hold by now. */
void submission_init(void);

/* Writes the solution of LAB, with the edits made (up to the first without FIND), to NAME in the
 * shell's folder. */
void submission_write(const char *lab, const struct edit edits[SUBMISSION_EDITS], const char *name);

/* The same for mutant MUTANT of LAB (grade/mutant.h). */
void submission_write_mutant(const char *lab, const char *mutant, const char *name);

/* Grades file NAME of the shell's folder for LAB on the emulator with seed 1. Returns what a terminal
 * shows (to be freed); *CODE is the exit status, *RESULT (may be NULL) the JSON document. */
char *submission_grade(const char *lab, const char *name, int *code, json_t **result);

/* TEXT with what differs between two runs made equal, in place: seconds, and whether the build came
 * out of the cache. Returns TEXT. */
char *submission_normalise(char *text);

/* Compares TEXT with grader/tests/golden/NAME.txt (NAME, if that has a dot), or writes it there for `make golden`. */
void golden_check(const char *name, const char *text);

#endif
