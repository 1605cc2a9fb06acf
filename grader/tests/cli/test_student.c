/* Tests the commands for students: progress over all labs, hints, watch, diff, reset, run. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(student, .init = submission_init, .fini = shell_fini, .timeout = 600);
TestSuite(golden_student, .init = submission_init, .fini = shell_fini, .timeout = 600);

#define SOLVE "cp " LANEWISE_ROOT "/solutions/02-coalesce/coalesce.cu labs/02-coalesce/"

/* Replaces the dates in the table, so that the output is the same every day. */
#define GRADE_ALL                                                                                  \
    "$LANEWISE grade --device emulator --json out.json $course 2>&1 | "                            \
    "sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}/YYYY-MM-DD/'\n"

/* Commands that a student types; the golden files have the exact output. */
static const struct {
    const char *name, *script;
} scripts[] = {
    /* Between the two gradings, lab 04 was solved and then broken again. The table and "since last
     * time" show this. The second command only grades labs that have changed. */
    {"student-grade-all", GRADE_ALL
     "echo '#error no' >labs/01-parallelize/parallelize.cu\n" SOLVE "\n"
     "cp labs/04-bank-conflicts/bank_conflicts.cu skeleton.cu\n"
     "cp " LANEWISE_ROOT "/solutions/04-bank-conflicts/bank_conflicts.cu labs/04-bank-conflicts/\n"
     "$LANEWISE grade --lab 4 --device emulator --json out.json >/dev/null\n"
     "cp skeleton.cu labs/04-bank-conflicts/bank_conflicts.cu\n"
     "printf 'labs: {1: , 2: , 4: }\\n' >course; course='--course course'\n" GRADE_ALL},
    {"student-change",
     "grade() { $LANEWISE grade --lab 4 --device emulator --seed 1 --json out.json $1 | grep -A1 "
     "-- '->'; echo \"-- $?\"; }\n"
     "cp labs/04-bank-conflicts/bank_conflicts.cu skeleton.cu; grade\n"
     "cp " LANEWISE_ROOT
     "/solutions/04-bank-conflicts/bank_conflicts.cu labs/04-bank-conflicts/; grade; "
     "grade\n"
     "grade '--submission skeleton.cu'; echo '#error' >>labs/04-bank-conflicts/bank_conflicts.cu; grade"},
    {"student-hints", "for i in 1 2 3 4; do echo \"-- $i\"; $LANEWISE hint --lab coal; done"},
    {"student-diff",
     "$LANEWISE diff --lab 2; echo \"exit code $?\"\n" SOLVE "\n"
     "$LANEWISE grade --lab 2 --device emulator --json out.json >/dev/null\n"
     "$LANEWISE diff --lab 2; echo \"exit code $?\"\n"
     "sed -i 's/int i = me/int i = 1 * me/' labs/02-coalesce/coalesce.cu\n"
     "$LANEWISE diff --lab 2; echo \"exit code $?\"\n"
     "sed -i 's:// how many threads there are:// all of them:' labs/02-coalesce/coalesce.cu\n"
     "$LANEWISE diff --lab 2 --comments"},
    {"student-reset", "$LANEWISE reset --lab 2; echo \"exit code $?\"\n"
                      "for i in 1 2; do echo \"// mine $i\" >>labs/02-coalesce/coalesce.cu\n"
                      "$LANEWISE reset --lab 2; echo \"exit code $?\"; done\n"
                      "rm labs/02-coalesce/coalesce.cu; $LANEWISE reset --lab 2\n"
                      "ls labs/02-coalesce; tail -qn 1 labs/02-coalesce/*.old-*"},
    {"student-run", "$LANEWISE run --deterministic --lab 2 n=5000 2>&1; echo \"exit code $?\"\n"
                    "$LANEWISE run --lab 2 m=5000 2>&1; echo \"exit code $?\"\n"
                    "sed -i 's/int begin/integer begin/' labs/02-coalesce/coalesce.cu\n"
                    "$LANEWISE run --lab 2 2>&1; echo \"exit code $?\""},
};

Test(golden_student, commands_and_their_output)
{
    shell_patience(300);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        int code;
        shell_fini();
        submission_init();
        char *output = shell(&code, "%s", scripts[i].script);
        golden_check(scripts[i].name, submission_normalise(output));
        free(output);
    }
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"hint", "lanewise hint: name the lab: add --lab NAME (with make: LAB=NAME), one of 01-"},
    {"hint --lab 99", "no lab is called \"99\"; the labs are 01-"},
    {"hint --lab -", "several labs match \"-\"; the labs are 01-"},
    {"diff --lab 2 --spol", "unknown option --spol; did you mean --spoil?"},
    {"diff 2", "unexpected \"2\": name the lab with --lab"},
    {"reset", "name the lab"},
    {"reset --lab ''", "no lab is called \"\""},
    {"watch", "name the lab"},
    {"watch --lab 1 --device tpu", "unknown device \"tpu\""},
    {"run --lab 99", "no lab is called \"99\""},
};

