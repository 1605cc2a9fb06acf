/* Implements the store in SQLite, with a rollback journal and full synchronisation. A committed
 * transaction survives kill -9 and a power cut, and the whole store is one file. No other file in
 * the kit uses SQL. */
#include "batch/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x4c414e45 /* "LANE", which marks a file as a store */
#define VERSION     1

static const char schema[] =
    "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE labs(lab TEXT PRIMARY KEY, title TEXT NOT NULL, max_score REAL NOT NULL)"
    "  WITHOUT ROWID;"
    "CREATE TABLE students(student TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE sources(source TEXT PRIMARY KEY, bytes BLOB NOT NULL);"
    "CREATE TABLE submissions(student TEXT NOT NULL, lab TEXT NOT NULL, source TEXT NOT NULL,"
    "  path TEXT NOT NULL, submitted INTEGER NOT NULL, key TEXT NOT NULL,"
    "  PRIMARY KEY(student, lab, source)) WITHOUT ROWID;"
    "CREATE TABLE reviews(student TEXT NOT NULL, lab TEXT NOT NULL, path TEXT NOT NULL,"
    "  why TEXT NOT NULL);"
    "CREATE TABLE gradings(number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, lab TEXT NOT NULL,"
    "  source TEXT NOT NULL, grader TEXT NOT NULL, device TEXT NOT NULL, seed INTEGER NOT NULL,"
    "  state TEXT NOT NULL, why TEXT NOT NULL, result TEXT);"
    "CREATE INDEX of_source ON gradings(source, lab);";

/* This table was added later without a new version number, so it is created when an older store is
 * opened. */
static const char empties[] =
    "CREATE TABLE IF NOT EXISTS empties(student TEXT NOT NULL, lab TEXT NOT NULL,"
    "  path TEXT NOT NULL, why TEXT NOT NULL)";

struct batch_store {
    sqlite3 *database;
    char path[PATH_SIZE];
    char error[PATH_SIZE + 300];
    bool full;
};

/* --- errors ----------------------------------------------------------------------------------- */

/* Returns true if the file system or a quota leaves no room for another small file beside the
 * database. */
static bool has_no_room(const struct batch_store *store)
{
    char folder[PATH_SIZE];
    const char *slash = strrchr(store->path, '/');
    return base_path(folder, "%.*s", slash ? (int)(slash - store->path) : 1,
                     slash ? store->path : ".") &&
           !base_has_room(folder, 4096);
}

/* Returns true if the last write failed because the disk is full, or because of a quota or a limit.
 * We must test this, because SQLite's error code does not show it after a partial write, or if
 * SQLite could not create a file. */
static bool is_full(struct batch_store *store)
{
    int code = sqlite3_extended_errcode(store->database);
    int reason = sqlite3_system_errno(store->database);
    return (code & 0xff) == SQLITE_FULL ||
           (code == SQLITE_IOERR_WRITE && reason != EIO && reason != EROFS) ||
           ((code & 0xff) == SQLITE_IOERR &&
            (reason == ENOSPC || reason == EFBIG || reason == EDQUOT)) ||
           ((code & 0xff) == SQLITE_CANTOPEN && has_no_room(store));
}

/* Records SQLite's last error. Always returns false. */
static bool fail(struct batch_store *store)
{
    int code = sqlite3_errcode(store->database) & 0xff;
    store->full = is_full(store);
    if (store->full)
        snprintf(
            store->error, sizeof store->error,
            "the disk is too full to write %s: free some space and run this command again; all finished grades are kept",
            store->path);
    else if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        snprintf(store->error, sizeof store->error, "another program is writing to %s",
                 store->path);
    else if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        snprintf(store->error, sizeof store->error,
                 "%s is damaged or is not a Lanewise grade database: move it away to start over",
                 store->path);
    else
        snprintf(store->error, sizeof store->error, "cannot use %s: %s", store->path,
                 sqlite3_errmsg(store->database));
    return false;
}

const char *batch_store_error(const struct batch_store *store)
{
    return store->error;
}

bool batch_store_is_full(const struct batch_store *store)
{
    return store->full;
}

