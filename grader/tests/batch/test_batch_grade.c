/* Tests lanewise batch from folder to gradebook: which submissions are graded, which are not graded
 * again, and which results remain after a failure. All tests use lab 02 on the emulator. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch/store.h"
#include "config.h"
#include "report/bar.h"
#include "tests/support/shell.h"

TestSuite(batch_grade, .init = shell_init, .fini = shell_fini, .timeout = 300);

#define BATCH    "$LANEWISE batch subs --labs 2 --device emulator "
#define LAB      LANEWISE_ROOT "/solutions/02-coalesce/coalesce.cu"
#define PRISTINE LANEWISE_ROOT "/labs/02-coalesce/.skeleton.cu"

/* Four students: ann solved it, bob copied ann's file, carl has not begun, dan's does not
 * compile. */
#define CLASS                                                                                      \
    "mkdir -p subs/{ann,bob/deep,carl,dan}; cp " LAB " subs/ann; cp " LAB " subs/bob/deep;"        \
    "cp " PRISTINE " subs/carl/coalesce.cu; echo 'int main(' >subs/dan/coalesce.cu;"

#define HEAD "student,name,02-coalesce,total,max,late_days,missing,too_late,review\r\n"

static void expect_file(const char *name, const char *expected)
{
    char *text = shell_file(name, NULL);
    cr_expect_str_eq(text, expected, "%s:\n%s", name, text);
    free(text);
}

static void expect_run(const char *script, int expected, const char *const *said)
{
    int code;
    char *output = shell(&code, "%s 2>&1", script);
    cr_expect_eq(code, expected, "%s: exit code %d\n%s", script, code, output);
    for (; *said; ++said)
        cr_expect(strstr(output, *said), "%s: \"%s\" is not in:\n%s", script, *said, output);
    free(output);
}

#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(batch_grade, a_class)
{
    /* files for labs that are not graded are skipped */
    free(shell_must("mkdir -p subs/dan subs/lab01/ann; cp " LAB " subs/dan/parallelize.cu;"
                    "echo x >subs/lab01/ann/x.cu"));
    free(shell_must(
        CLASS "printf 'id,name\\nbob,=Bob\\nann,\"Lee, Ann\"\\ncarl,<script>\\ndan,\\neve,\\n'"
              " >roster.csv"));
    expect_run(
        BATCH "--roster roster.csv --seed 7", 0,
        SAYS("5 students, 4 submissions to 1 lab, on the emulator, seed 7; 3 to grade", "3 of 3"));
    expect_file("grades/gradebook.csv", HEAD "ann,\"Lee, Ann\",100,100,100,0,,,\r\n"
                                             "bob,\"'=Bob\",100,100,100,0,,,\r\n"
                                             "carl,<script>,30,30,100,0,,,\r\n"
                                             "dan,,0,0,100,0,,,\r\n"
                                             "eve,,0,0,100,0,02-coalesce,,\r\n");
    free(shell_must("grep -q '100</strong> of 100' grades/ann/report.html &&"
                    "grep -q 'nothing was handed in' grades/eve/report.html &&"
                    "grep -q 'does not compile' grades/dan/report.html &&"
                    "! grep '<script>' grades/class.html grades/*/report.html;"
                    "cmp grades/ann/report.html grades/feedback/ann/report.html;"
                    "test ! -e grades/feedback/eve"));
    /* Nothing has changed, so nothing is graded, and the batch uses the previous seed again. */
    free(shell_must("cp -a grades first"));
    expect_run(BATCH "--roster roster.csv", 0, SAYS("seed 7; 0 to grade"));
    free(shell_must("diff -r --exclude grades.sqlite first grades"));
    /* only changed submissions are graded */
    free(shell_must("sed -i 's/mine/my_sum/g' subs/bob/deep/coalesce.cu; rm -r subs/carl"));
    free(shell_must("mkdir grades/mine")); /* a folder that the batch did not make */
    expect_run(
        BATCH "--out grades", 0,
        SAYS("3 submissions", "1 to grade",
             "send students the pages in feedback/\n2 old folders in grades for students who "
             "are not in this class: carl, eve\n"));
    expect_file("grades/gradebook.csv",
                HEAD "ann,,100,100,100,0,,,\r\nbob,,100,100,100,0,,,\r\ndan,,0,0,100,0,,,\r\n");
    free(shell_must("test ! -e grades/feedback/carl -a -e grades/carl/report.html"));
}

