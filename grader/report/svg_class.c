#include "report/svg_class.h"

#include <stdio.h>

#include "report/svg_shapes.h"

enum { LEFT = 34, RIGHT = 8, TOP = 40, BOTTOM = 40, PLOT = 110, COLUMN = 34 };
enum { HEIGHT = TOP + PLOT + BOTTOM };

/* Opens a plot with COLUMNS columns, and in it the element for its description, which the caller
 * writes and closes. */
static void open_plot(struct markup *m, const char *id, const char *title, unsigned columns)
{
    int width = LEFT + (int)columns * COLUMN + RIGHT;
    markup_open_classed(m, "svg", "lw plot");
    markup_set(m, "viewBox", "0 0 %d %d", width, HEIGHT);
    markup_set(m, "width", "%d", width);
    markup_set(m, "height", "%d", HEIGHT);
    markup_set(m, "role", "img");
    markup_set(m, "aria-labelledby", "%s-title %s-desc", id, id);
    markup_open(m, "title");
    markup_set(m, "id", "%s-title", id);
    markup_text(m, "%s", title);
    markup_close(m);
    markup_open(m, "desc");
    markup_set(m, "id", "%s-desc", id);
}

static double column_middle(unsigned column)
{
    return LEFT + (column + 0.5) * COLUMN;
}

/* --- scores ----------------------------------------------------------------------------------- */

static unsigned largest_of(const unsigned bins[CLASS_BINS])
{
    unsigned largest = 1;
    for (unsigned i = 0; i < CLASS_BINS; i++)
        largest = bins[i] > largest ? bins[i] : largest;
    return largest;
}

static void put_bin(struct markup *m, unsigned bin, unsigned count, unsigned largest)
{
    double height = PLOT * (double)count / largest, x = column_middle(bin);
    if (count) {
        svg_put_rect(m, bin == CLASS_BINS - 1 ? "plot-full" : "plot-bar", x - COLUMN * 0.42,
                     TOP + PLOT - height, COLUMN * 0.84, height);
        svg_open_text(m, "lw-strong", "middle", x, TOP + PLOT - height - 4);
        markup_text(m, "%u", count);
        markup_close(m);
    }
    svg_open_text(m, "lw-dim", "middle", x, TOP + PLOT + 14);
    markup_text(m, bin == 0 ? "<10" : bin == CLASS_BINS - 1 ? "%u" : "%u+", bin * 10);
    markup_close(m);
}

void report_svg_scores(struct markup *m, const char *id, const char *title,
                       const unsigned bins[CLASS_BINS])
{
    unsigned largest = largest_of(bins);
    open_plot(m, id, title, CLASS_BINS);
    for (unsigned i = 0; i < CLASS_BINS - 1; i++)
        if (bins[i])
            markup_text(m, "%u from %u to %u %%. ", bins[i], i * 10, i * 10 + 10);
    if (bins[CLASS_BINS - 1])
        markup_text(m, "%u with 100 %%. ", bins[CLASS_BINS - 1]);
    markup_close(m);
    svg_put_text(m, "lw-head", "start", 4, 16, title);
    svg_put_line(m, "plot-axis", LEFT, TOP + PLOT, LEFT + CLASS_BINS * COLUMN, TOP + PLOT);
    for (unsigned i = 0; i < CLASS_BINS; i++)
        put_bin(m, i, bins[i], largest);
    svg_put_text(m, "lw-dim", "middle", column_middle(CLASS_BINS / 2), HEIGHT - 8,
                 "% of the points");
    markup_close_line(m);
}

/* --- trends ----------------------------------------------------------------------------------- */

static double mean_of(const struct class_trend *trend)
{
    return trend->count ? trend->sum / trend->count : 0;
}

static double height_of(double share)
{
    return TOP + PLOT * (1 - share);
}

static void put_grid(struct markup *m, unsigned columns)
{
    for (unsigned percent = 0; percent <= 100; percent += 50) {
        double y = height_of(percent / 100.0);
        svg_put_line(m, percent ? "plot-grid" : "plot-axis", LEFT, y, LEFT + columns * COLUMN, y);
        svg_open_text(m, "lw-dim", "end", LEFT - 4, y + 4);
        markup_text(m, "%u", percent);
        markup_close(m);
    }
}

