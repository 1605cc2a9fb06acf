/* Tests lanewise grade from end to end: every possible outcome of a grading, and its output.
 * test_grade_results.c tests the numbers and the form of the results. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "config.h"
#include "grade/grade.h"
#include "tests/support/patience.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(grade, .init = submission_init, .fini = shell_fini, .timeout = 600);
TestSuite(golden_grade, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* --- golden output ----------------------------------------------------------------------------- */

#define LOOP  "for (int i = me; i < n; i += all)"
#define ADD   "mine += square(data[i]);"
#define BEGIN "int *data_on_gpu;"
#define END   "return lab_close(&lab);\n}"

/* Submissions to lab 02. Each fails in another way, and lanewise exits with code 1, except for one
 * submission that only gets a warning. */
static const struct {
    const char *name;
    struct edit edits[SUBMISSION_EDITS];
} failures[] = {
    {"syntax-errors", {{ADD, "mine += sqare(data[i])"}}},
    {"cub-is-hidden", {{"#include \"lab.h\"", "#include \"lab.h\"\n#include <cub/cub.cuh>"}}},
    {"missing-header", {{"#include \"lab.h\"", "#include \"lap.h\""}}},
    {"out-of-bounds", {{LOOP, "for (int i = me; i <= n; i += all)"}}},
    {"endless-kernel", {{LOOP, "for (int i = me; i < n; i += 0 * all)"}}},
    {"exit-before-main",
     {{"#include \"lab.h\"", "#include \"lab.h\"\nstruct quit { quit() { exit(0); } } quit;"}}},
    {"crash", {{BEGIN, "*(volatile int *)8 = 1; int *data_on_gpu;"}}},
    {"exit-code", {{BEGIN, "fprintf(stderr, \"no idea\\n\"); return 9; int *data_on_gpu;"}}},
    {"out-of-memory",
     {{BEGIN, "char *more; CHECK_CUDA(cudaMalloc(&more, 2ull << 30)); int *data_on_gpu;"}}},
    {"no-result", {{"lab_result(&lab, \"sum\", LAB_U64, &sum, 1);", ""}}},
    {"wrong-type", {{"LAB_U64, &sum", "LAB_INT, &sum"}}},
    {"no-close", {{"return lab_close(&lab);", "_Exit(0);"}}},
    {"chatter", {{BEGIN, "for (;;) puts(\"I am still here\"); int *data_on_gpu;"}}},
    {"bad-launch", {{"<<<BLOCKS, THREADS>>>", "<<<BLOCKS, 2000>>>"}}},
    {"wrong-answer", {{LOOP, "for (int i = me + 1; i < n; i += all)"}}},
    {"other-lab", {{"/* Lab 02", "/* Lab"}, {"\"n\", 100000", "\"m\", 100000"}}},
    {"no-main", {{"int main(", "int mean("}}},
    {"warnings", {{BEGIN, "int unused, *data_on_gpu;"}}},
    {"chunks",
     {{LOOP, "int chunk = (n + all - 1) / all, end = min((me + 1) * chunk, n);\n"
             "    for (int i = me * chunk; i < end; ++i)"}}},
};

/* The same for labs whose results are matrices. */
static const struct {
    const char *name, *lab, *file;
    struct edit edits[SUBMISSION_EDITS];
} matrix_failures[] = {
    {"wrong-matrix",
     "06-tiled-matmul",
     "tiled_matmul.cu",
     {{"number - *excess", "number + *excess"},
      {"i < p.depth; ++i)\n            sum", "i < 9; ++i)\n            sum"}}},
    {"wrong-shape",
     "05-pitched-alloc",
     "pitched_alloc.cu",
     {{"LAB_FLOAT, sums, width * height", "LAB_FLOAT, sums, width"}}},
    {"wrong-name",
     "05-pitched-alloc",
     "pitched_alloc.cu",
     {{"\"sums\", LAB_FLOAT", "\"sum\", LAB_FLOAT"}}},
};

static void expect_failure(const char *lab, const char *file, const char *name,
                           const struct edit edits[SUBMISSION_EDITS])
{
    int code;
    submission_write(lab, edits, file);
    char *output = submission_grade(lab, file, &code, NULL);
    cr_expect_eq(code, strcmp(name, "warnings") != 0, "%s: exit code %d\n%s", name, code, output);
    golden_check(name, submission_normalise(output));
    free(output);
}

