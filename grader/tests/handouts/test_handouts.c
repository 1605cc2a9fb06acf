/* Tests the handouts: how pages are made (handouts/filters), that the checks of a site find
 * mistakes, and that the real site, including its spelling, passes these checks. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "gpu/finding_kinds.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(handouts, .init = shell_init, .fini = shell_fini, .timeout = 600);
TestSuite(golden_handouts, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define PAGES  LANEWISE_ROOT "/grader/tests/handouts/"
#define CHECKS LANEWISE_ROOT "/handouts/checks/"

/* "made TARGET FOLDER" makes TARGET of the pages in FOLDER. All output is in the test's folder. */
#define MAKE                                                                                       \
    "made() { make -C " LANEWISE_ROOT " $1 HANDOUTS=$2 HANDOUT_SITE=$PWD/site "                    \
    "HANDOUT_WORK=$PWD/work HANDOUT_PDF=$PWD/pdf "                                                 \
    "HANDOUT_FACTS=grader/tests/handouts/facts.lua HANDOUT_REPLAYS= $3 2>&1; }\n"
#define GOOD "grader/tests/handouts/good"

/* The pages contain all constructs, and are made in the students' version. */
Test(golden_handouts, pages_without_mistakes)
{
    free(shell_must(MAKE "made handouts " GOOD
                         " && cat site/index.html site/second.html >both.html"));
    char *pages = shell_file("both.html", NULL);
    golden_check("handouts.html", pages);
    free(pages);
}

/* One call of make reports every mistake in the pages with its line. It makes no page. */
Test(golden_handouts, pages_with_mistakes)
{
    int code;
    free(shell(&code, MAKE "made handouts grader/tests/handouts/errors >said"));
    cr_expect_neq(code, 0, "pages with mistakes were made");
    char *said = shell_must("grep -v -e '^make: ' -e '^  build' said; test ! -e site/errors.html");
    golden_check("handout-mistakes", said);
    free(said);
}

/* --- how pages are made ------------------------------------------------------------------------------- */

/* Only the instructors' version contains the answers. It is in a separate folder. */
Test(handouts, answers_are_for_instructors)
{
    int code;
    free(shell_must(MAKE "made handouts " GOOD " && ! grep -r 'answer to the first' site work && "
                         "rm -r site work && made handouts " GOOD " HANDOUT=instructor && "
                         "grep -q 'answer to the first' site/second.html"));
    char *output = shell(&code, MAKE "made handouts " GOOD " HANDOUT=everybody");
    cr_expect(code != 0 && strstr(output, "the only value is HANDOUT=instructor"), "%s", output);
    free(output);
}

/* A page is made again if a source that it shows has changed, or if a page was added, renamed or
 * removed. Otherwise, it is not made again. */
Test(handouts, are_made_again_after_changes)
{
    char *output = shell_must(
        "cp -r " LANEWISE_ROOT "/" GOOD " pages && cp " LANEWISE_ROOT
        "/labs/02-coalesce/.skeleton.cu shown.cu\n"
        "sed -i \"s,grader/tests/handouts/cut.cuh.*,$PWD/shown.cu\\\" cut=\\\"square\\\"},\" "
        "pages/index.md\n" MAKE "remade() { made handouts $PWD/pages | grep -o '[a-z]*[.]html$' | "
        "sort | tr '\\n' ' '; echo \"$1\"; }\n"
        "remade begin; remade rest\n"
        "sed -i 's/square(int value)/square(int number)/' shown.cu\n"
        "remade source; grep -c '</span> number<' site/index.html\n"
        "sed -i 's/^title: .*/title: Another/' pages/second.md; remade title\n"
        "rm pages/second.md; remade removed; ls site/*.html\n");
    cr_expect_str_eq(output, "index.html second.html begin\n"
                             "rest\n"
                             "index.html source\n1\n"
                             "index.html second.html title\n"
                             "index.html removed\nsite/index.html\n");
    free(output);
}

/* The template for a new lab's page can be built without changes. */
Test(handouts, a_new_labs_page_can_be_made)
{
    free(shell_must(
        "mkdir pages\n"
        "sed 's/@LAB@/02-coalesce/g; s/@FILE@/coalesce.cu/g; s/@NUMBER@/02/g; "
        "s/cut=\"add_up\"/cut=\"square\"/; s/sumsq.*warp/climb.slow.steps/' " LANEWISE_ROOT
        "/grader/cli/new-lab/handout.md >pages/02-coalesce.md\n" MAKE
        "made handouts $PWD/pages && grep -q 'id=\"exercise-1\"' site/02-coalesce.html"));
}

