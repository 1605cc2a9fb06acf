/* Tests the functions that a lab's checks may use, on the fixture lab (fixture/lab/). Each check of
 * that lab must give the expected verdict. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "grade/job.h"
#include "tests/support/shell.h"

TestSuite(checks, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define RUNNER LANEWISE_ROOT "/" LANEWISE_BUILD "/tests/fixture-lab"

static struct grade_job job;

/* Builds the fixture program, as the submission and as the solution, and runs the lab's checks. */
static void perform(void)
{
    int code;
    char *folder = shell_must("mkdir checks; printf '%%s' \"$PWD\""), path[PATH_SIZE];
    free(shell_must("cp $LIB/remote/libcudart.so.13 $LIB/lanewise-device . && $NVCC -cudart shared "
                    "-lineinfo -O3 -I" LANEWISE_ROOT "/shared -L\"$LIB\" -o program " LANEWISE_ROOT
                    "/grader/tests/checks/fixture/lab/fixture.cu 2>&1"));
    job = (struct grade_job){
        .device = ON_EMULATOR, .seed = GRADE_SEED_OPEN(1), .file_name = "fixture.cu"};
    cr_assert(base_path(job.folder, "%s/checks", folder) &&
              base_path(job.programs[ON_EMULATOR], "%s/program", folder) &&
              base_path(job.solution, "%s/program", folder) &&
              base_path(path, "%s/job.json", folder) && grade_job_write(&job, path));
    /* another user's socket already has the runner's name, and cannot be removed */
    char *output = shell(&code, "sh -c 'mkdir /tmp/criterion_$$.sock; echo $$ >taken; "
                                "LANEWISE_JOB=$PWD/job.json exec " RUNNER "' 2>&1");
    free(shell_must("rmdir /tmp/criterion_$(cat taken).sock"));
    cr_assert_eq(code, 0, "%s", output);
    free(output);
    free(folder);
}

static json_t *load_verdict(const char *check)
{
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/%s.json", job.folder, check));
    json_t *verdict = json_load_file(path, 0, NULL);
    cr_assert(verdict, "check %s produced no verdict", check);
    return verdict;
}

/* The expected verdict of each check: its status, or the reason why there is no grade,
 * and a part of its message. */