Test(golden_grade, failures)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i)
        expect_failure("02-coalesce", "coalesce.cu", failures[i].name, failures[i].edits);
    for (size_t i = 0; i < sizeof matrix_failures / sizeof *matrix_failures; ++i)
        expect_failure(matrix_failures[i].lab, matrix_failures[i].file, matrix_failures[i].name,
                       matrix_failures[i].edits);
}

/* Mutants of the other labs, whose output is compared. lab-check tests their points. */
static const struct {
    const char *lab, *mutant;
} told[] = {
    {"03-shared-reduce", "too-few-bytes"}, {"03-shared-reduce", "launch-of-256"},
    {"03-shared-reduce", "atomics-left"},  {"04-bank-conflicts", "mask-tree"},
    {"04-bank-conflicts", "index-tree"},   {"07-structures", "one-block"},
    {"08-transpose", "not-unrolled"},      {"10-block-size", "half-of-the-warps"},
};

Test(golden_grade, mutants)
{
    for (size_t i = 0; i < sizeof told / sizeof *told; ++i) {
        int code;
        char name[200];
        submission_write_mutant(told[i].lab, told[i].mutant, "a.cu");
        char *output = submission_grade(told[i].lab, "a.cu", &code, NULL);
        cr_expect_eq(code, 1, "%s: exit code %d\n%s", told[i].mutant, code, output);
        snprintf(name, sizeof name, "%s-%s", told[i].lab, told[i].mutant);
        golden_check(name, submission_normalise(output));
        free(output);
    }
}

/* The golden output of each lab's skeleton. */
Test(golden_grade, skeletons)
{
    struct lab_names list;
    labs_list(&list);
    for (size_t i = 0; i < list.count; ++i) {
        int code;
        char name[300];
        char *output = shell(&code,
                             "$LANEWISE grade --device emulator --seed 1 --lab %s --json "
                             "result.json | sed 's,^%s/,,'",
                             list.names[i], LANEWISE_ROOT);
        snprintf(name, sizeof name, "%s-skeleton", list.names[i]);
        golden_check(name, submission_normalise(output));
        free(output);
    }
    labs_free(&list);
}

/* Returns whether the message of a check in RESULT ends with TEXT. */
static bool a_message_ends_with(const json_t *result, const char *text)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        const char *message = json_string_value(json_object_get(check, "message"));
        if (strlen(message) >= strlen(text) &&
            strcmp(message + strlen(message) - strlen(text), text) == 0)
            return true;
    }
    return false;
}

/* Grades lab 02 with CODE, which never ends, at the beginning of main(). The message of the checks
 * that hang first, which may be any, ends with EARLY, and that of other checks with LATER. */
static void expect_hang(const char *code, const char *early, const char *later)
{
    const struct edit edits[SUBMISSION_EDITS] = {{BEGIN, code}};
    int status;
    json_t *result, *check;
    size_t i;
    submission_write("02-coalesce", edits, "coalesce.cu");
    char *output = submission_grade("02-coalesce", "coalesce.cu", &status, &result);
    cr_expect_eq(status, 1, "%s", output);
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        cr_expect_str_eq(json_string_value(json_object_get(check, "status")), "timeout");
    }
    cr_expect(a_message_ends_with(result, early), "%s", output);
    cr_expect(a_message_ends_with(result, later), "%s", output);
    json_decref(result);
    free(output);
}

#define SHORTER " (shorter limit after the first hang)"

/* The limits of time in the messages, before and after a program has hung (checks/processes.c). */
#define EARLY (2 * PATIENCE)
#define LATER PATIENCE

Test(grade, a_program_that_computes_forever_is_ended)
{
    char early[100], later[100];
    snprintf(early, sizeof early, "did not end within %d seconds of CPU time", EARLY);
    snprintf(later, sizeof later, "did not end within %d second%s of CPU time" SHORTER, LATER,
             base_plural(LATER));
    expect_hang("for (volatile int i = 0;; ++i) ; int *data_on_gpu;", early, later);
}

