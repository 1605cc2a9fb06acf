/* Tests all tools together on typical student code, wrong and right. Each defect must have one
 * finding, and no other tool may report anything for that kernel. */
#include <criterion/criterion.h>

#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(students, .init = shell_init, .fini = shell_fini, .timeout = 900);

static void check(const char *program, size_t least)
{
    json_t *run = marks_run("--tools racecheck,initcheck", program);
    struct marks_count count = marks_check(program, NULL, run);
    cr_expect_geq(count.defects + count.twins, least);
    json_decref(run);
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
