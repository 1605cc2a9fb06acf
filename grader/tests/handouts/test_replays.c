/* Tests the replays in the handouts (handouts/replays/) in a real browser. At each moment they must
 * show the machine's state, and their controls must work. The students' pages must contain no
 * answers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/browser.h"
#include "tests/support/shell.h"

#ifndef LANEWISE_PRELOAD /* `make test` has just made the site; under sanitizers there is no site */

TestSuite(replays, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define BUILT LANEWISE_ROOT "/" LANEWISE_BUILD

static const char *const names[] = {
    "chunks",          "interleaved",  "tree_modulo", "tree_conflicts",
    "tree_sequential", "by_full_tile", "right",       "wrong"};

static void check_replays(void)
{
    char *pages = shell_must("$TESTS/handouts/replay_pages.sh " BUILT),
         *output = browser_visit(pages);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char want[100];
        snprintf(want, sizeof want, "%s: 0 differences\n", names[i]);
        cr_expect(strstr(output, want), "no \"%s\" in\n%s", want, output);
    }
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
    free(pages);
}

Test(replays, show_the_state_of_the_machine)
{
    check_replays();
}

Test(replays, work_in_firefox)
{
    browser_choose_firefox();
    check_replays();
}

Test(replays, answers_are_for_instructors)
{
    char *page = shell_file(BUILT "/handouts/04-bank-conflicts.html", NULL);
    cr_expect(strstr(page, "Replay of tree_modulo"));
    cr_expect(!strstr(page, "sums[t + off];"), "the students' page shows a tree's source");
    free(page);
}

#endif
