/* Tests hostile submissions. Each must end as attacks/attacks.def says, and leave the machine
 * unchanged. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "grade/job.h"
#include "sandbox/sandbox.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

#define RUNNER  LANEWISE_ROOT "/" LANEWISE_BUILD "/tests/attacks-lab"
#define PROGRAM LANEWISE_ROOT "/build/tests/programs/attacks"
#define FOLDERS LANEWISE_ROOT "/grader/tests/attacks"

static const struct run_row {
    const char *check, *status, *says;
} run_rows[] = {
#define RUN(number, name, status, says) {#name, status, says},
#define FILE(...)
#include "tests/attacks/attacks.def"
};

static const struct file_row {
    int number;
    const char *name, *lab;
    int code;
    const char *says;
} file_rows[] = {
#define RUN(...)
#define FILE(number, name, lab, code, says) {number, #name, lab, code, says},
#include "tests/attacks/attacks.def"
};

TestSuite(attacks, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* --- the machine -------------------------------------------------------------------------------------- */

/* Lists what an attack could leave on the machine: mounts, shared memory of System V and POSIX,
 * files in folders that everyone may write to, and processes (whose command lines contain this
 * folder). */
static char *look_at_machine(void)
{
    return shell_must("cat /proc/self/mounts | sort; ipcs -a | sort; ls -A /dev/shm | grep note; "
                      "ls -d /note /tmp/note /var/tmp/note /run/note /tmp/cache /dev/shm/cache; "
                      "ps -e -o args= | grep -F \"$PWD/\" | grep -v grep; true");
}

/* --- attacks with their own lab -------------------------------------------------------------------- */

/* Runs the checks on the attack at LEVEL. If ONCE_MORE is true, uses the shorter limits for a
 * submission that has hung before. */
static void perform(enum sandbox_level level, bool once_more, struct grade_job *job)
{
    int code;
    char path[PATH_SIZE];
    /* Every user may enter the folder, because sandboxes run as other users. */
    free(shell_must("chmod 711 . && mkdir -p %s && cd %s && mkdir -m 711 checks && chmod 711 . && "
                    "cp $LIB/remote/libcudart.so.13 $LIB/lanewise-device . && cp " PROGRAM
                    " program-under-attack",
                    sandbox_level_name(level), sandbox_level_name(level)));
    if (once_more)
        free(shell_must("touch %s/checks/hung", sandbox_level_name(level)));
    *job = (struct grade_job){.device = ON_EMULATOR,
                              .level = level,
                              .seed = GRADE_SEED_OPEN(1),
                              .file_name = "attacks.cu"};
    cr_assert(base_path(job->folder, "%s/%s/checks", shell_folder(), sandbox_level_name(level)) &&
              base_path(job->programs[ON_EMULATOR], "%s/%s/program-under-attack", shell_folder(),
                        sandbox_level_name(level)) &&
              base_path(path, "%s/job.json", shell_folder()) && grade_job_write(job, path));
    char *output =
        shell(&code, "CRITERION_ALWAYS_SUCCEED=1 LANEWISE_JOB=$PWD/job.json " RUNNER " 2>&1");
    cr_assert_eq(code, 0, "%s", output);
    free(output);
}

static bool is_printable(const char *text)
{
    for (; *text; ++text)
        if ((unsigned char)*text < ' ' && *text != '\n')
            return false;
    return true;
}