static const struct {
    const char *check, *status, *message, *broken;
} rows[] = {
    {"called_right", "passed", "", ""},
    {"called_never", "failed", "your program never calls cudaMemset2D()", ""},
    {"called_too_often", "failed",
     "your program calls cudaMemcpy() 8 times, but needs at most 2 calls", ""},
    {"called_too_seldom", "failed",
     "your program calls cudaMemcpy() 8 times, but needs at least 1,000 calls", ""},
    {"made_all", "passed", "", ""},
    {"made_twice", "passed", "", ""},
    {"made_half", "failed", "half is right, but kernels did not compute all of it", ""},
    {"made_by_host", "failed", "host is right, but kernels did not compute all of it", ""},
    {"made_by_clearing", "passed", "", ""},
    {"ran", "passed", "", ""},
    {"ran_not", "failed", "the kernel cou() was not launched", ""},
    {"ran_end", "failed", "the kernel ount() was not launched", ""},
    {"straight", "passed", "", ""},
    {"in_pieces", "passed", "", ""},
    {"with_gaps", "passed", "", ""},
    {"registered", "passed", "", ""},
    {"managed", "passed", "", ""},
    {"as_doubles", "passed", "", ""},
    {"counted_doubles", "failed", "main() changed the numbers before it copied them to the GPU",
     ""},
    {"compared", "passed", "", ""},
    {"there_and_back", "passed", "", ""},
    {"ended_by_main", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"answer_managed", "passed", "", ""},
    {"answer_mapped", "passed", "", ""},
    {"answer_reused", "passed", "", ""},
    {"managed_and_back", "passed", "", ""},
    {"doubles_managed", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"changed", "failed", " is right", ""},
    {"corrected", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"written_first", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"written_beside", "failed", "whatever data is on the GPU", ""},
    {"counted_managed", "passed", "", ""},
    {"watched_mapped", "passed", "", ""},
    {"open_managed", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"few_straight", "passed", "", ""},
    {"few_managed", "passed", "", ""},
    {"few_mapped", "passed", "", ""},
    {"few_forgotten", "failed", "sum is 5, but ", ""},
    {"few_changed", "failed", " is right", ""},
    {"few_corrected", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"few_written_first", "failed", "sum is right, but kernels did not compute all of it", ""},
    {"called_for_rows", "passed", "", ""},
    {"moved_by_kernels", "passed", "", ""},
    {"moved_by_copies", "passed", "", ""},
    {"rows_kept", "passed", "", ""},
    {"rows_typed_in", "failed", "accesses between rows", ""},
    {"rows_not_used", "failed", "accesses outside of rows", ""},
    {"rows_not_counted", "passed", "", ""},
    {"forgotten", "failed", "sum is always 5, whatever data is on the GPU", ""},
    {"open_forgotten", "failed", "sum is always 5, whatever data is on the GPU", ""},
    {"open_straight", "passed", "", ""},
    {"of_signs", "passed", "", ""},
    {"watched_sound", "passed", "", ""},
    {"watched_race", "failed", "no __syncthreads() in between", ""},
    {"watched_unwritten", "failed", "but nothing has written it", ""},
    {"unwatched", "passed", "", ""},
    {"speed_full", "passed", " times", ""},
    {"speed_none", "failed", "; you get points above 1, full points for at least ", ""},
    {"speed_of_nothing", "", "", "the time cannot be graded: the solution is only "},
    {"works_in_each_pass", "passed", "", ""},
    {"works_only_once", "failed",
     "in 3 passes of the loop over lab_again(), the kernels read 64 bytes; they should read 32 in each",
     ""},
    {"speed_untimed", "", "", "not all of the three programs were timed"},
    {"hangs_early", "timeout", "your program was not run here: in two other checks", ""},
    {"opens_its_case", "passed", "", ""},
    {"figure_of_one", "passed", "it takes 1 pass of a warp", ""},
    {"figure_of_one_time", "passed", "it takes 1 time", ""},
    {"figure_of_a_ratio", "passed", "it takes 1 times as long", ""},
    {"figure_of_two", "passed", "it takes 2 passes", ""},
    {"counts", "failed", "1 row of 1,000 numbers", ""},
    {"took_long", "passed", "", ""},
    {"worked_too_long", "timeout", "after 1 run, your program has worked for 400", ""},
    {"waited_too_long", "timeout", "after 1 run, your program has waited for 300", ""},
};

Test(checks, verdicts_are_right)
{
    perform();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *verdict = load_verdict(rows[i].check);
        const char *status = json_string_value(json_object_get(verdict, "status"));
        const char *message = json_string_value(json_object_get(verdict, "message"));
        const char *broken = json_string_value(json_object_get(verdict, "broken"));
        cr_expect_str_eq(status, rows[i].status, "%s: %s, %s", rows[i].check, status, message);
        cr_expect(strstr(message, rows[i].message), "%s: %s", rows[i].check, message);
        cr_expect(strncmp(broken, rows[i].broken, strlen(rows[i].broken)) == 0 &&
                      !broken[0] == !rows[i].broken[0],
                  "%s: %s", rows[i].check, broken);
        json_decref(verdict);
    }
    json_t *verdict = load_verdict("doubles_managed");
    const char *hint = json_string_value(json_object_get(verdict, "hint"));
    cr_expect(strstr(hint, "managed or mapped memory"), "%s", hint);
    json_decref(verdict);
    verdict = load_verdict("speed_full");
    const char *note = json_string_value(json_object_get(verdict, "note"));
    cr_expect((strstr(note, "medians of 3 times: your program ") ||
               strstr(note, "medians of 5 times: your program ")) &&
                  strstr(note, "; this GPU copies "),
              "%s", note);
    json_decref(verdict);
}
