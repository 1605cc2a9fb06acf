/* Tests that the emulator needs at most one and a half times the memory that the program allocates,
 * plus 200 MB. Builds with sanitizers skip this test, because sanitizers need memory themselves. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/shell.h"

TestSuite(memory_use, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const char *const ways[] = {"device", "copies", "shared", "waiting",
                                   "local",  "stack",  "pool",   "handles"};

Test(memory_use, is_near_what_programs_allocate)
{
#ifdef LANEWISE_PRELOAD
    cr_skip("a build with sanitizers needs more memory");
#endif
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *text = shell_must("$LANEWISE run $PROGRAMS/memory_use %s 2>/dev/null", ways[i]);
        long allocated, peak;
        cr_assert_eq(sscanf(text, "%ld %ld", &allocated, &peak), 2, "%s: %s", ways[i], text);
        cr_expect_leq(peak, allocated + allocated / 2 + 200000,
                      "%s: the process used %ld KiB for allocations of %ld KiB", ways[i], peak,
                      allocated);
        free(text);
    }
}
