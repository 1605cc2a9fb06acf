/* Tests the course file: its values, the error messages about it, and gradings that use it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/files.h"
#include "config.h"
#include "course/course.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(course, .init = submission_init, .fini = shell_fini, .timeout = 120);

/* Reads TEXT as the course file c.yaml. */
static bool read_text(const char *text, struct course *course, char error[4096])
{
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/c.yaml", shell_folder()));
    cr_assert(base_write_file(path, text, strlen(text), 0600));
    bool good = course_read(path, course, error, 4096);
    /* expected messages contain only the file's name, so remove its folder from ERROR */
    for (char *at = error; (at = strstr(at, path));)
        memmove(at, at + strlen(path) - 6, strlen(at + strlen(path) - 6) + 1);
    return good;
}

#define LAB2 "labs:\n  02-coalesce:\n"

static const struct {
    const char *name, *text, *error;
} mistakes[] = {
    {"an empty file", "", "c.yaml: the file is empty; a course file has labs"},
    {"a comment alone", "# labs\n", "c.yaml: the file is empty"},
    {"not a mapping", "labs\n",
     "c.yaml:1: a course must consist of lines \"key: value\"; the keys are course, "},
    {"an unknown key", "\ncolour: red\n",
     "c.yaml:2: a course has no key \"colour\"; its keys are course"},
    {"a misspelled key", "lats: {}\n",
     "c.yaml:1: a course has no key \"lats\": did you mean \"late\"?"},
    {"letters swapped", "attemtps: best\n",
     "c.yaml:1: a course has no key \"attemtps\": did you mean \"attempts\"?"},
    {"a key twice", "attempts: best\nlate: {}\nattempts: best\n",
     "c.yaml:3: a course has \"attempts\" twice; the first is on line 1"},
    {"a key that is a list", "[1]: 2\n", "c.yaml:1: a key of a course must be a word"},
    {"a wrong word", "attempts: last\n", "c.yaml:1: attempts must be best or latest, not \"last\""},
    {"a list for a word", "attempts: [best]\n",
     "c.yaml:1: attempts must be a single piece of text"},
    {"a tab", "late:\n\tdays: 3\n",
     "c.yaml:2: this line is indented with a tab; YAML needs spaces"},
    {"not YAML", "late: {days: 3\nlabs:\n", "c.yaml:2: this is not valid YAML: "},
    {"two documents", "attempts: best\n---\nattempts: latest\n",
     "c.yaml:2: a second document begins here; a course file has only one"},
    {"too deep", "late:\n  days: [[[[[[[[[[[[[[[[[[[[[\n",
     "c.yaml:2: this is nested more than 20 levels deep"},
    {"a key of two lines", "\"a\\nb\": 1\n", "c.yaml:1: a course has no key \"a b\"; its keys are"},
    {"not UTF-8", "course: \xff\xfe\n", "c.yaml: the file is not UTF-8 text"},
    {"text for a number", "late: {days: three}\n",
     "c.yaml:1: days must be a number, not \"three\""},
    {"a hexadecimal number", "late:\n  days: 0x10\n",
     "c.yaml:2: days must be a number, not \"0x10\""},
    {"infinity", "late:\n  penalty: inf\n", "c.yaml:2: penalty must be a number"},
    {"half a day", "late:\n  days: 1.5\n", "c.yaml:2: days is 1.5; it must be a whole number"},
    {"a negative day", "late:\n  days: -1\n", "c.yaml:2: days is -1; it must be at least 0"},
    {"below 0", "late:\n  penalty: -1\n", "c.yaml:2: penalty is -1; it must be at least 0"},
    {"above 100", "late:\n  penalty: 101\n", "c.yaml:2: penalty is 101; it must be at most 100"},
    {"a limit of 0", "per_day: 0\n", "c.yaml:1: per_day is 0; it must be at least 1"},
    {"an unknown lab", "labs:\n  99-sort: {}\n",
     "c.yaml:2: no lab is called \"99-sort\"; the labs are 01-"},
    {"a lab twice", "labs:\n  02-coalesce: {}\n  coal: {}\n",
     "c.yaml:3: lab 02-coalesce is listed twice: \"coal\" is the same lab"},
    {"no lab counts", "labs:\n  2: {weight: 0}\n",
     "c.yaml:2: every lab has weight 0: give at least one a weight above 0"},
    {"an unknown key of a lab", LAB2 "    deadlin: 2026-01-01\n",
     "c.yaml:3: 02-coalesce has no key \"deadlin\": did you mean \"deadline\"?"},
    {"not a date", LAB2 "    deadline: tomorrow\n",
     "c.yaml:3: deadline must be a date such as 2026-11-30 or 2026-11-30 18:00 +01:00, not "
     "\"tomorrow\""},
    {"a day that does not exist", LAB2 "    deadline: 2026-02-29\n",
     "c.yaml:3: deadline must be a date"},
    {"an hour that does not exist", LAB2 "    deadline: 2026-02-28 24:00\n",
     "c.yaml:3: deadline must be a date"},
    {"an unknown zone", LAB2 "    deadline: 2026-02-28 12:00 CET\n",
     "c.yaml:3: deadline must be a date"},
    {"a date in another order", LAB2 "    deadline: 28.02.2026\n",
     "c.yaml:3: deadline must be a date"},
    {"an unknown check", LAB2 "    checks:\n      sector: {points: 70}\n",
     "c.yaml:4: lab 02-coalesce has no key \"sector\": did you mean \"sectors\"?"},
    {"a check without a figure", LAB2 "    checks:\n      correct: {full: 3}\n",
     "c.yaml:4: check correct has no key \"full\"; its keys are points"},
    {"a check of time", "labs:\n  1:\n    checks:\n      grid-speed: {full: 3}\n",
     "c.yaml:4: check grid-speed has no key \"full\"; its keys are points, slack"},
    {"points that do not add up", LAB2 "    checks:\n      sectors: {points: 60}\n",
     "c.yaml:4: the points of 02-coalesce on the emulator add up to 90 instead of 100: "
     "correct 10, "
     "ragged 10, sound 10, sectors 60"},
    {"points of one device only",
     "labs:\n  1:\n    checks: {grid-path: {points: 30}, block-path: {points: 40}}\n",
     "c.yaml:3: the points of 01-parallelize on the gpu add up to 110"},
    {"hundredths", LAB2 "    checks: {correct: {points: 10.25}, ragged: {points: 9.75}}\n",
     "c.yaml:3: points of check correct are 10.25; use at most one decimal place"},
    {"thresholds in the wrong order", LAB2 "    checks: {sectors: {full: 40}}\n",
     "c.yaml:3: check sectors: full is 40 and naive is 32; less is better here, so full "
     "must be below naive (the lab declares full 4.2, naive 32)"},
    {"nothing between the thresholds", LAB2 "    checks: {sectors: {full: 8, naive: 8}}\n",
     "c.yaml:3: check sectors: full is 8 and naive is 8; less is better"},
    {"a threshold that cannot be reached", LAB2 "    checks: {sectors: {full: 0}}\n",
     "c.yaml:3: full of check sectors is 0"},
    {"a student that is not a mapping", "students:\n  s1: excused\n",
     "c.yaml:2: s1 must consist of lines \"key: value\""},
    {"a student twice", "students:\n  s1: {}\n  s1: {}\n",
     "c.yaml:3: students has \"s1\" twice; the first is on line 2"},
    {"a student's lab twice", "students:\n  s1:\n    1: excused\n    paral: excused\n",
     "c.yaml:4: 01-parallelize is listed twice"},
    {"a student's lab that does not count", LAB2 "students:\n  s1:\n    1: excused\n",
     "c.yaml:5: 01-parallelize is not one of this course's labs"},
    {"more points than the lab has", LAB2 "    points: 20\nstudents:\n  s1:\n    2: {points: 21}\n",
     "c.yaml:6: points is 21; it must be at most 20"},
    {"an exception that changes nothing", "students:\n  s1:\n    2: {why: x}\n",
     "c.yaml:3: this exception changes nothing: add a deadline or points, or write 02-coalesce: "
     "excused"},
    {"a word that is not excused", "students:\n  s1:\n    2: excuse\n",
     "c.yaml:3: 02-coalesce must consist of lines"},
    {"many mistakes", "lats: 1\nlabs:\n  99: {}\nattempts: 3\n",
     "c.yaml:1: a course has no key \"lats\": did you mean \"late\"?\nc.yaml:4: attempts must be "
     "best or latest"},
};

