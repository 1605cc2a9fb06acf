/* Finds out what a class has handed in, and writes it into the store.
 *
 *     SUBMISSIONS/
 *       s001/                 a student: a folder,
 *       s002.zip              an archive,
 *       s003_parallelize.cu   or a file
 *       01-parallelize/       a lab: students as above, for this lab
 *
 * Within a hand-in all files are looked at, in all folders; batch/match.h says which lab one is for. */
#ifndef BATCH_SCAN_H
#define BATCH_SCAN_H

#include "batch/roster.h"
#include "batch/store.h"
#include "course/lab.h"

struct batch_lab {
    struct lab lab;
    char grader[HASH_SIZE]; /* hash of what decides its grades: batch/key.h */
};

struct batch_hidden;

struct batch_scan {
    const char *folder;
    const char *out; /* this folder is no student's, wherever it is */
    struct batch_lab *labs;
    size_t lab_count;   /* that are graded; behind them in LABS come */
    size_t other_count; /* labs that are not: their files are known, and passed over */
    const struct batch_roster *roster; /* NULL: there is none */
    enum grading_device device;
    uint64_t seed;
    struct batch_hidden *hidden; /* becomes what was passed over; may be NULL */
};

/* Folders and archives whose names begin with a dot are no hand-ins. */
struct batch_hidden {
    size_t count;
    char first[PATH_SIZE]; /* clean */
};

/* Replaces what the store says is there. False: ERROR (SIZE bytes) is one line, and nothing changed; so it
 * is where there is nothing for any lab. */
bool batch_scan(struct batch_store *store, const struct batch_scan *scan, char *error, size_t size);

#endif
