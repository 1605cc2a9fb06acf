/* Mutants: wrong or slow solutions that students really write, each with the points that it must
 * lose.
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
 * `scores` is the score on the emulator. `loses` is `nothing`, or names the checks that lose
 * points, and how many. A check without a number loses some or all; that is for checks of time.
 * Checks that the graded device does not have are ignored. `device: emulator` marks a defect that
 * only the emulator can detect.
 *
 * After an empty line come the edits, separated by empty lines. Each consists of whole lines of the
 * solution, which must occur exactly once, and of the lines that replace them, if any. */
#ifndef GRADE_MUTANT_H
#define GRADE_MUTANT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/files.h"
#include "course/lab.h"

#define MUTANT_LOSSES 16

struct mutant_loss {
    char check[64]; /* its id, "grid-path" */
    double points;  /* -1: any number */
};

struct mutant {
    char name[128]; /* the file's, without ".diff" */
    char title[256];
    bool emulator_only;
    double scores;
    struct mutant_loss losses[MUTANT_LOSSES];
    size_t loss_count;
    char *source; /* the solution after the edits */
};

/* Lists the paths of LAB's mutants, sorted; at most MOST. Returns their number. The caller frees
 * each path. */
size_t mutant_list(const struct lab *lab, char **paths, size_t most);

/* Reads the mutant PATH of SOLUTION. False: ERROR is one line. Free it with mutant_free. */
bool mutant_read(const char *path, const char *solution, struct mutant *mutant, char *error,
                 size_t size);
void mutant_free(struct mutant *mutant);

/* The declared loss in CHECK; NULL: none. */
const struct mutant_loss *mutant_find_loss(const struct mutant *mutant, const char *check);

#endif
