/* Tests the page about a class: its totals, its contents, hostile texts, and how a real browser
 * displays it. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "config.h"
#include "report/class_html.h"
#include "report/class_totals.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(class_page, .init = shell_init, .fini = shell_fini, .timeout = 180);
TestSuite(golden_class_page, .init = submission_init, .fini = shell_fini, .timeout = 60);

/* --- a class ---------------------------------------------------------------------------------- */

/* Returns a grading of a lab with two checks. TEXT replaces every text that a student can
 * influence. */
static json_t *make_grading(const char *text, const char *status, double points)
{
    return json_pack(
        "{s:s, s:f, s:f, s:[{s:s, s:s, s:s, s:f, s:f, s:s}, {s:s, s:s, s:s, s:f, s:f, s:s}],"
        " s:[{s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:s}, {s:s, s:s, s:s}, {s:s, s:s}]}",
        "status", "not-yet", "score", 10 + points, "max_score", 40.0, "checks", "id", "right",
        "title", text, "status", "passed", "points", 10.0, "max_points", 10.0, "message", "", "id",
        "fast", "title", "as fast as can be", "status", status, "points", points, "max_points",
        30.0, "message", text, "findings", "id", "bank-conflict", "severity", "warning", "file",
        "a.cu", "line", 12, "column", 5, "message", text, "source", text, "cause", text, "help",
        text, "id", "bank-conflict", "severity", "warning", "message",
        "the same loss, on another line", "id", "leak", "severity", "note");
}

static json_t *make_grade(const char *key, const char *status, json_t *score)
{
    json_t *grade =
        json_pack("{s:s, s:s, s:f, s:[{s:f}, {s:n}, {s:O}]}", "status", status, "key", key,
                  "max_score", 20.0, "attempts", "score", 4.0, "score", "score", score);
    json_object_set_new(grade, "score", score);
    return grade;
}

static json_t *make_side(const char *text)
{
    return json_pack("{s:s, s:i, s:s, s:[{s:i, s:s}, {s:i, s:s}, {s:i, s:s}]}", "student", text,
                     "attempt", 1, "path", text, "excerpt", "line", 7, "text", text, "line", 8,
                     "text", text, "line", 20, "text", text);
}

/* Returns a class of six students and two labs; the second lab has no submissions. TEXT replaces
 * every text that a student can influence. */
static json_t *make_class(const char *text)
{
    static const struct {
        const char *key, *status;
        double score; /* negative if the attempt has no score */
    } grades[] = {{"a", "not-yet", 20},  {"b", "not-yet", 10}, {"c", "not-yet", 5},
                  {"d", "not-built", 0}, {"", "missing", 0},   {"", "review", -1}};
    json_t *students = json_array();
    for (size_t i = 0; i < 6; i++) {
        double score = grades[i].score;
        json_t *grade =
            make_grade(grades[i].key, grades[i].status, score < 0 ? json_null() : json_real(score));
        json_array_append_new(
            students, json_pack("{s:o, s:s, s:s, s:o, s:f, s:{s:o, s:{s:s, s:s, s:f, s:f, s:[]}}}",
                                "student", json_sprintf("%s %zu", text, i), "name", text, "folder",
                                text, "total", score < 0 ? json_null() : json_real(score), "max",
                                40.0, "labs", "01-first", grade, "02-second", "status", "missing",
                                "key", "", "score", 0.0, "max_score", 20.0, "attempts"));
    }
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:[{s:s, s:s}, {s:s, s:s}], s:o, s:{s:o, s:o, s:o, s:o},"
        " s:[{s:s, s:s, s:s, s:s}], s:[{s:s, s:f, s:i, s:b, s:[o, o], s:[s]}, "
        "{s:s, s:f, s:i, s:b, s:[o, o]}], s:[{s:s, s:s, s:[{s:s, s:i}, {s:s, s:i}]}]}",
        "version", "0.1", "course", text, "device", "emulator", "seed", "1", "attempt", "best",
        "labs", "lab", "01-first", "title", text, "lab", "02-second", "title", "The second",
        "students", students, "gradings", "a", make_grading(text, "passed", 30), "b",
        make_grading(text, "partial", 12.5), "c", make_grading(text, "timeout", 0), "d",
        make_grading(text, "not-built", 0), "review", "student", text, "lab", "01-first", "path",
        text, "why", text, "similar", "lab", "01-first", "similarity", 0.925, "shared", 40,
        "same_file", 0, "pair", make_side(text), make_side(text), "also", text, "lab", "01-first",
        "similarity", 1.0, "shared", 0, "same_file", 1, "pair", make_side(text), make_side(text),
        "alike", "lab", "01-first", "what", "short", "students", "student", text, "renamed", 7,
        "student", "eve", "renamed", 0);
}

