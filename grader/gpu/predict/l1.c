#include "gpu/predict/l1.h"

#include <stdlib.h>

#define NONE UINT32_MAX

static uint32_t *chain_of(struct l1 *l1, uint64_t line)
{
    return &l1->chains[(line >> 7) * 0x9e3779b97f4a7c15u >> 40 & l1->chain_mask];
}

bool l1_open(struct l1 *l1, uint64_t bytes)
{
    uint32_t chains = 1;
    *l1 = (struct l1){.capacity = (uint32_t)(bytes / 128), .newest = NONE, .oldest = NONE};
    while (chains < 2 * l1->capacity)
        chains *= 2;
    l1->chain_mask = chains - 1;
    l1->lines = malloc((l1->capacity + 1u) * sizeof *l1->lines);
    l1->chains = malloc(chains * sizeof *l1->chains);
    for (uint32_t i = 0; l1->chains && i < chains; i++)
        l1->chains[i] = NONE;
    return l1->lines && l1->chains;
}

void l1_close(struct l1 *l1)
{
    free(l1->lines);
    free(l1->chains);
}

/* Removes line I from the list of lines, which is sorted by last use. */
static void take_out(struct l1 *l1, uint32_t i)
{
    const struct l1_line *line = &l1->lines[i];
    *(line->newer == NONE ? &l1->newest : &l1->lines[line->newer].older) = line->older;
    *(line->older == NONE ? &l1->oldest : &l1->lines[line->older].newer) = line->newer;
}

static void put_first(struct l1 *l1, uint32_t i)
{
    l1->lines[i].newer = NONE;
    l1->lines[i].older = l1->newest;
    *(l1->newest == NONE ? &l1->oldest : &l1->lines[l1->newest].newer) = i;
    l1->newest = i;
}

struct l1_line *l1_find(struct l1 *l1, uint64_t line)
{
    uint32_t i = l1->capacity ? *chain_of(l1, line) : NONE;
    while (i != NONE && l1->lines[i].line != line)
        i = l1->lines[i].next;
    if (i == NONE)
        return NULL;
    if (i != l1->newest) {
        take_out(l1, i);
        put_first(l1, i);
    }
    return &l1->lines[i];
}

/* Drops the least recently used line and returns its index. */
static uint32_t drop_oldest(struct l1 *l1)
{
    uint32_t i = l1->oldest, *at = chain_of(l1, l1->lines[i].line);
    take_out(l1, i);
    while (*at != i)
        at = &l1->lines[*at].next;
    *at = l1->lines[i].next;
    return i;
}

struct l1_line *l1_add(struct l1 *l1, uint64_t line)
{
    if (!l1->capacity)
        return NULL;
    uint32_t i = l1->used < l1->capacity ? l1->used++ : drop_oldest(l1),
             *chain = chain_of(l1, line);
    l1->lines[i] = (struct l1_line){.line = line, .next = *chain};
    *chain = i;
    put_first(l1, i);
    return &l1->lines[i];
}
