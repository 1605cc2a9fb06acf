/* Draws the pictures of predicted times. Each function writes one SVG from a struct
 * report_prediction or from a timeline. The sentences under the pictures are the same as on the
 * terminal. */
#include "report/svg_predicted.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/markup.h"
#include "report/svg_shapes.h"

enum { WIDTH = 720, LEFT = 84, PLOT = 600, LINE = 17 };

const char report_svg_predicted_style[] =
    ".lwp{font:12px system-ui,sans-serif}.lwp text{fill:#1b1f24}.lwp .dim{fill:#57606a}"
    ".lwp .head{font-size:15px;font-weight:600}.lwp .strong{font-weight:600}"
    ".lwp .axis{stroke:#57606a;fill:none}.lwp .grid{stroke:#d8dee4;fill:none}"
    ".lwp .roof{stroke:#1b1f24;stroke-width:1.8;fill:none}"
    ".lwp .bar{fill:#c9dbe9;stroke:#1b1f24}.lwp .binds{fill:#00568f;stroke:#1b1f24}"
    ".lwp .now{stroke:#a63200;stroke-width:1.5;stroke-dasharray:5 3;fill:none}"
    ".lwp .m0{fill:none;stroke:#a63200;stroke-width:2.6}.lwp .m1{fill:#00568f}"
    ".lwp .m2{fill:#8a5a00}.lwp .idle{fill:none;stroke:#8c959f;stroke-dasharray:2 2}"
    ".lwp .tail{fill:#a63200;fill-opacity:.14}"
    "@media screen and (prefers-color-scheme:dark){.lwp text{fill:#e6e9ec}.lwp .dim{fill:#a3adb8}"
    ".lwp .axis{stroke:#a3adb8}.lwp .grid{stroke:#333a42}.lwp .roof{stroke:#e6e9ec}"
    ".lwp .bar{fill:#33475a;stroke:#e6e9ec}.lwp .binds{fill:#74c0fc;stroke:#e6e9ec}"
    ".lwp .now{stroke:#ff9b73}.lwp .m0{stroke:#ff9b73}.lwp .m1{fill:#74c0fc}.lwp .m2{fill:#e3b04b}"
    ".lwp .tail{fill:#ff9b73;fill-opacity:.2}}";

/* --- shapes ----------------------------------------------------------------------------------- */

static void put_path(struct markup *m, const char *class, const char *dashes, double x1, double y1,
                     double x2, double y2)
{
    markup_open(m, "path");
    markup_set(m, "class", "%s", class);
    if (*dashes)
        markup_set(m, "stroke-dasharray", "%s", dashes);
    markup_set(m, "d", "M%.1f %.1fL%.1f %.1f", x1, y1, x2, y2);
    markup_close(m);
}

#define CHARACTERS 112 /* approximate number of characters that fit in a line */

/* Returns the number of bytes of TEXT that fit into one line. */
static size_t first_line(const char *text)
{
    size_t cut = strlen(text);
    if (cut > CHARACTERS)
        for (cut = CHARACTERS; cut > 0 && text[cut] != ' ';)
            cut--;
    return cut ? cut : strlen(text);
}

/* Writes TEXT as several lines, which begin at the y coordinate Y. If M is NULL, writes nothing.
 * Returns the y coordinate of the next line in both cases. */
static double put_lines(struct markup *m, double y, const char *text)
{
    while (*text) {
        size_t cut = first_line(text);
        char line[REPORT_TEXT];
        snprintf(line, sizeof line, "%.*s", (int)cut, text);
        if (m)
            svg_put_text(m, "", "start", 12, y, line);
        text += cut + (text[cut] == ' ');
        y += LINE;
    }
    return y;
}

