/* Tests a kit in another folder, and a kit that its users may not write into. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kit.h"
#include "config.h"
#include "tests/support/shell.h"

TestSuite(kit, .init = shell_init, .fini = shell_fini, .timeout = 180);

Test(kit, its_folder_comes_from_the_programs_path)
{
    static const struct {
        const char *program;
        bool in_kit;
    } rows[] = {{"build/lanewise", true},
                {"build/asan/lanewise", true},
                {"build/checks/01-parallelize", true},
                {"labs/build/x", false},
                {"lanewise", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[PATH_SIZE], program[PATH_SIZE];
        snprintf(path, sizeof path, LANEWISE_ROOT "/%s", rows[i].program);
        memcpy(program, path, sizeof program);
        cr_expect_eq(kit_of_program(path), rows[i].in_kit, "%s", rows[i].program);
        cr_expect_str_eq(path, rows[i].in_kit ? LANEWISE_ROOT : program);
    }
}

Test(kit, may_be_in_another_kits_build_folder)
{
    char path[PATH_SIZE], inner[PATH_SIZE];
    char *outer = shell_must("mkdir -p shared build/inner/shared && "
                             "touch shared/lab.h build/inner/shared/lab.h && printf %%s \"$PWD\"");
    snprintf(inner, sizeof inner, "%s/build/inner", outer);
    snprintf(path, sizeof path, "%s/build/inner/build/lanewise", outer);
    cr_expect(kit_of_program(path));
    cr_expect_str_eq(path, inner);
    free(outer);
}

/* Copies the files that a package contains. The copy uses the compiler of this tree. */
#define COPY                                                                                       \
    "mkdir -p kit/build && cp -r " LANEWISE_ROOT "/labs " LANEWISE_ROOT "/shared kit && "          \
    "cd " LANEWISE_ROOT                                                                            \
    "/build && cp -r checks sources lib lanewise $OLDPWD/kit/build && cd - && "
#define GRADE                                                                                      \
    "kit/build/lanewise grade --lab 01 --submission " LANEWISE_ROOT                                \
    "/solutions/01-parallelize --device emulator --seed 1 2>&1 | grep points$; "

/* With sanitizers, the loader would need the libraries of the tree. */
#ifndef LANEWISE_PRELOAD
Test(kit, works_where_it_was_moved_to)
{
    char *text = shell_must(COPY "unset LANEWISE_LABS; " GRADE "ls kit/build");
    cr_expect(strstr(text, "  100 of 100 points\n"), "%s", text);
    cr_expect(strstr(text, "results.json") && strstr(text, "cache"), "%s", text);
    free(text);
}

Test(kit, keeps_files_in_the_users_cache_if_it_is_read_only)
{
    char *text = shell_must(
        COPY "mkdir home && export HOME=$PWD/home && unset XDG_CACHE_HOME LANEWISE_LABS && "
             "cat >script <<'END'\n"
             "mount --bind kit kit && mount -o remount,ro,bind kit && " GRADE "\nEND\n"
             "unshare --user --map-root-user --mount sh script; ls home/.cache/lanewise");
    cr_expect(strstr(text, "  100 of 100 points\n"), "%s", text);
    cr_expect(strstr(text, "cache\nresults.json\n"), "%s", text);
    free(text);
}

/* A package contains libraries. The programs of its users must find them wherever the kit is. */
Test(kit, shows_its_libraries_to_programs_also_in_usr)
{
    char *text = shell_must(
        COPY
        "unset LANEWISE_LABS && mkdir -p kit/build/tools/bin kit/build/tools/lib && "
        "ln -s /usr/bin/g++ kit/build/tools/bin/g++ && touch kit/build/tools/lib/mine && "
        "(echo '#include <unistd.h>'; sed 's,struct lab lab = lab_open.*,"
        "if (access(\"/usr/local/src/build/tools/lib/mine\"\\, R_OK) != 0) return 7; &,' " LANEWISE_ROOT
        "/solutions/01-parallelize/parallelize.cu) >a.cu && cat >script <<'END'\n"
        "mount --bind kit /usr/local/src && /usr/local/src/build/lanewise grade --lab 01 "
        "--submission a.cu --device emulator --seed 1 2>&1\nEND\n"
        "unshare --user --map-root-user --mount sh script");
    cr_expect(strstr(text, "  100 of 100 points\n"), "%s", text);
    free(text);
}
#endif

/* Compilers must not see Thrust, even if the toolkit's folder has a name that looks like a
 * pattern. */
Test(kit, hides_thrust_in_a_toolkit_with_any_name)
{
    int code;
    char *text = shell(
        &code,
        "unset LANEWISE_LABS NVCC && (echo '#include <thrust/sort.h>'; cat " LANEWISE_ROOT
        "/solutions/01-parallelize/parallelize.cu) >a.cu && mkdir 'cu[d]a' && cat >script <<'END'\n"
        "mount --make-rprivate / && mount --bind " LANEWISE_CUDA_HOME " 'cu[d]a' && "
        "mount -t tmpfs none " LANEWISE_CUDA_HOME "/.. && export CUDA_HOME=\"$PWD/cu[d]a\" && "
        "$LANEWISE grade --lab 01 --submission a.cu --device emulator --seed 1 2>&1\nEND\n"
        "unshare --user --map-root-user --mount sh script");
    cr_expect(strstr(text, "thrust/sort.h: No such file"), "%d: %s", code, text);
    free(text);
}
