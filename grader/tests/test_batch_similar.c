/* Near-duplicates in a class, from folder to class.html: who is shown with whom, and who is not. Lab 04, where
 * programs are long enough to tell. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "run/files.h"
#include "run/lab.h"
#include "run/mutant.h"
#include "tests/disguise.h"
#include "tests/shell.h"

TestSuite(batch_similar, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define LAB      "04-bank-conflicts"
#define FILE     "bank_conflicts.cu"
#define SOLUTION LANEWISE_ROOT "/solutions/" LAB "/" FILE

static const char *const class[][2] = {
    {"ann", "volatile-warp"}, {"carl", "unrolled"}, {"dan", "xor-shuffle"}, {"eve", "warp-first"}};

static void hand_in(const char *student, const char *text)
{
    char path[RUN_PATH_SIZE];
    char *folder = shell_must("mkdir -p subs/%s; printf '%%s' \"$PWD\"", student);
    cr_assert(run_path(path, "%s/subs/%s/" FILE, folder, student));
    cr_assert(run_write_file(path, text, strlen(text), 0644));
    free(folder);
}

/* Each has gone their own way; bob has disguised ann's, fay has copied dan's file. Two have handed in the
 * solution, two the skeleton, as it is. */
static void make_class(void)
{
    char error[1000], path[RUN_PATH_SIZE];
    char *solution = shell_file(SOLUTION, NULL);
    char *header = shell_file(LANEWISE_ROOT "/shared/lab.h", NULL);
    for (size_t i = 0; i < sizeof class / sizeof *class; i++) {
        struct run_mutant program;
        run_path(path, LANEWISE_ROOT "/grader/tests/similar/" LAB "/%s.diff", class[i][1]);
        cr_assert(run_mutant_read(path, solution, &program, error, sizeof error), "%s", error);
        hand_in(class[i][0], program.source);
        char *copy = disguise(program.source, header);
        if (i == 0)
            hand_in("bob", copy);
        free(copy);
        run_mutant_free(&program);
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
    cr_expect(!strstr(text, "\"print\""), "prints are nobody's business");
    json_decref(document);
    free(text);
}

#define BATCH "$LANEWISE batch subs --labs 4 --device emulator --seed 7 "

Test(batch_similar, shows_copies_and_no_others)
{
    make_class();
    free(shell_must(BATCH));
    expect_class();
    free(shell_must("! grep -q '\"print\"' grades/*/results.json"));
    free(shell_must("grep -q '<strong>100 %%</strong> " LAB ": ann and bob' grades/class.html"));
    free(shell_must("grep -q '<strong>the same file</strong> " LAB ": dan and fay' "
                    "grades/class.html"));
    /* an excerpt is what somebody wrote, and not what was given */
    free(shell_must("grep -q 'int other = t &lt; s ? sums' grades/class.html && "
                    "! grep -q 'lab_open' grades/class.html"));
    free(shell_must("cp -a grades first; " BATCH));
    free(shell_must("diff -r --exclude grades.sqlite first grades"));
}
