/* Shows the lines of the student's file that compute a wrong result. */
#ifndef CHECKS_MAKERS_H
#define CHECKS_MAKERS_H

#include <jansson.h>

struct check;
struct run;

/* The first words of the explanation for numbers that no kernel has changed. */
#define CHECK_UNCHANGED "it is still what main() copied to the GPU"

/* Makes the report show the lines with which a kernel of RUN computes its results. This is the
 * kernel MAKER, or the kernel of the last launch if MAKER is NULL or was not launched. TEXT, the
 * explanation of the wrong numbers, decides which lines are the most important. */
void check_show_makers(struct check *check, const struct run *run, const char *maker,
                       const char *text);

/* Makes the report show the lines that launch kernels, and the loops and conditions around them. */
void check_show_launches(struct check *check);

/* Makes the report show the lines of host code that contain CALL, such as "cudaMemcpy". Puts the
 * caret on the line that names the same input of RUN as the explanation TEXT. */
void check_show_copies(struct check *check, const struct run *run, const char *call,
                       const char *text);

/* Adds to FINDING, an error in the student's file, the lines from which its place is reached and
 * its values are computed. */
void check_add_makers(const struct check *check, json_t *finding);

#endif