/* The pages and the book can be printed: formulas use their own font; links and the table of contents
 * lead to the right pages. */
Test(handouts, print)
{
    char *output = shell_must(
        MAKE
        "made handouts-pdf " GOOD " >log || { cat log; exit 1; }\n"
        "cd pdf && ls | tr '\\n' ' '; pdffonts index.pdf | grep -c 'PagellaMath'\n"
        "leads() { pdfinfo -dests lanewise.pdf | awk '/\"second--exercises\"/ { print $1 }'; }\n"
        "says() { pdftotext -layout lanewise.pdf - | awk '/^ *Exercises  *[0-9]+$/ { print $2 }'; "
        "}\n"
        "test \"$(leads)\" -gt 3 && test \"$(leads)\" = \"$(says)\" && echo same page\n"
        "for pdf in *.pdf; do pdfinfo -url $pdf; done | grep file: || true\n");
    cr_expect_str_eq(output, "index.pdf lanewise.pdf second.pdf 1\nsame page\n");
    free(output);
}

/* --- the checks find mistakes -------------------------------------------------------------------------- */

Test(golden_handouts, checks_of_a_broken_site)
{
    int code;
    char *browser = shell(&code, CHECKS "browser.sh " PAGES "broken");
    cr_expect_eq(code, 1, "the browser check ended with %d", code);
    char *html = shell(&code, CHECKS "html.sh " PAGES "broken");
    cr_expect_eq(code, 1, "the HTML check ended with %d", code);
    char *words = shell(&code, "cd " PAGES " && " CHECKS "spelling.sh misspelt.md");
    cr_expect_eq(code, 1, "the spelling check ended with %d", code);
    char *all;
    cr_assert(asprintf(&all, "%s\n%s\n%s", browser, html, words) >= 0);
    golden_check("handout-checks", all);
    free(all);
    free(words);
    free(html);
    free(browser);
}

/* A site may have 5 MB. A folder without pages is an error. */
Test(handouts, checks_know_size_and_absence)
{
    int code;
    char *output =
        shell(&code, "mkdir site; cp " PAGES "broken/other.html site; " CHECKS "html.sh site && "
                     "head -c 5000000 /dev/zero >site/large; " CHECKS "html.sh site");
    cr_expect(code == 1 && strstr(output, "the limit is 5000000"), "%d: %s", code, output);
    free(output);
    output = shell(&code, "mkdir empty; " CHECKS "browser.sh empty");
    cr_expect(code == 2 && strstr(output, "no pages in"), "%d: %s", code, output);
    free(output);
}

/* --- the real site ---------------------------------------------------------------------------------------- */

#define SITE LANEWISE_ROOT "/build/handouts" /* `make test` has just made it */

Test(handouts, all_pages_look_right_in_a_browser)
{
    free(shell_must(CHECKS "browser.sh " SITE));
}

Test(handouts, all_pages_are_valid_and_the_site_is_small)
{
    free(shell_must(CHECKS "html.sh " SITE));
}

/* Checks that PAGE shows NAME as code. */
static void expect_code(const char *page, const char *name)
{
    char *code;
    cr_assert(asprintf(&code, "<code>%s</code>", name) >= 0);
    cr_expect(strstr(page, code), "every-message.html lacks %s", name);
    free(code);
}

Test(handouts, every_message_is_on_its_page)
{
    char *page = shell_file(SITE "/every-message.html", NULL), *rest;
    for (size_t i = 0; i < emu_finding_kind_count; i++)
        expect_code(page, emu_finding_kinds[i].id);
    char *names =
        shell_must("cd $TESTS/advice && for diff in *.diff; do echo ${diff%%.diff}.cu; done");
    for (char *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        expect_code(page, name);
    char *checks = shell_must("grep -ho '\"max_points\"' <(for runner in " LANEWISE_ROOT
                              "/" LANEWISE_BUILD "/checks/*; do $runner --describe; done) | wc -l");
    size_t rows = 0, wanted = strtoul(checks, NULL, 10);
    for (const char *at = strstr(page, "id=\"checks-of-the-labs\""); at && (at = strstr(at, "<tr"));
         at++, rows++)
        ;
    char *labs = shell_must("ls " LANEWISE_ROOT "/labs/*/checks.c | wc -l");
    cr_expect_eq(rows, wanted + strtoul(labs, NULL, 10), "%zu rows for %zu checks", rows, wanted);
    free(page);
    free(names);
    free(checks);
    free(labs);
}

Test(handouts, all_words_are_known)
{
    free(shell_must("cd " LANEWISE_ROOT " && handouts/checks/spelling.sh handouts/*.md"));
}
