/* Draws one memory access of a warp.
 *
 *   global memory: a row of four sectors for each 128-byte line that lanes touch. Requested bytes
 *   are filled and show the lanes' numbers; the rest of a touched sector is hatched.
 *
 *   shared memory: a column for each bank, and a row for each pass (wavefront). A cell shows a word
 *   and the lanes that get it. Passes beyond the ideal are bank conflicts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "report/access_layout.h"
#include "report/markup.h"
#include "report/svg.h"

enum {
    LEFT = 104, /* width of the space to the left of the columns */
    WORD = 26,  /* width of 4 bytes of global memory, or of a bank */
    RIGHT = 16,
    WIDTH = LEFT + 32 * WORD + RIGHT,
    ROW = 30,  /* distance from one row to the next */
    CELL = 25, /* height of a cell */
    LANES_TEXT = 160
};

struct drawing {
    struct markup m;
    const json_t *access;
    const struct report_picture *picture;
    struct access_layout layout;
};

const char report_svg_style[] =
    ".lw{font-family:system-ui,sans-serif;font-size:11px}"
    ".lw text{fill:#1b1f24}.lw .lw-dim{fill:#57606a}"
    ".lw .lw-code{font-family:ui-monospace,monospace;font-size:12px;white-space:pre}"
    ".lw .lw-head{font-size:15px;font-weight:600}.lw .lw-strong{font-weight:600}"
    ".lw .lw-empty{fill:none;stroke:#c5ccd3}"
    ".lw .lw-used{fill:#00568f;stroke:#fff}.lw .lw-on{fill:#fff;font-weight:600}"
    ".lw .lw-waste{stroke:#8a5a00}.lw .lw-ground{fill:#ffefc7}.lw .lw-hatch{stroke:#8a5a00}"
    ".lw .lw-extra{stroke:#a63200;stroke-width:1.5}.lw .lw-ground2{fill:#ffe2d6}"
    ".lw .lw-cross{stroke:#a63200;stroke-opacity:.35}"
    ".lw .lw-on2{font-weight:600;paint-order:stroke;stroke:#ffe2d6;stroke-width:4px}.lw "
    ".lw-off{fill:none;stroke:#8c959f;stroke-dasharray:2 2}"
    ".lw .lw-bar{fill:#c4451c}.lw .lw-heat1{fill-opacity:.25}.lw .lw-heat2{fill-opacity:.4}"
    ".lw .lw-heat3{fill-opacity:.6}.lw .lw-heat4{fill-opacity:.8}"
    "@media screen and (prefers-color-scheme:dark){.lw .lw-bar{fill:#ff8f66}"
    ".lw text{fill:#e6e9ec}.lw .lw-dim{fill:#a3adb8}.lw .lw-empty{stroke:#454c55}"
    ".lw .lw-used{fill:#74c0fc;stroke:#16191d}.lw .lw-on{fill:#0b1a26}"
    ".lw .lw-waste{stroke:#e3b04b}.lw .lw-ground{fill:#33290f}.lw .lw-hatch{stroke:#e3b04b}"
    ".lw .lw-extra{stroke:#ff9b73}.lw .lw-ground2{fill:#3d1d10}"
    ".lw .lw-cross{stroke:#ff9b73}.lw .lw-on2{stroke:#3d1d10}}";

static const char *text_of(const struct drawing *d, const char *key)
{
    return json_text_of(d->access, key);
}

static json_int_t integer_of(const struct drawing *d, const char *key)
{
    return json_integer_of(d->access, key);
}

/* Writes the lanes in the bit mask LANES as text: "0-3, 8, 12-15". */
static const char *lanes_text(uint32_t lanes, char text[LANES_TEXT])
{
    char *at = text;
    *text = '\0';
    for (unsigned first = 0; first < LAYOUT_LANES; first++) {
        if (!(lanes >> first & 1))
            continue;
        unsigned last = first;
        while (last + 1 < LAYOUT_LANES && lanes >> (last + 1) & 1)
            last++;
        at += sprintf(at, "%s%u", at == text ? "" : ", ", first);
        if (last > first)
            at += sprintf(at, "%s%u", last == first + 1 ? ", " : "-", last);
        first = last;
    }
    return text;
}
#define LANES_OF(lanes) lanes_text(lanes, (char[LANES_TEXT]){0})

/* --- shapes ----------------------------------------------------------------------------------- */

