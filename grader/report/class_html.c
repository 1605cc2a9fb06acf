/* Writes the class page. Names, paths and messages can come from students, so markup.h escapes all
 * text. */
#include "report/class_html.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/class_totals.h"
#include "report/html.h"
#include "report/markup.h"
#include "report/svg_class.h"

/* The maximum numbers of entries that the page shows: */
#define FINDINGS 12u  /* findings; the most frequent come first */
#define PAIRS    100u /* pairs; the most similar come first */
#define TROUBLES 200u /* gradings that timed out or crashed */
#define NAMES    20u  /* names in a list; the rest of a longer list is folded */
#define LONG     40u  /* students in a table; a longer table scrolls */

struct page {
    struct markup m;
    const json_t *class;
    struct class_totals totals;
};

static unsigned percent_of(double part, double whole)
{
    return whole > 0 ? (unsigned)(100 * part / whole + 0.5) : 0;
}

/* --- small elements --------------------------------------------------------------------------- */

static void open_section(struct markup *m, const char *id, const char *title)
{
    markup_open(m, "section");
    markup_set(m, "id", "%s", id);
    markup_break(m);
    markup_leaf(m, "h2", NULL, "%s", title);
    markup_break(m);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Opens a table in a scrollable BOX and writes its head. COLUMNS are separated by "|". */
static void open_table_in(struct page *page, const char *box, const char *class,
                          const char *columns)
{
    struct markup *m = &page->m;
    markup_open_classed(m, "div", box);
    markup_set(m, "tabindex", "0");
    markup_open_classed(m, "table", class);
    markup_break(m);
    markup_open(m, "thead");
    markup_open(m, "tr");
    while (*columns) {
        size_t length = strcspn(columns, "|");
        markup_open(m, "th");
        markup_set(m, "scope", "col");
        markup_bytes(m, columns, length);
        markup_close(m);
        columns += length + (columns[length] == '|');
    }
    markup_close(m);
    markup_close_line(m);
    markup_open(m, "tbody");
    markup_break(m);
}

static void open_table(struct page *page, const char *class, const char *columns)
{
    open_table_in(page, "scroll", class, columns);
}

static void close_table(struct page *page)
{
    markup_close(&page->m);
    markup_close(&page->m);
    markup_close_line(&page->m);
}

/* Writes a cell with a count, or with a dash for 0. */
static void put_count(struct page *page, unsigned count)
{
    if (count)
        markup_leaf(&page->m, "td", "count", "%u", count);
    else
        markup_leaf(&page->m, "td", "count dim", "\u2013");
}

static void put_percent(struct page *page, double part, double whole)
{
    if (whole > 0)
        markup_leaf(&page->m, "td", "count", "%u %%", percent_of(part, whole));
    else
        markup_leaf(&page->m, "td", "count dim", "\u2013");
}

/* --- labs and scores -------------------------------------------------------------------------- */

static void put_lab_row(struct page *page, const struct class_lab *lab)
{
    struct markup *m = &page->m;
    markup_open(m, "tr");
    markup_open(m, "th");
    markup_set(m, "scope", "row");
    markup_text(m, "%s", lab->lab);
    markup_leaf(m, "span", "dim", " %s", lab->title);
    markup_close(m);
    put_count(page, lab->graded);
    put_percent(page, lab->sum, lab->graded);
    put_percent(page, lab->full, lab->graded);
    put_count(page, lab->not_built);
    put_count(page, lab->missing);
    put_count(page, lab->open);
    markup_close_line(m);
}

static void put_labs(struct page *page)
{
    open_section(&page->m, "labs", "Labs");
    open_table(page, "class",
               "lab|graded|mean|full marks|do not compile|not handed in|no grade yet");
    for (size_t i = 0; i < page->totals.lab_count; i++)
        put_lab_row(page, &page->totals.labs[i]);
    close_table(page);
    markup_close_line(&page->m);
}

static void put_scores(struct page *page)
{
    struct markup *m = &page->m;
    char id[32];
    open_section(m, "scores", "Distribution of scores");
    markup_leaf(m, "p", "dim",
                "Number of students with each score. Only full marks count as 100 %%.");
    markup_open_classed(m, "div", "plots");
    markup_break(m);
    if (page->totals.lab_count > 1)
        report_svg_scores(m, "scores-all", "all labs", page->totals.bins);
    for (size_t i = 0; i < page->totals.lab_count; i++) {
        snprintf(id, sizeof id, "scores%zu", i);
        if (page->totals.labs[i].graded)
            report_svg_scores(m, id, page->totals.labs[i].lab, page->totals.labs[i].bins);
    }
    markup_close_line(m);
    markup_close_line(m);
}

/* --- checks ----------------------------------------------------------------------------------- */

static void put_check_row(struct page *page, const struct class_check *check)
{
    struct markup *m = &page->m;
    markup_open(m, "tr");
    markup_open(m, "th");
    markup_set(m, "scope", "row");
    markup_text(m, "%s", check->title);
    markup_close(m);
    markup_open(m, "td");
    report_svg_outcomes(m, check);
    markup_close(m);
    put_percent(page, check->outcomes[CLASS_PASSED], check->graded);
    for (unsigned i = CLASS_PARTIAL; i < CLASS_OUTCOMES; i++)
        put_count(page, check->outcomes[i]);
    markup_leaf(m, "td", "count", "%.3g of %.4g", check->graded ? check->lost / check->graded : 0,
                check->max_points);
    markup_close_line(m);
}

static void put_checks(struct page *page)
{
    struct markup *m = &page->m;
    const char *lab = "";
    open_section(m, "checks", "Results of each check");
    markup_leaf(
        m, "p", "dim",
        "Graded submissions only. Points lost are averaged over the students: the higher the figure, the more there is to explain in class.");
    open_table(page, "class checks",
               "check||passed|partly|failed|too long|crashed|not built|points lost");
    for (size_t i = 0; i < page->totals.check_count; i++) {
        const struct class_check *check = &page->totals.checks[i];
        if (strcmp(lab, check->lab) != 0) {
            markup_raw(m, "<tr class=\"group\"><th colspan=\"9\" scope=\"rowgroup\">");
            markup_text(m, "%s", check->lab);
            markup_raw(m, "</th></tr>\n");
        }
        lab = check->lab;
        put_check_row(page, check);
    }
    close_table(page);
    markup_close_line(m);
}

/* --- findings --------------------------------------------------------------------------------- */

/* Writes an example line from a student's program, without the student's name. */
static void put_example(struct page *page, const json_t *example)
{
    const char *source = json_text_of(example, "source"), *cause = json_text_of(example, "cause");
    char *text = NULL;
    size_t size;
    FILE *memory = *source ? open_memstream(&text, &size) : NULL;
    if (!memory)
        return;
    base_print_snippet_line(memory, source, strlen(source),
                            (unsigned)json_number_of(example, "line"),
                            (unsigned)json_number_of(example, "column"), *cause ? cause : NULL);
    fclose(memory);
    markup_leaf(&page->m, "pre", NULL, "%s", text);
    markup_break(&page->m);
    free(text);
}

static unsigned graded_in(const struct page *page, const char *lab)
{
    for (size_t i = 0; i < page->totals.lab_count; i++)
        if (strcmp(page->totals.labs[i].lab, lab) == 0)
            return page->totals.labs[i].graded;
    return 0;
}

static void put_finding(struct page *page, const struct class_finding *finding)
{
    struct markup *m = &page->m;
    unsigned graded = graded_in(page, finding->lab);
    markup_open(m, "article");
    markup_set(m, "class", "finding %s", finding->severity);
    markup_open(m, "h3");
    markup_leaf(m, "span", "mark", "%u of %u", finding->students, graded);
    markup_leaf(m, "span", NULL, "%s", finding->lab);
    markup_leaf(m, "code", "points", "[%s]", finding->id);
    markup_close_line(m);
    markup_leaf(m, "p", NULL, "For example: %s", json_text_of(finding->example, "message"));
    markup_break(m);
    put_example(page, finding->example);
    if (*json_text_of(finding->example, "help"))
        markup_leaf(m, "p", "hint", "Help: %s", json_text_of(finding->example, "help"));
    markup_close_line(m);
}

static void put_findings(struct page *page)
{
    struct markup *m = &page->m;
    size_t count = page->totals.finding_count;
    open_section(m, "findings", "Where the class lost its points");
    if (count == 0)
        markup_leaf(m, "p", "dim", "No errors or losses were found in kernels that lost points.");
    else
        markup_leaf(
            m, "p", "dim",
            "Findings in programs that did not get full marks: errors first, then performance losses, each with the most frequent first. Run lanewise explain ID for an explanation of a finding.");
    for (size_t i = 0; i < count && i < FINDINGS; i++)
        put_finding(page, &page->totals.findings[i]);
    if (count > FINDINGS)
        markup_leaf(m, "p", "dim", "%zu rarer findings are not shown.", count - FINDINGS);
    markup_close_line(m);
}

/* --- review ----------------------------------------------------------------------------------- */

static void put_review_row(struct page *page, const char *student, const char *lab,
                           const char *where, const char *why)
{
    struct markup *m = &page->m;
    markup_open(m, "tr");
    markup_leaf(m, "td", NULL, "%s", student);
    markup_leaf(m, "td", NULL, "%s", lab);
    markup_leaf(m, "td", "code", "%s", where);
    markup_leaf(m, "td", "why", "%s", why);
    markup_close_line(m);
}

static unsigned put_reviews(struct page *page)
{
    unsigned rows = 0;
    size_t i;
    json_t *review;
    json_array_foreach(json_object_get(page->class, "review"), i, review)
    {
        put_review_row(page, json_text_of(review, "student"), json_text_of(review, "lab"),
                       json_text_of(review, "path"), json_text_of(review, "why"));
        rows++;
    }
    return rows;
}

/* Writes one row for a grading in which checks timed out or crashed, with the message of the first
 * of these checks. Returns the number of rows written, 0 or 1. */
static unsigned put_stuck(struct page *page, const char *student, const char *lab,
                          const json_t *result)
{
    const json_t *first = NULL;
    unsigned count = 0;
    char where[200];
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        const char *status = json_text_of(check, "status");
        if (strcmp(status, "timeout") != 0 && strcmp(status, "crashed") != 0)
            continue;
        first = first ? first : check;
        count++;
    }
    if (count == 0)
        return 0;
    if (count == 1)
        snprintf(where, sizeof where, "%s", json_text_of(first, "title"));
    else
        snprintf(where, sizeof where, "%u checks", count);
    put_review_row(page, student, lab, where, json_text_of(first, "message"));
    return 1;
}