static const char *const endless_calls[] = {
    "for (;;) cudaDeviceSynchronize(); int *data_on_gpu;",
    "unsigned long long *to; cudaMalloc(&to, 8); for (;;) sum_of_squares<<<1, 32>>>(nullptr, 0, to); "
    "int *data_on_gpu;",
};

Test(grade, a_program_that_calls_cuda_forever_is_ended)
{
    for (size_t i = 0; i < sizeof endless_calls / sizeof *endless_calls; ++i)
        expect_hang(endless_calls[i],
                    "its launches and other CUDA calls together took too much work",
                    "its launches and other CUDA calls together took too much work" SHORTER);
}

Test(grade, a_program_that_waits_forever_is_ended)
{
    char early[100], later[100];
    snprintf(early, sizeof early, "did not end: it has waited for %d seconds", EARLY);
    snprintf(later, sizeof later, "did not end: it has waited for %d second%s" SHORTER, LATER,
             base_plural(LATER));
    expect_hang(
        "for (;;) { timespec pause = {9, 0}; nanosleep(&pause, nullptr); } int *data_on_gpu;",
        early, later);
}

/* --- numbers that the record must be able to store
 * ------------------------------------------------ */

#define BEFORE_MAIN(calls)                                                                         \
    "#include \"lab.h\"\nstruct huge { huge() {\nvoid *p, *q; size_t pitch, most = (size_t)-1;\n"  \
    "cudaMalloc(&q, 512); cudaPitchedPtr all = {q, 512, 512, most};\n" calls                       \
    "cudaFree(q); cudaGetLastError(); } } huge;\n#line 4000000000"

/* All of these calls fail. The last ones also cause findings of memcheck, which cost points. */
static const struct {
    const char *name, *begin;
    int code;
} huge[] = {
    {"memory",
     BEFORE_MAIN("cudaMallocPitch(&p, &pitch, most, most);\n"
                 "cudaMallocPitch(&p, &pitch, 4, most / 2 + 1);\n"
                 "cudaMalloc3D(&all, make_cudaExtent(4, most, 1));\n"
                 "cudaMalloc(&p, most);\n"
                 "cudaMemset2D(q, 4, 0, 4, most);\n"
                 "cudaMemset2D(q, most, 0, most, most);\n"
                 "cudaMemset3D(all, 0, make_cudaExtent(4, most, 1));\n"
                 "cudaMemcpy2D(q, 8, q, 8, 4, most / 4, cudaMemcpyDeviceToDevice);\n"),
     0},
    {"copies",
     BEFORE_MAIN("cudaMemcpy3DParms copy = {}; copy.srcPtr = copy.dstPtr = all;\n"
                 "copy.kind = cudaMemcpyDeviceToDevice;\n"
                 "copy.extent = make_cudaExtent(4, most, most); cudaMemcpy3D(&copy);\n"
                 "copy.extent = make_cudaExtent(4, most, 1); cudaMemcpy3D(&copy);\n"
                 "cudaMemcpy2D(q, 4, &p, 4, 4, most, cudaMemcpyHostToDevice);\n"
                 "cudaMemcpy2D(&p, 4, q, 4, 4, most, cudaMemcpyDeviceToHost);\n"
                 "cudaMemset(q, 0, most); cudaMemset2D(q, 4, 0, 4, 1 << 30);\n"
                 "cudaMemcpy(q, q, most, cudaMemcpyDeviceToDevice);\n"),
     1},
};

Test(grade, huge_numbers_leave_the_record_readable)
{
    for (size_t i = 0; i < sizeof huge / sizeof *huge; ++i) {
        const struct edit edits[SUBMISSION_EDITS] = {{"#include \"lab.h\"", huge[i].begin}};
        int code;
        submission_write("02-coalesce", edits, "coalesce.cu");
        char *output = submission_grade("02-coalesce", "coalesce.cu", &code, NULL);
        cr_expect_eq(code, huge[i].code, "%s: code %d\n%s", huge[i].name, code, output);
        cr_expect(!strstr(output, "unreadable"), "%s: %s", huge[i].name, output);
        free(output);
    }
}

/* --- submissions that cannot be graded ------------------------------------------------------------- */

#define GRADE "$LANEWISE grade --device emulator --json out.json "