static void rect(struct drawing *d, const char *class, double x, double y, double width,
                 double height)
{
    markup_open(&d->m, "rect");
    markup_set(&d->m, "class", "%s", class);
    markup_set(&d->m, "x", "%g", x);
    markup_set(&d->m, "y", "%g", y);
    markup_set(&d->m, "width", "%g", width);
    markup_set(&d->m, "height", "%g", height);
}

static void plain_rect(struct drawing *d, const char *class, double x, double y, double width,
                       double height)
{
    rect(d, class, x, y, width, height);
    markup_close(&d->m);
}

/* Draws a rectangle filled with the pattern NAME. */
static void pattern_rect(struct drawing *d, const char *class, const char *name, double x, double y,
                         double width, double height)
{
    rect(d, class, x, y, width, height);
    markup_set(&d->m, "fill", "url(#%s-%s)", d->picture->id, name);
    markup_close(&d->m);
}

/* Opens a text element; the caller writes its text. ANCHOR is "start", "middle" or "end". */
static void open_text(struct drawing *d, const char *class, const char *anchor, double x, double y)
{
    markup_open(&d->m, "text");
    if (*class)
        markup_set(&d->m, "class", "%s", class);
    markup_set(&d->m, "text-anchor", "%s", anchor);
    markup_set(&d->m, "x", "%g", x);
    markup_set(&d->m, "y", "%g", y);
}

static void put_text(struct drawing *d, const char *class, const char *anchor, double x, double y,
                     const char *text)
{
    open_text(d, class, anchor, x, y);
    markup_text(&d->m, "%s", text);
    markup_close(&d->m);
}

/* Writes the numbers of LANES, scaled to fit into WIDTH. If they do not fit, writes only how many
 * lanes there are. */
static void put_lanes(struct drawing *d, const char *class, double x, double y, double width,
                      uint32_t lanes)
{
    char text[LANES_TEXT];
    lanes_text(lanes, text);
    if (strchr(text, ',') && strlen(text) * 4.2 > width)
        sprintf(text, "%d x", __builtin_popcount(lanes));
    double size = width / (double)strlen(text) / 0.6;
    open_text(d, class, "middle", x + width / 2, y);
    markup_set(&d->m, "font-size", "%.3g", size > 11 ? 11 : size);
    markup_text(&d->m, "%s", text);
    markup_close(&d->m);
}

/* --- the parts of the picture ----------------------------------------------------------------- */

static void put_patterns(struct drawing *d)
{
    struct markup *m = &d->m;
    static const struct {
        const char *name, *ground, *line, *path;
    } patterns[] = {
        {"waste", "lw-ground", "lw-hatch", "M-1 1L1 -1M0 7L7 0M6 8L8 6"},
        {"extra", "lw-ground2", "lw-cross", "M0 0L7 7M0 7L7 0"},
    };
    markup_open(m, "defs");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        markup_open(m, "pattern");
        markup_set(m, "id", "%s-%s", d->picture->id, patterns[i].name);
        markup_set(m, "width", "7");
        markup_set(m, "height", "7");
        markup_set(m, "patternUnits", "userSpaceOnUse");
        plain_rect(d, patterns[i].ground, 0, 0, 7, 7);
        markup_open(m, "path");
        markup_set(m, "class", "%s", patterns[i].line);
        markup_set(m, "stroke-width", "0.8");
        markup_set(m, "d", "%s", patterns[i].path);
        markup_close(m);
        markup_close(m);
    }
    markup_close_line(m);
}

/* Writes the line of source without its indentation. */
static void put_source(struct drawing *d, double y)
{
    const char *line;
    size_t length;
    if (!d->picture->source ||
        !base_source_line(d->picture->source, (unsigned)integer_of(d, "line"), &line, &length))
        return;
    for (; length > 0 && (*line == ' ' || *line == '\t'); length--)
        line++;
    open_text(d, "lw-code", "start", 12, y);
    markup_bytes(&d->m, line, length < 120 ? length : 120);
    markup_close(&d->m);
}

static void put_lane_row(struct drawing *d, double y)
{
    put_text(d, "lw-dim", "end", LEFT - 8, y + 14, "lanes");
    for (unsigned l = 0; l < LAYOUT_LANES; l++) {
        bool active = d->layout.mask >> l & 1;
        double x = LEFT + l * WORD;
        plain_rect(d, active ? "lw-used" : "lw-off", x, y, WORD, 19);
        open_text(d, active ? "lw-on" : "lw-dim", "middle", x + WORD / 2.0, y + 14);
        markup_text(&d->m, "%u", l);
        markup_close(&d->m);
    }
    markup_break(&d->m);
}

