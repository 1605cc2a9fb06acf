#include "report/predicted_terminal.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/result_terminal.h"

#define BAR    48 /* number of columns of a bar for the whole predicted time */
#define MARGIN "    "

struct ink {
    const char *strong, *bad, *dim, *off;
};

static struct ink ink_of(bool colour)
{
    return colour ? (struct ink){"\033[1m", "\033[1;31m", "\033[2m", "\033[0m"}
                  : (struct ink){"", "", "", ""};
}

static void put_many(FILE *to, char what, int count)
{
    while (count-- > 0)
        fputc(what, to);
}

/* --- the limits ------------------------------------------------------------------------------- */

void report_draw_limits(FILE *to, const struct report_prediction *p, bool colour)
{
    struct ink ink = ink_of(colour);
    fprintf(to,
            MARGIN "the time if only one limit took time; the predicted time is %d columns long\n",
            BAR);
    for (unsigned i = 0; i < REPORT_PARTS; i++) {
        char time[32];
        double share = p->part_us[i] / p->us;
        int columns = (int)(share * BAR + 0.5);
        bool binds = i == p->limit;
        if (share < 0.01 && !binds)
            continue;
        fprintf(to, MARGIN "  %-8s %9s  %s", report_parts[i].short_name,
                report_time(time, p->part_us[i]), binds ? ink.bad : ink.dim);
        put_many(to, binds ? '#' : '=', columns < 1 ? 1 : columns < BAR ? columns : BAR);
        fprintf(to, "%s%s\n", ink.off, binds ? "  <- limit" : "");
    }
}

/* --- the roofline ----------------------------------------------------------------------------- */

#define WIDTH  64
#define HEIGHT 14

struct plot {
    char at[HEIGHT][WIDTH];
    struct report_axes axes;
};

/* Puts the character WHAT at the point (X, Y), if this point is in the plot. */
static void put(struct plot *plot, double x, double y, char what)
{
    double column = (log10(x) - plot->axes.left) / (plot->axes.right - plot->axes.left) * WIDTH;
    double row = (plot->axes.top - log10(y)) / (plot->axes.top - plot->axes.bottom) * HEIGHT;
    if (column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT)
        plot->at[(int)row][(int)column] = what;
}

static void plot_roofs(struct plot *plot, const struct report_roofline *r)
{
    static const char line[] = ".:'";
    for (int column = 0; column < WIDTH; column++) {
        double x = pow(10, plot->axes.left +
                               (column + 0.5) / WIDTH * (plot->axes.right - plot->axes.left));
        for (int i = REPORT_ROOFS - 1; i >= 0; i--)
            if (r->name[i] && x * r->bandwidth[i] < r->peak)
                put(plot, x, x * r->bandwidth[i], line[i]);
            else if (r->name[i])
                put(plot, x, r->peak, '-');
    }
    for (unsigned i = 0; i < REPORT_ROOFS; i++)
        if (r->intensity[i] > 0)
            put(plot, r->intensity[i], r->rate, "DLS"[i]);
}

/* Writes the number 10^POWER to TEXT. */
static const char *power_text(char text[32], int power)
{
    if (power < 6)
        snprintf(text, 32, "%.*f", power < 0 ? -power : 0, pow(10, power));
    else
        snprintf(text, 32, "1e%d", power);
    return text;
}

static void print_plot(FILE *to, const struct plot *plot, const struct ink *ink)
{
    char text[32];
    int last = (int)floor(plot->axes.top) + 1;
    for (int row = 0; row < HEIGHT; row++) {
        int power =
            (int)ceil(plot->axes.top - (row + 1) * (plot->axes.top - plot->axes.bottom) / HEIGHT);
        int length = WIDTH;
        while (length > 0 && plot->at[row][length - 1] == ' ')
            length--;
        fprintf(to, MARGIN "%9s |", power < last ? power_text(text, power) : "");
        last = power;
        for (int c = 0; c < length; c++) {
            bool is_mark = strchr("DLS", plot->at[row][c]) != NULL;
            fprintf(to, "%s%c%s", is_mark ? ink->bad : "", plot->at[row][c],
                    is_mark ? ink->off : "");
        }
        fputc('\n', to);
    }
    fprintf(to, MARGIN "%9s +", "");
    put_many(to, '-', WIDTH);
    fprintf(to, "\n" MARGIN "%9s  ", "");
    int column = 0;
    for (int power = (int)ceil(plot->axes.left); power < plot->axes.right; power++) {
        int at = (int)((power - plot->axes.left) / (plot->axes.right - plot->axes.left) * WIDTH);
        power_text(text, power);
        put_many(to, ' ', at - column);
        fputs(text, to);
        column = at + (int)strlen(text);
    }
    fputc('\n', to);
}