/* Returns the page; the caller frees it. */
static char *make_page(const json_t *class)
{
    size_t size;
    char *page = NULL;
    FILE *file = tmpfile();
    cr_assert(file);
    report_class_html(file, class);
    size = (size_t)ftell(file);
    rewind(file);
    page = calloc(1, size + 1);
    cr_assert_eq(fread(page, 1, size, file), size);
    fclose(file);
    return page;
}

/* --- totals ----------------------------------------------------------------------------------- */

Test(class_page, adds_up)
{
    struct class_totals totals;
    json_t *class = make_class("harmless");
    report_class_totals(class, &totals);
    cr_assert_eq(totals.lab_count, 2);
    const struct class_lab *lab = &totals.labs[0];
    cr_expect(lab->graded == 4 && lab->full == 1 && lab->not_built == 1 && lab->missing == 1 &&
                  lab->open == 1,
              "%u graded, %u full, %u not built, %u missing, %u open", lab->graded, lab->full,
              lab->not_built, lab->missing, lab->open);
    cr_expect_float_eq(lab->sum, 1 + 0.5 + 0.25, 1e-9);
    cr_expect(lab->bins[10] == 1 && lab->bins[5] == 1 && lab->bins[2] == 1 && lab->bins[0] == 1);
    cr_expect_eq(totals.labs[1].missing, 6);
    cr_expect_eq(totals.bins[0], 2, "a student without a total is in no bin");
    cr_assert_eq(totals.check_count, 2);
    const struct class_check *fast = &totals.checks[1];
    cr_expect_eq(fast->graded, 4);
    cr_expect(fast->outcomes[CLASS_PASSED] == 1 && fast->outcomes[CLASS_PARTIAL] == 1 &&
              fast->outcomes[CLASS_TIMEOUT] == 1 && fast->outcomes[CLASS_NOT_BUILT] == 1);
    cr_expect_float_eq(fast->lost, 17.5 + 30 + 30, 1e-9);
    cr_assert_eq(totals.finding_count, 1, "notes are not losses");
    cr_expect_eq(totals.findings[0].students, 3,
                 "each kind counts once per student, and only if it cost points");
    cr_expect_eq(lab->trend[0].count, 6);
    cr_expect_float_eq(lab->trend[0].sum, 6 * 0.2, 1e-9);
    cr_expect_eq(lab->trend[1].count, 0, "an attempt without a grade does not count as 0");
    cr_expect_eq(lab->trend[2].count, 5);
    report_class_totals_free(&totals);
    json_decref(class);
}

static const struct {
    double score;
    unsigned bin;
} bins[] = {{0, 0}, {1.99, 0}, {2, 1}, {19.99, 9}, {20, 10}, {25, 10}, {-1, 0}, {6, 3}};

/* Only full scores are in the last bin, not scores close to them. */
Test(class_page, scores_fall_into_their_bins)
{
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        struct class_totals totals;
        json_t *class =
            json_pack("{s:[{s:f, s:f}]}", "students", "total", bins[i].score, "max", 20.0);
        report_class_totals(class, &totals);
        cr_expect_eq(totals.bins[bins[i].bin], 1, "a score of %g of 20 is not in bin %u",
                     bins[i].score, bins[i].bin);
        report_class_totals_free(&totals);
        json_decref(class);
    }
}

/* --- the page --------------------------------------------------------------------------------- */

Test(golden_class_page, of_six_students)
{
    json_t *class = make_class("harmless");
    char *page = make_page(class);
    golden_check("class.html", page);
    free(page);
    json_decref(class);
}

#define EVIL                                                                                       \
    "</script></style></title></pre></svg></details><script>alert(1)</script><img src=x "          \
    "onerror=alert(1)>\" onclick='alert(1)' &lt; <!-- ]]> \x1b[31m \xe2\x80\xae"

