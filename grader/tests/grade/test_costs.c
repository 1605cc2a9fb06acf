/* Tests the solution of each lab: its golden output, and the totals in labs/NN-name/costs.def,
 * which limit useless work in submissions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "course/lab.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(golden_solutions, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* Prints the rows in which two sorted files differ by more than 5 %. */
#define COMPARE                                                                                     \
    "paste -d, recorded measured | awk -F, '{ half = NF / 2; bad = 0; for (i = 1; i <= half; i++) " \
    "{ d = $i - $(i + half); if (i <= 2 ? $i != $(i + half) : d * d > 0.0025 * $i * $i) bad = 1 } " \
    "if (bad) { print; worst = 1 } } END { exit worst || NR == 0 }'"

/* Compares the file "costs" with the costs that are recorded for LAB. Returns false if none are
 * recorded. */
static bool compare_costs(const char *lab)
{
    int code;
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/labs/%s/costs.def", LANEWISE_ROOT, lab));
    if (access(path, F_OK) != 0)
        return false;
    char *text = shell(&code,
                       "LC_ALL=C sort costs | tr -d '()' >measured; grep ^COST %s | tr -d '()' "
                       ">recorded; " COMPARE,
                       path);
    cr_expect_eq(code, 0, "%s: `make costs` measures other totals:\n%s", lab, text);
    free(text);
    return true;
}

Test(golden_solutions, score_and_cost_what_is_recorded)
{
    struct lab_names list;
    size_t compared = 0;
    labs_list(&list);
    for (size_t i = 0; i < list.count; i++) {
        int code;
        char name[300];
        char *output =
            shell(&code,
                  "rm -f costs; LANEWISE_COSTS=$PWD/costs $LANEWISE grade --device emulator "
                  "--seed 1 --lab %s --submission " LANEWISE_ROOT
                  "/solutions --json result.json | sed 's,^" LANEWISE_ROOT "/,,'",
                  list.names[i]);
        snprintf(name, sizeof name, "%s-solution", list.names[i]);
        golden_check(name, submission_normalise(output));
        free(output);
        compared += compare_costs(list.names[i]);
    }
    cr_expect_gt(compared, 0);
    labs_free(&list);
}
