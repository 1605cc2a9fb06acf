/* Tests the HTML page of a grading: its contents, hostile texts, and how a real browser displays
 * it. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "report/html.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(report_page, .init = submission_init, .fini = shell_fini, .timeout = 600);
TestSuite(golden_report_page, .init = submission_init, .fini = shell_fini, .timeout = 600);

#define REPORT "$LANEWISE report --device emulator --seed 1 --date 2026-11-21 --out report.html "

Test(golden_report_page, of_a_skeleton)
{
    int code;
    free(shell(&code, REPORT "--lab 2"));
    cr_assert_eq(code, 1, "exit code %d", code);
    free(shell_must("grep '<dt>Compiler</dt><dd>cuda_[0-9]' report.html"));
    free(
        shell_must("sed -i 's|<dt>Compiler</dt><dd>[^<]*|<dt>Compiler</dt><dd>nvcc|' report.html"));
    char *page = shell_file("report.html", NULL);
    golden_check("report.html", page);
    free(page);
}

/* Findings, ideal values and pictures can come from different runs, so each names its run. */
Test(report_page, figures_name_their_run)
{
    int code;
    submission_write_mutant("04-bank-conflicts", "index-tree", "a.cu");
    free(shell(&code, REPORT "--lab 4 --submission a.cu"));
    cr_assert_eq(code, 1, "exit code %d", code);
    char *page = shell_file("report.html", NULL);
    static const char *const wanted[] = {
        /* the check and the finding name the run with the highest cost, then comes the picture of
         * the worst access */
        "x fewer; the check would pass</p>\n<p class=\"dim\">Seen with this input: n = ",
        "32-way bank conflict",
        "<p class=\"dim\">Seen with this input: n = ",
        "32-way bank conflict",
        "All shared loads by this line in all runs: ",
        ", with this input: n = ",
        ". In all runs of the grading, the line costs ",
    };
    const char *at = page;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && at; i++) {
        at = strstr(at, wanted[i]);
        cr_expect(at, "%s is missing", wanted[i]);
    }
    free(page);
}

/* --- hostile texts ---------------------------------------------------------------------------- */

/* A text with many kinds of attack. */
#define EVIL                                                                                       \
    "</script></style></title></pre></svg><script>alert(1)</script><img src=x onerror=alert(1)>"   \
    "\" onclick='alert(1)' &lt; <!-- ]]> \xff\xfe\xc3( \x1b[31m \xe2\x80\xae"

/* Returns a result in which every text is TEXT, except the format's own words. */
static json_t *make_result(const char *text)
{
    json_t *evil = json_string(text), *offsets = json_array();
    for (int i = 0; i < 32; i++)
        json_array_append_new(offsets, json_integer(128 * i));
    json_t *result = json_pack(
        "{s:O, s:O, s:O, s:O, s:O, s:O, s:i, s:f, s:f, s:{s:O},"
        " s:[{s:O, s:O, s:f, s:f, s:O, s:O, s:O, s:O, s:{s:O, s:i, s:i, s:O}}],"
        " s:[{s:O, s:O, s:O, s:i, s:i, s:O, s:i, s:[{s:O, s:i}]}],"
        " s:[{s:i, s:{s:i, s:i, s:i, s:i}}],"
        " s:[{s:O, s:i, s:[iii], s:i, s:i, s:s, s:s, s:i, s:O}]}",
        "lab", evil, "title", evil, "submission", evil, "device_name", evil, "version", evil,
        "source_sha256", evil, "seed", 1, "score", 1.5, "max_score", 3.0, "build", "messages", evil,
        "checks", "title", evil, "status", evil, "points", 1.5, "max_points", 3.0, "message", evil,
        "case", evil, "hint", evil, "note", evil, "place", "file", evil, "line", 1, "column", 2,
        "source", evil, "findings", "id", evil, "severity", evil, "file", evil, "line", 1, "column",
        1, "message", evil, "count", 2, "related", "file", evil, "line", 1, "lines", "line", 1,
        "counters", "warp_instructions", 9, "global_load_requests", 1, "global_load_sectors", 32,
        "global_load_sectors_ideal", 4, "accesses", "file", evil, "line", 1, "block", 0, 0, 0,
        "warp", 0, "step", 1, "kind", "load", "space", "global", "bytes", 4, "offsets", offsets);
    json_t *cause = json_pack("{s:O, s:O, s:O, s:i, s:O, s:O, s:f, s:[O]}", "id", evil, "severity",
                              evil, "file", evil, "line", 1, "message", evil, "help", evil,
                              "points", 1.5, "checks", evil);
    json_decref(evil);
    json_decref(offsets);
    cr_assert(result && cause);
    json_object_set(json_array_get(json_object_get(result, "checks"), 0), "id",
                    json_object_get(cause, "id"));
    json_object_set_new(result, "causes", json_pack("[o]", cause));
    return result;
}

