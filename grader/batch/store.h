/* The store of a class: students, what they handed in, and every grade, in one SQLite file.
 *
 *     students ---< submissions >--- sources          what is there now: written anew by each scan
 *                       | key
 *                       v
 *                   gradings                          what was ever graded: only added to
 *
 * A grading belongs to a key, the hash of all that it depends on (source, lab, grader, device, seed), and
 * not to a student: equal submissions share it, and what has not changed is not graded again.
 *
 * Each change is on the disk when its function returns, so whatever ends the process loses no finished
 * grade. One process at a time writes: batch_store_open() waits for nobody. Reading needs no permission.
 *
 * Functions that return bool or a pointer return false or NULL when something went wrong;
 * batch_store_error() then is one line that says what, and what to do. Arrays are new references. */
#ifndef BATCH_STORE_H
#define BATCH_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"

#define BATCH_STORE_FILE "grades.sqlite" /* its name in the folder that --out names */

struct batch_store;

/* Opens the store at PATH, or makes it. NULL: ERROR (SIZE bytes) says why in one line. */
struct batch_store *batch_store_open(const char *path, char *error, size_t size);
void batch_store_close(struct batch_store *store); /* NULL is allowed */

const char *batch_store_error(const struct batch_store *store);
/* True if what went wrong is that there is no room left on the disk. */
bool batch_store_is_full(const struct batch_store *store);

/* All changes between begin and end happen at once, or, without end, never. */
bool batch_store_begin(struct batch_store *store);
bool batch_store_end(struct batch_store *store);
void batch_store_cancel(struct batch_store *store);

/* --- settings: "seed", "device", "folder" ... ------------------------------------------------- */

bool batch_store_set(struct batch_store *store, const char *name, const char *value);
/* To be freed; NULL: there is no such setting (or an error). */
char *batch_store_get(struct batch_store *store, const char *name);

/* --- what is there: forgotten and written anew by each scan ----------------------------------- */

struct batch_submission {
    const char *student, *lab;
    const char *path;          /* of the file, as reports show it */
    int64_t submitted;         /* UNIX seconds */
    const struct text *source; /* at most 1 MiB */
    const char *source_hash;   /* its SHA-256 */
    const char *key;           /* of its grading */
};

/* Forgets students, labs, submissions and what was to be reviewed of them; no grading. */
bool batch_store_forget(struct batch_store *store);
bool batch_store_add_student(struct batch_store *store, const char *id, const char *name);
bool batch_store_add_lab(struct batch_store *store, const char *lab, const char *title,
                         double max_score);
/* Of equal files of a student for a lab the earliest stays. */
bool batch_store_add_submission(struct batch_store *store,
                                const struct batch_submission *submission);
/* Something that a human must look at: LAB may be "". */
bool batch_store_add_review(struct batch_store *store, const char *student, const char *lab,
                            const char *path, const char *why);

json_t *batch_store_students(struct batch_store *store); /* [{"student", "name"}], by id */
json_t *batch_store_labs(struct batch_store *store);     /* [{"lab", "title", "max_score"}] */
/* [{"student", "lab", "path", "submitted", "source", "key"}], by student, lab, time and path. */
json_t *batch_store_submissions(struct batch_store *store);
json_t *batch_store_reviews(struct batch_store *store); /* [{"student", "lab", "path", "why"}] */
/* The bytes of the source with this hash, to be freed. */
bool batch_store_source(struct batch_store *store, const char *hash, struct text *source);

/* --- gradings --------------------------------------------------------------------------------- */

struct batch_key {
    const char *key;
    const char *lab, *source, *grader; /* source and grader are hashes */
    const char *device;                /* "emulator" or "gpu" */
    uint64_t seed;
};

/* Keeps a result (lanewise/result/v1). A grade that is there already stays. */
bool batch_store_put(struct batch_store *store, const struct batch_key *key, const json_t *result);
/* Notes that the grader failed, and why: for review, and never instead of a grade. */
bool batch_store_fail(struct batch_store *store, const struct batch_key *key, const char *why);

/* {"state": "graded", "result"}, {"state": "failed", "why"}, or {"state": "pending"}. */
json_t *batch_store_grading(struct batch_store *store, const char *key);
/* The same without the result: quick. */
bool batch_store_is_graded(struct batch_store *store, const char *key);
/* How many grades there are; 0 if that cannot be told. */
size_t batch_store_count(struct batch_store *store);
/* The newest grade that another version of the grader gave to SOURCE of LAB, as by batch_store_grading. */
json_t *batch_store_earlier(struct batch_store *store, const char *lab, const char *source);

#endif
