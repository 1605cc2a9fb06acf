/* Draws the three curves of the occupancy calculator. Each curve shows the number of warps on a
 * multiprocessor as a function of one of the kernel's three values, while the other two stay the
 * same. */
#include <stdlib.h>

#include "base/number.h"
#include "report/occupancy.h"
#include "report/svg.h"
#include "report/svg_shapes.h"

enum {
    LEFT = 52,
    TOP = 74,
    PLOT_WIDTH = 560,
    PLOT = 130,
    GAP = 76,
    WIDTH = LEFT + PLOT_WIDTH + 36
};
enum { CURVES = 3, HEIGHT = TOP + CURVES * (PLOT + GAP), TICKS = 4 };

static const char style[] =
    ".lw .lw-axis{stroke:#57606a}.lw .lw-grid{stroke:#c5ccd3;stroke-dasharray:2 3}"
    ".lw .lw-curve{fill:none;stroke:#00568f;stroke-width:2}"
    ".lw .lw-label{font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:4px}"
    ".lw .lw-now{fill:#c4451c;stroke:#fff}.lw .lw-mark{stroke:#c4451c;stroke-dasharray:4 3}"
    "@media screen and (prefers-color-scheme:dark){.lw .lw-axis{stroke:#a3adb8}"
    ".lw .lw-grid{stroke:#454c55}.lw .lw-curve{stroke:#74c0fc}"
    ".lw .lw-label{stroke:#16191d}.lw .lw-now{fill:#ff8f66;stroke:#16191d}.lw .lw-mark{stroke:#ff8f66}}";

struct drawing {
    struct markup m;
    const struct emu_limits *limits;
    const struct emu_demand *demand;
};

/* A curve: the value on the x axis goes from FIRST to LAST in steps of STEP. */
struct curve {
    const char *title;
    uint32_t first, last, step, now;
    int top; /* y coordinate of the plot's top */
};

static uint32_t warps_at(const struct drawing *d, int number, uint32_t value)
{
    struct emu_demand demand = *d->demand;
    if (number == 0)
        demand.threads = value;
    else if (number == 1)
        demand.registers = value;
    else
        demand.shared = value;
    return emu_occupancy_of(d->limits, &demand).warps;
}

static double x_of(const struct curve *c, uint32_t value)
{
    return LEFT + PLOT_WIDTH * (double)value / c->last;
}

static double y_of(const struct drawing *d, const struct curve *c, uint32_t warps)
{
    return c->top + PLOT * (1 - (double)warps / d->limits->sm_warps);
}

static void put_axes(struct drawing *d, const struct curve *c)
{
    struct markup *m = &d->m;
    svg_put_text(m, "lw-strong", "start", LEFT, c->top - 12, c->title);
    for (uint32_t i = 0; i <= TICKS; i++) {
        uint32_t warps = d->limits->sm_warps * i / TICKS, value = c->last / TICKS * i;
        double y = y_of(d, c, warps), x = x_of(c, value);
        svg_put_line(m, i ? "lw-grid" : "lw-axis", LEFT, y, LEFT + PLOT_WIDTH, y);
        svg_open_text(m, "lw-dim", "end", LEFT - 6, y + 4);
        markup_text(m, "%u", warps);
        markup_close(m);
        svg_open_text(m, "lw-dim", "middle", x, c->top + PLOT + 16);
        markup_text(m, "%s", NUMBER(value));
        markup_close(m);
    }
    markup_break(m);
}

/* Draws the curve. It jumps where the number of warps changes. */
static void put_curve(struct drawing *d, const struct curve *c, int number)
{
    char *points = NULL;
    size_t size;
    uint32_t before = warps_at(d, number, c->first);
    FILE *text = open_memstream(&points, &size);
    if (!text)
        return;
    fprintf(text, "%.1f,%.1f", x_of(c, c->first), y_of(d, c, before));
    for (uint32_t value = c->first; value <= c->last; value += c->step) {
        uint32_t warps = warps_at(d, number, value);
        if (warps != before)
            fprintf(text, " %.1f,%.1f %.1f,%.1f", x_of(c, value - c->step), y_of(d, c, before),
                    x_of(c, value), y_of(d, c, warps));
        before = warps;
    }
    fprintf(text, " %.1f,%.1f", x_of(c, c->last), y_of(d, c, before));
    fclose(text);
    markup_open_classed(&d->m, "polyline", "lw-curve");
    markup_set(&d->m, "points", "%s", points);
    markup_close_line(&d->m);
    free(points);
}

