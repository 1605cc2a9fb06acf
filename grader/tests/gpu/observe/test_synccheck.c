/* synccheck, on wrong barriers and lane masks and on the same kernels done right. */
#include <criterion/criterion.h>

#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(synccheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

Test(synccheck, barriers_and_masks)
{
    marks_check("sync_defects", "synccheck", 50);
}

Test(synccheck, deadlocks)
{
    marks_check_each("deadlocks", "synccheck", 16);
}
