/* Turns rows of the store into grades. Selects the attempts that may count, reduces the scores of
 * late ones by the course's rules, and chooses the attempt that counts.
 *
 *     attempts of a student for a lab, by time
 *         1  60            graded
 *         2   -  review    the grader failed, so there is no grade: a human must review it
 *         3  90  counts    the best (or, if the course says so, the latest)
 *         4   -  over-limit   more than per_day on one day: not graded */
#include "batch/class.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/version.h"
#include "batch/output.h"

#define DAY 86400

/* The state while the document is composed. */
struct composition {
    struct batch_store *store;
    const struct course_policy *terms;
    json_t *gradings, *review; /* members of the document */
    json_t *failed;            /* reasons why gradings failed, by key */
    json_int_t pending;        /* number of attempts that are not graded yet */
    bool broken;               /* reading the store has failed */
};

static bool same(const json_t *row, const char *key, const char *text)
{
    return strcmp(json_text_of(row, key), text) == 0;
}

/* Rounds points to hundredths, because scaling a lab's points to the course's points can give more
 * decimals. */
static double hundredths(double points)
{
    return floor(points * 100 + 0.5) / 100;
}

static json_t *iso_time(int64_t seconds)
{
    char text[40];
    time_t when = (time_t)seconds;
    struct tm utc;
    if (!gmtime_r(&when, &utc))
        return json_null();
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_string(text);
}

/* --- the course's rules ----------------------------------------------------------------------- */

static struct course_lab_policy terms_of(const struct course_policy *terms, const char *lab)
{
    for (size_t i = 0; i < terms->lab_count; ++i)
        if (strcmp(terms->labs[i].lab, lab) == 0)
            return terms->labs[i];
    return (struct course_lab_policy){.lab = lab, .weight = 1};
}

/* Returns the lab's rules for STUDENT. The student's own deadline, if any, replaces the lab's. */
static struct course_lab_policy terms_for(const struct course_policy *terms, const char *student,
                                          const char *lab)
{
    const struct course_exception *exception =
        course_exception_find(terms->exceptions, student, lab);
    struct course_lab_policy own = terms_of(terms, lab);
    if (exception && exception->deadline)
        own.deadline = exception->deadline;
    return own;
}

static json_int_t late_days(const struct course_lab_policy *lab, json_int_t submitted)
{
    if (lab->deadline == 0 || submitted <= lab->deadline)
        return 0;
    return (submitted - lab->deadline + DAY - 1) / DAY;
}

/* Returns the number of attempts before attempt I that were handed in on the same day (UTC). */
static size_t before_on_that_day(const json_t *attempts, size_t i)
{
    json_int_t day = json_integer_of(json_array_get(attempts, i), "submitted") / DAY;
    size_t count = 0;
    while (count < i &&
           json_integer_of(json_array_get(attempts, i - count - 1), "submitted") / DAY == day)
        ++count;
    return count;
}

/* Returns the reason why attempt number I (from 0) is not graded, or NULL if it is graded. */
static const char *why_not(const struct course_policy *terms, const struct course_lab_policy *lab,
                           const json_t *attempts, size_t i)
{
    json_int_t submitted = json_integer_of(json_array_get(attempts, i), "submitted");
    if (terms->limits_late && late_days(lab, submitted) > (json_int_t)terms->late_limit)
        return "too-late";
    if (terms->per_day && before_on_that_day(attempts, i) >= terms->per_day)
        return "over-limit";
    return NULL;
}

/* --- one attempt ------------------------------------------------------------------------------ */

/* Adds an entry to "review", the document's list of gradings that a human must look at. */
static void add_review(struct composition *c, const json_t *row, size_t attempt, const char *why)
{
    json_array_append_new(
        c->review, json_pack("{s:s, s:s, s:I, s:s, s:s}", "student", json_text_of(row, "student"),
                             "lab", json_text_of(row, "lab"), "attempt", (json_int_t)attempt,
                             "path", json_text_of(row, "path"), "why", why));
}

/* Removes the members that only the page of a single grading needs. They would make the document
 * too large, because a class may have thousands of results. */