static void put_now(struct drawing *d, const struct curve *c, uint32_t warps)
{
    struct markup *m = &d->m;
    double x = x_of(c, c->now), y = y_of(d, c, warps);
    if (c->now > c->last)
        return;
    svg_put_line(m, "lw-mark", x, y, x, c->top + PLOT);
    markup_open_classed(m, "circle", "lw-now");
    markup_set(m, "cx", "%.1f", x);
    markup_set(m, "cy", "%.1f", y);
    markup_set(m, "r", "5");
    markup_close(m);
    svg_open_text(m, "lw-label", x > WIDTH / 2 ? "end" : "start", x > WIDTH / 2 ? x - 9 : x + 9,
                  y - 7);
    markup_text(m, "%s: %u of %u warps", NUMBER(c->now), warps, d->limits->sm_warps);
    markup_close_line(m);
}

static void put_title(struct drawing *d)
{
    markup_text(&d->m, "Occupancy on compute capability %u.%u", d->limits->capability / 10,
                d->limits->capability % 10);
}

static void describe_kernel(struct drawing *d)
{
    const struct emu_demand *k = d->demand;
    markup_text(&d->m, "%u threads, %u registers, %s bytes of shared memory", k->threads,
                k->registers, NUMBER(k->shared));
}

static void describe_occupancy(struct drawing *d)
{
    struct emu_occupancy now = emu_occupancy_of(d->limits, d->demand);
    markup_text(&d->m, "%u blocks, %u of %u warps on a multiprocessor, limited by %s", now.ctas,
                now.warps, d->limits->sm_warps, emu_occupancy_limit_name(now.limit));
}

static void put_head(struct drawing *d)
{
    struct markup *m = &d->m;
    markup_open(m, "svg");
    markup_set(m, "xmlns", "http://www.w3.org/2000/svg");
    markup_set(m, "class", "lw");
    markup_set(m, "viewBox", "0 0 %d %d", WIDTH, HEIGHT);
    markup_set(m, "width", "%d", WIDTH);
    markup_set(m, "height", "%d", HEIGHT);
    markup_set(m, "role", "img");
    markup_set(m, "aria-labelledby", "occupancy-title occupancy-desc");
    markup_break(m);
    markup_open(m, "title");
    markup_set(m, "id", "occupancy-title");
    put_title(d);
    markup_close(m);
    markup_open(m, "desc");
    markup_set(m, "id", "occupancy-desc");
    describe_kernel(d);
    markup_text(m, ": ");
    describe_occupancy(d);
    markup_close(m);
    markup_open(m, "style");
    markup_raw(m, report_svg_style);
    markup_raw(m, style);
    markup_close_line(m);
    svg_open_text(m, "lw-head", "start", 12, 24);
    put_title(d);
    markup_close(m);
    svg_open_text(m, "lw-dim", "start", 12, 42);
    describe_kernel(d);
    markup_close(m);
    svg_open_text(m, "lw-dim", "start", 12, 58);
    describe_occupancy(d);
    markup_close_line(m);
}

void report_svg_occupancy(FILE *to, const struct emu_limits *limits,
                          const struct emu_demand *demand)
{
    struct drawing d = {{.to = to}, limits, demand};
    uint32_t warps = emu_occupancy_of(limits, demand).warps;
    const struct curve curves[CURVES] = {
        {"threads of a block", 32, limits->block_threads, 32, demand->threads, 0},
        {"registers of a thread", 1, limits->thread_registers, 1, demand->registers, 0},
        {"bytes of shared memory of a block", 0, limits->block_shared_optin, limits->shared_unit,
         (uint32_t)demand->shared, 0},
    };
    put_head(&d);
    for (int i = 0; i < CURVES; i++) {
        struct curve curve = curves[i];
        curve.top = TOP + 20 + i * (PLOT + GAP);
        put_axes(&d, &curve);
        put_curve(&d, &curve, i);
        put_now(&d, &curve, warps);
    }
    markup_close_line(&d.m);
}