static void put_column_heads(struct drawing *d, double y)
{
    if (!d->layout.shared)
        put_text(d, "lw-dim", "end", LEFT - 8, y, "bytes");
    for (unsigned i = 0; i < 4 && !d->layout.shared; i++) {
        open_text(d, "lw-dim", "middle", LEFT + (8 * i + 4) * WORD, y);
        markup_text(&d->m, "sector %u: bytes %u-%u", i, 32 * i, 32 * i + 31);
        markup_close(&d->m);
    }
    if (d->layout.shared)
        put_text(d, "lw-dim", "end", LEFT - 8, y, "banks");
    for (unsigned bank = 0; bank < LAYOUT_BANKS && d->layout.shared; bank++) {
        open_text(d, "lw-dim", "middle", LEFT + (bank + 0.5) * WORD, y);
        markup_text(&d->m, "%u", bank);
        markup_close(&d->m);
    }
    markup_break(&d->m);
}

static void put_row_label(struct drawing *d, unsigned row, double y)
{
    open_text(d, d->layout.shared && d->layout.row_at[row] ? "lw-strong" : "lw-dim", "end",
              LEFT - 8, y + 16);
    if (d->layout.shared)
        markup_text(&d->m, d->layout.row_at[row] ? "extra pass %u" : "pass %u", row + 1);
    else
        markup_text(&d->m, "line +%s", NUMBER(d->layout.row_at[row] * 128));
    markup_close(&d->m);
}

/* Draws the four sectors of a 128-byte line. A sector is marked as moved if an item of ROW touches
 * it, because memory moves whole sectors. */
static void put_sectors(struct drawing *d, unsigned row, double y)
{
    unsigned touched = 0;
    for (unsigned i = 0; i < d->layout.item_count; i++)
        if (d->layout.items[i].row == row)
            touched |= 1u << ((d->layout.items[i].at << d->layout.shift) / 32 % 4);
    for (unsigned s = 0; s < 4; s++) {
        double x = LEFT + 8.0 * s * WORD;
        if (touched >> s & 1)
            pattern_rect(d, "lw-waste", "waste", x + 1, y, 8 * WORD - 2, CELL);
        else
            plain_rect(d, "lw-empty", x + 1, y, 8 * WORD - 2, CELL);
    }
}

static void put_banks(struct drawing *d, double y)
{
    unsigned columns = LAYOUT_BANKS * 4 >> d->layout.shift;
    double width = (double)(WORD << d->layout.shift >> 2);
    for (unsigned c = 0; c < columns; c++)
        plain_rect(d, "lw-empty", LEFT + c * width + 1, y, width - 2, CELL);
}

/* Writes the tooltip of an item. */
static void put_tooltip(struct drawing *d, const struct layout_item *item)
{
    markup_open(&d->m, "title");
    if (d->layout.shared)
        markup_text(&d->m, "lanes %s: word %s", LANES_OF(item->lanes),
                    NUMBER(item->at << d->layout.shift >> 2));
    else
        markup_text(&d->m, "lanes %s: %u bytes at +%s", LANES_OF(item->lanes), d->layout.bytes,
                    NUMBER(item->at << d->layout.shift));
    markup_close(&d->m);
}

static void put_item(struct drawing *d, const struct layout_item *item, double y)
{
    bool extra = d->layout.shared && d->layout.row_at[item->row];
    double width = (double)(WORD << d->layout.shift) / 4;
    uint64_t columns =
        d->layout.shared ? LAYOUT_BANKS * 4 >> d->layout.shift : 128u >> d->layout.shift;
    double x = LEFT + (double)(item->at & (columns - 1)) * width;
    const char *on = extra ? "lw-on2" : "lw-on";
    markup_open(&d->m, "g");
    put_tooltip(d, item);
    if (extra)
        pattern_rect(d, "lw-extra", "extra", x + 1, y, width - 2, CELL);
    else
        plain_rect(d, "lw-used", x, y, width, CELL);
    if (d->layout.shared) {
        put_lanes(d, on, x + 2, y + 11, width - 4, item->lanes);
        open_text(d, on, "middle", x + width / 2, y + 22);
        markup_set(&d->m, "font-size", "7.5");
        markup_text(&d->m, "w%llu", (unsigned long long)(item->at << d->layout.shift >> 2));
        markup_close(&d->m);
    } else if (d->layout.bytes >= 4)
        put_lanes(d, on, x + 2, y + 16, width - 4, item->lanes);
    markup_close(&d->m);
}