/* Opens a picture with the title TITLE and the description TEXT for screen readers. */
static void open_svg(struct markup *m, const struct report_drawing *drawing, double height,
                     const char *title, const char *text)
{
    markup_open(m, "svg");
    markup_set(m, "xmlns", "http://www.w3.org/2000/svg");
    markup_set(m, "class", "lwp");
    markup_set(m, "viewBox", "0 0 %d %.0f", WIDTH, height);
    markup_set(m, "width", "%d", WIDTH);
    markup_set(m, "height", "%.0f", height);
    markup_set(m, "role", "img");
    markup_set(m, "aria-labelledby", "%s-title %s-desc", drawing->id, drawing->id);
    markup_break(m);
    markup_open(m, "title");
    markup_set(m, "id", "%s-title", drawing->id);
    markup_text(m, "%s", title);
    markup_close(m);
    markup_open(m, "desc");
    markup_set(m, "id", "%s-desc", drawing->id);
    markup_text(m, "%s", text);
    markup_close_line(m);
    if (!drawing->inlined) {
        markup_open(m, "style");
        markup_raw(m, report_svg_predicted_style);
        markup_close_line(m);
    }
    svg_put_text(m, "head", "start", 12, 22, title);
}

static void close_svg(struct markup *m)
{
    markup_close_line(m);
}

/* Returns the kernel's name without its parameters, at most 60 bytes of it. */
static const char *short_name(const char *kernel, char text[64])
{
    /* skip the return type, which the names of template functions have */
    kernel += strncmp(kernel, "void ", 5) == 0 ? 5 : 0;
    size_t length = 1 + strcspn(kernel + (*kernel != '\0'), "(");
    snprintf(text, 64, "%.*s", (int)(length < 60 ? length : 60), kernel);
    return text;
}

/* --- the limits ------------------------------------------------------------------------------- */

void report_svg_limits(FILE *to, const struct report_prediction *p,
                       const struct report_drawing *drawing)
{
    struct markup m = {.to = to};
    char text[REPORT_TEXT], title[128], name[64], time[32];
    double most = p->us, y = 66;
    int shown = 0;
    for (unsigned i = 0; i < REPORT_PARTS; i++) {
        most = p->part_us[i] > most ? p->part_us[i] : most;
        shown += p->part_us[i] >= p->us / 100 || i == p->limit;
    }
    snprintf(title, sizeof title, "%s: what limits it", short_name(p->kernel, name));
    report_limits_text(p, text);
    open_svg(&m, drawing, put_lines(NULL, y + shown * 24 + 14, text), title, text);
    double scale = (PLOT - 110) / most, now = LEFT + p->us * scale;
    for (unsigned i = 0; i < REPORT_PARTS; i++) {
        bool binds = i == p->limit;
        double length = p->part_us[i] * scale;
        if (p->part_us[i] < p->us / 100 && !binds)
            continue;
        svg_put_text(&m, binds ? "strong" : "", "end", LEFT - 8, y + 14,
                     report_parts[i].short_name);
        svg_put_rect(&m, binds ? "binds" : "bar", LEFT, y, length < 1 ? 1 : length, 18);
        snprintf(name, sizeof name, "%s%s", report_time(time, p->part_us[i]),
                 binds ? ", the limit" : "");
        double x = LEFT + length + 6, end = x + 7 * (double)strlen(name);
        svg_put_text(&m, binds ? "strong" : "", "start", x < now && now < end ? now + 6 : x, y + 14,
                     name);
        markup_break(&m);
        y += 24;
    }
    put_path(&m, "now", "", now, 58, now, y);
    snprintf(name, sizeof name, "predicted: %s", report_time(time, p->us));
    svg_put_text(&m, "dim", "middle", now, 52, name);
    svg_put_text(&m, "dim", "start", LEFT, 52, "the time if only one limit took time");
    put_lines(&m, y + 20, text);
    close_svg(&m);
}

/* --- the roofline ----------------------------------------------------------------------------- */

static const char *const dashes[REPORT_ROOFS] = {"", "9 4", "2 4"};

enum { ROOF_TOP = 58, ROOF_HEIGHT = 320 };

static double x_of(const struct report_axes *axes, double value)
{
    return LEFT + (log10(value) - axes->left) / (axes->right - axes->left) * PLOT;
}