Test(course, mistakes_are_reported_with_their_line)
{
    char error[4096];
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct course course;
        bool good = read_text(mistakes[i].text, &course, error);
        cr_expect(!good, "%s: it was accepted", mistakes[i].name);
        cr_expect(strstr(error, mistakes[i].error) == error, "%s: %s", mistakes[i].name, error);
        cr_expect_eq(course.lab_count, 0, "%s", mistakes[i].name);
    }
}

Test(course, keys_that_are_missing_have_defaults)
{
    char error[4096];
    struct course course, none;
    cr_assert(read_text("course: x\n", &course, error), "%s", error);
    cr_assert(course_read(NULL, &none, error, sizeof error));
    cr_expect_eq(course.lab_count, none.lab_count, "all labs count");
    cr_expect_gt(course.lab_count, 5);
    cr_expect(!course.policy.latest && course.policy.per_day == 0 && !course.policy.limits_late);
    cr_assert(course_find(&course, "02-coalesce"));
    cr_expect_str_eq(course.policy.labs[1].lab, "02-coalesce");
    cr_expect(course.policy.labs[1].weight == 1 && course.policy.labs[1].deadline == 0);
    cr_expect_null(course.labs[1].terms);
    course_free(&course);
    course_free(&none);
}

Test(course, zero_late_days_are_a_limit)
{
    char error[4096];
    struct course course;
    cr_assert(read_text("late: {days: 0}\n", &course, error), "%s", error);
    cr_expect(course.policy.limits_late && course.policy.late_limit == 0);
    course_free(&course);
}

