/* Draws the benchmark's chart. It has one row for each work, and a logarithmic scale of warp
 * instructions per second. The marks in a row stand for the emulator's settings on one core and for
 * the other programs. Marks differ in shape and colour. */
#include "bench.h"

#include <math.h>
#include <string.h>

static const char *const setting_names[BENCH_SETTINGS] = {"nothing", "counters",
                                                          "counters, memcheck", "everything"};

void bench_print_head(long cores)
{
    printf("%-34s %10s | %-35s | %-35s | %21s | %s\n", "", "", "one core, CPU seconds", "",
           "PoCL, Oclgrind", "M/s");
    printf("%-34s %10s | %8s %8s %8s %8s | %8s %8s %8s %8s | %10s %10s | counters, one core\n",
           "seconds a launch", "warp inst.", "nothing", "counters", "+memch.", "all", "nothing",
           "counters", "+memch.", "all", "ours/PoCL", "Oclgr./ours");
    printf(
        "(the second four: wall-clock seconds on %ld cores; racecheck and initcheck use one core)\n",
        cores);
}

void bench_print(const struct bench_row *row)
{
    printf("%-34s %10.0f |", row->title, row->instructions);
    for (int i = 0; i < BENCH_SETTINGS; i++)
        printf(" %8.4f", row->one_core[i]);
    printf(" |");
    for (int i = 0; i < BENCH_SETTINGS; i++)
        printf(" %8.4f", row->all_cores[i]);
    printf(" | %9.1fx %9.0fx | %6.1f\n", row->all_cores[2] / row->pocl,
           row->oclgrind / row->all_cores[2], row->instructions / row->one_core[2] / 1e6);
}

void bench_print_sizes(const struct bench_size *sizes, int count, long cores)
{
    printf(
        "\nThe tiled product as n grows (seconds, nanoseconds per warp instruction, MiB):\n"
        "%6s %12s | counters and memcheck, 1 core, %ld  MiB | everything, 1 core, %ld      MiB\n",
        "n", "warp inst.", cores, cores);
    for (const struct bench_size *size = sizes; size < sizes + count; size++)
        printf("%6d %12.0f | %9.4f %6.2f %9.4f %6.0f | %9.4f %6.2f %9.4f %6.0f\n", size->n,
               size->instructions, size->counting[0], size->counting[0] / size->instructions * 1e9,
               size->counting[1], size->mebibytes[0], size->everything[0],
               size->everything[0] / size->instructions * 1e9, size->everything[1],
               size->mebibytes[1]);
}

static json_t *numbers(const double *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_real(values[i]));
    return array;
}

static json_t *size_json(const struct bench_size *size)
{
    return json_pack("{s:i, s:f, s:o, s:o, s:o}", "n", size->n, "warp_instructions",
                     size->instructions, "counting_seconds", numbers(size->counting, 2),
                     "everything_seconds", numbers(size->everything, 2), "mebibytes",
                     numbers(size->mebibytes, 2));
}

static bool write_json(const struct bench_results *results, const char *path)
{
    const struct bench_row *rows = results->rows;
    json_t *list = json_array(), *names = json_array(), *sizes = json_array();
    for (int i = 0; i < results->size_count; i++)
        json_array_append_new(sizes, size_json(&results->sizes[i]));
    for (int i = 0; i < BENCH_SETTINGS; i++)
        json_array_append_new(names, json_string(setting_names[i]));
    for (int i = 0; i < results->row_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:o, s:o, s:f, s:f}", "work", rows[i].title,
                            "warp_instructions", rows[i].instructions, "one_core_cpu_seconds",
                            numbers(rows[i].one_core, BENCH_SETTINGS), "all_cores_seconds",
                            numbers(rows[i].all_cores, BENCH_SETTINGS), "oclgrind_seconds",
                            rows[i].oclgrind, "pocl_seconds", rows[i].pocl));
    json_t *document = json_pack("{s:s, s:o, s:o, s:o}", "schema", "lanewise/bench/v1", "settings",
                                 names, "works", list, "tiled_product", sizes);
    bool ok = document && json_dump_file(document, path, JSON_INDENT(2)) == 0;
    json_decref(document);
    return ok;
}

/* --- the chart ------------------------------------------------------------------------------------------- */

