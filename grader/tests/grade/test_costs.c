/* labs/NN-name/costs.def: the totals that limit work for show. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "course/lab.h"
#include "tests/support/shell.h"

TestSuite(costs, .init = shell_init, .fini = shell_fini, .timeout = 300);

/* Prints the rows of two sorted files that differ by more than 5 %. */
#define COMPARE                                                                                     \
    "paste -d, recorded measured | awk -F, '{ half = NF / 2; bad = 0; for (i = 1; i <= half; i++) " \
    "{ d = $i - $(i + half); if (i <= 2 ? $i != $(i + half) : d * d > 0.0025 * $i * $i) bad = 1 } " \
    "if (bad) { print; worst = 1 } } END { exit worst || NR == 0 }'"

Test(costs, are_what_the_solutions_cost)
{
    struct lab_names list;
    size_t tried = 0;
    labs_list(&list);
    for (size_t i = 0; i < list.count; i++) {
        char path[PATH_SIZE];
        int code;
        cr_assert(base_path(path, "%s/labs/%s/costs.def", LANEWISE_ROOT, list.names[i]));
        if (access(path, F_OK) != 0)
            continue;
        free(shell_must("rm -f costs; LANEWISE_COSTS=$PWD/costs $LANEWISE grade --lab %s --device "
                        "emulator --seed 1 --submission " LANEWISE_ROOT "/solutions",
                        list.names[i]));
        char *text = shell(&code,
                           "LC_ALL=C sort costs | tr -d '()' >measured; grep ^COST %s | tr -d '()' "
                           ">recorded; " COMPARE,
                           path);
        cr_expect_eq(code, 0, "%s: `make costs` measures other totals:\n%s", list.names[i], text);
        free(text);
        tried++;
    }
    cr_expect_gt(tried, 0);
    labs_free(&list);
}
