/* Tests lanewise batch: the store of grades, the choice among several attempts, and a class from
 * folder to gradebook. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "batch/class.h"
#include "batch/feedback.h"
#include "batch/output.h"
#include "batch/store.h"
#include "report/gradebook.h"
#include "tests/support/shell.h"

TestSuite(batch, .init = shell_init, .fini = shell_fini, .timeout = 300);

static struct batch_store *open_store(void)
{
    char path[PATH_SIZE], error[500];
    base_path(path, "%s/" BATCH_STORE_FILE, shell_folder());
    struct batch_store *store = batch_store_open(path, error, sizeof error);
    cr_assert(store, "%s", error);
    return store;
}

#define must(store, call) cr_assert(call, "%s", batch_store_error(store))

/* --- the store --------------------------------------------------------------------------------------- */

static const struct batch_key key_a = {.key = "a", .lab = "01-x", .source = "s", .grader = "g1"};
static const struct batch_key key_b = {.key = "b", .lab = "01-x", .source = "s", .grader = "g2"};

static void expect_grading(json_t *grading, const char *state, int score)
{
    const char *found = json_string_value(json_object_get(grading, "state"));
    const json_t *result = json_object_get(grading, "result");
    cr_assert(found, "no grading");
    cr_expect_str_eq(found, state);
    cr_expect_eq(json_integer_value(json_object_get(result, "score")), score);
    json_decref(grading);
}

Test(batch, a_failure_never_overwrites_a_grade)
{
    struct batch_store *store = open_store();
    struct batch_key a = key_a, b = key_b;
    json_t *result = json_pack("{s:i}", "score", 7), *other = json_pack("{s:i}", "score", 8);
    a.device = b.device = "emulator";
    expect_grading(batch_store_grading(store, "a"), "pending", 0);
    must(store, batch_store_fail(store, &a, "out of luck"));
    expect_grading(batch_store_grading(store, "a"), "failed", 0);
    must(store, batch_store_put(store, &a, result));
    must(store, batch_store_fail(store, &a, "out of luck"));
    must(store, batch_store_put(store, &a, other));
    must(store, batch_store_fail(store, &b, "a newer grader"));
    expect_grading(batch_store_grading(store, "a"), "graded", 7);
    expect_grading(batch_store_earlier(store, "01-x", "s"), "graded", 7);
    batch_store_close(store);
    store = open_store(); /* open again, to see that the grades were written to disk */
    cr_expect(batch_store_is_graded(store, "a") && !batch_store_is_graded(store, "b"));
    batch_store_close(store);
    json_decref(result);
    json_decref(other);
}

Test(batch, other_files_are_not_opened_as_stores)
{
    static const char *const makers[] = {
        "echo 'this is a text, and longer than a header would be: not a database' > grades.sqlite",
        "rm -f grades.sqlite; mkdir grades.sqlite"};
    char error[500];
    for (size_t i = 0; i < sizeof makers / sizeof *makers; ++i) {
        free(shell_must("%s", makers[i]));
        char *path = shell_must("printf '%%s' \"$PWD/grades.sqlite\"");
        cr_expect_null(batch_store_open(path, error, sizeof error), "%s", makers[i]);
        cr_expect(strstr(error, "grades.sqlite") && !strchr(error, '\n'), "%s", error);
        free(path);
    }
}

/* --- the attempt that counts ----------------------------------------------------------------------- */

#define DAY      86400
#define DEADLINE (20000 * (int64_t)DAY)

/* A student's attempt at the lab. If SCORE is -1, there is no grade yet; if it is lower, the grader
 * failed. */
struct attempt {
    int64_t after; /* seconds after the deadline */
    int score;
};

