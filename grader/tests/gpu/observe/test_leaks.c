/* Tests that the runtime library leaks no memory, which only a build with sanitizers detects (make
 * asan). Such a build usually disables leak detection for programs; this test enables it. Programs
 * may leak memory themselves, so only reports with a stack frame of the library count. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(leaks, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define DETECT "env LD_PRELOAD=$PRELOAD ASAN_OPTIONS=detect_leaks=1:handle_segv=0:exitcode=0 "

static const char *const programs[] = {
    "api_answers", "api_more",   "cooperative", "faults null",        "graphs",
    "indices",     "launch_api", "memory_api",  "memory_more",        "streams",
    "textures",    "threads",    "unsupported", "memory_use handles", "memory_use pool",
};

/* Returns the reports of PROGRAM: paragraphs that begin "Direct leak of" or "Indirect leak of". */
static char *leaks_of(const char *command, const char *frame)
{
    return shell_must("%s %s 2>&1 | awk -v RS= '/ leak of / && /%s/'", DETECT, command, frame);
}

Test(leaks, of_the_library_are_none)
{
#ifndef LANEWISE_PRELOAD
    cr_skip("a build without sanitizers");
#endif
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char command[100];
        snprintf(command, sizeof command, "LD_LIBRARY_PATH=$LIB $PROGRAMS/%s", programs[i]);
        char *report = leaks_of(command, "libcudart");
        cr_expect_str_empty(report, "%s: %s", programs[i], report);
        free(report);
    }
}

/* Without this test, the test above could pass although leak detection is disabled. */
Test(leaks, are_found_where_they_are)
{
#ifndef LANEWISE_PRELOAD
    cr_skip("a build without sanitizers");
#endif
    free(shell_must("echo '#include <stdlib.h>\nvoid *volatile p;\n"
                    "int main() { for (int i = 0; i < 9; i++) p = malloc(99); p = 0; }' >leaky.c; "
                    "gcc -g -O0 leaky.c -o leaky"));
    char *report = leaks_of("./leaky", "leaky.c");
    cr_expect(strstr(report, "leak of"), "nothing found: %s", report);
    free(report);
}