Test(course, reads_the_example)
{
    char error[4096];
    struct course course;
    cr_assert(course_read(LANEWISE_ROOT "/grader/course/course.yaml", &course, error, sizeof error),
              "%s", error);
    cr_expect_str_eq(course.title, "CUDA for scientists, autumn 2026");
    cr_expect(!course.policy.latest && course.policy.limits_late && course.policy.late_limit == 3 &&
              course.policy.late_penalty == 10);
    cr_expect(course.policy.per_day == 10);
    cr_assert_eq(course.lab_count, 3);
    cr_expect_str_eq(course.labs[2].name, "03-shared-reduce");
    cr_expect(course.lab_policies[0].weight == 1 && course.lab_policies[1].weight == 2 &&
              course.lab_policies[1].points == 20);
    cr_expect_eq(course.lab_policies[1].deadline, 1792425600, "16:00 UTC on the 19th of October");
    double full = json_number_value(
        json_object_get(json_object_get(course.labs[1].terms, "sectors"), "full"));
    cr_expect_eq(full, 6);
    cr_expect_null(course_find(&course, "04-bank-conflicts"));
    course_free(&course);
}

static const struct {
    const char *text, *utc;
} moments[] = {
    {"2026-11-30 18:00 Z", "2026-11-30 18:00:00"},
    {"2026-11-30T18:00Z", "2026-11-30 18:00:00"},
    {"2026-11-30 00:30 +01:00", "2026-11-29 23:30:00"},
    {"2026-11-30 18:00 -05:30", "2026-11-30 23:30:00"},
    {"2026-11-30 Z", "2026-11-30 23:59:59"},
    {"2024-02-29 Z", "2024-02-29 23:59:59"},
    {"2026-07-01 18:00", "2026-07-01 16:00:00"}, /* summer time in Berlin is UTC + 2 hours */
    {"2026-11-30", "2026-11-30 22:59:59"},
};

Test(course, deadlines_are_moments)
{
    char error[4096], text[200], utc[40];
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        struct course course;
        snprintf(text, sizeof text, LAB2 "    deadline: %s\n", moments[i].text);
        cr_assert(read_text(text, &course, error), "%s", error);
        strftime(utc, sizeof utc, "%F %T", gmtime((time_t[]){course.lab_policies[0].deadline}));
        cr_expect_str_eq(utc, moments[i].utc, "%s", moments[i].text);
        course_free(&course);
    }
}