static void compare(const struct grade_job *job, const struct run_row *row)
{
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/%s.json", job->folder, row->check));
    json_t *verdict = json_load_file(path, 0, NULL);
    const char *level = sandbox_level_name(job->level);
    const char *status = json_string_value(json_object_get(verdict, "status"));
    const char *message = json_string_value(json_object_get(verdict, "message"));
    const char *broken = json_string_value(json_object_get(verdict, "broken"));
    const char *hint = json_string_value(json_object_get(verdict, "hint"));
    bool full = json_number_value(json_object_get(verdict, "points")) > 0;
    cr_assert(status && message && broken, "%s: no verdict on %s", level, row->check);
    cr_expect_str_eq(broken, "", "%s: %s broke the grader: %s", level, row->check, broken);
    cr_expect(strstr(row->status, status), "%s: %s: %s, %s", level, row->check, status, message);
    cr_expect(strstr(message, row->says), "%s: %s: %s", level, row->check, message);
    cr_expect(is_printable(message), "%s: %s", level, row->check);
    cr_expect(!hint || !strstr(hint, "Memory from cudaMalloc()") || strstr(message, "signal 11"),
              "%s: %s: %s, and a hint about pointers", level, row->check, message);
    cr_expect_eq(full, strcmp(row->status, "passed") == 0, "%s: %s has points", level, row->check);
    json_decref(verdict);
}

Test(attacks, end_as_they_must_and_leave_nothing)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip("sanitizers need memory and files that the sandbox would refuse");
#endif
    char why[400];
    enum sandbox_level best = sandbox_best_level(why, sizeof why);
    char *before = look_at_machine();
    for (enum sandbox_level level = best; level >= SANDBOX_CONFINED;
         level = level > SANDBOX_CONFINED ? SANDBOX_CONFINED : SANDBOX_NONE) {
        struct grade_job job;
        perform(level, level < best, &job);
        for (size_t i = 0; i < sizeof run_rows / sizeof *run_rows; ++i)
            compare(&job, &run_rows[i]);
    }
    char *after = look_at_machine();
    cr_expect_str_eq(after, before);
    free(after);
    free(before);
}

/* --- attacks as submissions ------------------------------------------------------------------------- */

/* Copies the submission, replaces @ROOT@ by the kit's path, and makes links that a repository
 * cannot contain. */
static char *place(const struct file_row *row)
{
    return shell_must("name=$(printf '%02d-%%s' '%s' | tr _ -); cp -r " FOLDERS
                      "/$name . && cd $name && "
                      "sed -i 's|@ROOT@|" LANEWISE_ROOT "|' * && "
                      "if [ -e MAKE ]; then sh ./MAKE >&2; fi && printf '%%s' \"$PWD\"",
                      row->number, row->name);
}

static void grade(const struct file_row *row)
{
    int code;
    char *folder = place(row);
    char *path = row->number == 68 ? shell_must("printf 'gr\\303\\274n\\033[2J\\342\\200\\256'")
                                   : strdup(folder);
    if (row->number == 68)
        free(shell_must("mv '%s' '%s'", folder, path));
    char *output =
        shell(&code,
              "$LANEWISE grade --quick --device emulator --lab %s --submission '%s' --seed 1 "
              "--json result.json 2>&1",
              row->lab, path);
    cr_expect_eq(code, row->code, "%d %s: code %d: %s", row->number, row->name, code, output);
    cr_expect(strstr(output, row->says), "%d %s: %s", row->number, row->name, output);
    cr_expect(is_printable(output), "%d %s: %s", row->number, row->name, output);
    cr_expect_null(strstr(output, "root:"), "%d %s shows a secret", row->number, row->name);
    free(output);
    free(path);
    free(folder);
}

/* Returns whether attacks on LAB are graded. With sanitizers, only those on the first two labs are,
 * because they attack the grader. Attacks on later labs are kernels that look like good ones; they
 * run the same code of the kit as the labs' solutions. */
static bool is_tried(const char *lab)
{
#ifdef LANEWISE_PRELOAD
    return strcmp(lab, "02") <= 0;
#else
    return true;
#endif
}

ParameterizedTestParameters(attacks, as_submissions_earn_nothing)
{
    static int indices[sizeof file_rows / sizeof *file_rows];
    for (int i = 0; i < (int)(sizeof file_rows / sizeof *file_rows); i++)
        indices[i] = i;
    return cr_make_param_array(int, indices, sizeof file_rows / sizeof *file_rows);
}

ParameterizedTest(int *index, attacks, as_submissions_earn_nothing)
{
    if (is_tried(file_rows[*index].lab))
        grade(&file_rows[*index]);
}