static double y_of(const struct report_axes *axes, double value)
{
    return ROOF_TOP + (axes->top - log10(value)) / (axes->top - axes->bottom) * ROOF_HEIGHT;
}

static void put_axes(struct markup *m, const struct report_axes *axes,
                     const struct report_roofline *line)
{
    char text[32];
    double end = ROOF_TOP + ROOF_HEIGHT;
    for (double power = ceil(axes->left); power <= axes->right; power++) {
        double x = x_of(axes, pow(10, power));
        put_path(m, "grid", "", x, ROOF_TOP, x, end);
        svg_put_text(m, "dim", "middle", x, end + 16, report_rounded(text, pow(10, power)));
    }
    for (double power = ceil(axes->bottom); power <= axes->top; power++) {
        double y = y_of(axes, pow(10, power));
        put_path(m, "grid", "", LEFT, y, LEFT + PLOT, y);
        svg_put_text(m, "dim", "end", LEFT - 6, y + 4, report_rounded(text, pow(10, power)));
    }
    markup_break(m);
    svg_put_text(m, "dim", "start", 12, 46, line->by_flops ? "GFLOP/s" : "G warp instructions/s");
    svg_put_text(m, "dim", "end", LEFT + PLOT, end + 32,
                 line->by_flops ? "FLOP per byte" : "warp instructions per byte");
}

static void put_roofs(struct markup *m, const struct report_axes *axes,
                      const struct report_roofline *line)
{
    double first = pow(10, axes->left), lowest = pow(10, axes->bottom),
           ridge = pow(10, axes->right);
    char text[64], number[32];
    for (unsigned i = 0; i < REPORT_ROOFS; i++) {
        if (!line->name[i])
            continue;
        double from = fmax(first, lowest / line->bandwidth[i]),
               to = line->peak / line->bandwidth[i];
        put_path(m, "roof", dashes[i], x_of(axes, from), y_of(axes, from * line->bandwidth[i]),
                 x_of(axes, to), y_of(axes, line->peak));
        ridge = fmin(ridge, to);
    }
    put_path(m, "roof", "", x_of(axes, ridge), y_of(axes, line->peak), LEFT + PLOT,
             y_of(axes, line->peak));
    snprintf(text, sizeof text, "%s %s", line->by_flops ? "float arithmetic" : "the schedulers",
             report_rounded(number, line->peak));
    svg_put_text(m, "", "end", LEFT + PLOT - 4, y_of(axes, line->peak) - 6, text);
    markup_break(m);
}

/* Draws the mark for a kind of MEMORY. Marks differ in shape and size, so that all marks at the
 * same point are visible. */
static void put_mark(struct markup *m, unsigned memory, double x, double y)
{
    markup_open(m, memory == 0 ? "circle" : "path");
    markup_set(m, "class", "m%u", memory);
    if (memory == 0) {
        markup_set(m, "cx", "%.1f", x);
        markup_set(m, "cy", "%.1f", y);
        markup_set(m, "r", "8");
    } else if (memory == 1)
        markup_set(m, "d", "M%.1f %.1fh9v9h-9z", x - 4.5, y - 4.5);
    else
        markup_set(m, "d", "M%.1f %.1fl7 7l-7 7l-7 -7z", x, y - 7);
    markup_close(m);
}

/* Writes the legend of the lines and marks, with one row for each kind of memory. */
static void put_memories(struct markup *m, double y, const struct report_roofline *line,
                         bool is_alone)
{
    char text[160], bandwidth[32], intensity[32];
    for (unsigned i = 0; i < REPORT_ROOFS; i++) {
        if (!line->name[i])
            continue;
        put_path(m, "roof", dashes[i], 12, y - 4, 52, y - 4);
        put_mark(m, i, 66, y - 4);
        int size = snprintf(text, sizeof text, "%s: %s GB/s", line->name[i],
                            report_rounded(bandwidth, line->bandwidth[i]));
        if (is_alone && line->intensity[i] > 0)
            snprintf(text + size, sizeof text - (size_t)size, "; the launch does %s %s per byte",
                     report_rounded(intensity, line->intensity[i]),
                     line->by_flops ? "FLOP" : "warp instructions");
        else if (is_alone)
            snprintf(text + size, sizeof text - (size_t)size, "; the launch does not use it");
        svg_put_text(m, "", "start", 84, y, text);
        y += LINE + 3;
    }
}