static json_t *shortened(json_t *result)
{
    size_t i;
    json_t *check;
    json_object_del(result, "lines");
    json_object_del(result, "accesses");
    json_array_foreach(json_object_get(result, "checks"), i, check)
        json_object_del(check, "counters");
    return result;
}

/* Adds the result of the grading KEY to "gradings". If this grading failed, adds the reason to
 * "failed" instead. Adds the result of an earlier version of the grader to "gradings" if there is
 * one. */
static void look_up(struct composition *c, const json_t *row, const char *key)
{
    json_t *grading = batch_store_grading(c->store, key);
    if (grading && same(grading, "state", "failed")) {
        json_object_set(c->failed, key, json_object_get(grading, "why"));
        json_decref(grading);
        grading =
            batch_store_earlier(c->store, json_text_of(row, "lab"), json_text_of(row, "source"));
    }
    c->broken = c->broken || !grading;
    json_t *result = json_object_get(grading, "result");
    if (result)
        json_object_set(c->gradings, key, shortened(result));
    json_decref(grading);
}

/* Returns the result for ROW, a submission. Returns NULL if there is none; STATUS then gives the
 * reason. */
static json_t *find_result(struct composition *c, const json_t *row, size_t number,
                           const char **status)
{
    const char *key = json_text_of(row, "key");
    if (!json_object_get(c->gradings, key) && !json_object_get(c->failed, key))
        look_up(c, row, key);
    bool failed = json_object_get(c->failed, key) != NULL;
    if (failed)
        add_review(c, row, number, json_text_of(c->failed, key));
    *status = failed ? "review" : "pending";
    json_t *result = json_object_get(c->gradings, key);
    c->pending += !result && !failed;
    return result;
}

/* Returns one element of "attempts", with its score. */
static json_t *describe_attempt(struct composition *c, const struct course_lab_policy *lab,
                                double scale, const json_t *attempts, size_t i)
{
    const json_t *row = json_array_get(attempts, i);
    const char *status = why_not(c->terms, lab, attempts, i);
    json_int_t late = late_days(lab, json_integer_of(row, "submitted"));
    json_t *result = status ? NULL : find_result(c, row, i + 1, &status);
    json_t *attempt = json_pack("{s:I, s:s, s:o, s:I}", "attempt", (json_int_t)i + 1, "path",
                                json_text_of(row, "path"), "submitted",
                                iso_time(json_integer_of(row, "submitted")), "late_days", late);
    double earned = 0, penalty = 0;
    if (result) {
        earned = hundredths(json_number_of(result, "score") * scale);
        penalty = hundredths(fmin(earned, earned * c->terms->late_penalty * (double)late / 100));
        status = json_text_of(result, "status");
    }
    json_object_set_new(attempt, "status", json_string(status));
    json_object_set_new(attempt, "score",
                        result ? json_real(hundredths(earned - penalty)) : json_null());
    json_object_set_new(attempt, "penalty", json_real(penalty));
    json_object_set_new(attempt, "key", json_string(json_text_of(row, "key")));
    return attempt;
}

/* --- one lab of a student --------------------------------------------------------------------- */

/* Returns the attempt that counts: the latest attempt with a score if the course says so, otherwise
 * the best. If several are best, returns the earliest. Returns NULL if no attempt has a score. */
static const json_t *choose(const struct course_policy *terms, const json_t *attempts)
{
    const json_t *chosen = NULL;
    size_t i;
    json_t *attempt;
    json_array_foreach(attempts, i, attempt)
    {
        const json_t *score = json_object_get(attempt, "score");
        if (json_is_number(score) && (!chosen || terms->latest ||
                                      json_number_value(score) > json_number_of(chosen, "score")))
            chosen = attempt;
    }
    return chosen;
}

/* Returns the reason why a lab's grade is not final yet, "pending" or "review", or NULL if it is
 * final. Ignores attempts that can no longer change the grade. */
