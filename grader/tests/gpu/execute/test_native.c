/* Kernels that became native code do what the interpreter does: the same bytes, the same counters line by line, the
 * same findings. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(native, .init = shell_init, .fini = shell_fini);

/* What gpu/execute/translated.cu prints; its record is in file RECORD. SETTINGS are variables. KERNELS of it must have
 * been translated. */
static char *run(const char *settings, const char *record, const char *kernels)
{
    int code;
    char *output = shell(&code,
                         "export LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB LANEWISE_DETERMINISTIC=1 "
                         "%s\nLANEWISE_RECORD=$PWD/%s $PROGRAMS/translated kernels 2>&1",
                         settings, record);
    char *count = shell_file("kernels", NULL);
    cr_expect_str_eq(count, kernels, "%s: %s kernels were translated", settings, count);
    cr_expect_eq(code, 0);
    free(count);
    return output;
}

static void expect_same(const char *settings, const char *kernels)
{
    size_t size, other_size;
    char *want = run("LANEWISE_TRANSLATE=none", "interpreted", "0");
    char *got = run(settings, "translated", kernels);
    char *record = shell_file("interpreted", &size);
    char *other = shell_file("translated", &other_size);
    cr_expect_str_eq(got, want);
    cr_expect(size == other_size && memcmp(record, other, size) == 0,
              "the records differ: %zu and %zu bytes", size, other_size);
    cr_expect_gt(size, 1000u);
    free(want);
    free(got);
    free(record);
    free(other);
}

Test(native, does_what_the_interpreter_does)
{
    shell_patience(400);
    expect_same("LANEWISE_TRANSLATE=all", "9");
}

Test(native, goes_on_without_a_compiler)
{
    shell_patience(400);
    expect_same("LANEWISE_TRANSLATE=all PATH=/nowhere", "0");
}

Test(native, refuses_what_it_does_not_know)
{
    int code;
    char *text = shell(&code, "LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB LANEWISE_TRANSLATE=most "
                              "$PROGRAMS/translated");
    cr_expect_eq(code, 2);
    cr_expect(strstr(text, "LANEWISE_TRANSLATE=most: long, none or all is wanted here"), "%s",
              text);
    free(text);
}
