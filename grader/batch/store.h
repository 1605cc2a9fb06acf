/* The store keeps the students of a class, their hand-ins and all grades in one SQLite file.
 *
 *     students ---< submissions >--- sources          present hand-ins, replaced by each scan
 *                       | key
 *                       v
 *                   gradings                          all grades ever made, never removed
 *
 * A grading does not belong to a student, but to a key: the hash of everything that the grading
 * depends on (source, lab, grader, device, seed). So equal submissions share a grading, and
 * unchanged submissions are not graded again.
 *
 * When a function that changes the store returns, the change is on the disk. So finished grades
 * survive a crash of the process or the machine. One process can write at a time; other writers
 * wait up to 5 seconds, then fail. Any number of processes can read.
 *
 * Functions that return bool or a pointer return false or NULL on failure; batch_store_error() then
 * returns one line with the cause and the remedy. Arrays are new references. */
#ifndef BATCH_STORE_H
#define BATCH_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/files.h"

#define BATCH_STORE_FILE "grades.sqlite" /* the store's name in the folder that --out names */

struct batch_store;

/* Opens or creates the store at PATH. On failure returns NULL, and ERROR (SIZE bytes) says why in
 * one line. */
struct batch_store *batch_store_open(const char *path, char *error, size_t size);
void batch_store_close(struct batch_store *store); /* STORE may be NULL */

const char *batch_store_error(const struct batch_store *store);
/* Returns true if the last failure was caused by a full disk. */
bool batch_store_is_full(const struct batch_store *store);

/* Begin, commit or roll back a transaction. batch_store_end() stores all changes since
 * batch_store_begin() together. batch_store_cancel(), or the end of the process, discards them. */
bool batch_store_begin(struct batch_store *store);
bool batch_store_end(struct batch_store *store);
void batch_store_cancel(struct batch_store *store);

/* --- settings: "seed", "device", "folder" ... ------------------------------------------------- */

bool batch_store_set(struct batch_store *store, const char *name, const char *value);
/* Returns the setting NAME, which the caller frees. Returns NULL if there is no such setting, or on
 * failure. */
char *batch_store_get(struct batch_store *store, const char *name);

/* --- students and hand-ins: each scan replaces them ------------------------------------------- */

struct batch_submission {
    const char *student, *lab;
    const char *path;          /* path of the file, as reports show it */
    int64_t submitted;         /* UNIX seconds */
    const struct text *source; /* at most 1 MiB */
    const char *source_hash;   /* SHA-256 of the source */
    const char *key;           /* key of the submission's grading */
};

/* Removes students, labs, submissions, reviews and notes about empty files, but keeps all
 * gradings. */
bool batch_store_forget(struct batch_store *store);
bool batch_store_add_student(struct batch_store *store, const char *id, const char *name);
bool batch_store_add_lab(struct batch_store *store, const char *lab, const char *title,
                         double max_score);
/* Adds a submission. If a student has several equal files for a lab, the store keeps only the
 * earliest. */
bool batch_store_add_submission(struct batch_store *store,
                                const struct batch_submission *submission);
/* Adds an entry for a human to review. LAB may be "". */
bool batch_store_add_review(struct batch_store *store, const char *student, const char *lab,
                            const char *path, const char *why);

/* Notes that a file of a hand-in is empty or a link. LAB may be "". */
bool batch_store_add_empty(struct batch_store *store, const char *student, const char *lab,
                           const char *path, const char *why);

json_t *batch_store_students(struct batch_store *store); /* [{"student", "name"}], by id */
json_t *batch_store_labs(struct batch_store *store);     /* [{"lab", "title", "max_score"}] */
/* Returns [{"student", "lab", "path", "submitted", "source", "key"}], by student, lab, time and
 * path. */
json_t *batch_store_submissions(struct batch_store *store);
json_t *batch_store_reviews(struct batch_store *store); /* [{"student", "lab", "path", "why"}] */
json_t *batch_store_empties(struct batch_store *store); /* [{"student", "lab", "path", "why"}] */
/* Reads the source with this hash. The caller frees its bytes. */
bool batch_store_source(struct batch_store *store, const char *hash, struct text *source);

/* --- gradings --------------------------------------------------------------------------------- */

struct batch_key {
    const char *key;
    const char *lab, *source, *grader; /* source and grader are hashes */
    const char *device;                /* "emulator" or "gpu" */
    uint64_t seed;
};

/* Removes from a stored result the fingerprint and the secret of the inputs, which students must
 * not see. */
void batch_store_strip(json_t *result);

/* Stores a result (lanewise/result/v1). An existing grade stays. */
bool batch_store_put(struct batch_store *store, const struct batch_key *key, const json_t *result);
/* Records for review that the grading failed, and why. An existing grade stays. */
bool batch_store_fail(struct batch_store *store, const struct batch_key *key, const char *why);

/* Returns {"state": "graded", "result"}, {"state": "failed", "why"}, or {"state": "pending"}. */
json_t *batch_store_grading(struct batch_store *store, const char *key);
/* Returns true if KEY has a grade. This is quick, because it does not read the result. */
bool batch_store_is_graded(struct batch_store *store, const char *key);
/* Returns the number of grades, or 0 on failure. */
size_t batch_store_count(struct batch_store *store);
/* Returns the newest grade of SOURCE for LAB under any key, in the form of batch_store_grading().
 * Another version of the grader may have made it. */
json_t *batch_store_earlier(struct batch_store *store, const char *lab, const char *source);

#endif