static const char *obstacle(const struct course_policy *terms, const json_t *attempts,
                            const json_t *chosen)
{
    const char *found = NULL;
    size_t i;
    json_t *attempt;
    if (chosen && !terms->latest && same(chosen, "status", "passed") &&
        json_integer_of(chosen, "late_days") == 0)
        return NULL;
    json_array_foreach(attempts, i, attempt)
    {
        if (terms->latest && json_is_number(json_object_get(attempt, "score")))
            found = NULL;
        else if (same(attempt, "status", "pending"))
            found = "pending";
        else if (same(attempt, "status", "review") && !found)
            found = "review";
    }
    return found;
}

/* Returns the status of a lab for which no attempt counts. UNREAD is true if a file could not be
 * read that may be an attempt. */
static const char *status_without_grade(const json_t *attempts, bool unread)
{
    if (unread)
        return "review";
    return json_array_size(attempts) > 0 ? "too-late" : "missing";
}

/* Replaces the computed grade with the instructor's decision. */
static void decide_by_hand(json_t *entry, const struct course_exception *exception)
{
    json_object_set_new(entry, "by_hand", json_string(exception->why));
    if (!exception->by_hand && !exception->excused)
        return;
    json_object_set_new(entry, "status", json_string(exception->excused ? "excused" : "by-hand"));
    json_object_set_new(entry, "score",
                        exception->excused ? json_null() : json_real(exception->points));
    json_object_set_new(entry, "late_days", json_integer(0));
    json_object_set_new(entry, "penalty", json_real(0));
}

/* Returns the value of LAB in a student's "labs". ROWS are the student's submissions for the lab,
 * sorted by time. EMPTY is a file in the hand-in that is empty or a link, or NULL if there is
 * none. */
static json_t *describe_lab(struct composition *c, const char *student, const json_t *lab,
                            const json_t *rows, bool unread, const json_t *empty)
{
    struct course_lab_policy terms = terms_for(c->terms, student, json_text_of(lab, "lab"));
    double max_score = json_number_of(lab, "max_score");
    double own = json_number_of(lab, "own_max_score");
    json_t *attempts = json_array();
    for (size_t i = 0; i < json_array_size(rows); ++i)
        json_array_append_new(attempts,
                              describe_attempt(c, &terms, own > 0 ? max_score / own : 0, rows, i));
    const json_t *chosen = choose(c->terms, attempts);
    const char *status = obstacle(c->terms, attempts, chosen);
    if (!status)
        status = chosen ? json_text_of(chosen, "status") : status_without_grade(attempts, unread);
    bool open = strcmp(status, "review") == 0 || strcmp(status, "pending") == 0;
    const json_t *late = strcmp(status, "too-late") == 0 ? json_array_get(attempts, 0) : chosen;
    json_t *score = chosen ? json_incref(json_object_get(chosen, "score"))
                    : open ? json_null()
                           : json_real(0);
    json_t *entry = json_pack(
        "{s:s, s:o, s:f, s:I, s:f, s:I, s:s, s:o}", "status", status, "score", score, "max_score",
        max_score, "late_days", json_integer_of(late, "late_days"), "penalty",
        json_number_of(chosen, "penalty"), "counted", json_integer_of(chosen, "attempt"), "key",
        json_text_of(chosen, "key"), "attempts", attempts);
    if (empty && strcmp(status, "missing") == 0)
        json_object_set_new(
            entry, "why",
            json_sprintf("%s %s", json_text_of(empty, "path"), json_text_of(empty, "why")));
    const struct course_exception *exception =
        course_exception_find(c->terms->exceptions, student, json_text_of(lab, "lab"));
    if (exception)
        decide_by_hand(entry, exception);
    return entry;
}

/* --- students --------------------------------------------------------------------------------- */

/* Returns the first element of ROWS about STUDENT and LAB, or about STUDENT and an unknown lab.
 * Returns NULL if there is none. */
static const json_t *find_row(const json_t *rows, const char *student, const char *lab)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (same(row, "student", student) && (same(row, "lab", "") || same(row, "lab", lab)))
            return row;
    }
    return NULL;
}