Test(student, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}

/* A launch with much work is not reported as an endless loop, and the message says how to raise the
 * limit. */
Test(student, run_says_how_to_raise_the_limit)
{
    int code;
    char *output = shell(&code, "$LANEWISE run --max-instructions 1000000 --lab 1 rung=0 n=300000");
    cr_expect(strstr(output, "still running after 1,000,000"), "%s", output);
    cr_expect(strstr(output, "A launch is stopped after 1,000,000 warp instructions."), "%s",
              output);
    cr_expect(strstr(output, "--max-instructions N (with make: LIMIT=N)"), "%s", output);
    free(output);
    output = shell_must("$LANEWISE run --max-instructions 10000000 --lab 1 rung=0 n=300000");
    cr_expect(!strstr(output, "LIMIT=") && !strstr(output, "still running"), "%s", output);
    free(output);
}

/* The findings of `run` about programs with full marks must not contradict their labs. */
Test(student, solutions_are_not_advised_to_do_what_they_do)
{
    char *output =
        shell_must("export LANEWISE_LABS=" LANEWISE_ROOT
                   "/solutions; for lab in 1 2 3 4 5 6; do $LANEWISE run --lab $lab; done");
    cr_expect(!strstr(output, "never freed"), "%s", output);
    /* lab 03 teaches a kernel in which thread 0 adds up the block's sums; only lab 04 improves
     * it */
    cr_expect(!strstr(output, "give the work to"), "%s", output);
    cr_expect(strstr(output, "help: one lane works while 31 wait: if there is enough work"), "%s",
              output);
    free(output);
}

/* On the emulator, an uninitialised register is 0, so a program that uses one may get full marks.
 * Even then, the report begins with the uninitialised variable. */
Test(student, a_variable_without_a_value_is_told)
{
    int code;
    struct edit edits[SUBMISSION_EDITS] = {
        {"unsigned long long mine = 0;", "unsigned long long mine;"}};
    submission_write("02-coalesce", edits, "a.cu");
    char *output = submission_grade("02-coalesce", "a.cu", &code, NULL);
    cr_expect_eq(code, 0, "%s", output);
    cr_expect(strstr(output, "mine may be used in line 26 before it has a value\n       a.cu:23:"),
              "%s", output);
    free(output);
}

/* In a file with Windows line ends, no carriage return is shown, and carets are in the right
 * column. */
Test(student, files_from_windows_look_the_same)
{
    int code;
    char *plain =
        shell(&code, "$LANEWISE run --deterministic --lab 2 2>&1; $LANEWISE trace --heat -o "
                     "a.svg --lab 2 2>&1; grep -c '[^a-z][?]' a.svg\n"
                     "sed 's/int begin/integer begin/' labs/02-coalesce/coalesce.cu "
                     ">coalesce.cu; $LANEWISE grade --lab 2 --submission coalesce.cu --seed 1");
    char *windows =
        shell(&code, "sed -i 's/$/\\r/' labs/02-coalesce/coalesce.cu coalesce.cu\n"
                     "$LANEWISE run --deterministic --lab 2 2>&1; $LANEWISE trace --heat -o "
                     "a.svg --lab 2 2>&1; grep -c '[^a-z][?]' a.svg\n"
                     "$LANEWISE grade --lab 2 --submission coalesce.cu --seed 1");
    cr_expect(strstr(submission_normalise(windows), "coalesce.cu:36:5: error: identifier"), "%s",
              windows);
    cr_expect_str_eq(submission_normalise(plain), windows);
    free(plain);
    free(windows);
}

/* `make run LAB=2 ARGS=-h` */
Test(student, run_lists_a_labs_arguments)
{
    char *output = shell_must("$LANEWISE run --lab 2 -- -h; $LANEWISE run --lab 6 -- -h depth=7");
    cr_expect_str_eq(output, "this lab's arguments, with their values:\n  n=100000\n"
                             "this lab's arguments, with their values:\n"
                             "  rung=2\n  depth=7\n  height=100\n  width=70\n");
    free(output);
    output = shell_must("make --no-print-directory -C " LANEWISE_ROOT " -n run LAB=2 ARGS=-h");
    cr_expect(strstr(output, "--lab '2' -- -h"), "%s", output);
    free(output);
}

/* Only code is compared: comments of both kinds are removed, but not text in strings that looks
 * like a comment. */