static unsigned put_all_stuck(struct page *page)
{
    const json_t *gradings = json_object_get(page->class, "gradings");
    unsigned rows = 0;
    size_t i;
    json_t *student;
    json_array_foreach(json_object_get(page->class, "students"), i, student)
    {
        const json_t *labs = json_object_get(student, "labs");
        for (size_t k = 0; k < page->totals.lab_count && rows < TROUBLES; k++) {
            const char *lab = page->totals.labs[k].lab;
            const char *key = json_text_of(json_object_get(labs, lab), "key");
            rows += put_stuck(page, json_text_of(student, "student"), lab,
                              json_object_get(gradings, key));
        }
    }
    return rows;
}

static void put_review(struct page *page)
{
    struct markup *m = &page->m;
    open_section(m, "review", "Needs your review");
    markup_leaf(m, "p", "dim",
                "Submissions that could not be graded, and why. None of them got a 0.");
    open_table(page, "class", "student|lab|file|why");
    unsigned rows = put_reviews(page);
    if (rows == 0)
        markup_raw(m, "<tr><td colspan=\"4\" class=\"dim\">nothing</td></tr>\n");
    close_table(page);
    markup_leaf(m, "h3", NULL, "Timed out or crashed");
    open_table(page, "class", "student|lab|check|what happened");
    rows = put_all_stuck(page);
    if (rows == 0)
        markup_raw(m, "<tr><td colspan=\"4\" class=\"dim\">none</td></tr>\n");
    close_table(page);
    if (rows >= TROUBLES)
        markup_leaf(m, "p", "dim",
                    "Not all are listed here; the students' own reports show the rest.");
    markup_close_line(m);
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void put_side(struct page *page, const json_t *side)
{
    struct markup *m = &page->m;
    json_int_t last = 0;
    size_t i;
    json_t *line;
    markup_open_classed(m, "div", "side");
    markup_leaf(m, "p", "dim", "%s: %s", json_text_of(side, "student"), json_text_of(side, "path"));
    markup_open(m, "pre");
    json_array_foreach(json_object_get(side, "excerpt"), i, line)
    {
        json_int_t number = json_integer_of(line, "line");
        if (last && number != last + 1)
            markup_text(m, "     \u22ee\n");
        markup_text(m, "%4lld %s\n", (long long)number, json_text_of(line, "text"));
        last = number;
    }
    markup_close(m);
    markup_close_line(m);
}

/* Lists the names in LIST, which are its elements or the member KEY of each element. "*" marks a
 * student who changed names in functions of the skeleton. A long list is folded. */
static void put_names(struct markup *m, const json_t *list, const char *key)
{
    size_t i, count = json_array_size(list);
    json_t *one;
    if (count > NAMES) {
        markup_open(m, "details");
        markup_leaf(m, "summary", NULL, "%zu students", count);
    }
    json_array_foreach(list, i, one)
    {
        const char *name = key ? json_text_of(one, key) : json_string_value(one);
        markup_text(m, "%s%s%s", i > 0 ? ", " : "", name ? name : "",
                    json_number_of(one, "renamed") > 0 ? "*" : "");
    }
    if (count > NAMES)
        markup_close(m);
}

static void put_evidence(struct markup *m, const json_t *pair)
{
    const char *evidence = json_text_of(pair, "evidence");
    unsigned percent = percent_of(json_number_of(pair, "similarity"), 1);
    if (json_is_true(json_object_get(pair, "same_file")))
        markup_leaf(m, "strong", NULL, "the same file");
    else if (strcmp(evidence, "text") == 0 && percent == 100)
        markup_leaf(m, "strong", NULL, "the same except for names");
    else
        markup_leaf(m, "strong", NULL, "%u %%", percent);
}

static void put_pair(struct page *page, const json_t *pair)
{
    struct markup *m = &page->m;
    const json_t *sides = json_object_get(pair, "pair");
    const json_t *left = json_array_get(sides, 0), *right = json_array_get(sides, 1);
    const json_t *also = json_object_get(pair, "also");
    markup_open_classed(m, "details", "pair");
    markup_open(m, "summary");
    put_evidence(m, pair);
    markup_text(m, " %s: %s%s and %s%s", json_text_of(pair, "lab"), json_text_of(left, "student"),
                json_number_of(left, "renamed") > 0 ? "*" : "", json_text_of(right, "student"),
                json_number_of(right, "renamed") > 0 ? "*" : "");
    if (json_array_size(also) > NAMES)
        markup_text(m, "; also %zu more", json_array_size(also));
    else if (json_array_size(also)) {
        markup_text(m, "; also ");
        put_names(m, also, NULL);
    }
    markup_close_line(m);
    if (json_array_size(also) > NAMES) {
        markup_open_classed(m, "div", "also");
        markup_text(m, "Students who handed in the same program as one of these two: ");
        put_names(m, also, NULL);
        markup_close_line(m);
    }
    markup_open_classed(m, "div", "sides");
    put_side(page, left);
    put_side(page, right);
    markup_close_line(m);
    markup_close_line(m);
}

/* Returns the page's phrase for WHAT, the reason why programs are in "alike". */
static const char *words_for(const char *what)
{
    static const char *const words[][2] = {
        {"solution", "the same as the kit's solution, except for names, order and integer types"},
        {"short", "the same except for names, but too short to be evidence"},
        {"renamed", "names changed in the skeleton's functions"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], what) == 0)
            return words[i][1];
    return what;
}