static void add_attempt(struct batch_store *store, int number, const struct attempt *attempt)
{
    char name[40], text[40];
    struct text source = {.bytes = text};
    snprintf(name, sizeof name, "%d", number);
    source.size = (size_t)snprintf(text, sizeof text, "source %d", number);
    struct batch_submission submission = {.student = "ann",
                                          .lab = "01-x",
                                          .path = name,
                                          .submitted = DEADLINE + attempt->after,
                                          .source = &source,
                                          .source_hash = name,
                                          .key = name};
    struct batch_key key = {
        .key = name, .lab = "01-x", .source = name, .grader = "g", .device = "emulator"};
    must(store, batch_store_add_submission(store, &submission));
    json_t *result =
        json_pack("{s:s, s:i, s:i}", "status", attempt->score == 100 ? "passed" : "not-yet",
                  "score", attempt->score, "max_score", 100);
    if (attempt->score >= 0)
        must(store, batch_store_put(store, &key, result));
    else if (attempt->score < -1)
        must(store, batch_store_fail(store, &key, "the grader failed"));
    json_decref(result);
}

enum { NONE = -1, FAILED = -2 };

static const struct {
    const char *name;
    struct attempt attempts[4];
    struct course_policy terms;
    const char *status;
    int counted;
    double score;   /* negative if the gradebook must have null */
    size_t pending; /* number of attempts that must still be graded */
} counting[] = {
    {"none", {}, {}, "missing", 0, 0, 0},
    {"best", {{-9, 30}, {-8, 60}, {-7, 50}}, {}, "not-yet", 2, 60, 0},
    {"earliest-of-the-best", {{-9, 60}, {-8, 60}}, {}, "not-yet", 1, 60, 0},
    {"latest", {{-9, 30}, {-8, 60}, {-7, 50}}, {.latest = true}, "not-yet", 3, 50, 0},
    {"full", {{-9, 100}, {-8, FAILED}}, {}, "passed", 1, 100, 1},
    {"review-may-be-better", {{-9, 60}, {-8, FAILED}}, {}, "review", 1, 60, 1},
    {"only-review", {{-9, FAILED}}, {}, "review", 0, -1, 1},
    {"latest-in-review", {{-9, 60}, {-8, FAILED}}, {.latest = true}, "review", 1, 60, 1},
    {"review-before-latest", {{-9, FAILED}, {-8, 60}}, {.latest = true}, "not-yet", 2, 60, 1},
    {"pending", {{-9, 60}, {-8, NONE}}, {}, "pending", 1, 60, 1},
    {"at-the-deadline", {{0, 60}}, {.late_penalty = 10}, "not-yet", 1, 60, 0},
    {"late", {{1, 60}}, {.late_penalty = 10}, "not-yet", 1, 54, 0},
    {"two-days-late", {{DAY + 1, 60}}, {.late_penalty = 10}, "not-yet", 1, 48, 0},
    {"late-and-better", {{-9, 60}, {9, 70}}, {.late_penalty = 10}, "not-yet", 2, 63, 0},
    {"late-and-worse", {{-9, 60}, {9, 65}}, {.late_penalty = 10}, "not-yet", 1, 60, 0},
    {"never-below-nothing", {{30 * DAY, 60}}, {.late_penalty = 10}, "not-yet", 1, 0, 0},
    {"too-late", {{DAY + 1, NONE}}, {.limits_late = true, .late_limit = 1}, "too-late", 0, 0, 0},
    {"late-enough",
     {{DAY, 60}, {DAY + 1, NONE}},
     {.limits_late = true, .late_limit = 1},
     "not-yet",
     1,
     60,
     0},
    {"none-late", {{-9, 60}, {1, NONE}}, {.limits_late = true}, "not-yet", 1, 60, 0},
    {"no-limit", {{99 * DAY, 60}}, {}, "not-yet", 1, 60, 0},
    {"one-a-day", {{-9, 60}, {-8, NONE}, {1, 70}}, {.per_day = 1}, "not-yet", 3, 70, 0},
    {"late-review", {{1, 100}, {2, FAILED}}, {.late_penalty = 10}, "review", 1, 90, 1},
};

