/* Finds out why an answer is wrong. After check_fail(), these functions search for the cause: an
 * error that racecheck or initcheck finds in a second run, or a simple hypothesis that leads to
 * exactly the wrong numbers. */
#ifndef CHECKS_WRONG_H
#define CHECKS_WRONG_H

struct answer;
struct check;
struct check_matrix;
struct run;

/* Explains why ANSWER, which is one number, is wrong. WANT is the right number. */
void check_explain_number(struct check *check, const struct run *run, const struct answer *answer,
                          const void *want);

/* Explains why ANSWER, a matrix with the numbers GOT, is wrong. WANT is the right matrix. */
void check_explain_matrix(struct check *check, const struct run *run, const struct answer *answer,
                          const float *got, const struct check_matrix *want);

#endif
