/* Tests the search for near-duplicates in a class, from folder to class.html: which pairs the page
 * shows. Programs in lab 04 are long enough to compare; programs in lab 02 are too short. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "config.h"
#include "course/lab.h"
#include "grade/mutant.h"
#include "tests/support/disguise.h"
#include "tests/support/shell.h"

TestSuite(batch_pairs, .init = shell_init, .fini = shell_fini, .timeout = 1800);

#define LAB      "04-bank-conflicts"
#define FILE     "bank_conflicts.cu"
#define SOLUTION LANEWISE_ROOT "/solutions/" LAB "/" FILE

static const char *const class[][2] = {
    {"ann", "volatile-warp"}, {"carl", "unrolled"}, {"dan", "xor-shuffle"}, {"eve", "warp-first"}};

static void hand_in(const char *student, const char *text)
{
    char path[PATH_SIZE];
    char *folder = shell_must("mkdir -p subs/%s; printf '%%s' \"$PWD\"", student);
    cr_assert(base_path(path, "%s/subs/%s/" FILE, folder, student));
    cr_assert(base_write_file(path, text, strlen(text), 0644));
    free(folder);
}

/* Each student works alone, except bob, who has disguised ann's file, and fay, who has copied
 * dan's. Two students hand in the solution, and two the unchanged skeleton. */
static void make_class(void)
{
    char error[1000], path[PATH_SIZE];
    char *solution = shell_file(SOLUTION, NULL);
    char *header = shell_file(LANEWISE_ROOT "/shared/lab.h", NULL);
    for (size_t i = 0; i < sizeof class / sizeof *class; i++) {
        struct mutant program;
        base_path(path, LANEWISE_ROOT "/grader/tests/similar/" LAB "/%s.diff", class[i][1]);
        cr_assert(mutant_read(path, solution, &program, error, sizeof error), "%s", error);
        hand_in(class[i][0], program.source);
        char *copy = disguise(program.source, header);
        if (i == 0)
            hand_in("bob", copy);
        free(copy);
        mutant_free(&program);
    }
    free(shell_must("mkdir subs/{fay,gus,hal,ian,joe}; cp subs/dan/* subs/fay;"
                    "cp " SOLUTION " subs/gus; cp " SOLUTION " subs/hal;"
                    "cp " LANEWISE_ROOT "/labs/" LAB "/.skeleton.cu subs/ian/" FILE ";"
                    "cp subs/ian/" FILE " subs/joe"));
    free(header);
    free(solution);
}

static const char *student_of(const json_t *pair, size_t side)
{
    const json_t *sides = json_object_get(pair, "pair");
    return json_string_value(json_object_get(json_array_get(sides, side), "student"));
}

static void expect_pair(const json_t *pairs, size_t i, const char *left, const char *right,
                        bool same)
{
    const json_t *pair = json_array_get(pairs, i);
    cr_assert(pair, "pair %zu is missing", i);
    cr_expect_str_eq(student_of(pair, 0), left);
    cr_expect_str_eq(student_of(pair, 1), right);
    cr_expect_eq(json_is_true(json_object_get(pair, "same_file")), same);
    cr_expect_eq(json_number_value(json_object_get(pair, "similarity")), 1);
}

static void expect_class(void)
{
    char *text = shell_file("grades/class.json", NULL);
    json_t *document = json_loads(text, 0, NULL), *pairs = json_object_get(document, "similar");
    cr_expect_eq(json_array_size(pairs), 2, "%s", text);
    expect_pair(pairs, 0, "ann", "bob", false);
    expect_pair(pairs, 1, "dan", "fay", true);
    cr_expect(!strstr(text, "\"print\""), "class.json contains fingerprints");
    json_decref(document);
    free(text);
}

#define BATCH "$LANEWISE batch subs --labs 4 --device emulator --seed 7 "

/* --- programs of a few lines ----------------------------------------------------------------------------- */

#define SHORT_LAB      "02-coalesce"
#define SHORT_SOLUTION LANEWISE_ROOT "/solutions/" SHORT_LAB "/coalesce.cu"

static void hand_in_short(const char *student, const char *text)
{
    char path[PATH_SIZE];
    char *folder = shell_must("mkdir -p subs/%s; printf '%%s' \"$PWD\"", student);
    cr_assert(base_path(path, "%s/subs/%s/coalesce.cu", folder, student));
    cr_assert(base_write_file(path, text, strlen(text), 0644));
    free(folder);
}

/* Returns a program for lab 02: the file NAME in FOLDER, or the solution if FOLDER is NULL. If
 * DISGUISED is true, changes all names in it. */
