/* Tests grading on a school's machines, on which students cannot write into the shared kit, and
 * their homes, temporary folders and locales cause trouble. Each row is a machine, which is
 * simulated by mounts. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

TestSuite(school, .init = shell_init, .fini = shell_fini, .timeout = 300);

/* With sanitizers, programs load libraries from the tree, which is not visible on these
 * machines. */
#ifndef LANEWISE_PRELOAD

/* Runs the script on standard input on a simulated machine. The kit is mounted read-only. The
 * test's folder is mounted at /mnt, so that scripts may hide /tmp. */
#define MACHINE                                                                                                          \
    "mkdir -p home; unset XDG_CACHE_HOME LANEWISE_LABS TMPDIR; export HOME=/mnt/home LANEWISE_SECRET=/mnt/.secret.key; " \
    "machine() { (echo 'mount --make-rprivate / && mount --bind " LANEWISE_ROOT " " LANEWISE_ROOT                        \
    " && mount -o remount,ro,bind " LANEWISE_ROOT                                                                        \
    " && mount --bind . /mnt && cd /mnt || exit 9'; cat) >script; "                                                      \
    "unshare --user --map-root-user --mount bash script; }; machine"

/* Grades lab 01's solution. Prints the points or the error, and whether the cache kept the built
 * program. A new comment in the source makes sure that the tree's cache has no program for it. */
#define GRADE                                                                                      \
    "(cat " LANEWISE_ROOT                                                                          \
    "/solutions/01-parallelize/parallelize.cu; echo // $RANDOM$RANDOM$RANDOM) >a.cu; "             \
    "grade() { $LANEWISE grade --lab 01 --submission /mnt/a.cu "                                   \
    "--device emulator --seed 1 2>&1 | grep -oE '[0-9]+ of 100 points$|unchanged since|"           \
    "the disk is .*'; }\n"

struct machine {
    char name[40];
    char setup[500];   /* a script that causes trouble */
    char output[300];  /* the output of two gradings */
    char evidence[80]; /* a script that must succeed afterwards, or "" */
};

#define KEPT   "100 of 100 points\nunchanged since\n100 of 100 points\n"
#define FORGOT "100 of 100 points\n100 of 100 points\n"

ParameterizedTestParameters(school, grades)
{
    static struct machine rows[] = {
        {"kit read-only", "", KEPT, "test -e home/.cache/lanewise/results.json"},
        {"home read-only", "mount --bind home home; mount -o remount,ro,bind home", FORGOT, ""},
        {"home full", "mount -t tmpfs -o size=8k none home; cat /dev/zero >home/full 2>&1", FORGOT,
         ""},
        {"no home", "export HOME=/nowhere", FORGOT, ""},
        {"/tmp noexec", "mount -t tmpfs -o noexec none /tmp", KEPT, ""},
        {"/tmp and /var/tmp noexec",
         "mount -t tmpfs -o noexec none /tmp; mount -t tmpfs -o noexec none /var/tmp", KEPT, ""},
        {"/tmp full", "mount -t tmpfs -o size=64k none /tmp",
         "the disk is nearly full: gradings need 64 MB in /tmp\n"
         "the disk is nearly full: gradings need 64 MB in /tmp\n",
         ""},
        {"/tmp with room for the program only", "mount -t tmpfs -o size=12m none /tmp",
         "the disk is nearly full: gradings need 64 MB in /tmp\n"
         "the disk is nearly full: gradings need 64 MB in /tmp\n",
         ""},
        {"no commands but sh",
         "for command in env true cp rm mkdir; do mount --bind /dev/null /bin/$command; done", KEPT,
         ""},
        {"umask 077", "umask 077", KEPT, ""},
        {"locale C", "export LC_ALL=C", KEPT, ""},
        {"locale ISO-8859-1",
         "mkdir -p locales; localedef -i en_US -f ISO-8859-1 locales/en_US.ISO-8859-1; "
         "export LOCPATH=$PWD/locales; export LC_ALL=en_US.ISO-8859-1 2>/dev/null; "
         "test \"$(locale charmap)\" = ISO-8859-1 || exit 8",
         KEPT, ""},
    };
    return cr_make_param_array(struct machine, rows, sizeof rows / sizeof *rows);
}

