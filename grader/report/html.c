/* Writes the HTML page of a grading. Any text can come from the student, so markup.h escapes all
 * text. */
#include "report/html.h"
#include "report/finding_terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "gpu/counters.h"
#include "record/losses.h"
#include "report/cause.h"
#include "report/heat.h"
#include "report/markup.h"
#include "report/svg.h"
#include "report/svg_predicted.h"

#define PICTURES 3 /* maximum number of lines whose accesses are drawn */

struct page {
    struct markup m;
    const json_t *result;
    const struct report_page *settings;
    struct report_totals totals; /* counters of the submission's lines */
    const char *file;
};

/* --- small elements --------------------------------------------------------------------------- */

/* Returns the prefix of all ids. It differs between the gradings on one page, so that their ids
 * differ. */
static const char *prefix_of(const struct page *page)
{
    return page->settings->prefix ? page->settings->prefix : "";
}

/* Returns the HTML element for a heading of LEVEL. On a page of several gradings, headings are one
 * level lower. */
static const char *heading(const struct page *page, unsigned level)
{
    static const char *const headings[] = {"h1", "h2", "h3", "h4"};
    return headings[level - 1 + (page->settings->prefix != NULL)];
}

static void open_section(struct page *page, const char *id, const char *title)
{
    markup_open(&page->m, "section");
    markup_set(&page->m, "id", "%s%s", prefix_of(page), id);
    markup_break(&page->m);
    markup_leaf(&page->m, heading(page, 2), NULL, "%s", title);
    markup_break(&page->m);
}

/* Writes BEFORE and TEXT as a paragraph. Writes nothing if TEXT is empty. */
static void put_paragraph(struct page *page, const char *class, const char *before,
                          const char *text)
{
    if (!*text)
        return;
    markup_leaf(&page->m, "p", class, "%s%s", before, text);
    markup_break(&page->m);
}

/* Writes "file.cu:31". If the file is the submission, this is a link to the source on the same
 * page. */
static void put_place(struct page *page, const char *file, json_int_t line)
{
    bool own = strcmp(file, page->file) == 0;
    if (!*file || line <= 0)
        return;
    markup_open(&page->m, own ? "a" : "span");
    if (own)
        markup_set(&page->m, "href", "#%sL%lld", prefix_of(page), (long long)line);
    markup_text(&page->m, "%s:%lld", file, (long long)line);
    markup_close(&page->m);
}

/* --- checks and findings ---------------------------------------------------------------------- */

