/* Reads all hand-ins of a class, and writes them into the store.
 *
 *     SUBMISSIONS/
 *       s001/                 a student: a folder,
 *       s002.zip              an archive,
 *       s003_parallelize.cu   or a file
 *       01-parallelize/       a lab: students as above, for this lab
 *
 * All files in all folders of a hand-in are considered; batch/match.h finds the lab of each. */
#ifndef BATCH_SCAN_H
#define BATCH_SCAN_H

#include "batch/roster.h"
#include "batch/store.h"
#include "course/lab.h"
#include "grade/seed.h"

struct batch_lab {
    struct lab lab;
    char grader[HASH_SIZE]; /* hash of everything that decides its grades: batch/key.h */
};

struct batch_hidden;

struct batch_scan {
    const char *folder;
    const char *out; /* never a student's folder, wherever it is */
    struct batch_lab *labs;
    size_t lab_count;   /* the first of LABS: graded */
    size_t other_count; /* the rest of LABS: not graded, so their files are skipped */
    const struct batch_roster *roster; /* NULL: none */
    enum grading_device device;
    struct grade_seed seed;
    struct batch_hidden *hidden; /* filled with the skipped entries; may be NULL */
};

/* Folders and archives whose names begin with a dot are not hand-ins. */
struct batch_hidden {
    size_t count;
    char first[PATH_SIZE]; /* clean */
};

/* Replaces the students and hand-ins in the store. False: ERROR (SIZE bytes) is one line, and
 * the store is unchanged. A folder without a hand-in for any lab is an error, too. */
bool batch_scan(struct batch_store *store, const struct batch_scan *scan, char *error, size_t size);

#endif