/* `lanewise verify` accepts the result that a student gets, and detects a changed score. */
Test(batch_grade, results_are_signed)
{
    free(shell_must("mkdir -p subs/ann; cp " LAB " subs/ann; $LANEWISE key key"));
    expect_run(BATCH "--key key --seed 7", 0, SAYS("1 of 1"));
    expect_run("$LANEWISE verify grades/ann/results.json --submission subs/ann --key key", 0,
               SAYS("signature   valid, made with key ", "score       identical"));
    free(shell_must("sed -i 's/\"points\": 70/\"points\": 69/' grades/ann/results.json"));
    expect_run("$LANEWISE verify grades/ann/results.json --submission subs/ann --key key", 1,
               SAYS("signature   invalid", "score       differs"));
    free(shell_must("chmod 644 key"));
    expect_run(BATCH "--key key", 2, SAYS("others can read or write the key"));
}

/* An empty hand-in counts as missing. The gradebook says why, and no review is needed. */
Test(batch_grade, nothing_is_no_points)
{
    free(shell_must("mkdir -p subs/{ann,bob,carl}; cp " LAB " subs/ann; touch subs/ann/old.cu;"
                    "ln -s /etc/passwd subs/bob/coalesce.cu; touch subs/carl/coalesce.cu"));
    expect_run(BATCH "--seed 7", 0,
               SAYS("nothing to grade, so 0 points:\n"
                    "  bob/coalesce.cu is a link, not the file itself\n"
                    "  carl/coalesce.cu is empty: hand in your coalesce.cu\n"));
    expect_file("grades/gradebook.csv", HEAD "ann,,100,100,100,0,,,\r\n"
                                             "bob,,0,0,100,0,02-coalesce,,\r\n"
                                             "carl,,0,0,100,0,02-coalesce,,\r\n");
    free(shell_must(
        "grep -q 'nothing was handed in: bob/coalesce.cu is a link' grades/bob/report.html;"
        "! grep -r root: grades"));
}

/* If the folder is wrong, an existing gradebook stays unchanged, and no new one is made. */
Test(batch_grade, a_wrong_folder_is_an_error)
{
    free(shell_must(CLASS "mkdir -p empty other/docs; echo x >other/docs/a.txt;"
                          "echo x >other/a.zip; printf 'id,name\\nann,Ann\\n' >roster.csv"));
    expect_run(BATCH "--seed 7", 0, SAYS("4 submissions"));
    free(shell_must("cp -a grades before"));
    expect_run("$LANEWISE batch empty --labs 2 --device emulator --roster roster.csv", 2,
               SAYS("empty contains no submission to any lab: is it the correct folder?"));
    expect_run("$LANEWISE batch other --labs 2 --device emulator", 2,
               SAYS("other contains no submission to any lab (a.zip is damaged"));
    free(shell_must("diff -r --exclude grades.sqlite before grades"));
    expect_run("$LANEWISE batch empty --labs 2 --device emulator --out new", 2,
               SAYS("correct folder"));
    free(shell_must("test ! -e new"));
}

/* If the compiler fails on one source, and also on an empty source, only this submission gets no
 * grade. If it fails on all sources, the batch ends. A later execution with a working compiler adds
 * the missing grade. */
Test(batch_grade, a_grader_failure_gives_no_grade)
{
    free(shell_must(
        CLASS
        "rm -r subs/dan; echo '// bad' >>subs/carl/coalesce.cu; mkdir tools;"
        "printf '#!/bin/sh\\nfor file; do case $file in *.cu) grep -q \"// bad\" $file"
        " || [ $file = empty.cu ] && echo nvcc fatal : out of luck && exit 1;; esac; done\\n"
        "exec '$NVCC' \"$@\"\\n' >tools/nvcc; chmod -R a+rX . tools/nvcc; chmod 600 .secret.key;"
        "chmod a+x tools/nvcc; chmod a+x ."));
    expect_run("export NVCC=$PWD/tools/nvcc; " BATCH, 3,
               SAYS("1 to review", "  02-coalesce: carl/coalesce.cu: nvcc fatal"));
    expect_file("grades/gradebook.csv", HEAD "ann,,100,100,100,0,,,\r\nbob,,100,100,100,0,,,\r\n"
                                             "carl,,,,100,0,,,02-coalesce\r\n");
    free(shell_must("grep -q '<strong>Not yet</strong> graded' grades/carl/report.html"));
    free(shell_must("sed -i 's|// bad|#include|' tools/nvcc; rm -r grades"));
    expect_run("export NVCC=$PWD/tools/nvcc; " BATCH, 2, SAYS("lanewise batch: nvcc fatal"));
    free(shell_must("test ! -e grades/gradebook.csv"));
    free(shell_must("sed -i 's|#include|// none|' tools/nvcc"));
    expect_run("export NVCC=$PWD/tools/nvcc; " BATCH, 0, SAYS("2 to grade"));
    free(shell_must("grep -q carl,,30 grades/gradebook.csv"));
}