static void put_alike(struct page *page)
{
    struct markup *m = &page->m;
    const json_t *alike = json_object_get(page->class, "alike");
    size_t i;
    json_t *group;
    if (json_array_size(alike) == 0)
        return;
    markup_leaf(m, "h3", NULL, "Similar, but not evidence of copying");
    open_table(page, "class", "lab|reason|students");
    json_array_foreach(alike, i, group)
    {
        markup_open(m, "tr");
        markup_leaf(m, "td", NULL, "%s", json_text_of(group, "lab"));
        markup_leaf(m, "td", NULL, "%s", words_for(json_text_of(group, "what")));
        markup_open(m, "td");
        put_names(m, json_object_get(group, "students"), "student");
        markup_close(m);
        markup_close_line(m);
    }
    close_table(page);
}

static void put_pairs(struct page *page)
{
    struct markup *m = &page->m;
    const json_t *similar = json_object_get(page->class, "similar");
    size_t i, count = json_array_size(similar);
    json_t *pair;
    open_section(m, "similar", "Similar submissions");
    markup_leaf(
        m, "p", "dim",
        "Pairs whose sources or compiled kernels have more in common than independent work usually has, even if names and layout differ. Code from the skeleton, code that is also in the solution, and code that many students share are ignored. Similarity is a reason to look, not proof: compare the sources before you judge. A * marks a student who renamed things even in the functions that the skeleton provides.");
    if (count == 0)
        markup_leaf(m, "p", NULL,
                    json_number_of(page->class, "pending") > 0
                        ? "Submissions are compared once everything is graded."
                        : "None.");
    json_array_foreach(similar, i, pair)
    {
        if (i < PAIRS)
            put_pair(page, pair);
    }
    if (count > PAIRS)
        markup_leaf(m, "p", "dim", "%zu less similar pairs are not shown.", count - PAIRS);
    put_alike(page);
    markup_close_line(m);
}