static const char *mark_of(const char *status)
{
    static const struct {
        const char *status, *mark;
    } marks[] = {
        {"passed", "\u2713 passed"},    {"partial", "\u25d0 partly"},
        {"failed", "\u2717 failed"},    {"crashed", "\u2717 crashed"},
        {"timeout", "\u2717 too long"}, {"no-result", "\u2717 no result"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(status, marks[i].status) == 0)
            return marks[i].mark;
    return "\u2717 not built";
}

/* Writes the source line of a check or a finding, with a caret and the cause. */
static void put_snippet(struct page *page, const json_t *place)
{
    const char *source = json_text_of(place, "source");
    char *text = NULL;
    size_t size;
    FILE *memory = *source ? open_memstream(&text, &size) : NULL;
    if (!memory)
        return;
    const char *cause = json_string_value(json_object_get(place, "cause"));
    report_snippet(memory, place, source, strlen(source), cause);
    fclose(memory);
    markup_leaf(&page->m, "pre", NULL, "%s", text);
    markup_break(&page->m);
    free(text);
}

/* Writes the error that made CHECK fail, unless the check's message already names this error. */
static void put_cause_line(struct page *page, const json_t *check)
{
    const json_t *cause = report_cause_of(page->result, check);
    if (!cause || report_says_cause(check, cause))
        return;
    markup_open(&page->m, "p");
    markup_text(&page->m, "Cause: ");
    put_place(page, json_text_of(cause, "file"), json_integer_of(cause, "line"));
    markup_text(&page->m, " %s", json_text_of(cause, "message"));
    markup_close_line(&page->m);
}

static void put_check(struct page *page, const json_t *check)
{
    struct markup *m = &page->m;
    const char *status = json_text_of(check, "status");
    const json_t *place = json_object_get(check, "place");
    markup_open(m, "article");
    markup_set(m, "class", "check %s", status);
    markup_open(m, heading(page, 3));
    markup_leaf(m, "span", "mark", "%s", mark_of(status));
    markup_leaf(m, "span", NULL, "%s", json_text_of(check, "title"));
    markup_leaf(m, "span", "points", "%.6g of %.6g", json_number_of(check, "points"),
                json_number_of(check, "max_points"));
    markup_close_line(&page->m);
    put_paragraph(page, NULL, "", json_text_of(check, "message"));
    put_cause_line(page, check);
    put_paragraph(page, "dim", "Input: ", json_text_of(check, "case"));
    if (json_is_object(place)) {
        put_place(page, json_text_of(place, "file"), json_integer_of(place, "line"));
        put_snippet(page, place);
        put_paragraph(page, "dim", "Ideal here: ", json_text_of(place, "spare"));
        put_paragraph(page, "dim", "Seen with this input: ", json_text_of(place, "case"));
    }
    put_paragraph(page, "dim", "The program printed: ", json_text_of(check, "printed"));
    put_paragraph(page, "hint", "Hint: ", json_text_of(check, "hint"));
    put_paragraph(page, "dim", "", json_text_of(check, "note"));
    markup_close_line(&page->m);
}

static void put_checks(struct page *page)
{
    const json_t *build = json_object_get(page->result, "build");
    size_t i;
    json_t *check;
    open_section(page, "checks", "Checks");
    if (*json_text_of(build, "messages")) {
        markup_leaf(&page->m, "p", NULL, "The compiler said:");
        markup_leaf(&page->m, "pre", NULL, "%s", json_text_of(build, "messages"));
        markup_break(&page->m);
    }
    json_array_foreach(json_object_get(page->result, "checks"), i, check) put_check(page, check);
    markup_close_line(&page->m);
}

/* Writes a link to the page that steps through the program, to the step in which the finding
 * occurred. */
static void put_moment(struct page *page, const json_t *finding)
{
    if (!page->settings->steps || !json_integer_of(finding, "line"))
        return;
    markup_open(&page->m, "p");
    markup_open(&page->m, "a");
    markup_set(&page->m, "href", "%s#finding=%lld:%s", page->settings->steps,
               (long long)json_integer_of(finding, "line"), json_text_of(finding, "id"));
    markup_text(&page->m, "Show me, step by step");
    markup_close(&page->m);
    markup_close_line(&page->m);
}

static void put_finding(struct page *page, const json_t *finding)
{
    struct markup *m = &page->m;
    json_int_t count = json_integer_of(finding, "count");
    size_t i;
    json_t *other;
    markup_open(m, "article");
    markup_set(m, "class", "finding %s", json_text_of(finding, "severity"));
    markup_open(m, heading(page, 3));
    markup_leaf(m, "span", "mark", "%s", json_text_of(finding, "severity"));
    put_place(page, json_text_of(finding, "file"), json_integer_of(finding, "line"));
    markup_leaf(m, "code", "points", "[%s]", json_text_of(finding, "id"));
    markup_close_line(&page->m);
    put_paragraph(page, NULL, "", json_text_of(finding, "message"));
    put_snippet(page, finding);
    json_array_foreach(json_object_get(finding, "related"), i, other)
    {
        const char *message = json_text_of(other, "message");
        markup_open(m, "p");
        markup_text(m, "%s: ", *message ? message : "the other access");
        put_place(page, json_text_of(other, "file"), json_integer_of(other, "line"));
        markup_close_line(&page->m);
    }
    put_moment(page, finding);
    put_paragraph(page, "hint", "Help: ", json_text_of(finding, "help"));
    put_paragraph(page, "hint", "Hint: ", json_text_of(finding, "hint"));
    put_paragraph(page, "dim", "Ideal here: ", json_text_of(finding, "spare"));
    put_paragraph(page, "dim", "Seen with this input: ", json_text_of(finding, "case"));
    if (count > 1 && !record_is_loss(finding))
        markup_leaf(m, "p", "dim", "%s times", NUMBER((uint64_t)count));
    markup_close_line(&page->m);
}

/* Writes the causes: the errors that explain why checks lost points. */
static void put_causes(struct page *page)
{
    const json_t *causes = json_object_get(page->result, "causes");
    size_t i;
    json_t *cause;
    if (json_array_size(causes) == 0)
        return;
    open_section(page, "causes", "Fix this first");
    json_array_foreach(causes, i, cause)
    {
        char *cost = report_cause_cost(cause), *checks = report_cause_checks(page->result, cause);
        put_finding(page, cause);
        put_paragraph(page, "dim", "Input: ", json_text_of(cause, "case"));
        markup_leaf(&page->m, "p", NULL, "%s: %s.", cost ? cost : "", checks ? checks : "");
        markup_break(&page->m);
        free(checks);
        free(cost);
    }
    markup_close_line(&page->m);
}

static void put_findings_that(struct page *page, const json_t *findings, bool are_errors)
{
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        if ((strcmp(json_text_of(finding, "severity"), "error") == 0) == are_errors)
            put_finding(page, finding);
    }
}

