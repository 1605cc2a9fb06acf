/* Runs all tools together on typical student code, wrong and right. Each defect must have one
 * finding, and no other tool may report anything for the kernel. Kernels run in separate processes,
 * because some defects end the process's use of the GPU. */
#include <criterion/criterion.h>

#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(students, .init = shell_init, .fini = shell_fini, .timeout = 900);

static void check(const char *program, size_t least)
{
    marks_check_each(program, "racecheck,initcheck", least);
}

Test(students, blocks)
{
    check("student_blocks", 22);
}

Test(students, tiles)
{
    check("student_tiles", 24);
}

Test(students, warps)
{
    check("student_warps", 16);
}

Test(students, grids)
{
    check("student_grids", 40);
}

Test(students, locks)
{
    check("student_locks", 40);
}

Test(students, odd)
{
    check("student_odd", 26);
}

Test(students, meetings)
{
    check("student_meets", 17);
}