/* The position of a launch's number beside its marks. */
struct label {
    double x, y;
};

/* Finds a position beside the point (X, Y) for the label with index COUNT in LABELS. At this
 * position it covers no earlier label. */
static void place_label(struct label *labels, unsigned count, double x, double y)
{
    for (unsigned i = 0; i < count; i++)
        if (fabs(labels[i].x - x) < 12 && fabs(labels[i].y - y) < 13) {
            x += 12;
            i = UINT_MAX; /* start again, to compare the new position with all earlier labels */
        }
    labels[count] = (struct label){x, y};
}

/* Draws the marks of launch NUMBER. */
static void put_launch(struct markup *m, const struct report_axes *axes,
                       const struct report_roofline *line, struct label *labels, unsigned number)
{
    double y = y_of(axes, line->rate), left = LEFT + PLOT, right = 0;
    for (unsigned i = 0; i < REPORT_ROOFS; i++) {
        double x = line->intensity[i] > 0 ? x_of(axes, line->intensity[i]) : 0;
        if (!(x > 0))
            continue;
        put_mark(m, i, x, y);
        left = fmin(left, x);
        right = fmax(right, x);
    }
    if (left < right)
        put_path(m, "axis", "1 3", left, y, right, y);
    place_label(labels, number, (right > 0 ? right : LEFT) + 12, y + 4);
    markup_break(m);
}

/* Writes the launches' numbers beside their marks, and a legend of the numbers from the y
 * coordinate Y on. */
static void put_numbers(struct markup *m, double y, const struct report_prediction *launches,
                        const struct report_roofline *lines, const struct label *labels,
                        unsigned count)
{
    char text[REPORT_TEXT], name[64], time[32], rate[32];
    for (unsigned k = 0; k < count; k++, y += LINE) {
        snprintf(text, sizeof text, "%u", k + 1);
        svg_put_text(m, "strong", "start", labels[k].x, labels[k].y, text);
        svg_put_text(m, "strong", "start", 12, y, text);
        snprintf(text, sizeof text, "%s: %s, %s %s, %.3g %% of its lowest roof (%s)",
                 short_name(launches[k].kernel, name), report_time(time, launches[k].us),
                 report_rounded(rate, lines[k].rate),
                 lines->by_flops ? "GFLOP/s" : "G instructions/s",
                 100 * lines[k].rate / lines[k].allowed, lines[k].lowest);
        svg_put_text(m, "", "start", 28, y, text);
    }
}

void report_svg_roofline(FILE *to, const struct report_prediction *launches, unsigned count,
                         const struct report_drawing *drawing)
{
    struct markup m = {.to = to};
    struct report_roofline lines[REPORT_MOST_POINTS] = {0};
    struct label labels[REPORT_MOST_POINTS];
    char text[REPORT_TEXT], title[128], name[64];
    bool by_flops = true;
    count = count < REPORT_MOST_POINTS ? count : REPORT_MOST_POINTS;
    for (unsigned k = 0; k < count; k++)
        by_flops = by_flops && report_counts_flops(&launches[k]);
    for (unsigned k = 0; k < count; k++)
        report_roofline(&launches[k], by_flops, &lines[k]);
    struct report_axes axes = report_axes(lines, count);
    report_roofline_text(lines, text);
    snprintf(title, sizeof title, "%s%son the roofline of %s",
             count == 1 ? short_name(launches->kernel, name) : "", count == 1 ? " " : "Launches ",
             launches->gpu);
    double y = ROOF_TOP + ROOF_HEIGHT + 58, words = y + 3 * (LINE + 3) + 2;
    open_svg(&m, drawing, count == 1 ? put_lines(NULL, words, text) : words + count * LINE, title,
             text);
    put_axes(&m, &axes, lines);
    put_roofs(&m, &axes, lines);
    for (unsigned k = 0; k < count; k++)
        put_launch(&m, &axes, &lines[k], labels, k);
    put_memories(&m, y, lines, count == 1);
    if (count == 1)
        put_lines(&m, words, text);
    else
        put_numbers(&m, words, launches, lines, labels, count);
    close_svg(&m);
}