/* --- students --------------------------------------------------------------------------------- */

/* Writes a link to the page in FOLDER. All bytes of FOLDER are escaped, except letters, digits and
 * '-'. */
static void put_page_link(struct markup *m, const char *folder, const char *text)
{
    char address[3 * 256 + 1], *end = address;
    for (const char *at = folder; *at && end + 3 < address + sizeof address; at++) {
        bool plain = isascii((unsigned char)*at) && (isalnum((unsigned char)*at) || *at == '-');
        end += sprintf(end, plain ? "%c" : "%%%02X", (unsigned char)*at);
    }
    *end = 0;
    markup_open(m, "a");
    markup_set(m, "href", "./%s/report.html", address);
    markup_text(m, "%s", text);
    markup_close(m);
}

/* Writes a cell with POINTS. If there are no points yet, writes "not yet" rather than 0. */
static void put_points(struct markup *m, const json_t *points)
{
    if (json_is_number(points))
        markup_leaf(m, "td", "count", "%.6g", json_number_value(points));
    else
        markup_leaf(m, "td", "count dim", "not yet");
}

/* Writes a cell with a student's grade for one lab. A missing submission looks different from 0
 * points. */
static void put_grade(struct markup *m, const json_t *grade)
{
    static const char *const words[][2] = {{"missing", "\u2013"},
                                           {"too-late", "too late"},
                                           {"excused", "excused"},
                                           {"not-built", "0, not built"}};
    const char *status = json_text_of(grade, "status");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(status, words[i][0]) == 0) {
            markup_leaf(m, "td", "count dim", "%s", words[i][1]);
            return;
        }
    if (strcmp(status, "by-hand") == 0)
        markup_leaf(m, "td", "count", "%.6g by hand", json_number_of(grade, "score"));
    else
        put_points(m, json_object_get(grade, "score"));
}