/* --- statements ------------------------------------------------------------------------------- */

/* Prepares SQL and binds the values. FORMAT has one letter for each value: s for a string, i for an
 * int64_t, f for a double, b for a struct text. Returns NULL on failure, and records the error. */
static sqlite3_stmt *prepare(struct batch_store *store, const char *sql, const char *format,
                             va_list values)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail(store);
        return NULL;
    }
    for (int i = 1; *format; ++i, ++format) {
        const struct text *bytes;
        switch (*format) {
        case 's':
            sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'i':
            sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
            break;
        case 'f':
            sqlite3_bind_double(statement, i, va_arg(values, double));
            break;
        case 'b':
            bytes = va_arg(values, const struct text *);
            sqlite3_bind_blob64(statement, i, bytes->bytes, bytes->size, SQLITE_TRANSIENT);
        }
    }
    return statement;
}

/* Starts a query. Returns NULL on failure. */
static sqlite3_stmt *query(struct batch_store *store, const char *sql, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    sqlite3_stmt *statement = prepare(store, sql, format, values);
    va_end(values);
    return statement;
}

/* Ends a query. Returns false if the query has failed. */
static bool finish(struct batch_store *store, sqlite3_stmt *statement)
{
    return sqlite3_finalize(statement) == SQLITE_OK || fail(store);
}

/* Runs a statement that returns no rows. */
static bool run(struct batch_store *store, const char *sql, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    sqlite3_stmt *statement = prepare(store, sql, format, values);
    va_end(values);
    if (!statement)
        return false;
    sqlite3_step(statement);
    return finish(store, statement);
}

static json_t *column_json(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(statement, column));
    default:
        return json_string((const char *)sqlite3_column_text(statement, column));
    }
}

/* Returns all rows of a query, each as an object with the columns by name. */
static json_t *all_rows(struct batch_store *store, const char *sql)
{
    sqlite3_stmt *statement = query(store, sql, "");
    json_t *rows = statement ? json_array() : NULL;
    while (rows && sqlite3_step(statement) == SQLITE_ROW) {
        json_t *row = json_object();
        for (int i = 0; i < sqlite3_column_count(statement); ++i)
            json_object_set_new(row, sqlite3_column_name(statement, i), column_json(statement, i));
        json_array_append_new(rows, row);
    }
    if (statement && !finish(store, statement)) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int64_t read_number(struct batch_store *store, const char *sql)
{
    sqlite3_stmt *statement = query(store, sql, "");
    int64_t number = -1;
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    return statement && finish(store, statement) ? number : -1;
}

static bool execute(struct batch_store *store, const char *sql)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || fail(store);
}

static bool make_tables(struct batch_store *store)
{
    char numbers[100];
    snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             APPLICATION, VERSION);
    return batch_store_begin(store) && execute(store, schema) && execute(store, numbers) &&
           batch_store_end(store);
}

/* Creates the tables in a new file. An existing file must be a store of this version. */
static bool check_tables(struct batch_store *store)
{
    int64_t tables = read_number(store, "SELECT count(*) FROM sqlite_schema");
    if (tables < 0)
        return false;
    if (tables == 0)
        return make_tables(store);
    int64_t version = read_number(store, "PRAGMA user_version");
    if (read_number(store, "PRAGMA application_id") == APPLICATION && version == VERSION)
        return true;
    snprintf(
        store->error, sizeof store->error,
        "%s is not a grade database that this version of Lanewise can read: choose another --out",
        store->path);
    return false;
}

struct batch_store *batch_store_open(const char *path, char *error, size_t size)
{
    struct batch_store *store = calloc(1, sizeof *store);
    if (!store) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    bool fits = base_path(store->path, "%s", path);
    bool good = fits && sqlite3_open(path, &store->database) == SQLITE_OK;
    if (good)
        /* wait at most 5000 ms for another process to unlock the file; every reader finishes in
         * this time */
        sqlite3_busy_timeout(store->database, 5000);
    else
        fail(store);
    good = good && execute(store, "PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE") &&
           check_tables(store) && execute(store, empties);
    if (good)
        return store;
    snprintf(error, size, "%s", store->error);
    batch_store_close(store);
    return NULL;
}

