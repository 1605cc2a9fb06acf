/* Mutants: wrong or slow solutions that a student really writes, each with what it must lose.
 *
 * A mutant is a file grader/tests/mutants/NN-name/WHAT.diff, a few lines away from the solution:
 *
 *     mutant: the grid leaves out the remainder
 *     scores: 85
 *     loses: ragged 15, grid-speed
 *
 *     -    for (int i = me; i < n; i += all)
 *     +    for (int i = me; i < n - n % all; i += all)
 *
 * `scores` are the points on the emulator. `loses` names the checks that lose points and how many, or
 * is `nothing`; without a number (for checks of time) some or all; a check that the graded device does
 * not have is passed over. `device: emulator` is for what only the emulator can see. After an empty
 * line come the edits, apart by empty lines: whole lines of the solution, which must be there exactly
 * once, and what stands in their place, which may be nothing. */
#ifndef GRADE_MUTANT_H
#define GRADE_MUTANT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/files.h"
#include "course/lab.h"

#define MUTANT_LOSSES 16

struct mutant_loss {
    char check[64]; /* its id, "grid-path" */
    double points;  /* -1: some, whatever how many */
};

struct mutant {
    char name[128]; /* the file's, without ".diff" */
    char title[256];
    bool emulator_only;
    double scores;
    struct mutant_loss losses[MUTANT_LOSSES];
    size_t loss_count;
    char *source; /* the solution with the edits made */
};

/* The paths of the mutants of LAB, sorted; at most MOST. Returns how many there are; each is to be
 * freed. */
size_t mutant_list(const struct lab *lab, char **paths, size_t most);

/* Reads the mutant PATH of SOLUTION. False: ERROR is one line. Free with mutant_free. */
bool mutant_read(const char *path, const char *solution, struct mutant *mutant, char *error,
                 size_t size);
void mutant_free(struct mutant *mutant);

/* What it declares to lose in CHECK; NULL: nothing. */
const struct mutant_loss *mutant_find_loss(const struct mutant *mutant, const char *check);

#endif
