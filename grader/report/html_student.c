#include "report/html_student.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "report/html.h"
#include "report/markup.h"

/* Returns a remark that explains STATUS to the student, or "" if the points need no explanation. */
static const char *remark_of(const char *status)
{
    static const struct {
        const char *status, *remark;
    } remarks[] = {
        {"passed", "full marks"},
        {"not-built", "does not compile"},
        {"missing", "nothing was handed in"},
        {"too-late", "handed in too late"},
        {"review", "awaiting your instructor's review"},
        {"pending", "not graded yet"},
        {"excused", "does not count for you"},
        {"by-hand", "graded by your instructor"},
    };
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
        if (strcmp(status, remarks[i].status) == 0)
            return remarks[i].remark;
    return "";
}

/* Writes the remark, the number of the attempt that counts, and how late it was. */
static void put_remarks(struct markup *m, const json_t *entry)
{
    const char *remark = remark_of(json_text_of(entry, "status"));
    size_t attempts = json_array_size(json_object_get(entry, "attempts"));
    json_int_t late = json_integer_of(entry, "late_days");
    const char *comma = *remark ? ", " : "", *why = json_text_of(entry, "why");
    markup_text(m, "%s%s%s", remark, *why ? ": " : "", why);
    if (attempts > 1 && json_integer_of(entry, "counted") > 0) {
        markup_text(m, "%sattempt %d of %zu counts", comma, (int)json_integer_of(entry, "counted"),
                    attempts);
        comma = ", ";
    }
    if (late > 0)
        markup_text(m, "%s%d %s late", comma, (int)late, late == 1 ? "day" : "days");
    if (late > 0 && json_integer_of(entry, "counted") > 0)
        markup_text(m, ": %.6g points deducted", json_number_of(entry, "penalty"));
    if (*json_text_of(entry, "by_hand"))
        markup_text(m, "%s%s", *remark || *comma || late > 0 ? "; " : "",
                    json_text_of(entry, "by_hand"));
}

static void put_row(struct markup *m, const char *lab, const json_t *entry, bool linked)
{
    const json_t *score = json_object_get(entry, "score");
    markup_open(m, "tr");
    markup_open(m, "td");
    markup_open(m, linked ? "a" : "span");
    if (linked)
        markup_set(m, "href", "#%s", lab);
    markup_text(m, "%s", lab);
    markup_close(m);
    markup_close(m);
    if (json_is_number(score))
        markup_leaf(m, "td", "number", "%.6g of %.6g", json_number_value(score),
                    json_number_of(entry, "max_score"));
    else
        markup_leaf(m, "td", "number", "\u2013 of %.6g", json_number_of(entry, "max_score"));
    markup_open(m, "td");
    put_remarks(m, entry);
    markup_close(m);
    markup_close_line(m);
}

static void put_table(struct markup *m, const json_t *student)
{
    const char *lab;
    json_t *entry;
    markup_open_classed(m, "table", "grades");
    markup_break(m);
    markup_raw(
        m,
        "<thead><tr><th scope=\"col\">Lab</th><th scope=\"col\">Points</th><th scope=\"col\"></th></tr></thead>\n");
    markup_open(m, "tbody");
    markup_break(m);
    json_object_foreach(json_object_get(student, "labs"), lab, entry)
        put_row(m, lab, entry, json_object_get(json_object_get(student, "results"), lab) != NULL);
    markup_close_line(m);
    markup_close_line(m);
}

/* Returns true if at least one lab has a grade. Otherwise the page shows no total, because 0 would
 * look like a grade. */
static bool has_total(const json_t *student)
{
    return json_is_number(json_object_get(student, "total"));
}

static void put_head(struct markup *m, const json_t *student)
{
    const char *name = json_text_of(student, "name");
    markup_open(m, "header");
    markup_break(m);
    markup_leaf(m, "h1", NULL, "%s", *name ? name : json_text_of(student, "student"));
    if (*json_text_of(student, "course")) {
        markup_leaf(m, "p", "dim", "%s", json_text_of(student, "course"));
        markup_break(m);
    }
    markup_open_classed(m, "p", "score");
    if (has_total(student)) {
        markup_leaf(m, "strong", NULL, "%.6g", json_number_of(student, "total"));
        markup_text(m, " of %.6g points", json_number_of(student, "max"));
    } else {
        markup_leaf(m, "strong", NULL, "Not yet");
        markup_text(m, " graded");
    }
    markup_close_line(m);
    put_table(m, student);
    markup_close_line(m);
}

static void put_lab(struct markup *m, const char *lab, const json_t *result, const char *source)
{
    char prefix[160];
    snprintf(prefix, sizeof prefix, "%s-", lab);
    struct report_page page = {.source = source ? source : "", .date = "", .prefix = prefix};
    markup_open_classed(m, "section", "lab");
    markup_set(m, "id", "%s", lab);
    markup_break(m);
    markup_leaf(m, "h2", NULL, "%s: %s", lab, json_text_of(result, "title"));
    markup_break(m);
    report_html_sections(m, result, &page);
    markup_close_line(m);
}

void report_html_student(FILE *to, const json_t *student, const json_t *sources)
{
    struct markup m = {.to = to};
    const char *lab;
    json_t *result;
    char title[400];
    if (has_total(student))
        snprintf(title, sizeof title, "%.200s: %.6g of %.6g points",
                 json_text_of(student, "student"), json_number_of(student, "total"),
                 json_number_of(student, "max"));
    else
        snprintf(title, sizeof title, "%.200s: not yet graded", json_text_of(student, "student"));
    report_html_begin(&m, title);
    put_head(&m, student);
    markup_open(&m, "main");
    markup_break(&m);
    json_object_foreach(json_object_get(student, "results"), lab, result)
        put_lab(&m, lab, result, json_string_value(json_object_get(sources, lab)));
    markup_close_line(&m);
    report_html_end(&m);
}