/* If several narrower items fill a word completely, labels the word with the lanes of these
 * items. */
static void put_word_labels(struct drawing *d, unsigned row, double y)
{
    uint32_t lanes[32] = {0};
    unsigned filled[32] = {0};
    for (unsigned i = 0; i < d->layout.item_count; i++) {
        unsigned word = (d->layout.items[i].at << d->layout.shift) % 128 / 4;
        if (d->layout.items[i].row != row)
            continue;
        lanes[word] |= d->layout.items[i].lanes;
        filled[word] += d->layout.bytes;
    }
    for (unsigned word = 0; word < 32; word++)
        if (filled[word] == 4)
            put_lanes(d, "lw-on", LEFT + word * WORD + 1, y + 16, WORD - 2, lanes[word]);
}

static void put_rows(struct drawing *d, double y)
{
    for (unsigned row = 0; row < d->layout.row_count; row++, y += ROW) {
        put_row_label(d, row, y);
        if (d->layout.shared)
            put_banks(d, y);
        else
            put_sectors(d, row, y);
        for (unsigned i = 0; i < d->layout.item_count; i++)
            if (d->layout.items[i].row == row)
                put_item(d, &d->layout.items[i], y);
        if (!d->layout.shared && d->layout.bytes < 4)
            put_word_labels(d, row, y);
        markup_break(&d->m);
    }
}

static void put_key(struct drawing *d, double y)
{
    double x = LEFT;
    plain_rect(d, "lw-used", x, y, 18, 12);
    put_text(d, "", "start", x + 24, y + 10,
             d->layout.shared ? "served in this pass: the lanes and their words"
                              : "bytes that these lanes requested");
    x += 280;
    if (d->layout.shared)
        pattern_rect(d, "lw-extra", "extra", x, y, 18, 12);
    else
        pattern_rect(d, "lw-waste", "waste", x, y, 18, 12);
    put_text(d, "", "start", x + 24, y + 10,
             d->layout.shared ? "had to wait for its bank: a conflict"
                              : "moved but not requested: wasted");
    x += 260;
    plain_rect(d, "lw-off", x, y, 18, 12);
    put_text(d, "", "start", x + 24, y + 10, "inactive lane");
    markup_break(&d->m);
}

/* --- words ------------------------------------------------------------------------------------ */

static void write_head(const struct drawing *d, FILE *to)
{
    fprintf(to, "%s:%lld: %s %s of %u byte%s per lane", d->picture->file,
            (long long)integer_of(d, "line"), text_of(d, "space"), text_of(d, "kind"),
            d->layout.bytes, d->layout.bytes == 1 ? "" : "s");
}

static void write_warp(const struct drawing *d, FILE *to)
{
    const json_t *block = json_object_get(d->access, "block");
    fprintf(
        to,
        "block (%lld,%lld,%lld), warp %lld, access %lld by this warp on this line, %d of 32 lanes",
        (long long)json_integer_value(json_array_get(block, 0)),
        (long long)json_integer_value(json_array_get(block, 1)),
        (long long)json_integer_value(json_array_get(block, 2)), (long long)integer_of(d, "warp"),
        (long long)integer_of(d, "step"), __builtin_popcount(d->layout.mask));
}

/* Writes the cost of this access as a sentence. */
static void write_cost(const struct drawing *d, FILE *to)
{
    unsigned used = d->layout.item_count * d->layout.bytes, moved = d->layout.sectors * 32;
    if (!d->layout.shared) {
        fprintf(to,
                "1 request moves %u sector%s, ideal %u, from %u cache line%s: ", d->layout.sectors,
                d->layout.sectors == 1 ? "" : "s", d->layout.ideal, d->layout.row_count,
                d->layout.row_count == 1 ? "" : "s");
        fprintf(to, "%s bytes used of %s moved, %.3g %%.", NUMBER(used), NUMBER(moved),
                100 * base_ratio(used, moved));
        return;
    }
    fprintf(to, "1 request takes %u wavefront%s (passes), ideal %u: ", d->layout.row_count,
            d->layout.row_count == 1 ? "" : "s", d->layout.ideal);
    if (d->layout.row_count > d->layout.ideal)
        fprintf(to, "%u-way bank conflict, %u extra.", d->layout.ways,
                d->layout.row_count - d->layout.ideal);
    else
        fprintf(to, "no bank conflict.");
}