ParameterizedTest(struct machine *row, school, grades)
{
    int code;
    shell_patience(200);
    char *text = shell(&code,
                       MACHINE " <<'END'\n%s\n" GRADE "grade; grade\nEND\n"
                               "code=$?; %s || echo no evidence; exit $code",
                       row->setup, row->evidence[0] ? row->evidence : "true");
    cr_expect_str_eq(text, row->output, "%s: %d: %s", row->name, code, text);
    free(text);
}

Test(school, a_full_disk_keeps_the_students_file)
{
    char *text =
        shell_must(MACHINE " <<'END'\n"
                           "mount -t tmpfs -o size=64k none home\n"
                           "export LANEWISE_LABS=/mnt/home; lab=home/01-parallelize; mkdir $lab\n"
                           "cp " LANEWISE_ROOT "/labs/01-parallelize/.skeleton.cu $lab\n"
                           "echo '// mine' >$lab/parallelize.cu; cat /dev/zero >home/full 2>&1\n"
                           "$LANEWISE reset --lab 01 2>&1; cat $lab/*; ls $lab\nEND\n");
    cr_expect_str_eq(text,
                     "lanewise reset: cannot replace /mnt/home/01-parallelize/parallelize.cu: "
                     "No space left on device\n// mine\nparallelize.cu\n",
                     "%s", text);
    free(text);
}

/* Few test machines have quotas. So a preloaded library behaves like a file system with a quota. */
Test(school, a_quota_that_is_used_up_costs_no_points)
{
    int code;
    char *text = shell(
        &code,
        "printf '#include <errno.h>\\nint fallocate(int file, int mode, long from, long bytes)"
        " { errno = EDQUOT; return -1; }\\n' >quota.c;"
        "cp " LANEWISE_ROOT
        "/labs/01-parallelize/.skeleton.cu a.cu; gcc -shared -fPIC -o quota.so quota.c && LD_PRELOAD=$PWD/quota.so "
        "$LANEWISE grade --lab 01 --submission a.cu --device emulator 2>&1 | grep quota; exit ${PIPESTATUS[0]}");
    cr_expect_eq(code, 2);
    cr_expect(strstr(text, "your quota of disk space is nearly used up: gradings need 64 MB in /"),
              "%s", text);
    free(text);
}

/* NFS cannot lock folders. A preloaded library behaves like NFS. */
Test(school, folders_that_cannot_be_locked_are_swept_after_a_day)
{
    char *text = shell_must(
        "printf '#include <errno.h>\\nint flock(int file, int operation)"
        " { errno = ENOLCK; return -1; }\\n' >lock.c;"
        "gcc -shared -fPIC -o lock.so lock.c; mkdir -p t/lanewise-work-new;"
        "mkdir t/lanewise-work-old; touch -d '2 days ago' t/lanewise-work-old;"
        "LD_PRELOAD=$PWD/lock.so TMPDIR=$PWD/t $LANEWISE grade --lab 01 --submission " LANEWISE_ROOT
        "/labs/01-parallelize/.skeleton.cu --device emulator >log || true; ls t");
    cr_expect_str_eq(text, "lanewise-work-new\n", "%s", text);
    free(text);
}

Test(school, six_students_at_once)
{
    char *text = shell_must(
        MACHINE " <<'END'\n" GRADE "for student in 1 2 3 4 5 6; do\n"
                "  (export HOME=$HOME/$student; mkdir $HOME; grade >$HOME/points) &\n"
                "done; wait; cat home/*/points | uniq -c; ls -d home/*/.cache/lanewise | wc -l\n"
                "END\n");
    cr_expect_str_eq(text, "      6 100 of 100 points\n6\n", "%s", text);
    free(text);
}
#endif