/* Prints TEXT in lines of TEXT_COLUMNS. */
static void print_text(FILE *to, const char *text)
{
    while (*text) {
        size_t room = TEXT_COLUMNS - strlen(MARGIN), length = strlen(text), cut = length;
        if (length > room)
            for (cut = room; cut > 0 && text[cut] != ' ';)
                cut--;
        fprintf(to, MARGIN "%.*s\n", (int)cut, text);
        text += cut + (text[cut] == ' ');
    }
}

void report_draw_roofline(FILE *to, const struct report_prediction *p, bool colour)
{
    static const char *const names[] = {"D, line ....  ", "L, line ::::  ", "S, line ''''  "};
    struct ink ink = ink_of(colour);
    struct report_roofline r;
    struct plot plot;
    char text[REPORT_TEXT], number[32];
    report_roofline(p, report_counts_flops(p), &r);
    if (!(r.rate > 0 && r.peak > 0))
        return;
    const char *per = r.by_flops ? "FLOP" : "instructions";
    memset(plot.at, ' ', sizeof plot.at);
    plot.axes = report_axes(&r, 1);
    plot_roofs(&plot, &r);
    fprintf(to, MARGIN "%sroofline%s: y axis %s, x axis %s per byte; the chip's peak is %s\n",
            ink.strong, ink.off, r.by_flops ? "GFLOP/s" : "G warp instructions/s", per,
            report_rounded(number, r.peak));
    print_plot(to, &plot, &ink);
    for (unsigned i = 0; i < REPORT_ROOFS; i++) {
        if (!r.name[i])
            continue;
        fprintf(to, MARGIN "  %s%-13s %7s GB/s", names[i], r.name[i],
                report_rounded(number, r.bandwidth[i]));
        if (r.intensity[i] > 0)
            fprintf(to, ", %s %s per byte\n", report_rounded(number, r.intensity[i]), per);
        else
            fprintf(to, ", not used\n");
    }
    print_text(to, report_roofline_text(&r, text));
}

/* --- the occupancy ---------------------------------------------------------------------------- */

#define ROWS 8

void report_draw_waves(FILE *to, const struct report_prediction *p, bool colour)
{
    struct ink ink = ink_of(colour);
    struct report_waves waves;
    char text[REPORT_TEXT], time[32];
    report_waves(p, &waves);
    int before = (int)(waves.launch_us / p->us * WIDTH + 0.5), columns = WIDTH - before;
    fprintf(to,
            MARGIN
            "%soccupancy over time%s: warps on the chip, in percent of the most that it can hold\n",
            ink.strong, ink.off);
    for (int row = ROWS; row > 0; row--) {
        char line[WIDTH + 1] = "";
        int length = 0;
        for (int c = 0; c < WIDTH; c++) {
            unsigned moment = c < before ? 0 : (unsigned)((c - before) * p->moments / columns);
            bool filled = c >= before && waves.share[moment] * ROWS > row - (row > 1 ? 0.5 : 1.0);
            line[c] = filled ? '#' : ' ';
            length = filled ? c + 1 : length;
        }
        snprintf(text, 32, row % 2 ? "" : "%d %%", row * 100 / ROWS);
        fprintf(to, MARGIN "%9s |%s%.*s%s\n", text, ink.dim, length, line, ink.off);
    }
    fprintf(to, MARGIN "%9s +", "");
    put_many(to, 'l', before);
    put_many(to, '-', columns);
    report_time(time, p->us);
    fprintf(to, "\n" MARGIN "%9s  0%*s\n", "", WIDTH - 1, time);
    if (before)
        fprintf(to, MARGIN "  llll: the launch itself, %s\n", report_time(time, waves.launch_us));
    print_text(to, report_waves_text(p, &waves, text));
}
