/* Draws the heat map of a source file. Each line has a bar whose length and shade show the line's
 * share of the cost. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "report/heat.h"
#include "report/markup.h"
#include "report/svg.h"

enum { BAR = 100, WASTE = 224, CODE = 266, TOP = 62, ROW = 17, WIDTH = 1070, CHARACTERS = 110 };

struct map {
    struct markup m;
    const struct report_picture *picture;
    struct report_heat *heat;
    size_t count;
};

/* Opens a text element; the caller writes its text. */
static void open_text(struct map *map, const char *class, const char *anchor, int x, int y)
{
    markup_open(&map->m, "text");
    markup_set(&map->m, "class", "%s", class);
    markup_set(&map->m, "text-anchor", "%s", anchor);
    markup_set(&map->m, "x", "%d", x);
    markup_set(&map->m, "y", "%d", y);
}

static void put_text(struct map *map, const char *class, const char *anchor, int x, int y,
                     const char *text)
{
    open_text(map, class, anchor, x, y);
    markup_text(&map->m, "%s", text);
    markup_close(&map->m);
}

/* Draws a bar for a line's share of the cost, and the line's waste as a number. */
static void put_heat(struct map *map, const struct report_heat *heat, int y)
{
    struct markup *m = &map->m;
    open_text(map, heat->level > 3 ? "lw-strong" : "", "end", 48, y + 13);
    markup_text(m, "%.1f %%", 100 * heat->share);
    markup_close(m);
    markup_open(m, "rect");
    markup_set(m, "class", "lw-bar lw-heat%u", heat->level);
    markup_set(m, "x", "54");
    markup_set(m, "y", "%d", y + 3);
    markup_set(m, "width", "%.1f", 1 + (BAR - 1) * heat->share);
    markup_set(m, "height", "%d", ROW - 6);
    markup_leaf(m, "title", NULL, "%s warp instructions",
                NUMBER(heat->line->counters.value[EMU_warp_instructions]));
    markup_close(m);
    if (heat->line->waste)
        put_text(map, "lw-dim", "end", WASTE, y + 13, NUMBER(heat->line->waste));
}

static void put_line(struct map *map, size_t i)
{
    int y = TOP + (int)i * ROW;
    const char *line;
    size_t length;
    if (map->heat[i].line)
        put_heat(map, &map->heat[i], y);
    open_text(map, "lw-dim", "end", CODE - 12, y + 13);
    markup_text(&map->m, "%zu", i + 1);
    markup_close(&map->m);
    if (base_source_line(map->picture->source, (unsigned)i + 1, &line, &length) && length) {
        open_text(map, "lw-code", "start", CODE, y + 13);
        markup_bytes(&map->m, line, length < CHARACTERS ? length : CHARACTERS);
        markup_close(&map->m);
    }
    markup_break(&map->m);
}

/* Returns the line that costs most among those that cost less than MOST, or NULL if there is
 * none. */
static const struct report_heat *next_costly(const struct map *map, uint64_t most)
{
    const struct report_heat *found = NULL;
    for (size_t i = 0; i < map->count; i++)
        if (map->heat[i].cost && map->heat[i].cost < most &&
            (!found || map->heat[i].cost > found->cost))
            found = &map->heat[i];
    return found;
}

/* Describes the costliest lines, for screen readers. */
static void describe(struct map *map)
{
    const struct report_heat *heat = next_costly(map, UINT64_MAX);
    for (int n = 0; n < 5 && heat; n++, heat = next_costly(map, heat->cost))
        markup_text(&map->m, "%sline %u %.1f %%",
                    n ? ", " : "Costliest first: ", heat->line->number, 100 * heat->share);
    markup_text(&map->m, ".");
}

static void put_head(struct map *map)
{
    struct markup *m = &map->m;
    const char *id = map->picture->id;
    int height = TOP + (int)map->count * ROW + 34;
    markup_open(m, "svg");
    markup_set(m, "xmlns", "http://www.w3.org/2000/svg");
    markup_set(m, "class", "lw");
    markup_set(m, "viewBox", "0 0 %d %d", WIDTH, height);
    markup_set(m, "width", "%d", WIDTH);
    markup_set(m, "height", "%d", height);
    markup_set(m, "role", "img");
    markup_set(m, "aria-labelledby", "%s-title %s-desc", id, id);
    markup_break(m);
    markup_open(m, "title");
    markup_set(m, "id", "%s-title", id);
    markup_text(m, "%s: cost of each line", map->picture->file);
    markup_close(m);
    markup_open(m, "desc");
    markup_set(m, "id", "%s-desc", id);
    describe(map);
    markup_close_line(m);
    if (!map->picture->inlined) {
        markup_open(m, "style");
        markup_raw(m, report_svg_style);
        markup_close_line(m);
    }
    open_text(map, "lw-head", "start", 12, 22);
    markup_text(m, "%s: cost of each line", map->picture->file);
    markup_close(m);
    put_text(map, "lw-dim", "start", 12, 50, "share of cost");
    put_text(map, "lw-dim", "end", WASTE, 50, "wasted");
    markup_break(m);
}

void report_svg_heat(FILE *to, const struct report_totals *totals,
                     const struct report_picture *picture)
{
    struct map map = {.m = {.to = to}, .picture = picture};
    map.count = report_line_count(picture->source);
    map.heat = calloc(map.count + 1, sizeof *map.heat);
    if (!map.heat)
        return;
    report_heat(totals, picture->source_file, map.heat, map.count);
    put_head(&map);
    for (size_t i = 0; i < map.count; i++)
        put_line(&map, i);
    put_text(
        &map, "", "start", 12, TOP + (int)map.count * ROW + 20,
        "Cost: warp instructions, sectors of global memory and wavefronts of shared memory, counted equally. Wasted: cost beyond the ideal, and divergent branches.");
    markup_close_line(&map.m);
    free(map.heat);
}