static void expect_count(size_t i)
{
    struct batch_store *store = open_store();
    struct course_policy terms = counting[i].terms;
    struct course_lab_policy lab = {.lab = "01-x", .weight = 1, .deadline = DEADLINE};
    const char *status;
    int counted;
    terms.course = "";
    terms.labs = &lab;
    terms.lab_count = 1;
    must(store, batch_store_add_lab(store, "01-x", "X", 100));
    must(store, batch_store_add_student(store, "ann", "Ann"));
    for (int n = 0; n < 4 && counting[i].attempts[n].after; ++n)
        add_attempt(store, n + 1, &counting[i].attempts[n]);
    if (strcmp(counting[i].name, "at-the-deadline") == 0)
        add_attempt(store, 1, &counting[i].attempts[0]);
    json_t *class = batch_class(store, &terms), *pending = batch_class_pending(store, &terms);
    cr_assert(class && pending, "%s: %s", counting[i].name, batch_store_error(store));
    json_t *student = json_array_get(json_object_get(class, "students"), 0);
    json_t *entry = json_object_get(json_object_get(student, "labs"), "01-x"), *score;
    cr_assert_eq(json_unpack(entry, "{s:s, s:i, s:o}", "status", &status, "counted", &counted,
                             "score", &score),
                 0);
    cr_expect_str_eq(status, counting[i].status, "%s: %s", counting[i].name, status);
    cr_expect_eq(counted, counting[i].counted, "%s: %d", counting[i].name, counted);
    cr_expect_eq(json_is_number(score) ? json_number_value(score) : -1, counting[i].score,
                 "%s: %g points", counting[i].name, json_number_value(score));
    cr_expect(json_equal(score, json_object_get(student, "total")), "%s: another total",
              counting[i].name);
    cr_expect_eq(json_array_size(pending), counting[i].pending, "%s: %zu pending", counting[i].name,
                 json_array_size(pending));
    json_decref(class);
    json_decref(pending);
    batch_store_close(store);
}

Test(batch, the_right_attempt_counts)
{
    for (size_t i = 0; i < sizeof counting / sizeof *counting; ++i) {
        expect_count(i);
        free(shell_must("rm " BATCH_STORE_FILE));
    }
}

/* Every failed grading needs a review, even if a grade by an earlier grader version counts. */
Test(batch, every_failed_grading_is_reviewed)
{
    struct batch_store *store = open_store();
    struct course_policy terms = {.course = ""};
    struct batch_key old = key_a, new = key_b;
    json_t *result = json_pack("{s:s, s:i}", "status", "not-yet", "score", 40);
    struct text source = {.bytes = "x", .size = 1};
    old.device = new.device = "emulator";
    must(store, batch_store_add_lab(store, "01-x", "X", 100));
    must(store, batch_store_put(store, &old, result));
    must(store, batch_store_fail(store, &new, "out of luck"));
    for (int i = 0; i < 2; ++i) {
        struct batch_submission submission = {.student = i ? "bob" : "ann",
                                              .lab = "01-x",
                                              .path = "x",
                                              .source = &source,
                                              .source_hash = new.source,
                                              .key = new.key};
        must(store, batch_store_add_student(store, submission.student, ""));
        must(store, batch_store_add_submission(store, &submission));
    }
    json_t *class = batch_class(store, &terms);
    cr_expect_eq(json_array_size(json_object_get(class, "review")), 2);
    for (size_t i = 0; i < 2; ++i) {
        json_t *student = json_array_get(json_object_get(class, "students"), i);
        cr_expect_eq(json_number_value(json_object_get(student, "total")), 40);
    }
    json_decref(class);
    json_decref(result);
    batch_store_close(store);
}

/* --- folders of students -------------------------------------------------------------------------------- */

static const struct {
    const char *id, *folder;
} folder_names[] = {
    {"s1", "s1"},
    {"Zoë 王", "Zoë 王"},
    {"a/b", "a%2Fb"},
    {"..", "%2E."},
    {".lock", "%2Elock"},
    {"gradebook.csv", "%67radebook.csv"},
    {"Class.html", "%43lass.html"},
    {"slurm", "%73lurm"},
    {"feedback", "%66eedback"},
};

