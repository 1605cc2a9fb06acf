/* Writes the class page. Names, paths and messages can come from students, so markup.h escapes all
 * text. */
#include "report/class_html.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/class_page.h"
#include "report/html.h"
#include "report/svg_class.h"

/* The maximum numbers of entries that the page shows: */
#define FINDINGS 12u  /* findings; the most frequent come first */
#define TROUBLES 200u /* gradings that timed out or crashed */
#define LONG     40u  /* students in a table; a longer table scrolls */

unsigned class_percent(double part, double whole)
{
    return whole > 0 ? (unsigned)(100 * part / whole + 0.5) : 0;
}

/* --- small elements --------------------------------------------------------------------------- */

void class_open_section(struct markup *m, const char *id, const char *title)
{
    markup_open(m, "section");
    markup_set(m, "id", "%s", id);
    markup_break(m);
    markup_leaf(m, "h2", NULL, "%s", title);
    markup_break(m);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Opens a table in a scrollable BOX and writes its head. COLUMNS are separated by "|". */
static void open_table_in(struct class_page *page, const char *box, const char *class,
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

void class_open_table(struct class_page *page, const char *class, const char *columns)
{
    open_table_in(page, "scroll", class, columns);
}

void class_close_table(struct class_page *page)
{
    markup_close(&page->m);
    markup_close(&page->m);
    markup_close_line(&page->m);
}

/* Writes a cell with a count, or with a dash for 0. */
static void put_count(struct class_page *page, unsigned count)
{
    if (count)
        markup_leaf(&page->m, "td", "count", "%u", count);
    else
        markup_leaf(&page->m, "td", "count dim", "\u2013");
}

static void put_percent(struct class_page *page, double part, double whole)
{
    if (whole > 0)
        markup_leaf(&page->m, "td", "count", "%u %%", class_percent(part, whole));
    else
        markup_leaf(&page->m, "td", "count dim", "\u2013");
}

/* --- labs and scores -------------------------------------------------------------------------- */

static void put_lab_row(struct class_page *page, const struct class_lab *lab)
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

static void put_labs(struct class_page *page)
{
    class_open_section(&page->m, "labs", "Labs");
    class_open_table(page, "class",
                     "lab|graded|mean|full marks|do not compile|not handed in|no grade yet");
    for (size_t i = 0; i < page->totals.lab_count; i++)
        put_lab_row(page, &page->totals.labs[i]);
    class_close_table(page);
    markup_close_line(&page->m);
}

static void put_scores(struct class_page *page)
{
    struct markup *m = &page->m;
    char id[32];
    class_open_section(m, "scores", "Distribution of scores");
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

static void put_check_row(struct class_page *page, const struct class_check *check)
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

static void put_checks(struct class_page *page)
{
    struct markup *m = &page->m;
    const char *lab = "";
    class_open_section(m, "checks", "Results of each check");
    markup_leaf(
        m, "p", "dim",
        "Graded submissions only. Points lost are averaged over the students: the higher the figure, the more there is to explain in class.");
    class_open_table(page, "class checks",
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
    class_close_table(page);
    markup_close_line(m);
}

/* --- findings --------------------------------------------------------------------------------- */

/* Writes an example line from a student's program, without the student's name. */
static void put_example(struct class_page *page, const json_t *example)
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

static unsigned graded_in(const struct class_page *page, const char *lab)
{
    for (size_t i = 0; i < page->totals.lab_count; i++)
        if (strcmp(page->totals.labs[i].lab, lab) == 0)
            return page->totals.labs[i].graded;
    return 0;
}

static void put_finding(struct class_page *page, const struct class_finding *finding)
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

static void put_findings(struct class_page *page)
{
    struct markup *m = &page->m;
    size_t count = page->totals.finding_count;
    class_open_section(m, "findings", "Where the class lost its points");
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

static void put_review_row(struct class_page *page, const char *student, const char *lab,
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

static unsigned put_reviews(struct class_page *page)
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
static unsigned put_stuck(struct class_page *page, const char *student, const char *lab,
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

static unsigned put_all_stuck(struct class_page *page)
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

static void put_review(struct class_page *page)
{
    struct markup *m = &page->m;
    class_open_section(m, "review", "Needs your review");
    markup_leaf(m, "p", "dim",
                "Submissions that could not be graded, and why. None of them got a 0.");
    class_open_table(page, "class", "student|lab|file|why");
    unsigned rows = put_reviews(page);
    if (rows == 0)
        markup_raw(m, "<tr><td colspan=\"4\" class=\"dim\">nothing</td></tr>\n");
    class_close_table(page);
    markup_leaf(m, "h3", NULL, "Timed out or crashed");
    class_open_table(page, "class", "student|lab|check|what happened");
    rows = put_all_stuck(page);
    if (rows == 0)
        markup_raw(m, "<tr><td colspan=\"4\" class=\"dim\">none</td></tr>\n");
    class_close_table(page);
    if (rows >= TROUBLES)
        markup_leaf(m, "p", "dim",
                    "Not all are listed here; the students' own reports show the rest.");
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

static void put_student(struct class_page *page, const json_t *student)
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

static void put_students(struct class_page *page)
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
    class_open_section(&page->m, "students", "Students");
    /* the heading of a long table stays visible when the table scrolls */
    open_table_in(page, page->totals.students > LONG ? "scroll long" : "scroll", "class", columns);
    json_array_foreach(json_object_get(page->class, "students"), i, student)
        put_student(page, student);
    class_close_table(page);
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

static void put_trends(struct class_page *page)
{
    struct markup *m = &page->m;
    char id[32];
    unsigned plots = 0;
    class_open_section(m, "trends", "Scores by attempt");
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

static void put_summary(struct class_page *page)
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
    struct class_page page = {.m = {.to = to}, .class = class};
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
    class_put_similar(&page);
    put_trends(&page);
    put_students(&page);
    markup_close_line(&page.m);
    report_html_end(&page.m);
    report_class_totals_free(&page.totals);
}