/* Writes all findings: errors come first, then wasted work. */
static void put_findings(struct page *page)
{
    const json_t *findings = json_object_get(page->result, "findings");
    bool built = strcmp(json_text_of(page->result, "status"), "not-built") != 0;
    open_section(page, "findings", "Findings");
    if (json_array_size(findings) == 0)
        markup_leaf(&page->m, "p", "dim",
                    built ? "No errors or losses were found while the kernels ran."
                          : "The file did not compile, so no kernel ran.");
    put_findings_that(page, findings, true);
    put_findings_that(page, findings, false);
    markup_close_line(&page->m);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Returns the access that was recorded for LINE, or NULL. */
static const json_t *access_of(const struct page *page, unsigned line)
{
    size_t i;
    json_t *access;
    json_array_foreach(json_object_get(page->result, "accesses"), i, access)
    {
        if (json_integer_of(access, "line") == line)
            return access;
    }
    return NULL;
}

static void put_picture(struct page *page, const struct report_line *line, const json_t *access)
{
    char id[24];
    snprintf(id, sizeof id, "access%u", line->number);
    struct report_picture picture = {.id = id,
                                     .file = page->file,
                                     .source = page->settings->source,
                                     .inlined = true,
                                     .adds_runs = true,
                                     .line = &line->counters};
    markup_open(&page->m, "figure");
    markup_open_classed(&page->m, "div", "scroll");
    markup_set(&page->m, "tabindex", "0"); /* lets arrow keys scroll the picture */
    markup_break(&page->m);
    report_svg_access(page->m.to, access, &picture);
    markup_close_line(&page->m);
    markup_open(&page->m, "figcaption");
    put_place(page, page->file, line->number);
    if (*json_text_of(access, "case"))
        markup_text(&page->m, ", with this input: %s", json_text_of(access, "case"));
    markup_text(
        &page->m,
        ". In all runs of the grading, the line costs %s sectors, wavefronts and branches beyond the ideal.",
        NUMBER(line->waste));
    markup_close(&page->m);
    markup_close_line(&page->m);
}

/* Shows the pictures in the program's input and results, such as a photo before and after a
 * filter. */
static void put_shown(struct page *page)
{
    const json_t *shown = json_object_get(page->result, "shown");
    struct markup *m = &page->m;
    size_t i;
    json_t *one;
    if (json_array_size(shown) == 0)
        return;
    open_section(page, "shown", "Pictures that your program read and wrote");
    json_array_foreach(shown, i, one)
    {
        const char *name = json_text_of(one, "name");
        markup_open(m, "figure");
        markup_open(m, "img");
        markup_set(m, "alt", "the picture \"%s\"", name);
        markup_set(m, "width", "%lld", (long long)json_integer_of(one, "width"));
        markup_set(m, "height", "%lld", (long long)json_integer_of(one, "height"));
        markup_set(m, "src", "data:image/png;base64,%s", json_text_of(one, "png"));
        markup_close_void(m);
        markup_leaf(m, "figcaption", NULL, "%s: %s", name, json_text_of(one, "case"));
        markup_close_line(&page->m);
    }
    markup_close_line(&page->m);
}

/* Draws a timeline: when the copies and kernels of a run would be executed on a GPU. */
static void put_timelines(struct page *page)
{
    const json_t *timelines = json_object_get(page->result, "timelines");
    struct markup *m = &page->m;
    size_t i;
    json_t *one;
    if (json_array_size(timelines) == 0)
        return;
    open_section(page, "timelines", "Timeline of copies and kernels");
    json_array_foreach(timelines, i, one)
    {
        char id[32];
        snprintf(id, sizeof id, "timeline%zu", i);
        markup_open(m, "figure");
        markup_open_classed(&page->m, "div", "scroll");
        markup_set(m, "tabindex", "0"); /* lets arrow keys scroll the picture */
        markup_break(m);
        report_svg_timeline(m->to, one, &(struct report_drawing){id, i > 0});
        markup_close_line(&page->m);
        markup_leaf(m, "figcaption", NULL, "Predicted for this input: %s",
                    json_text_of(one, "case"));
        markup_close_line(&page->m);
    }
    markup_close_line(&page->m);
}

/* Draws accesses of the most wasteful lines. If no line wastes anything, draws those of the first
 * line that accesses memory. */
static void put_pictures(struct page *page)
{
    unsigned drawn = 0;
    open_section(page, "pictures", "How the costliest lines access memory");
    for (size_t i = 0; i < page->totals.line_count && drawn < PICTURES; i++) {
        const struct report_line *line = &page->totals.lines[i];
        const json_t *access = access_of(page, line->number);
        if (!access || (drawn && !line->waste))
            continue;
        put_picture(page, line, access);
        drawn++;
    }
    if (!drawn)
        markup_leaf(&page->m, "p", "dim", "No memory accesses were recorded.");
    markup_close_line(&page->m);
}

/* --- the source ------------------------------------------------------------------------------- */

/* Writes a cell with the sum of the counters KINDS and the sum of their ideal values, or an empty
 * cell if the first sum is 0. */
static void put_traffic(struct page *page, const uint64_t *value, const enum emu_counter *kinds,
                        size_t count)
{
    uint64_t cost = 0, ideal = 0;
    for (size_t i = 0; i < count; i++) {
        cost += value[kinds[i]]; /* in the enum, a counter's ideal comes after the counter */
        ideal += value[kinds[i] + 1];
    }
    markup_open_classed(&page->m, "td", "extra");
    if (cost && cost > ideal)
        markup_text(&page->m, "%s (ideal %s)", NUMBER(cost), NUMBER(ideal));
    else if (cost)
        markup_text(&page->m, "%s", NUMBER(cost));
    markup_close(&page->m);
}

static void put_counters(struct page *page, const struct report_heat *heat)
{
    static const enum emu_counter sectors[] = {EMU_global_load_sectors, EMU_global_store_sectors,
                                               EMU_global_atomic_sectors,
                                               EMU_global_reduction_sectors};
    static const enum emu_counter wavefronts[] = {
        EMU_shared_load_wavefronts, EMU_shared_store_wavefronts, EMU_shared_atomic_wavefronts};
    struct markup *m = &page->m;
    if (!heat->line) {
        markup_raw(
            m,
            "<td></td><td class=\"extra\"></td><td class=\"extra\"></td><td class=\"extra\"></td>");
        return;
    }
    const uint64_t *value = heat->line->counters.value;
    markup_open(m, "td");
    markup_set(m, "class", "heat heat%u", heat->level);
    markup_text(m, "%.1f %%", 100 * heat->share);
    markup_close(m);
    markup_leaf(m, "td", "extra", "%s", NUMBER(value[EMU_warp_instructions]));
    put_traffic(page, value, sectors, sizeof sectors / sizeof *sectors);
    put_traffic(page, value, wavefronts, sizeof wavefronts / sizeof *wavefronts);
}

static void put_source_line(struct page *page, unsigned number, const struct report_heat *heat)
{
    const char *line;
    size_t length;
    markup_open(&page->m, "tr");
    markup_set(&page->m, "id", "%sL%u", prefix_of(page), number);
    put_counters(page, heat);
    markup_leaf(&page->m, "td", "number", "%u", number);
    markup_open_classed(&page->m, "td", "text code");
    if (base_source_line(page->settings->source, number, &line, &length))
        markup_bytes(&page->m, line, length);
    markup_close(&page->m);
    markup_close_line(&page->m);
}

static void put_source_head(struct page *page)
{
    static const struct {
        const char *class, *text;
    } columns[] = {{"", "cost"},         {"extra", "warp instructions"},
                   {"extra", "sectors"}, {"extra", "wavefronts"},
                   {"", "line"},         {"text", "source"}};
    markup_open(&page->m, "thead");
    markup_open(&page->m, "tr");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        markup_open_classed(&page->m, "th", columns[i].class);
        markup_set(&page->m, "scope", "col");
        markup_text(&page->m, "%s", columns[i].text);
        markup_close(&page->m);
    }
    markup_close(&page->m);
    markup_close_line(&page->m);
}