/* The version text of a CUDA 12 compiler. */
#define OLD_NVCC                                                                                   \
    "printf '#!/bin/sh\\necho Cuda compilation tools, release 12.4, V12.4.131\\n' >nvcc; "         \
    "chmod +x nvcc; "

static const struct {
    const char *name, *script, *message;
} refusals[] = {
    {"no such lab", GRADE "--lab 99-magic",
     "no lab is called \"99-magic\"; the labs are 01-parallelize, 02-coalesce"},
    {"a lab outside of labs/", GRADE "--lab ../solutions", "no lab is called"},
    {"an empty file", "touch a.cu; " GRADE "--lab 01-parallelize --submission a.cu",
     "a.cu is empty: hand in your parallelize.cu"},
    {"blanks only", "echo '  ' >a.cu; " GRADE "--lab 01-parallelize --submission a.cu",
     "a.cu is empty"},
    {"a binary file", "cp /bin/true a.cu; " GRADE "--lab 01-parallelize --submission a.cu",
     "a.cu is not a text file"},
    {"a huge file", "truncate -s 9M a.cu; " GRADE "--lab 01-parallelize --submission a.cu",
     "a.cu is too large: it has 9437184 bytes, and the limit is 1048576"},
    {"UTF-16",
     "echo 'int a;' | iconv -f UTF-8 -t UTF-16 >a.cu; " GRADE "--lab 01 --submission a.cu",
     "a.cu is in UTF-16: save it as UTF-8 (in your editor, or: iconv -f UTF-16 -t UTF-8 OLD >NEW)"},
    {"UTF-16 without a mark",
     "echo '/* \xc4\x80 */ int a;' | iconv -f UTF-8 -t UTF-16BE >a.cu; " GRADE
     "--lab 01 --submission a.cu",
     "a.cu is in UTF-16"},
    {"a link", "ln -s /etc/passwd a.cu; " GRADE "--lab 01 --submission a.cu",
     "a.cu is a link: hand in the file itself"},
    {"a link to nothing", "ln -s nowhere a.cu; " GRADE "--lab 01 --submission a.cu",
     "a.cu is a link: hand in the file itself"},
    {"a link as one's own file",
     "ln -sf /etc/passwd labs/02-coalesce/coalesce.cu; " GRADE "--lab 02",
     "labs/02-coalesce/coalesce.cu is a link: hand in the file itself"},
    {"a name with a newline", GRADE "--lab 01 --submission $'a\nb\e[31m.cu'",
     "a\\nb\\x1b[31m.cu does not exist"},
    {"no such file", GRADE "--lab 01-parallelize --submission a.cu", "a.cu does not exist"},
    {"a device", GRADE "--lab 01-parallelize --submission /dev/zero", "/dev/zero is not a regular"},
    {"a folder without the file",
     "mkdir f; touch f/coalesce.cu; " GRADE "--lab 01-parallelize --submission f/",
     "the folder f/ contains neither parallelize.cu nor 01-parallelize/parallelize.cu"},
    {"a folder in the file's place",
     "mkdir -p f/coalesce.cu; " GRADE "--lab 02-coalesce --submission f",
     "f/coalesce.cu is a folder"},
    {"a file that may not be read",
     "chmod 755 .; echo x >a.cu; chmod 0 a.cu; unset LANEWISE_SECRET HOME; "
     "setpriv --reuid 65534 --clear-groups -- $LANEWISE grade --device emulator "
     "--lab 02-coalesce --submission a.cu",
     "a.cu cannot be read: permission denied"},
    {"another lab's file", GRADE "--lab 01-parallelize --submission labs/02-coalesce/coalesce.cu",
     "coalesce.cu is for lab 02 according to its first line, not for 01-parallelize"},
    {"a file without --lab", "touch a.cu; " GRADE "--submission a.cu",
     "the lab of a.cu is unknown: add --lab NAME"},
    {"an unknown option", GRADE "--speed 3", "unknown option --speed"},
    {"an option without value", "$LANEWISE grade --lab", "--lab needs a value"},
    {"one argument too many", GRADE "01-parallelize",
     "unexpected \"01-parallelize\": name the file with --submission"},
    {"a seed that is not a number", GRADE "--seed 12x", "the seed must be a whole number"},
    {"a negative seed", GRADE "--seed -1", "the seed must be a whole number"},
    {"a seed beyond 63 bits", GRADE "--seed 9223372036854775808",
     "the seed must be a whole number"},
    {"an unknown device", "$LANEWISE grade --device tpu", "unknown device \"tpu\""},
    {"a JSON file in a folder that does not exist", "$LANEWISE grade --json none/out.json",
     "cannot write none/out.json: No such file"},
    {"a folder for the JSON file", "mkdir d; $LANEWISE grade --json d",
     "cannot write d: Is a directory"},
    {"no compiler",
     "cp " LANEWISE_ROOT "/labs/02-coalesce/coalesce.cu a.cu; echo \"// $PWD\" >>a.cu; "
     "NVCC=/nowhere/nvcc " GRADE "--lab 02-coalesce --submission a.cu",
     "no CUDA compiler at /nowhere/nvcc"},
    {"a compiler of another release",
     "cp " LANEWISE_ROOT "/labs/02-coalesce/coalesce.cu a.cu; echo \"// $PWD\" >>a.cu; " OLD_NVCC
     "NVCC=$PWD/nvcc " GRADE "--lab 02-coalesce --submission a.cu",
     "/nvcc is from CUDA 12.4, but grading needs CUDA 13"},
    {"no place for temporary files", "TMPDIR=/nowhere " GRADE "--lab 02-coalesce",
     "cannot make a folder in /nowhere"},
};