/* --- the occupancy ---------------------------------------------------------------------------- */

enum { TOP = 58, HEIGHT = 180 };

/* Draws the number of warps over time as a filled area. */
static void put_area(struct markup *m, const struct report_prediction *p,
                     const struct report_waves *waves, double from)
{
    char *path = NULL;
    size_t size;
    FILE *memory = open_memstream(&path, &size);
    double step = p->moments ? (LEFT + PLOT - from) / p->moments : 0;
    if (!memory)
        return;
    fprintf(memory, "M%.1f %d", from, TOP + HEIGHT);
    for (unsigned i = 0; i < p->moments; i++)
        fprintf(memory, "L%.1f %.1fL%.1f %.1f", from + i * step,
                TOP + HEIGHT * (1 - waves->share[i]), from + (i + 1) * step,
                TOP + HEIGHT * (1 - waves->share[i]));
    fprintf(memory, "L%d %dZ", LEFT + PLOT, TOP + HEIGHT);
    fclose(memory);
    markup_open_classed(m, "path", "bar");
    markup_set(m, "d", "%s", path);
    markup_close(m);
    free(path);
}

static void put_waves_axes(struct markup *m, const struct report_prediction *p)
{
    char text[32];
    for (int percent = 0; percent <= 100; percent += 25) {
        double y = TOP + HEIGHT * (1 - percent / 100.0);
        put_path(m, "grid", "", LEFT, y, LEFT + PLOT, y);
        snprintf(text, sizeof text, "%d %%", percent);
        svg_put_text(m, "dim", "end", LEFT - 6, y + 4, text);
    }
    for (int part = 0; part <= 4; part++) {
        double x = LEFT + PLOT * part / 4.0;
        put_path(m, "axis", "", x, TOP + HEIGHT, x, TOP + HEIGHT + 4);
        svg_put_text(m, "dim", part == 4 ? "end" : "middle", x, TOP + HEIGHT + 18,
                     part ? report_time(text, p->us * part / 4) : "0");
    }
    svg_put_text(m, "dim", "start", 12, 46,
                 "warps on the chip, in percent of the most that it can hold");
}

void report_svg_waves(FILE *to, const struct report_prediction *p,
                      const struct report_drawing *drawing)
{
    struct markup m = {.to = to};
    struct report_waves waves;
    char text[REPORT_TEXT], title[128], name[64];
    report_waves(p, &waves);
    report_waves_text(p, &waves, text);
    snprintf(title, sizeof title, "%s: occupancy over time", short_name(p->kernel, name));
    double from = LEFT + PLOT * fmin(waves.launch_us / p->us, 1);
    double tail = PLOT * fmin(waves.tail_us / p->us, 1);
    open_svg(&m, drawing, put_lines(NULL, TOP + HEIGHT + 36, text), title, text);
    put_waves_axes(&m, p);
    put_area(&m, p, &waves, from);
    if (from - LEFT > 2)
        svg_put_rect(&m, "idle", LEFT, TOP, from - LEFT, HEIGHT);
    if (from - LEFT > 44)
        svg_put_text(&m, "dim", "middle", (LEFT + from) / 2, TOP + HEIGHT / 2.0, "launch");
    if (tail > 2)
        svg_put_rect(&m, "tail", LEFT + PLOT - tail, TOP, tail, HEIGHT);
    if (tail > 30)
        svg_put_text(&m, "dim", "middle", LEFT + PLOT - tail / 2, TOP + 16, "tail");
    markup_break(&m);
    put_lines(&m, TOP + HEIGHT + 42, text);
    close_svg(&m);
}

/* --- the timeline ----------------------------------------------------------------------------- */

