#include "report/access_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* Returns the item at AT that this HALF of the warp accesses. Adds the item if it is new. */
static struct layout_item *item_at(struct access_layout *layout, uint64_t at, unsigned half)
{
    for (unsigned i = 0; i < layout->item_count; i++)
        if (layout->items[i].at == at && layout->items[i].half == half)
            return &layout->items[i];
    struct layout_item *item = &layout->items[layout->item_count++];
    *item = (struct layout_item){.at = at, .half = half};
    return item;
}

static int by_place(const void *a, const void *b)
{
    const struct layout_item *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : 0;
}

static void lay_out_global(struct access_layout *layout)
{
    uint64_t last_sector = UINT64_MAX;
    qsort(layout->items, layout->item_count, sizeof *layout->items, by_place);
    for (unsigned i = 0; i < layout->item_count; i++) {
        struct layout_item *item = &layout->items[i];
        uint64_t at = item->at << layout->shift, line = at / 128;
        if (!layout->row_count || layout->row_at[layout->row_count - 1] != line)
            layout->row_at[layout->row_count++] = line;
        item->row = layout->row_count - 1;
        layout->sectors += at / 32 != last_sector;
        last_sector = at / 32;
    }
    layout->ideal = (layout->item_count * layout->bytes + 31) / 32;
}

/* Adds a row for each pass that one HALF of the warp needs. In one pass, a bank serves at most one
 * item. */
static void lay_out_passes(struct access_layout *layout, unsigned half)
{
    unsigned columns = LAYOUT_BANKS * 4 >> layout->shift, held[LAYOUT_BANKS] = {0}, count = 0,
             passes = 0;
    for (unsigned i = 0; i < layout->item_count; i++) {
        struct layout_item *item = &layout->items[i];
        if (item->half != half)
            continue;
        unsigned pass = held[item->at & (columns - 1)]++;
        item->row = layout->row_count + pass;
        passes = pass + 1 > passes ? pass + 1 : passes;
        count++;
    }
    unsigned ideal = (count + columns - 1) / columns;
    for (unsigned pass = 0; pass < passes; pass++)
        layout->row_at[layout->row_count++] = pass >= ideal;
    layout->ideal += ideal;
    layout->ways = passes > layout->ways ? passes : layout->ways;
}

void access_lay_out(struct access_layout *layout, const json_t *access)
{
    *layout = (struct access_layout){
        .shared = strcmp(json_text_of(access, "space"), "shared") == 0,
        .bytes = (unsigned)json_integer_of(access, "bytes"),
    };
    unsigned width = layout->shared && layout->bytes < 4 ? 4 : layout->bytes;
    layout->shift = (unsigned)__builtin_ctz(width | 16); /* 16 is the widest access */
    for (unsigned l = 0; l < LAYOUT_LANES; l++) {
        const json_t *offset = json_array_get(json_object_get(access, "offsets"), l);
        if (!json_is_integer(offset))
            continue;
        layout->mask |= 1u << l;
        uint64_t at = (uint64_t)json_integer_value(offset);
        /* for a 128-bit access, shared memory handles the two halves of a warp separately */
        unsigned half = layout->shared && layout->bytes == 16 ? l / 16 : 0;
        item_at(layout, at >> layout->shift, half)->lanes |= 1u << l;
    }
    if (!layout->shared)
        lay_out_global(layout);
    for (unsigned half = 0; half < 2 && layout->shared; half++)
        lay_out_passes(layout, half);
}