Test(grade, what_cannot_be_graded_is_refused_in_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        int code;
        if (i > 0) {
            shell_fini();
            submission_init();
        }
        char *output = shell(&code, "%s", refusals[i].script);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d\n%s", refusals[i].name, code, output);
        cr_expect(strstr(output, refusals[i].message), "%s: %s", refusals[i].name, output);
        cr_expect(end && !end[1], "%s: it printed more than one line: %s", refusals[i].name,
                  output);
        free(output);
        output = shell(&code, "test -e out.json");
        cr_expect_eq(code, 1, "%s: a result was written", refusals[i].name);
        free(output);
    }
}

Test(grade, the_doctor_sees_a_compiler_of_another_release)
{
    int code;
    char *output = shell(&code, OLD_NVCC "NVCC=$PWD/nvcc $LANEWISE doctor");
    cr_expect_eq(code, 2, "%s", output);
    cr_expect(strstr(output, "/nvcc, is from CUDA 12.4.131; grading needs CUDA 13"), "%s", output);
    free(output);
}

/* --- the grader's own failures -------------------------------------------------------------------- */

/* Scripts that replace the checks runner. They run in the folder into which the runner must write
 * its verdicts. */
static const struct {
    const char *name, *script, *message;
} runners[] = {
    {"reports nothing and exits with 0", "exit 0", "check correct produced no verdict"},
    {"fails", "echo oh; exit 1", "the checks runner failed: oh"},
    {"crashes", "kill -SEGV $$", "the checks runner failed"},
    {"reports another check", "echo '{\"id\": \"sectors\", \"broken\": \"\"}' >correct.json",
     "check correct produced no verdict"},
    {"reports half a file", "echo '{\"id\": \"correct\", \"bro' >correct.json",
     "check correct produced no verdict"},
    {"reports its own failure",
     "echo '{\"id\": \"correct\", \"broken\": \"no disk\"}' >correct.json",
     "check correct: no disk"},
    {"reports one of three checks", "echo '{\"id\": \"correct\", \"broken\": \"\"}' >correct.json",
     "check ragged produced no verdict"},
};

static void write_script(const char *path, const char *script)
{
    char *text;
    cr_assert(asprintf(&text, "#!/bin/sh\n%s\n", script) >= 0);
    cr_assert(base_write_file(path, text, strlen(text), 0700));
    free(text);
}

