/* Tests lanes that access the same memory. On the emulator, the program hardware/collisions.cu must
 * print what it printed on a real GPU (hardware/collisions.tsv). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/shell.h"

TestSuite(hardware_collisions, .init = shell_init, .fini = shell_fini, .timeout = 120);

#define SAME_AS_RECORDED                                                                           \
    "grep -v '^#' $TESTS/hardware/collisions.tsv >gpu; diff here gpu && wc -l <gpu"

static void compare(const char *command)
{
    char *lines = shell_must("%s", command);
    cr_expect_gt(atoi(lines), 1000, "%s", lines);
    free(lines);
}

Test(hardware_collisions, end_as_on_a_gpu)
{
    compare(
        "LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB $PROGRAMS/collisions >here; " SAME_AS_RECORDED);
}

Test(hardware_collisions, end_as_on_a_gpu_when_watched)
{
    compare("$LANEWISE run $PROGRAMS/collisions 2>/dev/null >here; " SAME_AS_RECORDED);
}