/* Writes the total cost of all accesses by the source line. */
static void write_total(const struct drawing *d, FILE *to)
{
    static const enum emu_counter global[] = {EMU_global_load_requests, EMU_global_store_requests,
                                              EMU_global_atomic_requests,
                                              EMU_global_reduction_requests};
    static const char *const kinds[] = {"load", "store", "atomic", "reduction"};
    unsigned kind = 0;
    while (kind < 3 && strcmp(text_of(d, "kind"), kinds[kind]) != 0)
        kind++;
    enum emu_counter first = !d->layout.shared ? global[kind]
                             : kind            ? EMU_shared_store_requests
                                               : EMU_shared_load_requests;
    const uint64_t *value = d->picture->line->value + first;
    fprintf(to, "All %s %ss by this line%s: %s request%s, %s %s, ideal %s.", text_of(d, "space"),
            kinds[kind], d->picture->adds_runs ? " in all runs" : "", NUMBER(value[0]),
            value[0] == 1 ? "" : "s", NUMBER(value[1]), d->layout.shared ? "wavefronts" : "sectors",
            NUMBER(value[2]));
}

/* Writes the description for screen readers: the costs, and the lanes in each row. */
static void write_description(const struct drawing *d, FILE *to)
{
    write_warp(d, to);
    fprintf(to, ". ");
    write_cost(d, to);
    for (unsigned row = 0; row < d->layout.row_count; row++) {
        uint32_t lanes = 0;
        for (unsigned i = 0; i < d->layout.item_count; i++)
            lanes |= d->layout.items[i].row == row ? d->layout.items[i].lanes : 0;
        if (d->layout.shared)
            fprintf(to, " Pass %u: lanes %s.", row + 1, LANES_OF(lanes));
        else
            fprintf(to, " Line +%s: lanes %s.", NUMBER(d->layout.row_at[row] * 128),
                    LANES_OF(lanes));
    }
}

/* Writes the output of WRITE as text of the open element. */
static void put_written(struct drawing *d, void (*write)(const struct drawing *, FILE *))
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return;
    write(d, memory);
    fclose(memory);
    markup_bytes(&d->m, text, length);
    free(text);
}

static void put_words(struct drawing *d, const char *class, double y,
                      void (*write)(const struct drawing *, FILE *))
{
    open_text(d, class, "start", 12, y);
    put_written(d, write);
    markup_close_line(&d->m);
}

/* --- the picture ------------------------------------------------------------------------------ */

static void open_svg(struct drawing *d, double height)
{
    struct markup *m = &d->m;
    const char *id = d->picture->id;
    markup_open(m, "svg");
    markup_set(m, "xmlns", "http://www.w3.org/2000/svg");
    markup_set(m, "class", "lw");
    markup_set(m, "viewBox", "0 0 %d %g", WIDTH, height);
    markup_set(m, "width", "%d", WIDTH);
    markup_set(m, "height", "%g", height);
    markup_set(m, "role", "img");
    markup_set(m, "aria-labelledby", "%s-title %s-desc", id, id);
    markup_break(m);
    markup_open(m, "title");
    markup_set(m, "id", "%s-title", id);
    put_written(d, write_head);
    markup_close(m);
    markup_open(m, "desc");
    markup_set(m, "id", "%s-desc", id);
    put_written(d, write_description);
    markup_close_line(m);
    if (!d->picture->inlined) {
        markup_open(m, "style");
        markup_raw(m, report_svg_style);
        markup_close_line(m);
    }
}

void report_svg_access(FILE *to, const json_t *access, const struct report_picture *picture)
{
    struct drawing d = {.m = {.to = to}, .access = access, .picture = picture};
    access_lay_out(&d.layout, access);
    double rows = 130, end = rows + d.layout.row_count * ROW;
    open_svg(&d, end + (picture->line ? 74 : 58));
    put_patterns(&d);
    put_words(&d, "lw-head", 22, write_head);
    put_source(&d, 42);
    put_words(&d, "lw-dim", 60, write_warp);
    put_lane_row(&d, 76);
    put_column_heads(&d, 118);
    put_rows(&d, rows);
    put_key(&d, end + 4);
    put_words(&d, "lw-strong", end + 36, write_cost);
    if (picture->line)
        put_words(&d, "", end + 54, write_total);
    markup_close_line(&d.m);
}