#define LEFT   250.0
#define DECADE 130.0 /* width of a decade */
#define LEAST  4     /* the scale starts at 10^4 per second */
#define MOST   10
#define LINE   26.0
#define TOP    70.0

static const struct {
    const char *name, *shape, *colour; /* SHAPE is an SVG shape whose centre is at 0,0 */
} marks[] = {
    {"nothing watches", "<path d='M-5 5h10l-5 -10z' ", "#888"},
    {"counters and memcheck", "<circle r='5' ", "#1b6ca8"},
    {"everything", "<rect x='-5' y='-5' width='10' height='10' ", "#b4531a"},
    {"PoCL (all cores)", "<path d='M-5 0l5 -5l5 5l-5 5z' ", "#2e7d32"},
    {"Oclgrind (all cores)", "<path d='M-5 -5h10l-5 10z' ", "#7b1fa2"},
};
enum { MARKS = sizeof marks / sizeof *marks };

static double place(double rate)
{
    double decades = log10(rate) - LEAST;
    return LEFT + DECADE * (decades < 0 ? 0 : decades > MOST - LEAST ? MOST - LEAST : decades);
}

static void draw_mark(FILE *to, int mark, double x, double y, const char *label)
{
    fprintf(to, "<g transform='translate(%.1f %.1f)'>%sfill='%s'/><title>%s</title></g>\n", x, y,
            marks[mark].shape, marks[mark].colour, label);
}

static void draw_row(FILE *to, const struct bench_row *row, double y)
{
    const double seconds[MARKS] = {row->one_core[0], row->one_core[2], row->one_core[3], row->pocl,
                                   row->oclgrind};
    char label[96];
    fprintf(to, "<text x='%.0f' y='%.1f' text-anchor='end'>%s</text>\n", LEFT - 12, y + 4,
            row->title);
    fprintf(to, "<path class='row' d='M%.0f %.1fH%.0f'/>\n", LEFT, y, place(1e10));
    for (int i = 0; i < MARKS; i++) {
        double rate = row->instructions / seconds[i];
        snprintf(label, sizeof label, "%s: %.2f million a second", marks[i].name, rate / 1e6);
        draw_mark(to, i, place(rate), y, label);
    }
}

static void draw_scale(FILE *to, double bottom)
{
    for (int decade = LEAST; decade <= MOST; decade++) {
        double x = LEFT + DECADE * (decade - LEAST);
        fprintf(to, "<path class='scale' d='M%.0f %.0fV%.0f'/>\n", x, TOP - 12, bottom);
        fprintf(to, "<text x='%.0f' y='%.0f' text-anchor='middle'>10%s%d%s</text>\n", x,
                bottom + 18, "<tspan dy='-5' font-size='9'>", decade, "</tspan>");
    }
}

static bool write_svg(const struct bench_row *rows, int count, const char *path)
{
    FILE *to = fopen(path, "w");
    if (!to)
        return false;
    double bottom = TOP + LINE * count, width = place(1e10) + 30;
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' role='img' "
            "font-family='sans-serif' font-size='12'>\n"
            "<title>Warp instructions per second</title>\n"
            "<style>text{fill:#222}.row{stroke:#ddd}.scale{stroke:#eee}"
            "svg{background:#fff}</style>\n",
            width, bottom + 40);
    for (int i = 0; i < MARKS; i++) {
        double x = 20 + 200.0 * i;
        draw_mark(to, i, x, 26, marks[i].name);
        fprintf(to, "<text x='%.0f' y='30'>%s</text>\n", x + 12, marks[i].name);
    }
    draw_scale(to, bottom);
    for (int i = 0; i < count; i++)
        draw_row(to, &rows[i], TOP + LINE * i + LINE / 2);
    fprintf(to, "<text x='%.0f' y='%.0f' text-anchor='end'>warp instructions per second</text>\n",
            LEFT - 12, bottom + 18);
    fprintf(to, "</svg>\n");
    return fclose(to) == 0;
}

bool bench_write(const struct bench_results *results, const char *out)
{
    char json[4096], svg[4096];
    snprintf(json, sizeof json, "%s.json", out);
    snprintf(svg, sizeof svg, "%s.svg", out);
    bool ok = write_json(results, json) && write_svg(results->rows, results->row_count, svg);
    if (ok)
        printf("Written: %s, %s\n", json, svg);
    else
        fprintf(stderr, "bench: cannot write %s or %s\n", json, svg);
    return ok;
}
