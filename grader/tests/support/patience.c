/* Prolongs the time limits of tests in slow builds. */
#include "tests/support/patience.h"

#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/internal/ordered-set.h>
#include <unistd.h>

ReportHook(PRE_ALL)(struct criterion_test_set *all)
{
    FOREACH_SET(struct criterion_suite_set * set, all->suites)
    {
        if (set->suite.data)
            set->suite.data->timeout *= PATIENCE;
        if (!set->tests) /* this build leaves out all tests of the suite */
            continue;
        FOREACH_SET(struct criterion_test * test, set->tests)
        test->data->timeout *= PATIENCE;
    }
}

Test(patience, prolongs_the_time_limits_of_tests, .timeout = 1)
{
    sleep(PATIENCE > 1 ? 2 : 0);
}