Test(student, diff_ignores_comments)
{
    char *output = shell_must(
        "cp " LANEWISE_ROOT "/solutions/02-coalesce/coalesce.cu new.cu\n"
        "sed -e 's:^#include .lab.h.:/* one\\n * two\\n */ & // three:' -e 's:$:\\r:' new.cu "
        ">labs/02-coalesce/coalesce.cu\n"
        "$LANEWISE diff --lab 2 --spoil; echo 'const char *url = \"/*http://a\"; // b' "
        ">>labs/02-coalesce/coalesce.cu\n"
        "$LANEWISE diff --lab 2 --spoil | grep '^+\\|^-\\|identical\\|same'");
    cr_expect_str_eq(output,
                     "your code is the same as the solution\n--- your file\n+++ the solution\n"
                     "-const char *url = \"/*http://a\";\n",
                     "%s", output);
    free(output);
}

/* A damaged or unwritable progress file is no error. */
Test(student, works_without_a_progress_file)
{
    char *output = shell_must("echo '{\"labs\": 3' >labs/.progress.json; $LANEWISE hint --lab 2;"
                              "$LANEWISE hint --lab 2;"
                              "rm labs/.progress.json; mkdir labs/.progress.json;"
                              "$LANEWISE hint --lab 2");
    const char *second = strstr(output, "hint 2 of ");
    cr_expect(second && strstr(second, "hint 1 of "), "%s", output);
    free(output);
}

/* The hints at the end leave out parts about work that was finished in the last grading. */
Test(student, hints_begin_with_what_is_unfinished)
{
    char *output = shell_must(
        "mkdir -p labs; echo '{\"schema\": \"lanewise/progress/v1\", \"labs\": {\"07-structures\": "
        "{\"hints\": 2, \"last\": {\"emulator\": {\"score\": 55, \"checks\": {\"correct\": 10, "
        "\"ragged\": 10, \"sound\": 10, \"staged\": 25, \"aligned\": 0, \"array\": 0}}}}}}' "
        ">labs/.progress.json; $LANEWISE hint --lab 7");
    cr_expect(strstr(output, "hint 3 of 3") && strstr(output, "TODO 2:") &&
                  strstr(output, "TODO 3:") && !strstr(output, "TODO 1:"),
              "%s", output);
    free(output);
}

/* Grading another file than the student's own does not change the progress. */
Test(student, other_files_do_not_change_progress)
{
    free(shell_must(
        "$LANEWISE grade --device emulator --lab 2 --json out.json --submission " LANEWISE_ROOT
        "/solutions; test ! -e labs/.progress.json"));
}

/* A later, lower score does not replace the best one. */
Test(student, the_best_score_is_kept)
{
    char *output = shell_must(
        SOLVE "\n"
              "$LANEWISE grade --device emulator --lab 2 --json out.json >/dev/null || exit 1\n"
              "$LANEWISE reset --lab 2 >/dev/null\n"
              "$LANEWISE grade --device emulator --lab 2 --json out.json >/dev/null\n"
              "grep -A 30 02-coalesce labs/.progress.json");
    cr_expect(strstr(output, "\"best\": 100.0"), "%s", output);
    cr_expect(strstr(output, "\"full\": true"), "%s", output);
    free(output);
}

/* An interrupt leaves no files and processes, whether the grader is testing the sandbox, compiling
 * or running a program. */
Test(student, an_interrupt_leaves_nothing)
{
    char *output = shell_must(
        "mkdir t; export TMPDIR=$PWD/t; set -m\n"
        "for moment in .004 .006 .008 .010 .012 .015 .02 .03 .05 .1 .2 .4 .8; do\n"
        "  $LANEWISE grade --lab 2 --seed 1 --json out.json >/dev/null 2>&1 & grade=$!\n"
        "  sleep $moment; kill -INT -- -$grade 2>/dev/null; wait $grade 2>/dev/null; ls t\n"
        "done 2>/dev/null; ls t | wc -l");
    cr_expect_str_eq(output, "0\n");
    free(output);
}

/* Without a sandbox, lanewise watch grades only with --unsafe. */
Test(student, watch_knows_unsafe)
{
    char *output =
        shell_must("export LANEWISE_SANDBOX=none; set -m\n"
                   "watch() { $LANEWISE watch --lab 2 --device emulator $1 >out 2>&1 & watch=$!\n"
                   "for i in $(seq 3000); do grep -q 'waiting for' out && break; sleep .1; done\n"
                   "kill -INT -- -$watch; wait $watch; grep -c '30 of 100' out; }\n"
                   "watch; cat out; watch --unsafe");
    cr_expect(strstr(output, "0\nlanewise grade: no sandbox") &&
                  strcmp(output + strlen(output) - 3, "\n1\n") == 0,
              "%s", output);
    free(output);
}

/* Defines a fake driver. Like NVIDIA's, it starts a thread that accepts any signal, and it does not
 * start in the child of a process that has already started it. No compiler knows its GPU. */
