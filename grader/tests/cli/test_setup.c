/* Tests the set-up on simulated machines. PATH is one folder of commands. grader/setup.sh is a
 * copy, which works on the folder that contains it. Nothing is installed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

/* Starts the copy of setup.sh. With these variables unset, it finds nvcc only where a test puts
 * one. */
#define SETUP "env -u CUDA_HOME -u NVCC PATH=$PATH /bin/bash grader/setup.sh "

static void make_tree(void)
{
    shell_init();
    free(shell_must("mkdir grader bin && cp " LANEWISE_ROOT "/grader/setup.sh grader"));
}

static void expect_lines(const char *output, const char *const *wanted)
{
    for (; *wanted; wanted++)
        cr_expect(strstr(output, *wanted), "\"%s\" is not in:\n%s", *wanted, output);
}

TestSuite(setup, .init = make_tree, .fini = shell_fini, .timeout = 600);

/* The set-up names each missing package with its reason, prints the exact command, and writes
 * nothing. */
Test(setup, without_root_and_sudo_prints_the_command)
{
    int code;
    char *output = shell(&code, "for c in env cat cp date dirname grep mktemp rm tail; do"
                                " ln -s \"$(type -P $c)\" bin/$c; done;"
                                "printf '#!/bin/sh\\necho 1000\\n' >bin/id;"
                                "printf '#!/bin/sh\\n' >bin/apt-get; chmod +x bin/*;"
                                "PATH=$PWD/bin; export LANEWISE_HIDE_CUDA=1; " SETUP "grade");
    cr_expect_eq(code, 2, "exit code %d", code);
    static const char *const wanted[] = {
        "apt-get install -y --no-install-recommends gcc libc6-dev g++ make libcriterion-dev "
        "libjansson-dev nettle-dev libseccomp-dev libsqlite3-dev libarchive-dev libcsv-dev "
        "libunistring-dev bubblewrap libyaml-dev libpng-dev liblz4-dev libzstd-dev zlib1g-dev libmpfr-dev libelf-dev libdw-dev "
        "python3-pip\n",
        "libjansson-dev       reading and writing JSON\n",
        "as root",
        NULL,
    };
    expect_lines(output, wanted);
    cr_expect_null(strstr(output, "Installing them:"), "%s", output);
    free(output);
    free(shell_must("test ! -e build"));
}

/* Packages of other systems have other names. So the set-up names the missing commands and
 * libraries instead of guessing packages. */
Test(setup, without_apt_names_the_missing_libraries)
{
    int code;
    char *output = shell(&code, "for c in env cat cp date dirname grep gcc as ld mktemp rm tail; do"
                                " ln -s \"$(type -P $c)\" bin/$c; done;"
                                "PATH=$PWD/bin; export LANEWISE_HIDE_CUDA=1; " SETUP "grade");
    cr_expect_eq(code, 2, "exit code %d", code);
    static const char *const wanted[] = {
        "This machine has no apt-get, and its packages may have other names. It lacks:\n",
        "  the command g++\n",
        "  the command bwrap\n",
        NULL,
    };
    expect_lines(output, wanted);
    cr_expect_null(strstr(output, "Installing them:"), "%s", output);
    free(output);
    output = shell(&code, "rm bin/gcc; PATH=$PWD/bin; export LANEWISE_HIDE_CUDA=1; " SETUP "grade");
    expect_lines(output,
                 (const char *const[]){"  the library -ljansson with its header jansson.h\n",
                                       "  the library of C with its header stdio.h\n", NULL});
    free(output);
    free(shell_must("test ! -e build"));
}

/* `make -j` starts two set-ups at the same time. This fake apt-get, like the real one, fails if it
 * is started while another one runs. */
Test(setup, two_at_once_take_turns)
{
    char *output =
        shell_must("for c in env bash cat cp date dirname flock grep mkdir mktemp rm rmdir sleep "
                   "tail touch; do"
                   " ln -s \"$(type -P $c)\" bin/$c; done;"
                   "cat >bin/apt-get <<'END'\n"
                   "#!/bin/bash\n"
                   "[ $1 != --version ] || exit 0\n"
                   "mkdir \"$TREE/busy\" || exit 100\n"
                   "sleep 0.5\n"
                   "for package; do case $package in zip | clang-format) cp \"$TREE/tool\" "
                   "\"$TREE/bin/$package\" ;; esac; done\n"
                   "rmdir \"$TREE/busy\"\n"
                   "END\n"
                   "printf '#!/bin/bash\\n' >tool; printf '#!/bin/bash\\necho 0\\n' >bin/id;"
                   "chmod +x tool bin/apt-get bin/id; export TREE=$PWD; PATH=$PWD/bin;" SETUP
                   "check & one=$!; " SETUP "autograder && wait $one");
    cr_expect_null(strstr(output, "failed"), "%s", output);
    free(output);
    free(shell_must("test -e build/setup/check -a -e build/setup/autograder"));
}

/* The set-up skips an nvcc of another release with a message, and records the nvcc that it has
 * chosen. */
Test(setup, skips_an_old_nvcc)
{
    char *output = shell_must("printf '#!/bin/sh\\necho release 12.4, V12.4.1\\n' >bin/nvcc;"
                              "chmod +x bin/nvcc; PATH=$PWD/bin:/usr/bin:/bin;"
                              "env -u NVCC CUDA_HOME=" LANEWISE_CUDA_HOME
                              " grader/setup.sh grade && cat build/config.mk build/config.h");
    static const char *const wanted[] = {
        "bin/nvcc: it is not release 13\n",
        "CONFIG_NVCC := " LANEWISE_CUDA_HOME "/bin/nvcc\n",
        "#define LANEWISE_NVCC \"" LANEWISE_CUDA_HOME "/bin/nvcc\"\n",
        NULL,
    };
    expect_lines(output, wanted);
    free(output);
    free(shell_must("test -e build/setup/grade"));
}

Test(setup, refuses_an_unknown_purpose)
{
    int code;
    char *output = shell(&code, SETUP "baking");
    cr_expect_eq(code, 2, "exit code %d", code);
    expect_lines(output, (const char *const[]){
                             "unknown purpose \"baking\"; the purposes are: grade test", NULL});
    free(output);
}

/* If everything is installed, make's set-up does nothing and prints nothing. */
Test(setup, second_run_does_nothing)
{
    char *output = shell_must("make -C " LANEWISE_ROOT " --no-print-directory setup");
    cr_expect_str_empty(output, "%s", output);
    free(output);
}