Test(batch, names_of_students_folders)
{
    char name[256], other[256], id[600];
    for (size_t i = 0; i < sizeof folder_names / sizeof *folder_names; ++i) {
        batch_folder_name(folder_names[i].id, name);
        cr_expect_str_eq(name, folder_names[i].folder, "%s: %s", folder_names[i].id, name);
    }
    for (size_t i = 0; i + 2 < sizeof id; i += 2)
        memcpy(id + i, "\xc3\xab", 2); /* these very long ids differ only at their ends */
    id[sizeof id - 2] = 'a';
    id[sizeof id - 1] = 0;
    batch_folder_name(id, name);
    id[sizeof id - 2] = 'b';
    batch_folder_name(id, other);
    cr_expect(strcmp(name, other) != 0 && strlen(name) < 200, "%s %s", name, other);
    json_t *valid = json_string(name);
    cr_expect(valid, "it is not UTF-8: %s", name);
    json_decref(valid);
}

static const struct {
    const char *path, *name; /* NAME is NULL if the student has no name */
} feedback_names[] = {
    {"Ann Lee_4711_assignsubmission_file_/coalesce.cu",
     "Ann Lee_4711_assignsubmission_file_/report.html"},
    {"ann/hw.zip/src/coalesce.cu", "ann/report.html"},
    {"leeann_4711_815_coalesce.cu", "leeann_4711_815_coalesce.html"},
    {"ann.tar.gz/coalesce.cu", "ann.html"},
    {"02-coalesce/ann/coalesce.cu", "02-coalesce/ann/report.html"},
    {"02-coalesce/ann.cu", "02-coalesce/ann.html"},
    {"../coalesce.cu", NULL},
    {"", NULL},
};

Test(batch, feedback_pages_are_named_like_the_hand_ins)
{
    json_t *labs = json_pack("[{s:s}]", "lab", "02-coalesce");
    for (size_t i = 0; i < sizeof feedback_names / sizeof *feedback_names; ++i) {
        char name[PATH_SIZE] = "";
        bool some = batch_feedback_name(labs, feedback_names[i].path, name);
        cr_expect_eq(some, feedback_names[i].name != NULL, "%s: %s", feedback_names[i].path, name);
        cr_expect(!some || strcmp(name, feedback_names[i].name) == 0, "%s: %s",
                  feedback_names[i].path, name);
    }
    json_decref(labs);
}

/* A course can change the points of a check. The total is computed with the course's weights. */
Test(batch, points_and_weights_of_the_course)
{
    struct batch_store *store = open_store();
    struct course_lab_policy labs[] = {{.lab = "01-x", .points = 7, .weight = 2}};
    struct course_policy terms = {.course = "", .labs = labs, .lab_count = 1};
    must(store, batch_store_add_lab(store, "01-x", "X", 100));
    must(store, batch_store_add_lab(store, "02-y", "Y", 100));
    must(store, batch_store_add_student(store, "ann", "Ann"));
    add_attempt(store, 1, &(struct attempt){0, 55});
    json_t *class = batch_class(store, &terms);
    json_t *student = json_array_get(json_object_get(class, "students"), 0);
    cr_expect_eq(json_number_value(json_object_get(student, "total")), 7.7);
    cr_expect_eq(json_number_value(json_object_get(student, "max")), 114);
    json_decref(class);
    batch_store_close(store);
}

/* A late submission gets 0 points, like a missing one, but the gradebook shows the difference. */
Test(batch, the_gradebook_distinguishes_late_from_missing)
{
    struct batch_store *store = open_store();
    struct course_lab_policy lab = {.lab = "01-x", .weight = 1, .deadline = DEADLINE};
    struct course_policy terms = {
        .course = "", .limits_late = true, .late_limit = 1, .labs = &lab, .lab_count = 1};
    char *book = NULL;
    size_t size;
    must(store, batch_store_add_lab(store, "01-x", "X", 100));
    must(store, batch_store_add_student(store, "ann", ""));
    must(store, batch_store_add_student(store, "bob", ""));
    add_attempt(store, 1, &(struct attempt){DAY + 1, NONE});
    add_attempt(store, 2, &(struct attempt){5 * DAY, NONE});
    json_t *class = batch_class(store, &terms);
    FILE *memory = open_memstream(&book, &size);
    report_gradebook(memory, class);
    fclose(memory);
    cr_expect_str_eq(book, "student,name,01-x,total,max,late_days,missing,too_late,review\r\n"
                           "ann,,0,0,100,2,,01-x,\r\nbob,,0,0,100,0,01-x,,\r\n");
    free(book);
    json_decref(class);
    batch_store_close(store);
}