Test(student, watch_lives_with_a_driver)
{
    char *output = shell_must(
        "gcc -shared -fPIC -o libcuda.so.1 -x c - <<'END'\n"
        "#include <pthread.h>\n#include <string.h>\n#include <unistd.h>\n"
        "static pid_t home;\n"
        "static void *stay(void *none) { for (;;) pause(); }\n"
        "int cuInit(unsigned flags) { pthread_t thread; if (home) return home == getpid() ? 0 : "
        "3;\n"
        "    home = getpid(); return pthread_create(&thread, NULL, stay, NULL); }\n"
        "int cuDeviceGetCount(int *count) { *count = 1; return 0; }\n"
        "int cuDeviceGetName(char *name, int size, int device) { strcpy(name, \"Fake\"); return 0; "
        "}\n"
        "int cuDeviceGetAttribute(int *value, int which, int device) { *value = 9; return 0; }\n"
        "END\n"
        "set -m; LD_LIBRARY_PATH=$PWD $LANEWISE watch --lab 2 --unsafe >out 2>&1 & watch=$!\n"
        "for i in $(seq 3000); do grep -q 'waiting for' out && break; sleep .1; done\n"
        "kill -INT -- -$watch; wait $watch; echo \"exit code $?\"; cat out");
    cr_expect(strstr(output, "exit code 0\n") && strstr(output, "'sm_99'"), "%s", output);
    free(output);
}

/* The program builds for newer GPUs, but not for the emulator. The checks of counters must show the
 * compiler's message, and the grader must not fail. The fake driver has one GPU of compute
 * capability 9.0, which cannot execute anything. */
Test(student, a_build_that_fails_only_for_the_emulator_is_explained)
{
    int code;
    char *output = shell(
        &code,
        "gcc -shared -fPIC -o libcuda.so.1 -x c - <<'END'\n"
        "#include <string.h>\n"
        "int cuInit(unsigned flags) { return 0; }\n"
        "int cuDeviceGetCount(int *count) { *count = 1; return 0; }\n"
        "int cuDeviceGetName(char *name, int size, int device) { strcpy(name, \"Fake\"); return 0; "
        "}\n"
        "int cuDeviceGetAttribute(int *value, int which, int device) { *value = which == 75 ? 9 : 0; "
        "return 0; }\n"
        "END\n" SOLVE "\n"
        "sed -i '/^#include \"lab.h\"/i #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\\n"
        "#error only for compute capability 9.0\\n#endif' labs/02-coalesce/coalesce.cu\n"
        "LD_LIBRARY_PATH=$PWD $LANEWISE grade --lab 2 --unsafe --json out.json");
    cr_expect_eq(code, 1, "exit code %d: %s", code, output);
    cr_expect(strstr(output, "on the Fake") && strstr(output, "  ok             built"), "%s",
              output);
    char *check = strstr(output, "the program was built for the GPU, but not for the emulator");
    cr_expect(check && strstr(check, "#error only for compute capability 9.0") &&
                  strstr(check, "hint: The emulator has compute capability 8.0."),
              "%s", output);
    free(output);
}

/* watch grades immediately and after each save, even if the editor saves by renaming. A save during
 * a grading restarts it. Ctrl-C ends watch quietly and leaves nothing behind. */
Test(student, watch_grades_each_save)
{
    char *output = shell_must(
        "mkdir t; export TMPDIR=$PWD/t\n"
        "wait_for() { for i in $(seq 3000); do test $(grep -c \"$1\" out) -ge $2 && return; sleep "
        ".1; "
        "done; cat out; exit 1; }\n"
        "set -m; $LANEWISE watch --lab 2 --device emulator >out 2>&1 & watch=$!\n"
        "wait_for 'waiting for you' 1; wait_for '30 of 100' 1\n"
        "cp " LANEWISE_ROOT "/solutions/02-coalesce/coalesce.cu labs/02-coalesce/new\n"
        "mv labs/02-coalesce/new labs/02-coalesce/coalesce.cu\n"
        "wait_for '100 of 100' 1; wait_for 'waiting for' 2\n"
        "echo 'static lab_nothing x;' >>labs/02-coalesce/coalesce.cu; sleep .4\n" SOLVE "\n"
        "wait_for '100 of 100' 2; wait_for 'waiting for' 3\n"
        "echo \"// $PWD\" >>labs/02-coalesce/coalesce.cu; sleep .3\n"
        "kill -INT -- -$watch; wait $watch; echo \"exit code $?\"; ls t; "
        "grep -c 'since last time: 30 -> 100: the threads of a warp' out; tail -n 2 out");
    cr_expect(strstr(output, "exit code 0\n1\nwaiting for you"), "%s", output);
    free(output);
}