void batch_store_close(struct batch_store *store)
{
    if (store)
        sqlite3_close(store->database);
    free(store);
}

bool batch_store_begin(struct batch_store *store)
{
    return execute(store, "BEGIN IMMEDIATE");
}

bool batch_store_end(struct batch_store *store)
{
    if (execute(store, "COMMIT"))
        return true;
    batch_store_cancel(store);
    return false;
}

void batch_store_cancel(struct batch_store *store)
{
    if (!sqlite3_get_autocommit(store->database)) /* SQLite may have rolled back already */
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
}

/* --- settings --------------------------------------------------------------------------------- */

bool batch_store_set(struct batch_store *store, const char *name, const char *value)
{
    return run(store, "INSERT OR REPLACE INTO settings VALUES(?, ?)", "ss", name, value);
}

char *batch_store_get(struct batch_store *store, const char *name)
{
    char *value = NULL;
    sqlite3_stmt *statement = query(store, "SELECT value FROM settings WHERE name = ?", "s", name);
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        value = strdup((const char *)sqlite3_column_text(statement, 0));
    if (statement)
        finish(store, statement);
    return value;
}

/* --- students and hand-ins -------------------------------------------------------------------- */

bool batch_store_forget(struct batch_store *store)
{
    return execute(store, "DELETE FROM students; DELETE FROM labs; DELETE FROM submissions;"
                          "DELETE FROM reviews; DELETE FROM empties");
}

bool batch_store_add_student(struct batch_store *store, const char *id, const char *name)
{
    return run(store, "INSERT OR IGNORE INTO students VALUES(?, ?)", "ss", id, name);
}

bool batch_store_add_lab(struct batch_store *store, const char *lab, const char *title,
                         double max_score)
{
    return run(store, "INSERT OR REPLACE INTO labs VALUES(?, ?, ?)", "ssf", lab, title, max_score);
}

bool batch_store_add_submission(struct batch_store *store,
                                const struct batch_submission *submission)
{
    return run(store, "INSERT OR IGNORE INTO sources VALUES(?, ?)", "sb", submission->source_hash,
               submission->source) &&
           run(store,
               "INSERT INTO submissions VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
               "path = excluded.path, submitted = excluded.submitted "
               "WHERE (excluded.submitted, excluded.path) < (submitted, path)",
               "ssssis", submission->student, submission->lab, submission->source_hash,
               submission->path, submission->submitted, submission->key);
}

bool batch_store_add_review(struct batch_store *store, const char *student, const char *lab,
                            const char *path, const char *why)
{
    return run(store, "INSERT INTO reviews VALUES(?, ?, ?, ?)", "ssss", student, lab, path, why);
}

bool batch_store_add_empty(struct batch_store *store, const char *student, const char *lab,
                           const char *path, const char *why)
{
    return run(store, "INSERT INTO empties VALUES(?, ?, ?, ?)", "ssss", student, lab, path, why);
}

json_t *batch_store_students(struct batch_store *store)
{
    return all_rows(store, "SELECT student, name FROM students ORDER BY student");
}

json_t *batch_store_labs(struct batch_store *store)
{
    return all_rows(store, "SELECT lab, title, max_score FROM labs ORDER BY lab");
}

json_t *batch_store_submissions(struct batch_store *store)
{
    return all_rows(store,
                    "SELECT student, lab, path, submitted, source, key FROM submissions "
                    "WHERE student IN (SELECT student FROM students) "
                    "AND lab IN (SELECT lab FROM labs) ORDER BY student, lab, submitted, path");
}

json_t *batch_store_reviews(struct batch_store *store)
{
    return all_rows(store, "SELECT student, lab, path, why FROM reviews "
                           "ORDER BY student, lab, path, why");
}

json_t *batch_store_empties(struct batch_store *store)
{
    return all_rows(store, "SELECT student, lab, path, why FROM empties "
                           "ORDER BY student, lab, path, why");
}