static void put_source(struct page *page)
{
    size_t count = report_line_count(page->settings->source);
    struct report_heat *heat = calloc(count + 1, sizeof *heat);
    if (!heat)
        return;
    report_heat(&page->totals, page->file, heat, count);
    open_section(page, "source", "Your source, line by line");
    markup_leaf(
        &page->m, "p", "dim",
        "Cost: a line's warp instructions, sectors and wavefronts during grading, added up, as a share of the file's. A sector is 32 bytes of global or local memory; a wavefront is one pass through shared memory.");
    markup_break(&page->m);
    markup_open_classed(&page->m, "div", "scroll");
    markup_set(&page->m, "tabindex", "0");
    markup_open_classed(&page->m, "table", "lines");
    markup_break(&page->m);
    put_source_head(page);
    markup_open(&page->m, "tbody");
    markup_break(&page->m);
    for (size_t i = 0; i < count; i++)
        put_source_line(page, (unsigned)i + 1, &heat[i]);
    markup_close(&page->m);
    markup_close(&page->m);
    markup_close(&page->m);
    markup_close_line(&page->m);
    free(heat);
}

/* --- the page --------------------------------------------------------------------------------- */

static void put_fact(struct page *page, const char *name, const char *value)
{
    if (!*value)
        return;
    markup_leaf(&page->m, "dt", NULL, "%s", name);
    markup_leaf(&page->m, "dd", NULL, "%s", value);
    markup_break(&page->m);
}

