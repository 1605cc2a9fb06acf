#include "report/predicted_html.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/number.h"
#include "report/html.h"
#include "report/markup.h"
#include "report/run_totals.h"
#include "report/svg_predicted.h"

/* The longest launch of each kernel that has a predicted time. */
struct longest {
    struct report_totals totals;
    struct report_prediction *launches;
    const struct report_kernel **kernels;
    unsigned count;
};

static void find_longest(const json_t *document, struct longest *longest)
{
    *longest = (struct longest){0};
    report_add_up(document, &longest->totals);
    size_t room = longest->totals.kernel_count + 1;
    longest->launches = calloc(room, sizeof *longest->launches);
    longest->kernels = calloc(room, sizeof(void *));
    for (size_t i = 0; i < longest->totals.kernel_count; i++) {
        const struct report_kernel *kernel = &longest->totals.kernels[i];
        if (!longest->launches || !longest->kernels ||
            !report_read_prediction(kernel->predicted.longest, &longest->launches[longest->count]))
            continue;
        longest->kernels[longest->count++] = kernel;
    }
}

static void forget(struct longest *longest)
{
    report_totals_free(&longest->totals);
    free(longest->launches);
    free(longest->kernels);
}

static int by_time(const void *a, const void *b)
{
    const struct report_prediction *x = a, *y = b;
    return (x->us < y->us) - (x->us > y->us);
}

/* Draws the roofline of the kernels whose launches take longest. */
static void draw_roofline(FILE *to, const struct longest *longest,
                          const struct report_drawing *drawing)
{
    struct report_prediction *sorted = calloc(longest->count, sizeof *sorted);
    for (unsigned i = 0; sorted && i < longest->count; i++)
        sorted[i] = longest->launches[i];
    if (sorted)
        qsort(sorted, longest->count, sizeof *sorted, by_time);
    if (sorted)
        report_svg_roofline(to, sorted, longest->count, drawing);
    free(sorted);
}

static void open_figure(struct markup *m)
{
    markup_open(m, "figure");
    markup_open_classed(m, "div", "scroll");
    markup_set(m, "tabindex", "0"); /* lets arrow keys scroll the picture */
    markup_break(m);
}

static void close_figure(struct markup *m)
{
    markup_close(m);
    markup_close_line(m);
}

static void put_kernel(struct markup *m, const struct longest *longest, unsigned i)
{
    const struct report_predicted *all = &longest->kernels[i]->predicted;
    const struct report_prediction *p = &longest->launches[i];
    char id[32], us[32];
    markup_open(m, "section");
    markup_break(m);
    markup_leaf(m, "h2", "code", "%s", p->kernel);
    markup_break(m);
    if (all->launches > 1)
        markup_leaf(m, "p", NULL,
                    "%s launches take %s together. The pictures show the longest one.",
                    NUMBER(all->launches), report_time(us, all->us));
    markup_break(m);
    snprintf(id, sizeof id, "limits%u", i);
    open_figure(m);
    report_svg_limits(m->to, p, &(struct report_drawing){id, true});
    close_figure(m);
    snprintf(id, sizeof id, "waves%u", i);
    open_figure(m);
    report_svg_waves(m->to, p, &(struct report_drawing){id, true});
    close_figure(m);
    markup_close_line(m);
}

/* Finds the first kernel that has a launch without a predicted time. Returns the reason, or NULL if
 * there is no such kernel. */
static const json_t *first_gap(const struct longest *longest)
{
    for (size_t i = 0; i < longest->totals.kernel_count; i++)
        if (longest->totals.kernels[i].predicted.gap)
            return longest->totals.kernels[i].predicted.gap;
    return NULL;
}

static void put_head(struct markup *m, const struct longest *longest, const char *program)
{
    markup_open(m, "header");
    markup_break(m);
    const json_t *gap = first_gap(longest);
    markup_leaf(m, "h1", NULL, "%s: predicted times on %s", program,
                longest->count ? longest->launches->gpu : json_text_of(gap, "title"));
    markup_break(m);
    if (longest->count)
        markup_leaf(
            m, "p", "dim", "%s",
            longest->launches->measured
                ? "The program did not run on this GPU. The emulator counted its operations, and a model "
                  "with parameters that were measured on this GPU computed times from the counts."
                : "This GPU was never measured for Lanewise: the model's parameters come from "
                  "documents and from the H200, and it is not known how reliable the intervals are.");
    markup_break(m);
    markup_close_line(m);
}

/* Says which kernels have launches without a predicted time, and why. */
static void put_gaps(struct markup *m, const struct longest *longest)
{
    for (size_t i = 0; i < longest->totals.kernel_count; i++) {
        const struct report_kernel *kernel = &longest->totals.kernels[i];
        if (!kernel->predicted.gap)
            continue;
        markup_open(m, "section");
        markup_break(m);
        markup_leaf(m, "h2", "code", "%s", kernel->name);
        markup_break(m);
        markup_leaf(m, "p", NULL, "no predicted time for %s of %s launches: %s.",
                    NUMBER(kernel->predicted.unknown), NUMBER(kernel->launches),
                    json_text_of(kernel->predicted.gap, "why"));
        markup_close_line(m);
    }
}

bool report_predicted_html(FILE *to, const json_t *document, const char *program)
{
    struct markup m = {.to = to};
    struct longest longest;
    char title[300];
    find_longest(document, &longest);
    bool any = longest.count > 0 || first_gap(&longest);
    if (any) {
        snprintf(title, sizeof title, "%.200s: predicted times", program);
        report_html_begin(&m, title);
        put_head(&m, &longest, program);
        markup_open(&m, "main");
        markup_break(&m);
        if (longest.count) {
            open_figure(&m);
            draw_roofline(to, &longest, &(struct report_drawing){"roofline", false});
            close_figure(&m);
        }
        if (json_object_get(document, "timeline")) {
            open_figure(&m);
            report_svg_timeline(to, json_object_get(document, "timeline"),
                                &(struct report_drawing){"timeline", true});
            close_figure(&m);
        }
        for (unsigned i = 0; i < longest.count; i++)
            put_kernel(&m, &longest, i);
        put_gaps(&m, &longest);
        markup_close_line(&m);
        report_html_end(&m);
    }
    forget(&longest);
    return any;
}

bool report_predicted_svg(FILE *to, const json_t *document, unsigned picture)
{
    struct longest longest;
    const struct report_drawing drawing = {"predicted", false};
    find_longest(document, &longest);
    const struct report_prediction *most = longest.launches;
    for (unsigned i = 1; i < longest.count; i++)
        most = longest.launches[i].us > most->us ? &longest.launches[i] : most;
    if (longest.count && picture == REPORT_ROOFLINE)
        draw_roofline(to, &longest, &drawing);
    else if (longest.count && picture == REPORT_WAVES)
        report_svg_waves(to, most, &drawing);
    else if (longest.count)
        report_svg_limits(to, most, &drawing);
    bool any = longest.count > 0;
    forget(&longest);
    return any;
}
