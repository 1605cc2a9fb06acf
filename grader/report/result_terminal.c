/* Writes a result as text:
 *
 *     01-parallelize: From one thread to a grid
 *     labs/01-parallelize/parallelize.cu, emulator, seed 4711
 *
 *       ok            built                                                1.4 s
 *       ok   15/15    exact sum of 1,048,576 numbers                       0.2 s
 *       part 22.1/40  a grid shares the work                               0.2 s
 *            the longest warp does the work of 20,508 instructions; full points for at most 153
 *            labs/01-parallelize/parallelize.cu:57:
 *               57 |             mine += square(data[i]);
 *                  |             ^
 *            hint: ...
 *
 *       52.1 of 100 points */
#include "report/result_terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "report/cause.h"
#include "report/finding_terminal.h"

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

#define MARGIN "       "
#define WIDTH  100 /* maximum number of columns; longer lines are wrapped */

bool report_wants_colour(FILE *file)
{
    const char *terminal = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    return isatty(fileno(file)) && !(no_colour && no_colour[0]) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

struct page {
    FILE *to;
    bool colour;
    const char *margin;   /* indentation of the lines that explain a check */
    const json_t *checks; /* all checks of the result, or NULL if only one check is shown */
};

static void paint(const struct page *page, const char *colour)
{
    if (page->colour)
        fputs(colour, page->to);
}

void report_folded(FILE *to, const char *margin, const char *text)
{
    size_t width = WIDTH - strlen(margin) - 1;
    for (;;) {
        size_t length = strcspn(text, "\n"), cut = length;
        if (length > width) {
            for (cut = width; cut > 0 && text[cut] != ' '; --cut)
                ;
            if (cut == 0) /* the word is longer than a line */
                cut = length;
        }
        fprintf(to, "%s%.*s\n", margin, (int)cut, text);
        if (!text[cut])
            return;
        text += cut + 1;
    }
}

static void put_folded(const struct page *page, const char *text)
{
    report_folded(page->to, page->margin, text);
}

/* Writes the lines of TEXT, each indented by the margin. */
static void put_lines(const struct page *page, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(page->to, "%s%.*s\n", page->margin, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* Returns the width of a UTF-8 string. Counts one column for each character, which is accurate
 * enough. */
static int columns(const char *text)
{
    int count = 0;
    for (; *text; ++text)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* Writes the first line of the build or a check: mark, points, title, seconds. */
static void put_step(const struct page *page, const char *colour, const char *mark,
                     const char *points, const char *title, double seconds)
{
    int padding = 54 - columns(title);
    fputs("  ", page->to);
    paint(page, colour);
    fprintf(page->to, "%-4s", mark);
    paint(page, PLAIN);
    fprintf(page->to, " %-9s %s%*s %5.1f s\n", points, title, padding > 0 ? padding : 0, "",
            seconds);
}

static void put_place(const struct page *page, const json_t *place)
{
    unsigned line = (unsigned)json_integer_of(place, "line"),
             column = (unsigned)json_integer_of(place, "column");
    const char *source = json_text_of(place, "source");
    char *snippet = NULL;
    size_t size;
    if (!json_is_object(place))
        return;
    fprintf(page->to, "%s%s:%u:", page->margin, json_text_of(place, "file"), line);
    if (column > 0)
        fprintf(page->to, "%u:", column);
    fputc('\n', page->to);
    FILE *memory = open_memstream(&snippet, &size);
    if (!memory)
        return;
    report_place(memory, place, source, strlen(source));
    fclose(memory);
    put_lines(page, snippet);
    free(snippet);
}

static const char *mark_of(const char *status, const char **colour)
{
    bool passed = strcmp(status, "passed") == 0, partial = strcmp(status, "partial") == 0;
    *colour = passed ? GREEN : partial ? YELLOW : RED;
    return passed ? "ok" : partial ? "part" : "no";
}

/* Returns the first check before CHECK that failed in the same way at the same place, or NULL. */
static const json_t *find_same(const json_t *checks, const json_t *check)
{
    size_t i;
    json_t *other;
    json_array_foreach(checks, i, other)
    {
        if (other == check)
            return NULL;
        if (json_equal(json_object_get(other, "status"), json_object_get(check, "status")) &&
            json_equal(json_object_get(other, "message"), json_object_get(check, "message")) &&
            json_equal(json_object_get(other, "place"), json_object_get(check, "place")))
            return other;
    }
    return NULL;
}

/* Returns whether an earlier check than CHECK has the same value of the member MEMBER, so it has
 * been shown already. */
static bool has_shown(const struct page *page, const json_t *check, const char *member)
{
    size_t i;
    json_t *other;
    json_array_foreach(page->checks, i, other)
    {
        if (other == check)
            return false;
        if (json_equal(json_object_get(other, member), json_object_get(check, member)))
            return true;
    }
    return false;
}

/* Writes the place of CHECK. Leaves out the lines in "also" if an earlier check has shown them. */
static void put_place_of(const struct page *page, const json_t *check)
{
    json_t *place = json_copy(json_object_get(check, "place"));
    if (has_shown(page, check, "place"))
        json_object_del(place, "also");
    put_place(page, place);
    json_decref(place);
}

/* Writes the output of the program, unless the check's message quotes it. */
static void put_printed(const struct page *page, const json_t *check)
{
    const char *printed = json_text_of(check, "printed");
    struct page inner = {page->to, page->colour, MARGIN "   ", NULL};
    if (!*printed || strstr(json_text_of(check, "message"), printed) ||
        has_shown(page, check, "printed"))
        return;
    put_folded(page, "the program printed (the checks may use other numbers than these):");
    put_lines(&inner, printed);
}

/* Writes LABEL, a colon and TEXT. Writes nothing if TEXT is empty. */
static void put_labelled(const struct page *page, const char *label, const char *text)
{
    char *line = NULL;
    if (!text || !*text || asprintf(&line, "%s: %s", label, text) < 0)
        return;
    put_folded(page, line);
    free(line);
}

static void put_message(const struct page *page, const json_t *check)
{
    const char *input = json_text_of(check, "case"), *message = json_text_of(check, "message");
    if (input[0])
        put_labelled(page, input, message);
    else
        put_folded(page, message);
}

/* Writes the message of CHECK, the place of the mistake, and advice. */
static void put_trouble(const struct page *page, const json_t *check, const json_t *cause)
{
    char *line = cause && !report_says_cause(check, cause) ? report_cause_line(cause) : NULL;
    put_message(page, check);
    put_labelled(page, "cause", line);
    put_place_of(page, check);
    put_printed(page, check);
    put_labelled(page, "hint", json_text_of(check, "hint"));
    free(line);
}

/* --- causes ----------------------------------------------------------------------------------- */

/* Writes CAUSE, with the checks that it explains, at the beginning of the report. */
static void put_cause(const struct page *page, const json_t *result, const json_t *cause,
                      bool first)
{
    char *cost = report_cause_cost(cause), *checks = report_cause_checks(result, cause);
    char *message = report_cause_message(cause);
    paint(page, BOLD RED);
    fprintf(page->to, "  %s", first ? "Fix this first" : "Then fix this");
    paint(page, PLAIN);
    fprintf(page->to, ": %s\n", cost ? cost : "");
    put_folded(page, message ? message : "");
    json_t *place = json_copy((json_t *)cause);
    json_object_del(place, "help"); /* the help has its own line */
    if (json_integer_of(cause, "line") > 0)
        put_place(page, place);
    json_decref(place);
    put_labelled(page, "help", json_text_of(cause, "help"));
    put_labelled(page, "hint", json_text_of(cause, "hint"));
    put_labelled(page, "costs points in", checks);
    fputc('\n', page->to);
    free(message);
    free(checks);
    free(cost);
}

static void put_causes(const struct page *page, const json_t *result)
{
    size_t i;
    json_t *cause;
    json_array_foreach(json_object_get(result, "causes"), i, cause)
        put_cause(page, result, cause, i == 0);
}

/* Writes the message of CHECK if its CAUSE has been shown at the beginning of the report. */
static void put_explained(const struct page *page, const json_t *check, const json_t *cause)
{
    const char *input = json_text_of(check, "case");
    bool says = report_says_cause(check, cause);
    json_int_t line = json_integer_of(cause, "line");
    char where[80] = "the error shown at the top";
    if (line > 0)
        snprintf(where, sizeof where, "the error on line %lld, shown at the top", (long long)line);
    if (!says)
        put_message(page, check);
    put_labelled(page, says ? input[0] ? input : "explained by" : "cause", where);
}

static void put_check(const struct page *page, const json_t *result, const json_t *check)
{
    const json_t *checks = json_object_get(result, "checks"),
                 *cause = report_cause_of(result, check);
    const char *colour, *mark = mark_of(json_text_of(check, "status"), &colour);
    char points[64];
    snprintf(points, sizeof points, "%.4g/%.4g", json_number_of(check, "points"),
             json_number_of(check, "max_points"));
    put_step(page, colour, mark, points, json_text_of(check, "title"),
             json_number_of(check, "seconds"));
    if (json_text_of(check, "note")[0])
        put_folded(page, json_text_of(check, "note"));
    if (strcmp(mark, "ok") == 0)
        return;
    if (cause)
        put_explained(page, check, cause);
    else if (find_same(checks, check))
        put_folded(page, "the same as above");
    else
        put_trouble(page, check, NULL);
}

static void put_build(const struct page *page, const json_t *build)
{
    const char *status = json_text_of(build, "status"), *messages = json_text_of(build, "messages");
    bool built = strcmp(status, "built") == 0;
    const char *title = built ? (json_is_true(json_object_get(build, "cached"))
                                     ? "built (unchanged since the last build)"
                                     : "built")
                        : strcmp(status, "too-long") == 0
                            ? "not built: the compiler took longer than a minute"
                            : "not built: compiler errors";
    put_step(page, built ? GREEN : RED, built ? "ok" : "no", "", title,
             json_number_of(build, "seconds"));
    if (built && messages[0]) {
        paint(page, YELLOW);
        fputs("  note", page->to);
        paint(page, PLAIN);
        fputs("           compiler warnings (no points lost):\n", page->to);
    }
    put_lines(page, messages);
}

static void put_score(const struct page *page, const char *label, const json_t *result)
{
    bool passed = strcmp(json_text_of(result, "status"), "passed") == 0;
    paint(page, passed ? BOLD GREEN : BOLD);
    fprintf(page->to, "%s%.6g of %.6g points", label, json_number_of(result, "score"),
            json_number_of(result, "max_score"));
    paint(page, PLAIN);
    fputc('\n', page->to);
}

void report_result_terminal(FILE *to, const json_t *result, bool colour)
{
    const json_t *checks = json_object_get(result, "checks");
    struct page page = {to, colour, MARGIN, checks};
    size_t i;
    json_t *check;
    paint(&page, BOLD);
    fprintf(to, "%s: %s\n", json_text_of(result, "lab"), json_text_of(result, "title"));
    paint(&page, PLAIN);
    fprintf(to, "%s, on the %s, seed %lld\n\n", json_text_of(result, "submission"),
            strcmp(json_text_of(result, "device"), "gpu") == 0 ? json_text_of(result, "device_name")
                                                               : "emulator",
            (long long)json_integer_of(result, "seed"));
    put_causes(&page, result);
    put_build(&page, json_object_get(result, "build"));
    if (strcmp(json_text_of(result, "status"), "not-built") != 0)
        json_array_foreach(checks, i, check) put_check(&page, result, check);
    fputc('\n', to);
    put_score(&page, "  ", result);
    fputc('\n', to);
}

void report_change_terminal(FILE *to, const char *change, double difference, bool colour)
{
    struct page page = {to, colour, MARGIN, NULL};
    paint(&page, difference > 0 ? GREEN : difference < 0 ? RED : YELLOW);
    report_folded(to, "  ", change);
    paint(&page, PLAIN);
}

void report_check_plain(FILE *to, const json_t *result, const json_t *check)
{
    struct page page = {to, false, "", NULL};
    if (json_text_of(check, "note")[0])
        put_folded(&page, json_text_of(check, "note"));
    if (strcmp(json_text_of(check, "status"), "passed") != 0)
        put_trouble(&page, check, report_cause_of(result, check));
}

void report_total_terminal(FILE *to, const json_t *results, bool colour)
{
    struct page page = {to, colour, MARGIN, NULL};
    fputc('\n', to);
    put_score(&page, "all labs: ", results);
}
