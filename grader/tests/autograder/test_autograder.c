/* Tests autograders end to end, as a learning system runs them. Each package is packed, unpacked in
 * a folder without this tree, installed by its own script, and run on good, bad and missing
 * submissions. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(autograder, .init = submission_init, .fini = shell_fini, .timeout = 7200);

#define SCHEMAS LANEWISE_ROOT "/grader/tests/report/formats"
#define FITS    "/usr/bin/python3 -W ignore -m jsonschema -i %s " SCHEMAS "/%s.schema.json"
/* Removes our environment variables. Keeps only CUDA's location, and what tests/arm64/try.sh sets. */
#ifdef LANEWISE_EMULATED
#define MACHINE "PATH=$PATH LANEWISE_EMULATED=1 LANEWISE_PATIENCE=$LANEWISE_PATIENCE "
#else
#define MACHINE "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "
#endif
#define CLEAN "env -i " MACHINE "CUDA_HOME=" LANEWISE_CUDA_HOME " "

#define PACK  LANEWISE_ROOT "/grader/autograder/pack.sh "

/* Packs FORMAT for lab 02 into the folder "packed". */
static void pack(const char *format)
{
    free(shell_must(PACK "%s packed $LANEWISE 02 2>&1", format));
}

/* Installs the kit with its own script, which builds everything. Copies this tree's object files
 * first, which saves most of the compiler's time: make only compiles what depends on the folder.
 * Make would still compile files that differ from this tree. */
static void install(void)
{
    int code;
    shell_patience(5400);
    free(shell_must("mkdir autograder/source/lanewise/build;"
                    "tar -C " LANEWISE_ROOT "/" LANEWISE_BUILD
                    " --exclude=obj/grader/tests -c flags obj/grader obj/labs |"
                    "tar -C autograder/source/lanewise/build -xm"));
    char *log = shell(&code, "root=$PWD/autograder; " CLEAN
                             "LANEWISE_AUTOGRADER=$root bash autograder/source/setup.sh 2>&1");
    cr_assert_eq(code, 0, "the set-up failed:\n%s", log);
    free(log);
}

static void unpack_gradescope(void)
{
    pack("gradescope");
    free(shell_must("mkdir -p autograder/{source,submission,results}; cd autograder;"
                    "unzip -q ../packed/gradescope.zip -d source; cp source/run_autograder .;"
                    "echo '{\"id\": 1}' >submission_metadata.json"));
    /* The kit contains no solutions and no tests. It also contains no build outputs, because they
     * would contain this tree's path. */
    free(shell_must("cd autograder/source; test ! -e lanewise/build &&"
                    " ! find . -path './lanewise/solutions/*.cu' -o -path "
                    "'./lanewise/grader/tests/*.c' | grep -q ."));
}

/* --- Gradescope --------------------------------------------------------------------------------------- */

#define RUN CLEAN "LANEWISE_AUTOGRADER=$PWD/autograder "

static double gradescope_score(void)
{
    char *text = shell_file("autograder/results/results.json", NULL);
    json_t *page = json_loads(text, 0, NULL);
    double score = json_number_value(json_object_get(page, "score"));
    cr_assert(page, "%s", text);
    json_decref(page);
    free(text);
    return score;
}

static void grade_on_gradescope(void)
{
    int code;
    submission_write_mutant("02-coalesce", "chunks", "autograder/submission/coalesce.cu");
    free(shell_must(RUN "autograder/run_autograder"));
    free(shell_must(FITS, "autograder/results/results.json", "gradescope"));
    double mutant = gradescope_score();
    cr_expect(mutant > 0 && mutant < 100, "%g points", mutant);
    /* a submission that is not a program for lab 02 also gets a grade */
    free(shell_must("mv autograder/submission/coalesce.cu autograder/submission/lab2.cu"));
    free(shell_must(RUN "autograder/run_autograder"));
    free(shell_must(FITS, "autograder/results/results.json", "gradescope"));
    cr_expect_eq(gradescope_score(), 0);
    /* if the grader itself fails, there is no grade, and an earlier result does not remain */
    free(shell_must("mv autograder/submission/lab2.cu autograder/submission/coalesce.cu;"
                    "echo earlier >autograder/results/results.json"));
    free(shell(&code, RUN "NVCC=/nonexistent autograder/run_autograder"));
    cr_expect_neq(code, 0);
    free(shell_must("test ! -e autograder/results/results.json"));
}

/* --- Autolab and GitHub ------------------------------------------------------------------------------- */

/* Runs Autolab's makefile in the submission's folder, as Tango (Autolab's runner) does. */
static void grade_on_autolab(void)
{
    pack("autolab");
    free(shell_must("grep -q 'handin_filename: coalesce.cu' packed/autolab/02coalesce.yml &&"
                    "grep -q 'max_score: 100' packed/autolab/02coalesce.yml"));
    free(shell_must("mkdir tango; cp packed/autolab/autograde* tango;"
                    "cp autograder/submission/coalesce.cu tango"));
    free(shell_must("KIT=$PWD/autograder/source; cd tango; " CLEAN
                    "LANEWISE_KIT=$KIT make -f autograde-Makefile >../said"));
    free(shell_must(
        "(echo [; tail -n 2 said | head -n 1; echo ,; tail -n 1 said; echo ]) >lines.json"));
    free(shell_must(FITS, "lines.json", "autolab"));
    char *said = shell_file("said", NULL);
    cr_expect(strstr(said, "{\"scores\":{\"02-coalesce\":"), "%s", said);
    cr_expect(strstr(said, "hint: "), "students do not see the report:\n%s", said);
    free(said);
}

static void grade_on_classroom50(void)
{
    pack("github");
    free(shell_must("mkdir checkout; cp autograder/submission/coalesce.cu checkout;"
                    "KIT=$PWD/autograder/source; cd checkout; git init -q . && git add . &&"
                    "git -c user.name=a -c user.email=a@b commit -qm 'hand in' --date "
                    "2026-01-01T00:00:00Z;" CLEAN
                    "LANEWISE_KIT=$KIT CLASSROOM=c ASSIGNMENT=coalesce USERNAME=u SUBMISSION_TAG=t "
                    "COMMIT_URL=https://a/b RELEASE_URL=https://a/r /usr/bin/python3 "
                    "../packed/github/classroom50/autograder.py"));
    free(shell_must(FITS, "checkout/result.json", "classroom50"));
    free(shell_must("tar -tzf packed/github/.lanewise/kit.tar.gz | grep -qx ./install.sh"));
    free(shell_must("grep -q '^on: ' packed/github/.github/workflows/lanewise.yml"));
}

Test(autograder, works_without_this_tree)
{
    unpack_gradescope();
    install();
    grade_on_gradescope();
    grade_on_autolab();
    grade_on_classroom50();
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"'' packed $LANEWISE", "make autograder: name the learning system: add FORMAT=gradescope"},
    {"moodle packed $LANEWISE 02", "make autograder: name the learning system"},
    {"autolab packed $LANEWISE",
     "make autograder: an assessment of Autolab is one lab: add LAB=02"},
    {"gradescope packed $LANEWISE 99", "no lab is called \"99\""},
};

Test(autograder, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, PACK "%s 2>&1", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}