enum { ROW = 34, ROWS_TOP = 62, LABEL = 14 /* narrower pieces get no label */ };

static const struct row {
    const char *title, *engine;
    /* true if the row shows only copies of pageable memory, which the host itself copies to a
     * buffer */
    bool is_pageable;
} timeline_rows[] = {{"host copies", "", true},
                     {"copies in", "to-device", false},
                     {"kernels", "compute", false},
                     {"copies out", "from-device", false}};
enum { TIMELINE_ROWS = sizeof timeline_rows / sizeof *timeline_rows };

static bool is_in_row(const struct row *row, const json_t *piece)
{
    return row->is_pageable ? strstr(json_text_of(piece, "name"), ", pageable memory") != NULL
                            : strcmp(json_text_of(piece, "engine"), row->engine) == 0;
}

/* Draws the row's work (copies or kernels), each with the number of its stream. Returns the row's
 * busy time in microseconds. */
static double put_pieces(struct markup *m, const json_t *work, const struct row *row, double y,
                         double scale)
{
    double busy = 0;
    char time[32], stream[32];
    size_t i;
    json_t *piece;
    json_array_foreach((json_t *)work, i, piece)
    {
        double start = json_number_of(piece, "start_us"),
               us = json_number_of(piece, "end_us") - start;
        if (!is_in_row(row, piece) || i >= REPORT_MOST_PIECES)
            continue;
        double x = LEFT + start * scale, width = us * scale < 1 ? 1 : us * scale;
        busy += us;
        snprintf(stream, sizeof stream, "%lld", (long long)json_integer_of(piece, "stream"));
        markup_open(m, "g");
        markup_leaf(m, "title", NULL, "%s, stream %s: %s", json_text_of(piece, "name"), stream,
                    report_time(time, us));
        svg_put_rect(m, "bar", x, y, width, 20);
        if (width >= LABEL)
            svg_put_text(m, "", "middle", x + width / 2, y + 14, stream);
        markup_close_line(m);
    }
    return busy;
}

void report_svg_timeline(FILE *to, const json_t *timeline, const struct report_drawing *drawing)
{
    struct markup m = {.to = to};
    const json_t *work = json_object_get(timeline, "work");
    double us = json_number_of(timeline, "us"), scale = us > 0 ? (PLOT - 60) / us : 0;
    char text[REPORT_TEXT], all[32], kernels[32], copies[32], both[32], title[100];
    report_time(all, us);
    report_time(kernels, json_number_of(timeline, "kernels_us"));
    report_time(copies, json_number_of(timeline, "copies_us"));
    report_time(both, json_number_of(timeline, "overlapped_us"));
    snprintf(title, sizeof title, "%.60s: when its engines work", json_text_of(timeline, "title"));
    snprintf(
        text, sizeof text,
        "All work takes %s. Copies run for %s and kernels for %s; for %s of that time, both run. A "
        "number names the stream; in a gap, the engine waits.",
        all, copies, kernels, both);
    double end = ROWS_TOP + TIMELINE_ROWS * ROW;
    open_svg(&m, drawing, put_lines(NULL, end + 20, text), title, text);
    for (int i = 0; i < TIMELINE_ROWS; i++) {
        double y = ROWS_TOP + i * ROW;
        char share[32];
        svg_put_text(&m, "", "end", LEFT - 8, y + 14, timeline_rows[i].title);
        put_path(&m, "grid", "", LEFT, y + 20, LEFT + us * scale, y + 20);
        double busy = put_pieces(&m, work, &timeline_rows[i], y, scale);
        snprintf(share, sizeof share, "%.0f %%", us > 0 ? 100 * busy / us : 0);
        svg_put_text(&m, "dim", "start", LEFT + us * scale + 8, y + 14, share);
    }
    svg_put_text(&m, "dim", "start", LEFT, 52, "0");
    svg_put_text(&m, "dim", "end", LEFT + us * scale, 52, all);
    svg_put_text(&m, "dim", "start", LEFT + us * scale + 8, 52, "busy");
    put_lines(&m, end + 20, text);
    close_svg(&m);
}
