/* Follows the signals that warps give each other through words in memory.
 *
 *     while (atomicCAS(lock, 0, 1)) ;      polls: waits for the latest signal in *lock
 *     atomicExch(lock, 0);                 signals
 *
 * A warp that waits for a signal cannot be faster than the warp that gives it: its path (see
 * warp_path()) becomes at least as long as that warp's path was when it gave the signal. This finds
 * blocks that work one after another, although no warp polls in vain if blocks run in this order.
 *
 * The order of blocks decides which signal a poll sees. So signals are followed only if one worker
 * runs all CTAs in order. Only words that have been polled are in the worker's table; other atomics
 * cost little. */
#include <stdlib.h>

#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"

#define FIRST_ROOM 64u
#define MOST_ROOM  65536u /* more words than kernels poll; further words are ignored */

/* A word that has been polled. */
struct signal {
    uint64_t key;  /* see key_of(); 0 if the entry is free */
    uint64_t path; /* the path that led to the latest signal */
};

struct signals {
    uint32_t count, room; /* `room` is a power of 2 */
    struct signal *table;
};

/* Returns a number for the word at ADDR, different for each block if it is in shared memory. */
static uint64_t key_of(const struct warp *warp, const struct obs_access *access, unsigned lane)
{
    uint64_t addr = access->addr[lane] + 1;
    return access->space == PTX_SHARED ? addr + ((warp->cta->linear + 1) << 48) : addr;
}

/* Returns the entry with KEY, or the free entry in which it belongs. */
static struct signal *find(const struct signals *signals, uint64_t key)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40);
    while (signals->table[i & (signals->room - 1)].key &&
           signals->table[i & (signals->room - 1)].key != key)
        i++;
    return &signals->table[i & (signals->room - 1)];
}

/* Makes room for another entry. Returns false if there is none. */
static bool make_room(struct signals *signals)
{
    if (2 * signals->count < signals->room)
        return true;
    uint32_t room = signals->room ? 2 * signals->room : FIRST_ROOM;
    struct signals larger = {signals->count, room, NULL};
    larger.table = room <= MOST_ROOM ? calloc(room, sizeof *larger.table) : NULL;
    if (!larger.table)
        return false;
    for (uint32_t i = 0; i < signals->room; i++)
        if (signals->table[i].key)
            *find(&larger, signals->table[i].key) = signals->table[i];
    free(signals->table);
    *signals = larger;
    return true;
}

static void follow(struct warp *warp, const struct inst *inst, uint64_t key)
{
    struct signals *signals = warp->cta->worker->signals;
    struct signal *word = signals->room ? find(signals, key) : NULL;
    if (inst->signals & SIGNAL_POLLED && (!word || !word->key) && make_room(signals)) {
        word = find(signals, key);
        *word = (struct signal){.key = key};
        signals->count++;
    }
    if (!word || !word->key)
        return;
    if (inst->signals & SIGNAL_POLLED)
        warp_lengthen_path(warp, word->path);
    if (inst->signals & SIGNAL_GIVEN)
        word->path = warp_path(warp);
}

void signals_follow(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct worker *worker = warp->cta->worker;
    if (!worker->launch->options->deterministic)
        return;
    if (!worker->signals)
        worker->signals = calloc(1, sizeof *worker->signals);
    if (!worker->signals || (!worker->signals->count && !(inst->signals & SIGNAL_POLLED)))
        return;
    for (uint32_t todo = mask, group; todo; todo &= ~group) {
        struct obs_access access = {.pc = warp->pc, .kind = inst->mem.event};
        uint64_t last = 0;
        access.bytes = inst->mem.bytes;
        access_addresses(warp, inst->mem.base, (uint64_t)inst->mem.offset, mask, access.addr);
        group = access_take_space(warp, inst, todo, &access);
        for (uint32_t left = group; left; left &= left - 1) {
            uint64_t key = key_of(warp, &access, (unsigned)__builtin_ctz(left));
            if (key != last && (access.space == PTX_SHARED || access.space == PTX_GLOBAL))
                follow(warp, inst, key);
            last = key;
        }
    }
}

void signals_free(struct signals *signals)
{
    if (signals)
        free(signals->table);
    free(signals);
}