static void put_environment(struct page *page)
{
    char seed[32];
    const json_t *result = page->result;
    snprintf(seed, sizeof seed, "%lld", (long long)json_integer_of(result, "seed"));
    open_section(page, "environment", "Graded with");
    markup_open(&page->m, "dl");
    markup_break(&page->m);
    put_fact(page, "Lanewise", json_text_of(result, "version"));
    put_fact(page, "Device", json_text_of(result, "device_name"));
    put_fact(page, "Compiler", json_text_of(json_object_get(result, "graded_by"), "compiler"));
    put_fact(page, "Seed of the inputs", seed);
    put_fact(page, "Date", page->settings->date);
    put_fact(page, "File", page->file);
    put_fact(page, "SHA-256 of the file", json_text_of(result, "source_sha256"));
    markup_close(&page->m);
    markup_close_line(&page->m);
}

static void put_summary(struct markup *m, const json_t *result)
{
    markup_open(m, "header");
    markup_break(m);
    markup_leaf(m, "h1", NULL, "%s: %s", json_text_of(result, "lab"),
                json_text_of(result, "title"));
    markup_open_classed(m, "p", "score");
    markup_leaf(m, "strong", NULL, "%.6g", json_number_of(result, "score"));
    markup_text(m, " of %.6g points", json_number_of(result, "max_score"));
    markup_close_line(m);
    markup_raw(
        m,
        "<nav><a href=\"#checks\">Checks</a><a href=\"#findings\">Findings</a><a href=\"#pictures\">Pictures</a><a href=\"#source\">Source</a><a href=\"#environment\">Graded with</a></nav>\n");
    markup_close_line(m);
}

void report_html_sections(struct markup *m, const json_t *result,
                          const struct report_page *settings)
{
    struct page page = {.m = *m, .result = result, .settings = settings};
    page.file = json_text_of(result, "submission");
    report_add_up_lines(json_object_get(result, "lines"), page.file, &page.totals);
    put_causes(&page);
    put_checks(&page);
    put_findings(&page);
    put_shown(&page);
    put_timelines(&page);
    put_pictures(&page);
    put_source(&page);
    put_environment(&page);
    report_totals_free(&page.totals);
    *m = page.m;
}

void report_html(FILE *to, const json_t *result, const struct report_page *settings)
{
    struct markup m = {.to = to};
    char title[200];
    snprintf(title, sizeof title, "%s: %.6g of %.6g points", json_text_of(result, "lab"),
             json_number_of(result, "score"), json_number_of(result, "max_score"));
    report_html_begin(&m, title);
    put_summary(&m, result);
    markup_open(&m, "main");
    markup_break(&m);
    report_html_sections(&m, result, settings);
    markup_close_line(&m);
    report_html_end(&m);
}
