/* Kernels that became native code do what the interpreter does: the same bytes, the same counters line by line, the
 * same findings; and both are used in one launch, the one until the other is there. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

TestSuite(native, .init = shell_init, .fini = shell_fini);

/* What PROGRAM prints, and its record in file RECORD. SETTINGS are variables. */
static char *run(const char *program, const char *settings, const char *record)
{
    int code;
    return shell(&code,
                 "export LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB LANEWISE_DETERMINISTIC=1 %s\n"
                 "LANEWISE_RECORD=$PWD/%s $PROGRAMS/%s 2>&1",
                 settings, record, program);
}

static void expect_same(const char *program, const char *settings)
{
    size_t size, other_size;
    char *want = run(program, "LANEWISE_TRANSLATE=none", "interpreted");
    char *got = run(program, settings, "translated");
    char *record = shell_file("interpreted", &size);
    char *other = shell_file("translated", &other_size);
    cr_expect_str_eq(got, want);
    cr_expect(size == other_size && memcmp(record, other, size) == 0,
              "the records of %s differ: %zu and %zu bytes", program, size, other_size);
    cr_expect_gt(size, 1000u);
    free(want);
    free(got);
    free(record);
    free(other);
}

Test(native, does_what_the_interpreter_does)
{
    shell_patience(400);
    expect_same("translated", "LANEWISE_TRANSLATE=all");
}

/* Without a compiler, or a place for its files, the interpreter goes on. */
Test(native, goes_on_without_a_compiler)
{
    shell_patience(400);
    expect_same("translated", "LANEWISE_TRANSLATE=all PATH=/nowhere");
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