/* An instructor's decision about one student replaces the grade in the gradebook. The entry for
 * review that it settles is no longer listed. */
Test(batch, exceptions_for_one_student)
{
    struct batch_store *store = open_store();
    struct course_lab_policy lab = {.lab = "01-x", .weight = 1, .deadline = DEADLINE};
    struct course_exception all[] = {
        {.student = "ann", .lab = "01-x", .deadline = DEADLINE + 9 * DAY, .why = "ill"},
        {.student = "bob", .lab = "01-x", .by_hand = true, .points = 12.5, .why = "oral"},
        {.student = "eve", .lab = "01-x", .excused = true, .why = ""},
        {.student = "eve", .lab = "02-y", .by_hand = true, .points = 30, .why = ""},
    };
    struct course_exceptions exceptions = {all, sizeof all / sizeof *all};
    struct course_policy terms = {
        .course = "", .limits_late = true, .labs = &lab, .lab_count = 1, .exceptions = &exceptions};
    must(store, batch_store_add_lab(store, "01-x", "X", 100));
    must(store, batch_store_add_lab(store, "02-y", "Y", 100));
    must(store, batch_store_add_student(store, "ann", ""));
    must(store, batch_store_add_student(store, "bob", ""));
    must(store, batch_store_add_student(store, "dan", ""));
    must(store, batch_store_add_student(store, "eve", ""));
    add_attempt(store, 1, &(struct attempt){5 * DAY, 60}); /* ann's attempt */
    must(store, batch_store_add_review(store, "bob", "01-x", "b.zip", "cannot be read"));
    must(store, batch_store_add_review(store, "dan", "01-x", "d.zip", "cannot be read"));
    must(store, batch_store_add_review(store, "eve", "", "e.zip", "cannot be read"));
    json_t *class = batch_class(store, &terms), *review = json_object_get(class, "review");
    char *book = NULL;
    size_t size;
    FILE *memory = open_memstream(&book, &size);
    report_gradebook(memory, class);
    fclose(memory);
    cr_expect_str_eq(
        book,
        "student,name,01-x,02-y,total,max,late_days,missing,too_late,review,by_hand,excused\r\n"
        "ann,,60,0,60,200,0,02-y,,,,\r\nbob,,12.5,0,12.5,200,0,02-y,,,01-x,\r\n"
        "dan,,,0,,200,0,02-y,,01-x,,\r\neve,,,30,30,100,0,,,,02-y,01-x\r\n");
    cr_expect_eq(json_array_size(review), 1, "only dan's submission still needs a review");
    free(book);
    json_decref(class);
    batch_store_close(store);
}

/* --- a full disk, killed processes ---------------------------------------------------------------------- */

/* If the store's file cannot grow, a message of one line says so, and all earlier grades still
 * exist. */
Test(batch, a_full_disk_loses_nothing)
{
    struct batch_store *store = open_store();
    struct rlimit no_limit, limit;
    struct batch_key key = key_a;
    char name[40], text[10000];
    size_t kept = 0;
    memset(text, 'x', sizeof text);
    json_t *result = json_pack("{s:s%, s:i}", "text", text, sizeof text, "score", 1);
    key.device = "emulator";
    key.key = name;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &no_limit), 0);
    limit = (struct rlimit){200000, no_limit.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    do
        snprintf(name, sizeof name, "%zu", kept);
    while (batch_store_put(store, &key, result) && ++kept < 100000);
    cr_expect(kept > 10 && kept < 100000, "%zu grades were kept", kept);
    cr_expect(batch_store_is_full(store) && strstr(batch_store_error(store), "too full to write"),
              "%s", batch_store_error(store));
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &no_limit), 0);
    must(store, batch_store_put(store, &key, result)); /* now the disk has free space again */
    batch_store_close(store);
    store = open_store();
    for (size_t i = 0; i <= kept; ++i) {
        snprintf(name, sizeof name, "%zu", i);
        cr_expect(batch_store_is_graded(store, name), "grade %zu of %zu is lost", i, kept);
    }
    batch_store_close(store);
    json_decref(result);
}
