/* Reads all hand-ins of a class, and writes them into the store.
 *
 *     SUBMISSIONS/
 *       s001/                 a hand-in of a student: a folder,
 *       s002.zip              an archive,
 *       s003_parallelize.cu   or a file
 *       01-parallelize/       or a folder for a lab, with its students as above
 *
 * The scan reads all files in all folders of a hand-in; batch/match.h finds the lab of each
 * file. */
#ifndef BATCH_SCAN_H
#define BATCH_SCAN_H

#include "batch/roster.h"
#include "batch/store.h"
#include "course/lab.h"
#include "grade/seed.h"

struct batch_lab {
    struct lab lab;
    char grader[HASH_SIZE]; /* hash of the lab's grader (see batch_grader_hash()) */
};

struct batch_hidden;

struct batch_scan {
    const char *folder;
    const char *out; /* the folder of --out, which is never read as a hand-in */
    struct batch_lab *labs;
    size_t lab_count;   /* number of labs to grade, which are the first elements of LABS */
    size_t other_count; /* number of the labs at the end of LABS whose files are skipped */
    const struct batch_roster *roster; /* NULL if there is no roster */
    enum grading_device device;
    struct grade_seed seed;
    /* gets the entries that were skipped because they are hidden; may be NULL */
    struct batch_hidden *hidden;
};

/* The folders and archives that were skipped because their names begin with a dot. */
struct batch_hidden {
    size_t count;
    char first[PATH_SIZE]; /* name of the first entry, cleaned */
};

/* Replaces the students and hand-ins in the store by those in the folder. On failure returns false;
 * ERROR (SIZE bytes) then says why in one line, and the store is unchanged. A folder without a
 * hand-in for any lab is an error, too. */
bool batch_scan(struct batch_store *store, const struct batch_scan *scan, char *error, size_t size);

#endif