Test(grade, a_runner_that_fails_makes_no_grade)
{
    static struct lab lab;
    static struct submission submission;
    char error[6000];
    cr_assert(labs_open("02-coalesce", &lab, error, sizeof error), "%s", error);
    cr_assert(submission_open(&lab, LANEWISE_ROOT "/labs", &submission, error, sizeof error), "%s",
              error);
    cr_assert(base_path(lab.runner, "%s/runner", shell_folder()));
    for (size_t i = 0; i < sizeof runners / sizeof *runners; ++i) {
        struct grading grading = {.lab = &lab,
                                  .submission = &submission,
                                  .device = ON_EMULATOR,
                                  .seed = GRADE_SEED_OPEN(1)};
        json_t *result;
        write_script(lab.runner, runners[i].script);
        enum grade_end end = grade_submission(&grading, &result, error, sizeof error);
        cr_expect_eq(end, GRADER_FAILED, "%s: end %d", runners[i].name, end);
        cr_expect_null(result, "%s: a result was written", runners[i].name);
        cr_expect(strstr(error, runners[i].message), "%s: %s", runners[i].name, error);
    }
    submission_close(&submission);
    labs_close(&lab);
}

Test(grade, checks_do_nothing_without_a_job)
{
    int code;
    char *output = shell(&code, "\"${LANEWISE%%/*}/checks/01-parallelize\"");
    cr_expect_eq(code, 2, "exit code %d: %s", code, output);
    cr_expect(strstr(output, "started by `lanewise grade`"), "%s", output);
    free(output);
}

Test(grade, the_users_environment_does_not_steer_the_checks)
{
    static const struct edit wrong[SUBMISSION_EDITS] = {
        {LOOP, "for (int i = me + 1; i < n; i += all)"}};
    int code;
    submission_write("02-coalesce", wrong, "coalesce.cu");
    char *output =
        shell(&code, "export CRITERION_ALWAYS_SUCCEED=1 CRITERION_TEST_PATTERN='no/thing' "
                     "LANEWISE_MAX_INSTRUCTIONS=1 LANEWISE_RECORD=/dev/full; " GRADE
                     "--lab 02-coalesce --submission .");
    cr_expect_eq(code, 1, "exit code %d: %s", code, output);
    cr_expect(strstr(output, "  0 of 100 points"), "%s", output);
    free(output);
}

/* With --json /dev/null, the device must not be replaced by a file. This once happened when root
 * graded, and it affected the whole machine. */
Test(grade, pipes_are_written_to_and_not_replaced)
{
    char *output = shell_must("mkfifo pipe; cat pipe >read & " GRADE
                              "--lab 02-coalesce --json pipe >out; wait; stat -c %%F pipe;"
                              "grep -c lanewise/result/v1 read");
    cr_expect_str_eq(output, "fifo\n1\n");
    free(output);
    output = shell_must(GRADE "--lab 02-coalesce --json /dev/stdout | grep -c lanewise/result/v1;"
                              "stat -c %%F /dev/stdout");
    cr_expect_str_eq(output, "1\nsymbolic link\n");
    free(output);
}

Test(grade, nothing_is_left_in_the_temporary_folder)
{
    free(shell_must("mkdir t; export TMPDIR=$PWD/t; " GRADE "--lab 02-coalesce; test $? = 1"));
    char *left = shell_must("ls t");
    cr_expect_str_eq(left, "");
    free(left);
}

Test(grade, ctrl_c_ends_it_and_leaves_nothing)
{
    static const struct edit hang[SUBMISSION_EDITS] = {
        {BEGIN, "for (;;) sleep(9); int *data_on_gpu;"},
        {"#include \"lab.h\"", "#include \"lab.h\"\n#include <unistd.h>"}};
    int code;
    submission_write("02-coalesce", hang, "coalesce.cu");
    char *output = shell(&code, "mkdir t; export TMPDIR=$PWD/t; timeout -s INT 2 " GRADE
                                "--lab 02-coalesce --submission .; echo $?; ls t");
    cr_expect_str_eq(output, "124\n", "%s", output);
    free(output);
}

/* The grader then runs a program that describes the lab, which Ctrl-C ends, too. */
Test(grade, ctrl_c_at_the_beginning_is_no_failure)
{
    int code;
    char *output = shell(&code, "set -m; for pause in .01 .02 .03 .04 .06 .08; do " GRADE
                                "--lab 02-coalesce >>out 2>&1 & sleep $pause; "
                                "kill -INT -- -$!; wait $!; done 2>/dev/null; cat out");
    cr_expect(!strstr(output, "cannot be started"), "%s", output);
    free(output);
}