Test(course, exceptions_of_students)
{
    char error[4096];
    struct course course;
    cr_assert(
        read_text(
            "students:\n  007:\n    2: {deadline: 2026-11-30 18:00 Z, points: 12.5, why: ill}\n"
            "    3: excused\n  Jose\xcc\x81: {1: {points: 0}}\n",
            &course, error),
        "%s", error);
    const struct course_exception *one =
        course_exception_find(course.policy.exceptions, "007", "02-coalesce");
    cr_assert(one);
    cr_expect(one->deadline == 1796061600 && one->by_hand && one->points == 12.5 && !one->excused);
    cr_expect_str_eq(one->why, "ill");
    one = course_exception_find(course.policy.exceptions, "007", "03-shared-reduce");
    cr_expect(one && one->excused && !one->by_hand && one->line == 4);
    one = course_exception_find(course.policy.exceptions, "José", "01-parallelize");
    cr_expect(one && one->by_hand && one->points == 0);
    cr_expect_null(course_exception_find(course.policy.exceptions, "007", "01-parallelize"));
    course_free(&course);
}

/* --- gradings --------------------------------------------------------------------------------- */

/* Grades the skeleton of lab 02 with TEXT as the course file. */
static json_t *grade_by(const char *text)
{
    int code;
    struct course course;
    char error[4096];
    cr_assert(read_text(text, &course, error), "%s", error);
    course_free(&course);
    char *output =
        shell(&code, "$LANEWISE grade --lab 2 --device emulator --seed 1 --course c.yaml "
                     "--submission $LANEWISE_LABS --json out.json");
    cr_assert_eq(code, 1, "%s", output);
    free(output);
    char *json = shell_file("out.json", NULL);
    json_t *result = json_loads(json, 0, NULL);
    free(json);
    cr_assert(result);
    return result;
}

static double number(const json_t *result, const char *id, const char *key)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        if (strcmp(json_string_value(json_object_get(check, "id")), id) == 0)
            return json_number_value(json_object_get(
                strchr("fn", *key) ? json_object_get(check, "figure") : check, key));
    }
    return -1;
}

Test(course, gradings_use_its_points_and_thresholds)
{
    /* The skeleton reads 32 sectors, halfway between these thresholds on a logarithmic scale. */
    json_t *result = grade_by(LAB2 "    checks: {correct: {points: 25}, ragged: {points: 15},\n"
                                   "      sectors: {points: 50, full: 16, naive: 64}}\n");
    cr_expect_eq(number(result, "correct", "points"), 25);
    cr_expect_eq(number(result, "sound", "points"), 10, "as declared");
    cr_expect_eq(number(result, "sectors", "max_points"), 50);
    cr_expect_float_eq(number(result, "sectors", "points"), 25, 0.3);
    cr_expect_eq(number(result, "sectors", "full"), 16);
    cr_expect_eq(number(result, "sectors", "naive"), 64);
    cr_expect_eq(json_number_value(json_object_get(result, "max_score")), 100);
    cr_expect_float_eq(json_number_value(json_object_get(result, "score")), 75, 0.3);
    cr_expect_eq(json_number_value(json_object_get(
                     json_object_get(json_object_get(result, "terms"), "sectors"), "full")),
                 16);
    json_decref(result);
    result = grade_by(LAB2 "    weight: 3\n");
    cr_expect_eq(json_number_value(json_object_get(result, "score")), 30, "as without a course");
    cr_expect_null(json_object_get(result, "terms"));
    json_decref(result);
}

Test(course, only_its_labs_are_graded)
{
    int code;
    struct course course;
    char error[4096];
    cr_assert(read_text("labs: {1: , 3: {}}\n", &course, error), "%s", error);
    course_free(&course);
    char *output =
        shell(&code, "$LANEWISE grade --device emulator --course c.yaml --json out.json");
    cr_expect_eq(code, 1, "%s", output);
    cr_expect(strstr(output, "01-par") && strstr(output, "03-sh") && !strstr(output, "02-co"), "%s",
              output);
    free(output);
    output = shell(&code, "$LANEWISE grade --lab 2 --device emulator --course c.yaml");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(output, "lanewise grade: 02-coalesce is not one of the labs in c.yaml\n");
    free(output);
    output = shell(&code, "printf 'lats: 3\\n' >c.yaml; $LANEWISE grade --lab 2 --course c.yaml");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(output, "c.yaml:1: a course has no key \"lats\": did you mean \"late\"?\n");
    free(output);
    output = shell(&code, "$LANEWISE grade --lab 2 --course none.yaml");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(output, "none.yaml: the file does not exist\n");
    free(output);
}