static char *short_program(const char *folder, const char *name, bool disguised)
{
    char error[1000], path[PATH_SIZE];
    struct mutant program = {.source = NULL};
    char *text = shell_file(SHORT_SOLUTION, NULL);
    char *header = shell_file(LANEWISE_ROOT "/shared/lab.h", NULL);
    if (folder) {
        base_path(path, LANEWISE_ROOT "/grader/tests/%s/" SHORT_LAB "/%s.diff", folder, name);
        cr_assert(mutant_read(path, text, &program, error, sizeof error), "%s", error);
        free(text);
        text = strdup(program.source);
        mutant_free(&program);
    }
    if (disguised) {
        char *copy = disguise(text, header), *loops = disguise_loops(copy);
        free(text);
        free(copy);
        text = loops;
    }
    free(header);
    return text;
}

/* Makes a class in which five students have the same wrong program. Each adds a different comment,
 * and zoe also disguises her copy. Two students have found the same three lines independently. Two
 * have the solution, one of them with other names. */
static void make_short_class(void)
{
    static const struct {
        const char *student, *folder, *name;
        bool disguised;
    } others[] = {{"zoe", "mutants", "chunks", true},
                  {"eva", "similar", "rounds", false},
                  {"jan", "similar", "counted-steps", false},
                  {"kim", "similar", "64-bit", false},
                  {"lea", NULL, NULL, false},
                  {"max", NULL, NULL, true}};
    char *mutant = short_program("mutants", "chunks", false);
    for (int i = 0; i < 5; i++) {
        char student[20], *text;
        sprintf(student, "a%d", i);
        cr_assert_geq(asprintf(&text, "%s// by %s\n", mutant, student), 0);
        hand_in_short(student, text);
        free(text);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *text = short_program(others[i].folder, others[i].name, others[i].disguised);
        hand_in_short(others[i].student, text);
        free(text);
    }
    free(mutant);
}

/* STUDENTS is "student student* ...". An asterisk marks a student whose program also renames parts
 * of the given code. */
static void expect_alike(const json_t *alike, size_t i, const char *what, const char *students)
{
    const json_t *group = json_array_get(alike, i);
    char names[200] = "";
    size_t k;
    json_t *student;
    cr_assert(group, "group %zu is missing", i);
    json_array_foreach(json_object_get(group, "students"), k, student)
    {
        strcat(names, json_string_value(json_object_get(student, "student")));
        strcat(names, json_integer_value(json_object_get(student, "renamed")) ? "* " : " ");
    }
    cr_expect_str_eq(json_string_value(json_object_get(group, "what")), what);
    cr_expect_str_eq(names, students);
}

Test(batch_pairs, finds_copies_of_few_lines)
{
    shell_patience(800);
    make_short_class();
    free(shell_must("$LANEWISE batch subs --labs 2 --device emulator --seed 7"));
    char *text = shell_file("grades/class.json", NULL);
    json_t *document = json_loads(text, 0, NULL), *pairs = json_object_get(document, "similar");
    cr_assert_eq(json_array_size(pairs), 1, "%s", text);
    expect_pair(pairs, 0, "a0", "zoe", false);
    cr_expect_eq(json_array_size(json_object_get(json_array_get(pairs, 0), "also")), 4);
    json_t *alike = json_object_get(document, "alike");
    cr_expect_eq(json_array_size(alike), 2);
    expect_alike(alike, 0, "short", "eva jan ");
    expect_alike(alike, 1, "solution", "lea max* ");
    free(shell_must("grep -q '<strong>the same except for names</strong> " SHORT_LAB
                    ": a0 and zoe\\*; also a1, a2' grades/class.html"));
    free(shell_must(
        "grep -q 'the kit&#39;s solution, except for names.*lea, max\\*' grades/class.html"));
    json_decref(document);
    free(text);
}

/* --- programs that are long enough ----------------------------------------------------------------------- */

Test(batch_pairs, shows_copies_and_no_others)
{
    shell_patience(800);
    make_class();
    free(shell_must(BATCH));
    expect_class();
    free(shell_must("! grep -q '\"print\"' grades/*/results.json"));
    free(shell_must("grep -q '<strong>the same except for names</strong> " LAB
                    ": ann and bob\\*' grades/class.html"));
    free(shell_must("grep -q '<strong>the same file</strong> " LAB ": dan and fay' "
                    "grades/class.html"));
    /* an excerpt shows only code that the student has written */
    free(shell_must("grep -q 'int other = t &lt; s ? sums' grades/class.html && "
                    "! grep -q 'lab_open' grades/class.html"));
#ifndef LANEWISE_PRELOAD /* grading a second time would only run the same code on the same class */
    free(shell_must("cp -a grades first; " BATCH));
    free(shell_must("diff -r --exclude grades.sqlite first grades"));
#endif
}