/* Two batches in the same folder would overwrite each other's work. */
Test(batch_grade, one_at_a_time)
{
    free(shell_must(CLASS "mkdir grades"));
    char *path = shell_must("printf '%%s' \"$PWD/grades/.lock\"");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    cr_assert(file >= 0 && fcntl(file, F_SETLK, &lock) == 0);
    expect_run(BATCH, 2, SAYS("another lanewise batch is writing to grades"));
    close(file);
    free(path);
}

/* Returns the number of grades in grades/'s store, or 0 if there is no store. */
static size_t count_grades(void)
{
    char error[500];
    char *path = shell_must("printf '%%s' \"$PWD/grades/" BATCH_STORE_FILE "\"");
    size_t count = 0;
    struct batch_store *store =
        access(path, R_OK) == 0 ? batch_store_open(path, error, sizeof error) : NULL;
    if (store)
        count = batch_store_count(store);
    batch_store_close(store);
    free(path);
    return count;
}

/* Starts a batch in a new process, waits until it has stored COUNT grades, and kills it with
 * signal NUMBER. */
static void kill_batch_after(size_t count, int number)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        if (chdir(shell_folder()) == 0)
            execl(LANEWISE_ROOT "/" LANEWISE_BUILD "/lanewise", "lanewise", "batch", "subs",
                  "--labs", "2", "--device", "emulator", "--seed", "7", "--jobs", "1", NULL);
        _exit(127);
    }
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && count_grades() < count)
        usleep(20000);
    cr_assert_eq(ended, 0, "the batch ended by itself with status %x", status);
    kill(pid, number);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    if (number != SIGKILL)
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 130, "status %x", status);
}

/* When a batch is killed, its stored grades remain. The next batch grades the rest. Its gradebook
 * is equal to that of a batch that was never killed. */
Test(batch_grade, continues_after_it_was_killed)
{
    free(shell_must(CLASS));
    expect_run(BATCH "--seed 7 --out whole", 0, SAYS("3 to grade"));
    kill_batch_after(0, SIGKILL);
    kill_batch_after(1, SIGKILL);
    kill_batch_after(2, SIGTERM);
    cr_expect_geq(count_grades(), 2);
    /* also leave the files of a batch that was killed while it wrote reports */
    free(shell_must(
        "mkdir grades/ann; touch grades/class.json.aB3dE6 grades/ann/report.html.aB3dE6"));
    int code;
    char *output = shell(&code, BATCH " 2>&1");
    cr_expect(code == 0 && strstr(output, "1 to grade"), "%s", output);
    free(output);
    free(shell_must("cmp whole/gradebook.csv grades/gradebook.csv; (cd whole; ls *) >a;"
                    "(cd grades; ls *) | cmp - a"));
}

/* Students lose no points if the disk is full. */
Test(batch_grade, a_full_disk_costs_no_points)
{
    int code;
    char *output = shell(&code, CLASS "mkdir tiny; unshare -m sh -c '"
                                      "mount -t tmpfs -o size=3M,mode=1777 none tiny || exit 77;"
                                      "export TMPDIR=$PWD/tiny; " BATCH "' 2>&1");
    if (code == 77 || strstr(output, "unshare failed")) {
        free(output);
        cr_skip("this machine cannot mount a small disk");
    }
    cr_expect_eq(code, 2, "exit code %d: %s", code, output);
    cr_expect_eq(count_grades(), 0, "%zu grades", count_grades());
    free(shell_must("test ! -e grades/gradebook.csv"));
    free(output);
}