/* Returns the rows of STUDENT for LAB, which begin at index *NEXT, and advances *NEXT past them.
 * Calls must follow the order of ROWS. */
static json_t *take_rows(const json_t *rows, size_t *next, const char *student, const char *lab)
{
    json_t *taken = json_array();
    const json_t *row;
    while ((row = json_array_get(rows, *next)) && same(row, "student", student) &&
           same(row, "lab", lab)) {
        json_array_append(taken, (json_t *)row);
        ++*next;
    }
    return taken;
}

/* All rows of the store about a class. */
struct rows {
    json_t *labs, *students, *submissions, *reviews, *empties;
};

static bool read_rows(struct batch_store *store, struct rows *rows)
{
    rows->labs = batch_store_labs(store);
    rows->students = rows->labs ? batch_store_students(store) : NULL;
    rows->submissions = rows->students ? batch_store_submissions(store) : NULL;
    rows->reviews = rows->submissions ? batch_store_reviews(store) : NULL;
    rows->empties = rows->reviews ? batch_store_empties(store) : NULL;
    return rows->empties != NULL;
}

static void free_rows(struct rows *rows)
{
    json_decref(rows->labs);
    json_decref(rows->students);
    json_decref(rows->submissions);
    json_decref(rows->reviews);
    json_decref(rows->empties);
}

/* Returns the document's "labs": the labs in the store, with the course's rules. */
static json_t *describe_labs(const struct course_policy *terms, const json_t *rows)
{
    json_t *labs = json_array(), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        struct course_lab_policy lab = terms_of(terms, json_text_of(row, "lab"));
        double own = json_number_of(row, "max_score");
        json_array_append_new(labs, json_pack("{s:s, s:s, s:f, s:f, s:f, s:o}", "lab",
                                              json_text_of(row, "lab"), "title",
                                              json_text_of(row, "title"), "max_score",
                                              lab.points > 0 ? lab.points : own, "own_max_score",
                                              own, "weight", lab.weight, "deadline",
                                              lab.deadline ? iso_time(lab.deadline) : json_null()));
    }
    return labs;
}

static json_t *describe_student(struct composition *c, const json_t *labs, const json_t *row,
                                const struct rows *rows, size_t *next)
{
    const char *id = json_text_of(row, "student");
    json_t *mine = json_object(), *lab;
    double total = 0, most = 0;
    bool review = false, graded = false, open = false;
    size_t i;
    json_array_foreach(labs, i, lab)
    {
        const char *name = json_text_of(lab, "lab");
        double weight = json_number_of(lab, "weight");
        json_t *taken = take_rows(rows->submissions, next, id, name);
        json_t *entry = describe_lab(c, id, lab, taken, find_row(rows->reviews, id, name) != NULL,
                                     find_row(rows->empties, id, name));
        bool excused = same(entry, "status", "excused");
        total += weight * json_number_of(entry, "score");
        most += excused ? 0 : weight * json_number_of(entry, "max_score");
        review = review || same(entry, "status", "review");
        graded =
            graded || json_integer_of(entry, "counted") > 0 || same(entry, "status", "by-hand");
        open = open || (!excused && json_is_null(json_object_get(entry, "score")));
        json_object_set_new(mine, name, entry);
        json_decref(taken);
    }
    char folder[256];
    batch_folder_name(id, folder);
    return json_pack("{s:s, s:s, s:s, s:o, s:f, s:b, s:o}", "student", id, "name",
                     json_text_of(row, "name"), "folder", folder, "total",
                     open && !graded ? json_null() : json_real(hundredths(total)), "max",
                     hundredths(most), "review", review, "labs", mine);
}

static json_t *describe_students(struct composition *c, const json_t *labs, const struct rows *rows)
{
    json_t *students = json_array(), *row;
    size_t i, next = 0;
    json_array_foreach(rows->students, i, row)
        json_array_append_new(students, describe_student(c, labs, row, rows, &next));
    return students;
}

/* Returns true if the instructor has already decided about REVIEW, an entry of "review". An entry
 * without a lab is decided under two conditions: the instructor has set a grade in one of the
 * student's labs, and no lab of the student has the status "review" any more. */