/* Returns how often WORD occurs in TEXT. */
static unsigned occurrences(const char *text, const char *word)
{
    unsigned count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* With hostile texts, the page must have exactly the same elements as with harmless ones. */
Test(class_page, nothing_of_a_student_becomes_markup)
{
    json_t *evil = make_class(EVIL), *good = make_class("harmless");
    char *page = make_page(evil), *plain = make_page(good);
    static const char *const words[] = {"<script",    "<img", "<!--",
                                        " onclick='", "\x1b", "\xe2\x80\xae"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_expect_eq(occurrences(page, words[i]), 0, "%s is in the page", words[i]);
    cr_expect_eq(occurrences(page, "<"), occurrences(plain, "<"));
    cr_expect_eq(occurrences(page, ">"), occurrences(plain, ">"));
    cr_expect(occurrences(page, "&lt;script&gt;") >= 30, "texts are missing");
    free(page);
    free(plain);
    json_decref(evil);
    json_decref(good);
}

/* The whole class may read the findings. So an example must not contain a student's name or
 * path. */
Test(class_page, examples_are_anonymous)
{
    json_t *class = make_class("harmless"), *student;
    size_t i;
    json_array_foreach(json_object_get(class, "students"), i, student)
        json_object_set_new(student, "student", json_string("Ada Lovelace"));
    char *page = make_page(class), *from = strstr(page, "id=\"findings\"");
    cr_assert(from);
    char *end = strstr(from, "</section>");
    *end = 0;
    cr_expect(strstr(from, "bank-conflict") && strstr(from, "3 of 4"), "%s", from);
    cr_expect(!strstr(from, "Ada"), "%s", from);
    free(page);
    json_decref(class);
}

/* The link to a student's page works even if the folder's name contains special characters. */
Test(class_page, students_link_to_their_pages)
{
    json_t *class = make_class("javascript:x/../?y#z%2F");
    char *page = make_page(class);
    cr_expect(strstr(page, "href=\"./javascript%3Ax%2F%2E%2E%2F%3Fy%23z%252F/report.html\""), "%s",
              page);
    cr_expect_eq(occurrences(page, "/report.html\""), 6);
    free(page);
    json_decref(class);
}

/* A page about thousands of students must be readable: long lists of names are folded, and the
 * heading of a long table stays visible. */
Test(class_page, of_very_many)
{
    json_t *class = make_class("x"), *names = json_array(), *students;
    for (int i = 0; i < 21; i++)
        json_array_append_new(names, json_sprintf("twin %d", i));
    json_object_set_new(json_array_get(json_object_get(class, "similar"), 0), "also", names);
    char *page = make_page(class);
    cr_expect(strstr(page, "x and x; also 21 more</summary>"), "%s", page);
    cr_expect(strstr(page, "<details><summary>21 students</summary>twin 0, twin 1, "));
    cr_expect_null(strstr(page, "\"scroll long\""));
    free(page);
    students = json_object_get(class, "students");
    while (json_array_size(students) < 41)
        json_array_append(students, json_array_get(students, 0));
    page = make_page(class);
    cr_expect(strstr(page, "\"scroll long\""));
    free(page);
    json_decref(class);
}

/* A submission that is missing, late or not compiled must look different from one with 0 points. */
Test(class_page, grades_say_what_they_are)
{
    static const char *const shown[][2] = {
        {"missing", ">\u2013<"},         {"too-late", ">too late<"},  {"excused", ">excused<"},
        {"not-built", ">0, not built<"}, {"by-hand", ">20 by hand<"}, {"review", ">20<"}};
    json_t *class = make_class("x");
    json_t *labs = json_object_get(json_array_get(json_object_get(class, "students"), 0), "labs");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        json_object_set_new(json_object_get(labs, "01-first"), "status", json_string(shown[i][0]));
        char *page = make_page(class), *row = strstr(page, ">x 0</a>");
        cr_assert(row);
        *strstr(row, "</tr>") = 0;
        cr_expect(strstr(row, shown[i][1]), "%s: %s", shown[i][0], row);
        free(page);
    }
    json_decref(class);
}

Test(class_page, findings_are_ranked_by_what_they_cost)
{
    static const struct {
        double score;
        const char *id, *severity;
    } rows[] = {{20, "slow", "warning"}, {20, "harmless", "warning"}, {9, "rare", "warning"},
                {8, "slow", "warning"},  {7, "slow", "warning"},      {6, "wrong", "error"}};
    static const char *const ranks[] = {"wrong", "slow", "rare"};
    struct class_totals totals;
    json_t *students = json_array(), *gradings = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[2] = {(char)('a' + i), 0};
        json_array_append_new(students,
                              json_pack("{s:{s:{s:s, s:f, s:f}}}", "labs", "01-first", "key", key,
                                        "score", rows[i].score, "max_score", 20.0));
        json_object_set_new(gradings, key,
                            json_pack("{s:[{s:s, s:s}]}", "findings", "id", rows[i].id, "severity",
                                      rows[i].severity));
    }
    json_t *class = json_pack("{s:[{s:s}], s:o, s:o}", "labs", "lab", "01-first", "students",
                              students, "gradings", gradings);
    report_class_totals(class, &totals);
    cr_assert_eq(totals.finding_count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_str_eq(totals.findings[i].id, ranks[i], "%zu: %s", i, totals.findings[i].id);
    cr_expect_eq(totals.findings[1].students, 2);
    report_class_totals_free(&totals);
    json_decref(class);
}

/* The page can be made for a class without students, and from an almost empty document. */
Test(class_page, of_nobody)
{
    json_t *class = json_pack("{s:[{s:s}], s:[]}", "labs", "lab", "01-first", "students");
    char *page = make_page(class);
    cr_expect(strstr(page, "0 students, 1 lab.") && strstr(page, "None."), "%s", page);
    cr_expect(!strstr(page, "nan") && !strstr(page, "inf"), "%s", page);
    free(page);
    json_decref(class);
}

/* --- in a browser ----------------------------------------------------------------------------- */

/* The probe reports how the page looks. It is added to a copy of the page without the policy
 * against scripts. */
#define PROBE                                                                                      \
    "<script>onload=()=>{const d=document.documentElement,seen=[];"                                \
    "document.querySelectorAll('details').forEach(e=>e.open=true);"                                \
    "for(const s of ['#labs td','#scores svg .plot-bar','#scores svg .plot-full','#checks svg "    \
    "rect',"                                                                                       \
    "'#findings pre','#review td.why','#similar .side pre','#trends svg .plot-point','#students "  \
    "td'])"                                                                                        \
    "{const e=document.querySelector(s);if(e&&e.getBoundingClientRect().width>0)seen.push(s)}"     \
    "const ids=[...document.querySelectorAll('[id]')].map(e=>e.id);"                               \
    "const dead=[...document.querySelectorAll('a')].filter("                                       \
    "a=>a.hash&&!document.getElementById(a.getAttribute('href').slice(1)));"                       \
    "parent.postMessage(`width ${innerWidth}, ${seen.length} of 9 parts, `+"                       \
    "`overflow ${d.scrollWidth-d.clientWidth}, ids twice ${ids.length-new Set(ids).size}, `+"      \
    "`dead links ${dead.length}`,'*')}</script>"

#define AROUND                                                                                     \
    "<!doctype html><title>t</title><pre id=said></pre>"                                           \
    "<script>onmessage=e=>said.append(e.data+'\\n')</script>"                                      \
    "<iframe src=copy.html width=390 height=800 style=border:0></iframe>"                          \
    "<iframe src=copy.html width=1280 height=800 style=border:0></iframe>"

#define CHROMIUM                                                                                   \
    "HOME=$PWD timeout 90 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage " \
    "--user-data-dir=$PWD/profile --enable-logging=stderr --virtual-time-budget=5000 "

/* Long words must not make the page wider than a phone's screen. */
Test(class_page, looks_right_in_a_browser)
{
    json_t *class = make_class("a_name_that_has_no_space_in_it_however_long_it_may_be_for_a_phone");
    char *page = make_page(class), *folder = shell_must("pwd"), path[200];
    folder[strcspn(folder, "\n")] = 0;
    snprintf(path, sizeof path, "%s/class.html", folder);
    cr_assert(base_write_file(path, page, strlen(page), 0600));
    free(shell_must("sed '/Content-Security-Policy/d' class.html >copy.html\n"
                    "grep -c Content-Security-Policy class.html"));
    free(shell_must("cat >>copy.html <<'END'\n%s\nEND\ncat >around.html <<'END'\n%s\nEND", PROBE,
                    AROUND));
    char *output = shell_must(CHROMIUM "--dump-dom file://$PWD/around.html 2>log; "
                                       "grep CONSOLE log; echo end");
    for (int i = 0; i < 2; i++) {
        char want[200];
        snprintf(want, sizeof want, "width %d, 9 of 9 parts, overflow 0, ids twice 0, dead links 0",
                 i ? 1280 : 390);
        cr_expect(strstr(output, want), "no \"%s\" in\n%s", want, output);
    }
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
    free(folder);
    free(page);
    json_decref(class);
}

/* A printed page must show everything, including parts that are folded on the screen. */
Test(class_page, prints_all_its_parts)
{
    static const char *const parts[] = {"Labs",
                                        "Distribution of scores",
                                        "Results of each check",
                                        "Where the class lost its points",
                                        "Needs your review",
                                        "Similar submissions",
                                        "⋮",
                                        "Similar, but not evidence of copying",
                                        "Scores by attempt",
                                        "Students"};
    json_t *class = make_class("harmless");
    char *page = make_page(class), *folder = shell_must("printf %%s \"$PWD\""), path[200];
    snprintf(path, sizeof path, "%s/class.html", folder);
    cr_assert(base_write_file(path, page, strlen(page), 0600));
    char *text = shell_must(
        CHROMIUM "--no-pdf-header-footer --print-to-pdf=class.pdf file://$PWD/class.html 2>log; "
                 "pdftotext -layout class.pdf -");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]), "no \"%s\" in\n%s", parts[i], text);
    free(text);
    free(folder);
    free(page);
    json_decref(class);
}