/* This function is not inlined, because GCC 12 would then warn about a dangling pointer. */
static __attribute__((noinline)) char *make_page(const json_t *result, const char *source)
{
    char *text = NULL;
    size_t size;
    struct report_page settings = {.source = source, .date = "<i>today</i>"};
    FILE *memory = open_memstream(&text, &size);
    report_html(memory, result, &settings);
    fclose(memory);
    return text;
}

/* Returns how often WORD occurs in TEXT. */
static unsigned occurrences(const char *text, const char *word)
{
    unsigned count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* With hostile texts the page has exactly the same elements as with harmless ones. */
Test(report_page, nothing_of_a_student_becomes_markup)
{
    char broken[] = EVIL;
    for (char *at = broken; *at; at++) /* only the source can contain invalid bytes */
        if (*at & 0x80)
            *at = '?';
    json_t *evil = make_result(broken), *good = make_result("harmless");
    char *page = make_page(evil, EVIL "\nint x;\n"), *plain = make_page(good, "harmless\nint x;\n");
    static const char *const words[] = {"<script", "<img", "<!--",         "]]>", " onclick='",
                                        "\xff",    "\x1b", "\xe2\x80\xae", "<i>"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_expect_eq(occurrences(page, words[i]), 0, "%s is in the page", words[i]);
    cr_expect_eq(occurrences(page, "<"), occurrences(plain, "<"));
    cr_expect_eq(occurrences(page, ">"), occurrences(plain, ">"));
    cr_expect(occurrences(page, "&lt;script&gt;") >= 15, "texts are missing");
    free(page);
    free(plain);
    json_decref(evil);
    json_decref(good);
}

/* Errors come before warnings, whatever the order of the findings is. */
Test(report_page, errors_come_before_warnings)
{
    json_t *result = json_pack("{s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]}", "findings", "id", "slow",
                               "severity", "warning", "id", "wrong", "severity", "error", "id",
                               "slower", "severity", "warning");
    char *page = make_page(result, "int x;\n");
    cr_assert(strstr(page, "[wrong]") && strstr(page, "[slow]") && strstr(page, "[slower]"));
    *strstr(page, "[wrong]") = 0;
    cr_expect_not(strstr(page, "[slow"), "%s", page);
    free(page);
    json_decref(result);
}

/* A loss (a finding about wasted work) has no count here, as on a terminal, because the number of
 * requests means nothing to a student. */
Test(report_page, a_loss_has_its_line_its_cause_and_its_ideal)
{
    json_t *result =
        json_pack("{s:[{s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:i}]}", "findings", "severity",
                  "warning", "file", "a.cu", "line", 1, "column", 1, "source", "sum += a[4 * i];",
                  "cause", "stride 4", "spare", "4 sectors", "count", 7);
    char *page = make_page(result, "sum += a[4 * i];\n");
    cr_expect(strstr(page, "^~~~~~~~~~~~~~~ stride 4"), "%s", page);
    cr_expect(strstr(page, "Ideal here: 4 sectors"), "%s", page);
    cr_expect_not(strstr(page, "7 times"), "%s", page);
    free(page);
    json_decref(result);
}

/* A submission that does not compile gets a page too. */
Test(report_page, of_what_cannot_be_built)
{
    int code;
    free(shell(&code, "sed -i 's/int chunk/integer chunk/' labs/02-coalesce/coalesce.cu\n" REPORT
                      "--lab 2"));
    char *page = shell_file("report.html", NULL);
    cr_expect_eq(code, 1, "exit code %d", code);
    cr_expect(strstr(page, "identifier &quot;integer&quot; is undefined"), "%s", page);
    cr_expect(strstr(page, "file did not compile") && !strstr(page, "Nothing was found"), "%s",
              page);
    cr_expect(strstr(page, "not built") && strstr(page, ">0</strong> of 100 points"), "%s", page);
    free(page);
}

/* The same grading gives the same page. */
Test(report_page, is_the_same_again)
{
    int code;
    free(shell(&code, REPORT "--lab 4; mv report.html first.html\n" REPORT
                             "--lab 4; cmp report.html first.html"));
    cr_expect_eq(code, 0, "the pages differ");
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"", "name the lab"},
    {"--lab 99", "no lab is called \"99\""},
    {"--lab 2 labs", "unexpected \"labs\": name the file with --submission"},
    {"--lab 2 --seed x", "the seed must be a whole number"},
    {"--lab 2 --out no/such/folder.html", "cannot write no/such/folder.html"},
    {"--lab", "--lab needs a value"},
    {"--best", "unknown option --best"},
};

Test(report_page, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE report %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}

/* --- in a browser ----------------------------------------------------------------------------- */

/* The probe reports to the enclosing page how the page looks. It is added to a copy of the page
 * without the policy against scripts. */
#define PROBE                                                                                      \
    "<script>onload=()=>{const d=document.documentElement,seen=[];"                                \
    "for(const s of ['#checks .check h3','#findings','#pictures svg g rect','#source td.heat',"    \
    "'#source #L39','#environment dd'])"                                                           \
    "{const e=document.querySelector(s);if(e&&e.getBoundingClientRect().width>0)seen.push(s)}"     \
    "const ids=[...document.querySelectorAll('[id]')].map(e=>e.id);"                               \
    "const dead=[...document.querySelectorAll('a')].filter("                                       \
    "a=>!document.getElementById(a.getAttribute('href').slice(1)));"                               \
    "parent.postMessage(`width ${innerWidth}, ${seen.length} of 6 parts, `+"                       \
    "`overflow ${d.scrollWidth-d.clientWidth}, ids twice ${ids.length-new Set(ids).size}, `+"      \
    "`dead links ${dead.length}`,'*')}</script>"

/* The enclosing page loads the copy twice: as wide as on a phone, and as wide as on a desktop. */
#define AROUND                                                                                     \
    "<!doctype html><title>t</title><pre id=said></pre>"                                           \
    "<script>onmessage=e=>said.append(e.data+'\\n')</script>"                                      \
    "<iframe src=copy.html width=390 height=800 style=border:0></iframe>"                          \
    "<iframe src=copy.html width=1280 height=800 style=border:0></iframe>"

#define CHROMIUM                                                                                   \
    "HOME=$PWD timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage " \
    "--user-data-dir=$PWD/profile --enable-logging=stderr --virtual-time-budget=5000 "

Test(report_page, looks_right_in_a_browser)
{
    free(shell_must("cp " LANEWISE_ROOT "/grader/tests/golden/report.html .\n"
                    "sed '/Content-Security-Policy/d' report.html >copy.html\n"
                    "grep -c Content-Security-Policy report.html"));
    free(shell_must("cat >>copy.html <<'END'\n%s\nEND\ncat >around.html <<'END'\n%s\nEND", PROBE,
                    AROUND));
    char *output = shell_must(CHROMIUM "--dump-dom file://$PWD/around.html 2>log; "
                                       "grep CONSOLE log; echo end");
    for (int i = 0; i < 2; i++) {
        char want[200];
        snprintf(want, sizeof want, "width %d, 6 of 6 parts, overflow 0, ids twice 0, dead links 0",
                 i ? 1280 : 390);
        cr_expect(strstr(output, want), "no \"%s\" in\n%s", want, output);
    }
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

/* Lab 09's page shows its picture before and after, as PNG. The page's policy allows a browser to
 * show them. */
Test(report_page, shows_pictures_before_and_after)
{
    char *output = shell_must(
        REPORT "--lab 9 --submission " LANEWISE_ROOT "/solutions >/dev/null\n"
               "grep -o 'base64,[^\"]*' report.html | cut -c8- >pngs; wc -l <pngs\n"
               "while read -r png; do base64 -d <<<\"$png\" | od -An -c -j1 -N3; "
               "base64 -d <<<\"$png\" | od -An -t u1 -j16 -N8; done <pngs\n"
               "grep -o 'figcaption>[a-z]*: rung 6' report.html\n" CHROMIUM
               "--dump-dom file://$PWD/report.html 2>log >page; grep CONSOLE log; echo end");
    cr_expect_str_eq(output, "2\n   P   N   G\n   0   0   1  64   0   0   0 200\n"
                             "   P   N   G\n   0   0   1  64   0   0   0 200\n"
                             "figcaption>pixels: rung 6\nfigcaption>after: rung 6\nend\n");
    free(output);
}

/* The browser prints the original page, with its policy, to a PDF of several pages. It must not
 * complain. */
Test(report_page, prints)
{
    char *output = shell_must("cp " LANEWISE_ROOT "/grader/tests/golden/report.html .\n" CHROMIUM
                              "--print-to-pdf=report.pdf file://$PWD/report.html 2>log\n"
                              "grep CONSOLE log; head -c 5 report.pdf; "
                              "grep -ac '/Type */Page\\b' report.pdf");
    cr_expect(strstr(output, "%PDF-") && !strstr(output, "CONSOLE"), "%s", output);
    free(output);
}