/* Returns the number of attempts to show, which is the number of the last attempt of any
 * student. */
static unsigned last_attempt(const struct class_trend trend[CLASS_ATTEMPTS])
{
    unsigned last = 0;
    for (unsigned i = 0; i < CLASS_ATTEMPTS; i++)
        if (trend[i].count)
            last = i + 1;
    return last;
}

static void put_curve(struct markup *m, const struct class_trend *trend, unsigned count)
{
    char points[CLASS_ATTEMPTS * 24] = "";
    size_t length = 0;
    for (unsigned i = 0; i < count; i++)
        if (trend[i].count)
            length += (size_t)snprintf(points + length, sizeof points - length, "%.1f,%.1f ",
                                       column_middle(i), height_of(mean_of(&trend[i])));
    markup_open_classed(m, "polyline", "plot-curve");
    markup_set(m, "points", "%s", points);
    markup_close(m);
}

static void put_attempt(struct markup *m, unsigned i, const struct class_trend *trend)
{
    double x = column_middle(i), y = height_of(mean_of(trend));
    svg_open_text(m, "lw-dim", "middle", x, TOP + PLOT + 14);
    markup_text(m, "%u", i + 1);
    markup_close(m);
    if (!trend->count)
        return;
    markup_open_classed(m, "circle", "plot-point");
    markup_set(m, "cx", "%.1f", x);
    markup_set(m, "cy", "%.1f", y);
    markup_set(m, "r", "4");
    markup_leaf(m, "title", NULL, "attempt %u: mean %.0f %%, %u students", i + 1,
                100 * mean_of(trend), trend->count);
    markup_close(m);
    svg_open_text(m, "lw-strong", "middle", x, y - 8);
    markup_text(m, "%.0f", 100 * mean_of(trend));
    markup_close(m);
    svg_open_text(m, "lw-dim", "middle", x, TOP + PLOT + 27);
    markup_text(m, "n = %u", trend->count);
    markup_close(m);
}

void report_svg_trend(struct markup *m, const char *id, const char *title,
                      const struct class_trend trend[CLASS_ATTEMPTS])
{
    unsigned count = last_attempt(trend);
    open_plot(m, id, title, CLASS_BINS); /* makes the plot as wide as a histogram */
    for (unsigned i = 0; i < count; i++)
        if (trend[i].count)
            markup_text(m, "Attempt %u: mean %.0f %%, %u students. ", i + 1,
                        100 * mean_of(&trend[i]), trend[i].count);
    markup_close(m);
    svg_put_text(m, "lw-head", "start", 4, 16, title);
    put_grid(m, CLASS_BINS);
    put_curve(m, trend, count);
    for (unsigned i = 0; i < count; i++)
        put_attempt(m, i, &trend[i]);
    svg_put_text(m, "lw-dim", "end", LEFT + CLASS_BINS * COLUMN, HEIGHT - 8, "attempt");
    markup_close_line(m);
}

/* --- outcomes --------------------------------------------------------------------------------- */

void report_svg_outcomes(struct markup *m, const struct class_check *check)
{
    static const char *const classes[CLASS_OUTCOMES] = {"plot-passed",  "plot-partial",
                                                        "plot-failed",  "plot-timeout",
                                                        "plot-crashed", "plot-not-built"};
    double x = 0;
    markup_open_classed(m, "svg", "outcomes");
    markup_set(m, "viewBox", "0 0 100 10");
    markup_set(m, "preserveAspectRatio", "none");
    markup_set(m, "aria-hidden", "true");
    for (unsigned i = 0; i < CLASS_OUTCOMES; i++) {
        double width = check->graded ? 100.0 * check->outcomes[i] / check->graded : 0;
        if (width > 0)
            svg_put_rect(m, classes[i], x, 0, width, 10);
        x += width;
    }
    markup_close(m);
}