static void put_student(struct page *page, const json_t *student)
{
    struct markup *m = &page->m;
    const json_t *labs = json_object_get(student, "labs");
    markup_open(m, "tr");
    markup_open(m, "th");
    markup_set(m, "scope", "row");
    put_page_link(m, json_text_of(student, "folder"), json_text_of(student, "student"));
    markup_close(m);
    markup_leaf(m, "td", NULL, "%s", json_text_of(student, "name"));
    for (size_t i = 0; i < page->totals.lab_count; i++)
        put_grade(m, json_object_get(labs, page->totals.labs[i].lab));
    put_points(m, json_object_get(student, "total"));
    markup_close_line(m);
}

static void put_students(struct page *page)
{
    char *columns = NULL;
    size_t i, size;
    json_t *student;
    FILE *memory = open_memstream(&columns, &size);
    if (!memory)
        return;
    fputs("student|name", memory);
    for (i = 0; i < page->totals.lab_count; i++)
        fprintf(memory, "|%s", page->totals.labs[i].lab);
    fputs("|total", memory);
    fclose(memory);
    open_section(&page->m, "students", "Students");
    /* the heading of a long table stays visible when the table scrolls */
    open_table_in(page, page->totals.students > LONG ? "scroll long" : "scroll", "class", columns);
    json_array_foreach(json_object_get(page->class, "students"), i, student)
        put_student(page, student);
    close_table(page);
    markup_close_line(&page->m);
    free(columns);
}

