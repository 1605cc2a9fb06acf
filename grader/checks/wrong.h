/* Why is an answer wrong? After check_fail(), these functions look for the cause: an error that a
 * second, watched run finds, or else a small hypothesis that gives exactly the wrong numbers. */
#ifndef CHECKS_WRONG_H
#define CHECKS_WRONG_H

struct answer;
struct check;
struct check_matrix;
struct run;

/* ANSWER is one number, but WANT is right. */
void check_explain_number(struct check *check, const struct run *run, const struct answer *answer,
                          const void *want);

/* ANSWER is a matrix, but WANT is right. */
void check_explain_matrix(struct check *check, const struct run *run, const struct answer *answer,
                          const struct check_matrix *want);

#endif
