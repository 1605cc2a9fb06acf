/* Mutants are typical wrong or slow solutions of students. Each mutant declares the points that it
 * must lose.
 *
 * A mutant is a file grader/tests/mutants/NN-name/WHAT.diff, which changes a few lines of the
 * solution, such as:
 *
 *     mutant: the grid leaves out the remainder
 *     scores: 85
 *     loses: ragged 15, grid-speed
 *
 *     -    for (int i = me; i < n; i += all)
 *     +    for (int i = me; i < n - n % all; i += all)
 *
 * `scores` is the score on the emulator. `loses` is `nothing`, or a list of the checks that lose
 * points, each with its loss. A check without a number loses some or all of its points; this is for
 * checks that measure time. Checks that do not run on the graded device are ignored. `device:
 * emulator` marks a defect that a GPU does not show in every run. `naive: ragged` lists the checks
 * for which this mutant is the naive kernel.
 *
 * An empty line ends this head. The edits follow, separated by empty lines. An edit consists of
 * whole lines of the solution, which must occur there exactly once, and of the lines that replace
 * them, if any. */
#ifndef GRADE_MUTANT_H
#define GRADE_MUTANT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/files.h"
#include "course/lab.h"

#define MUTANT_LOSSES 16

struct mutant_loss {
    char check[64]; /* the check's id, "grid-path" */
    double points;  /* the points that the check loses, or -1 for some or all of its points */
};

struct mutant {
    char name[128]; /* the file's name without ".diff" */
    char title[256];
    bool emulator_only; /* a GPU does not show the defect in every execution */
    double scores;      /* the score on the emulator */
    struct mutant_loss losses[MUTANT_LOSSES];
    size_t loss_count;
    char naive[MUTANT_LOSSES][64]; /* ids of the checks for which it is the naive kernel */
    size_t naive_count;
    char *source; /* the solution after the edits */
};

/* Stores the paths of LAB's mutants in PATHS, sorted, but at most MOST. Returns the number of
 * paths. The caller frees each path. If $LANEWISE_MUTANTS is set, it names the folder of mutants
 * instead of grader/tests/mutants/. */
size_t mutant_list(const struct lab *lab, char **paths, size_t most);

/* Reads the file PATH and applies its edits to SOLUTION. On failure returns false, and ERROR is one
 * line. The caller frees MUTANT with mutant_free(). */
bool mutant_read(const char *path, const char *solution, struct mutant *mutant, char *error,
                 size_t size);
void mutant_free(struct mutant *mutant);

/* Applies EDITS to *SOURCE, a text in memory from malloc(). Overwrites the text of EDITS. On
 * failure, returns false, and ERROR gets one line. */
bool mutant_edit(char *edits, char **source, char *error, size_t size);

/* Returns the loss that MUTANT declares for CHECK, or NULL if there is none. */
const struct mutant_loss *mutant_find_loss(const struct mutant *mutant, const char *check);
/* Returns whether MUTANT is the naive kernel for CHECK. */
bool mutant_is_naive(const struct mutant *mutant, const char *check);

#endif
