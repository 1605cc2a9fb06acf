/* Tests memcheck's messages without debug information, and its messages about leaks. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(memcheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* Without debug information, findings have no lines of host code, but are otherwise the same. */
Test(memcheck, does_without_debug_information)
{
    char *text = shell_must("strip --strip-debug -o stripped $PROGRAMS/double-free && "
                            "{ $LANEWISE run ./stripped 2>&1; true; }");
    cr_expect(
        strstr(text, "lanewise: error: these 4000 bytes have already been freed [double-free]"),
        "%s", text);
    cr_expect(!strstr(text, "allocated here"));
    free(text);
}

/* Leaks do not change the exit code of `lanewise run`, which is the program's exit code. */
Test(memcheck, leaks_are_notes)
{
    free(shell_must("$LANEWISE run --sarif leak.sarif $PROGRAMS/leak"));
    char *text = shell_file("leak.sarif", NULL);
    cr_expect(strstr(text, "\"level\": \"note\""), "%s", text);
    free(text);
}