static bool is_decided(const struct composition *c, const json_t *review, const json_t *students)
{
    const struct course_exceptions *exceptions = c->terms->exceptions;
    bool any = false;
    size_t i;
    json_t *student;
    for (size_t k = 0; exceptions && k < exceptions->count; ++k) {
        const struct course_exception *one = &exceptions->all[k];
        bool decides = (one->by_hand || one->excused) && same(review, "student", one->student);
        if (decides && same(review, "lab", one->lab))
            return true;
        any = any || (decides && same(review, "lab", ""));
    }
    if (!any)
        return false;
    json_array_foreach(students, i, student)
    {
        if (same(student, "student", json_text_of(review, "student")))
            return !json_is_true(json_object_get(student, "review"));
    }
    return false;
}

static void drop_decided(const struct composition *c, const json_t *students)
{
    for (size_t i = json_array_size(c->review); i-- > 0;)
        if (is_decided(c, json_array_get(c->review, i), students))
            json_array_remove(c->review, i);
}

json_t *batch_class(struct batch_store *store, const struct course_policy *terms)
{
    struct composition c = {.store = store, .terms = terms};
    struct rows rows = {0};
    json_t *class = NULL, *row;
    size_t i;
    if (read_rows(store, &rows)) {
        char *device = batch_store_get(store, "device"), *seed = batch_store_get(store, "seed");
        c.gradings = json_object();
        c.review = json_array();
        c.failed = json_object();
        json_array_foreach(rows.reviews, i, row) add_review(&c, row, 0, json_text_of(row, "why"));
        json_t *labs = describe_labs(terms, rows.labs);
        json_t *students = describe_students(&c, labs, &rows);
        drop_decided(&c, students);
        class = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:[], s:[], s:I}",
                          "schema", "lanewise/class/v1", "version", LANEWISE_VERSION, "course",
                          terms->course, "device", device ? device : "", "seed", seed ? seed : "",
                          "attempt", terms->latest ? "latest" : "best", "labs", labs, "students",
                          students, "gradings", c.gradings, "review", c.review, "similar", "alike",
                          "pending", c.pending);
        free(device);
        free(seed);
    }
    free_rows(&rows);
    json_decref(c.failed);
    if (c.broken) {
        json_decref(class);
        return NULL;
    }
    return class;
}

/* --- attempts that are not graded yet --------------------------------------------------------- */

/* Adds to PENDING the keys of the ATTEMPTS that still must be graded. ATTEMPTS are those of one
 * student for one lab. */
static void add_pending(struct batch_store *store, const struct course_policy *terms,
                        const json_t *attempts, json_t *seen, json_t *pending)
{
    const json_t *first = json_array_get(attempts, 0);
    struct course_lab_policy lab =
        terms_for(terms, json_text_of(first, "student"), json_text_of(first, "lab"));
    for (size_t i = 0; i < json_array_size(attempts); ++i) {
        const json_t *row = json_array_get(attempts, i);
        const char *key = json_text_of(row, "key");
        if (why_not(terms, &lab, attempts, i) || json_object_get(seen, key))
            continue;
        json_object_set_new(seen, key, json_true());
        if (!batch_store_is_graded(store, key))
            json_array_append_new(pending, json_pack("{s:s, s:s, s:s}", "key", key, "lab",
                                                     json_text_of(row, "lab"), "source",
                                                     json_text_of(row, "source")));
    }
}

json_t *batch_class_pending(struct batch_store *store, const struct course_policy *terms)
{
    json_t *rows = batch_store_submissions(store), *seen = json_object();
    json_t *pending = rows ? json_array() : NULL;
    const json_t *row;
    for (size_t next = 0; (row = json_array_get(rows, next));) {
        json_t *attempts =
            take_rows(rows, &next, json_text_of(row, "student"), json_text_of(row, "lab"));
        add_pending(store, terms, attempts, seen, pending);
        json_decref(attempts);
    }
    json_decref(rows);
    json_decref(seen);
    return pending;
}