/* A quota of files may, like a full disk, prevent SQLite from creating a second file. */
Test(batch_grade, a_quota_that_is_used_up_is_named)
{
    int code;
    char *output =
        shell(&code, CLASS "mkdir full; unshare -m sh -c '"
                           "mount -t tmpfs -o nr_inodes=2,mode=1777 none full || exit 77;" BATCH
                           "--out full' 2>&1");
    if (code == 77 || strstr(output, "unshare failed")) {
        free(output);
        cr_skip("this machine cannot mount a small disk");
    }
    cr_expect(code == 2 && strstr(output, "the disk is too full to write full/"),
              "exit code %d: %s", code, output);
    free(output);
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"", "name the folder"},
    {"nowhere", "nowhere is not a folder of submissions"},
    {"subs more", "unexpected \"more\": batch takes one folder"},
    {"subs --labs 99", "no lab is called \"99\""},
    {"subs --labs 2,02-coalesce", "--labs names 02-coalesce twice"},
    {"subs --seed x", "the seed must be a whole number"},
    {"subs --jobs 0", "--jobs must be a whole number from 1 to 1024"},
    {"subs --attempt worst", "--attempt must be best or latest"},
    {"subs --late-penalty 101", "--late-penalty must be a number from 0 to 100"},
    {"subs --per-day 1.5", "--per-day must be a whole number"},
    {"subs --roster none.csv", "the roster none.csv does not exist"},
    {"subs --roster semi.csv", "semi.csv:1: this line must name the columns"},
    {"subs --roster ann.csv --course ann.yaml",
     "ann.yaml:2: no student on the roster has the id \"amn\""},
    {"subs --out file", "cannot make file"},
    {"subs --out", "--out needs a value"},
    {"subs --best", "unknown option --best"},
};

Test(batch_grade, usage_errors_are_one_line)
{
    free(shell_must("mkdir subs; echo x >file; echo 'nr;name' >semi.csv;"
                    "printf 'id,name\\nann,Ann\\n' >ann.csv;"
                    "printf 'students:\\n  amn: {1: excused}\\n' >ann.yaml"));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        int code;
        char *output = shell(&code, "$LANEWISE batch %s 2>&1", refusals[i].arguments);
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && strchr(output, '\n') &&
                      !strchr(output, '\n')[1],
                  "%s: %s", refusals[i].arguments, output);
        free(output);
    }
    free(shell_must("test ! -e grades"));
}

/* --- progress --------------------------------------------------------------------------------- */

static const struct {
    size_t done, total, failed;
    double seconds;
    const char *text;
} bars[] = {
    {0, 300, 0, 0, "0 of 300"},
    {0, 300, 0, 5, "0 of 300"},
    {120, 300, 3, 112.5, "120 of 300, 64 per minute, 2 min 49 s left, 3 to review"},
    {1, 10000, 0, 1, "1 of 10000, 60 per minute, 2 h 46 min left"},
    {299, 300, 0, 299, "299 of 300, 60 per minute, 1 s left"},
    {300, 300, 0, 300, "300 of 300, 60 per minute"},
};

Test(batch_grade, progress_in_words)
{
    char text[200];
    for (size_t i = 0; i < sizeof bars / sizeof *bars; ++i) {
        report_bar_text(text, sizeof text, bars[i].done, bars[i].total, bars[i].failed,
                        bars[i].seconds);
        cr_expect_str_eq(text, bars[i].text, "%s", text);
    }
}

/* After Ctrl-C, the gradebook contains the finished grades and lists the missing ones. The other
 * students' programs never end, so grading them would take minutes. */
Test(batch_grade, an_interrupted_class_has_a_gradebook)
{
    free(shell_must("mkdir -p subs/{ann,bob,carl,dan}; echo 'int main(' >subs/ann/coalesce.cu\n"
                    "for name in bob carl dan; do\n"
                    "  echo \"int main() { for (volatile int $name = 0;;) ++$name; }\""
                    " >subs/$name/coalesce.cu\n"
                    "done"));
    int code;
    char *output = shell(&code, "%s",
                         BATCH "--jobs 1 >log 2>&1 & batch=$!\n"
                               "until grep -q '1 of 4' log; do sleep 0.1; done\n"
                               "kill -INT $batch; wait $batch; code=$?; cat log; exit $code");
    cr_expect_eq(code, 130, "exit code %d\n%s", code, output);
    cr_expect(
        strstr(output, "grades has gradebook.csv and all reports so far; 3 submissions are not"),
        "%s", output);
    expect_file("grades/gradebook.csv",
                "student,name,02-coalesce,total,max,late_days,missing,too_late,review,pending\r\n"
                "ann,,0,0,100,0,,,,\r\n"
                "bob,,,,100,0,,,,02-coalesce\r\n"
                "carl,,,,100,0,,,,02-coalesce\r\n"
                "dan,,,,100,0,,,,02-coalesce\r\n");
    free(shell_must("grep -q 'Incomplete: 3 submissions' grades/class.html && test -s "
                    "grades/bob/report.html"));
    free(output);
}
