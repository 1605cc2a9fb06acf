#include "report/progress_terminal.h"
#include "base/json.h"

#include <string.h>
#include <time.h>

#define BAR    10
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define BOLD   "\033[1m"
#define PLAIN  "\033[0m"

#define BEST   15 /* width of "100, 2026-11-21" */

static void paint(const struct report_progress *page, const char *colour)
{
    if (page->colour)
        fputs(colour, page->to);
}

void report_progress_head(const struct report_progress *page)
{
    paint(page, BOLD);
    fprintf(page->to, "%-*s  %-8s %-*s", page->width, "lab", "points", BAR, "progress");
    if (page->progress)
        fprintf(page->to, "  %-*s", BEST, "best");
    fprintf(page->to, "  title");
    paint(page, PLAIN);
    fputc('\n', page->to);
}

static void put_bar(const struct report_progress *page, double share)
{
    /* round down, so that the bar is full only for full marks */
    int filled = (int)(share * BAR + 1e-9);
    paint(page, filled == BAR ? GREEN : YELLOW);
    for (int i = 0; i < filled; ++i)
        fputc('#', page->to);
    paint(page, PLAIN);
    for (int i = filled; i < BAR; ++i)
        fputc('.', page->to);
}

/* Writes the best score so far and its date. */
static void put_best(const struct report_progress *page, const char *lab)
{
    const json_t *known = json_object_get(json_object_get(page->progress, "labs"), lab);
    time_t when = (time_t)json_integer_of(known, "best_at");
    char text[64] = "-", day[32] = "";
    struct tm local;
    if (json_object_get(known, "best")) {
        if (when > 0 && localtime_r(&when, &local))
            strftime(day, sizeof day, ", %Y-%m-%d", &local);
        snprintf(text, sizeof text, "%.4g%s", json_number_of(known, "best"), day);
    }
    fprintf(page->to, "  %-*s", BEST, text);
}

/* Writes the numbers of the labs in NEEDS as " (after 02, 04)". */
static void put_needs(const struct report_progress *page, const json_t *needs)
{
    size_t i;
    json_t *need;
    json_array_foreach(needs, i, need)
    {
        const char *name = json_string_value(need);
        fprintf(page->to, "%s%.*s", i ? ", " : " (after ", (int)strcspn(name, "-"), name);
    }
    fputs(json_array_size(needs) ? ")\n" : "\n", page->to);
}

void report_progress_row(const struct report_progress *page, const json_t *result,
                         const json_t *needs)
{
    double score = json_number_of(result, "score");
    double most = json_number_of(result, "max_score");
    char points[40];
    snprintf(points, sizeof points, "%.4g/%.4g", score, most);
    fprintf(page->to, "%-*s  %-8s ", page->width, json_text_of(result, "lab"), points);
    put_bar(page, most > 0 ? score / most : 0);
    if (page->progress)
        put_best(page, json_text_of(result, "lab"));
    fprintf(page->to, "  %s",
            strcmp(json_text_of(result, "status"), "not-built") == 0
                ? "does not compile"
                : json_text_of(result, "title"));
    put_needs(page, needs);
}