bool batch_store_source(struct batch_store *store, const char *hash, struct text *source)
{
    *source = (struct text){0};
    sqlite3_stmt *statement = query(store, "SELECT bytes FROM sources WHERE source = ?", "s", hash);
    if (statement && sqlite3_step(statement) == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(statement, 0);
        source->size = (size_t)sqlite3_column_bytes(statement, 0);
        source->bytes = malloc(source->size + 1);
        if (source->bytes) {
            memcpy(source->bytes, bytes ? bytes : "", source->size);
            source->bytes[source->size] = 0;
        }
    }
    if (statement && finish(store, statement) && !source->bytes)
        snprintf(store->error, sizeof store->error, "%s does not contain the source file %s",
                 store->path, hash);
    return source->bytes != NULL;
}

/* --- gradings --------------------------------------------------------------------------------- */

static bool add_grading(struct batch_store *store, const struct batch_key *key, const char *state,
                        const char *why, const char *result)
{
    return run(store,
               "INSERT INTO gradings(key, lab, source, grader, device, seed, state, why, result) "
               "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
               "state = excluded.state, why = excluded.why, result = excluded.result "
               "WHERE state <> 'graded'",
               "sssssisss", key->key, key->lab, key->source, key->grader, key->device,
               (int64_t)key->seed, state, why, result);
}

void batch_store_strip(json_t *result)
{
    json_object_del(result, "print");
    json_object_del(result, "secret");
}

bool batch_store_put(struct batch_store *store, const struct batch_key *key, const json_t *result)
{
    /* 12 digits are enough, and prevent output such as 22.100000000000001 for 22.1. */
    char *text = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(12));
    bool kept = text && add_grading(store, key, "graded", "", text);
    if (!text)
        snprintf(store->error, sizeof store->error, "out of memory");
    free(text);
    return kept;
}

bool batch_store_fail(struct batch_store *store, const struct batch_key *key, const char *why)
{
    return add_grading(store, key, "failed", why, NULL);
}

/* Reads one row of "gradings" as an object. */
static json_t *read_grading(struct batch_store *store, sqlite3_stmt *statement)
{
    json_t *grading = NULL;
    if (statement && sqlite3_step(statement) == SQLITE_ROW) {
        const char *state = (const char *)sqlite3_column_text(statement, 0);
        const char *result = (const char *)sqlite3_column_text(statement, 2);
        grading =
            strcmp(state, "graded") == 0
                ? json_pack("{s:s, s:o}", "state", state, "result",
                            json_loads(result ? result : "", 0, NULL))
                : json_pack("{s:s, s:s}", "state", state, "why", sqlite3_column_text(statement, 1));
        if (!grading)
            snprintf(store->error, sizeof store->error, "%s contains a malformed result",
                     store->path);
    } else if (statement)
        grading = json_pack("{s:s}", "state", "pending");
    if (statement && !finish(store, statement)) {
        json_decref(grading);
        return NULL;
    }
    return grading;
}

json_t *batch_store_grading(struct batch_store *store, const char *key)
{
    return read_grading(
        store, query(store, "SELECT state, why, result FROM gradings WHERE key = ?", "s", key));
}

json_t *batch_store_earlier(struct batch_store *store, const char *lab, const char *source)
{
    return read_grading(store, query(store,
                                     "SELECT state, why, result FROM gradings WHERE source = ? "
                                     "AND lab = ? AND state = 'graded' ORDER BY number DESC "
                                     "LIMIT 1",
                                     "ss", source, lab));
}

bool batch_store_is_graded(struct batch_store *store, const char *key)
{
    sqlite3_stmt *statement =
        query(store, "SELECT 1 FROM gradings WHERE key = ? AND state = 'graded'", "s", key);
    bool graded = statement && sqlite3_step(statement) == SQLITE_ROW;
    return statement && finish(store, statement) && graded;
}

size_t batch_store_count(struct batch_store *store)
{
    int64_t count = read_number(store, "SELECT count(*) FROM gradings WHERE state = 'graded'");
    return count < 0 ? 0 : (size_t)count;
}