/* --- the page --------------------------------------------------------------------------------- */

/* Returns true if some student's second or later attempt has a grade. */
static bool has_trend(const struct class_lab *lab)
{
    for (unsigned i = 1; i < CLASS_ATTEMPTS; i++)
        if (lab->trend[i].count)
            return true;
    return false;
}

static void put_trends(struct page *page)
{
    struct markup *m = &page->m;
    char id[32];
    unsigned plots = 0;
    open_section(m, "trends", "Scores by attempt");
    markup_leaf(m, "p", "dim",
                "Mean score at each attempt, in %%, among the students who made that attempt.");
    markup_open_classed(m, "div", "plots");
    markup_break(m);
    for (size_t i = 0; i < page->totals.lab_count; i++) {
        const struct class_lab *lab = &page->totals.labs[i];
        snprintf(id, sizeof id, "trend%zu", i);
        if (!has_trend(lab))
            continue;
        report_svg_trend(m, id, lab->lab, lab->trend);
        plots++;
    }
    markup_close_line(m);
    if (plots == 0)
        markup_leaf(m, "p", "dim", "No student handed in a lab more than once.");
    markup_close_line(m);
}

static void put_summary(struct page *page)
{
    struct markup *m = &page->m;
    const char *course = json_text_of(page->class, "course");
    markup_open(m, "header");
    markup_break(m);
    markup_leaf(m, "h1", NULL, "%s", *course ? course : "The class");
    markup_leaf(m, "p", NULL, "%u student%s, %zu lab%s. The %s attempt counts.",
                page->totals.students, page->totals.students == 1 ? "" : "s",
                page->totals.lab_count, page->totals.lab_count == 1 ? "" : "s",
                json_text_of(page->class, "attempt"));
    if (json_number_of(page->class, "pending") > 0)
        markup_leaf(m, "p", NULL, "Incomplete: %.0f submissions are not graded yet.",
                    json_number_of(page->class, "pending"));
    markup_leaf(m, "p", "dim", "Graded on the %s with seed %s by Lanewise %s.",
                json_text_of(page->class, "device"), json_text_of(page->class, "seed"),
                json_text_of(page->class, "version"));
    markup_raw(
        m,
        "<nav><a href=\"#labs\">Labs</a><a href=\"#scores\">Scores</a><a href=\"#checks\">Checks</a><a href=\"#findings\">Findings</a><a href=\"#review\">Review</a><a href=\"#similar\">Similar</a><a href=\"#trends\">Trends</a><a href=\"#students\">Students</a></nav>\n");
    markup_close_line(m);
}

void report_class_html(FILE *to, const json_t *class)
{
    struct page page = {.m = {.to = to}, .class = class};
    const char *course = json_text_of(class, "course");
    report_class_totals(class, &page.totals);
    report_html_begin(&page.m, *course ? course : "The class");
    put_summary(&page);
    markup_open(&page.m, "main");
    markup_break(&page.m);
    put_labs(&page);
    put_scores(&page);
    put_checks(&page);
    put_findings(&page);
    put_review(&page);
    put_pairs(&page);
    put_trends(&page);
    put_students(&page);
    markup_close_line(&page.m);
    report_html_end(&page.m);
    report_class_totals_free(&page.totals);
}
