#include "gpu/observe/race_global.h"

#include <stdlib.h>

#include "gpu/observe/race.h"
#include "gpu/observe/race_log.h"

uint32_t race_max_instants = 1u << 18; /* they take 8 MiB */

/* A compact race_moment (race.h): OWN is the warp's KNOWN value for itself, and OTHERS is its value
 * for all other warps. */
struct race_instant {
    uint64_t begun, now, own, others;
};

bool global_open(struct race_global *global, uint32_t code_count)
{
    *global = (struct race_global){.instant_count = 1};
    return patterns_open(&global->patterns, code_count);
}

void global_close(struct race_global *global)
{
    shadow_map_close(&global->pages);
    patterns_close(&global->patterns);
    free(global->instants);
}

/* --- moving notes to the shadow --------------------------------------------------------------- */

/* Returns the lanes whose address is in the page that begins at PAGE. Usually these are all
 * lanes. */
LANES_CLONES static uint32_t lanes_in(const struct obs_access *access, uint64_t page)
{
    uint64_t outside = 0;
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < WARP; l++)
        outside |= (access->addr[l] - page) / SHADOW_PAGE;
    for (uint32_t l = 0; l < WARP && outside; l++)
        lanes |= (uint32_t)(access->addr[l] - page < SHADOW_PAGE) << l;
    return outside ? lanes : ALL_LANES;
}

struct note_visit {
    struct race *race;
    struct shadow *page;
};

static bool visit_note(void *context, const struct race_note *note, int64_t first)
{
    const struct note_visit *visit = context;
    const struct race_global *global = &visit->race->global;
    const struct race_instant *instant = &global->instants[note->instant];
    struct shadow *page = visit->page;
    uint64_t known[ORDER_WARPS];
    for (uint32_t w = 0; w < ORDER_WARPS; w++)
        known[w] = w == note->warp ? instant->own : instant->others;
    struct race_moment when = {instant->begun, instant->now, known};
    struct obs_access access = pattern_access(&global->patterns.list[note->pattern],
                                              page->addr + (uint64_t)first, note->warp);
    access.space = PTX_GLOBAL;
    return race_visit_then(visit->race, &access, when, page,
                           access.mask & lanes_in(&access, page->addr));
}

static uint64_t turn_of(const void *context, uint32_t instant)
{
    const struct race_global *global = context;
    return global->instants[instant].begun;
}

/* Checks the accesses in the page's log against its shadow, and empties the log. The log can be
 * used again if the page has not been written. */
static bool empty_log(struct race *race, struct shadow *page)
{
    if (!page->log->words)
        log_tidy(page->log, race->global.patterns.list, turn_of, &race->global);
    return log_empty(page->log, visit_note, &(struct note_visit){race, page});
}

/* Ends the page's log. From now on, every access to the page is checked immediately. */
static bool end_log(struct race *race, struct shadow *page)
{
    bool ok = !page->log || empty_log(race, page);
    log_close(page->log);
    page->log = NULL;
    return ok;
}

/* Adds an access to the page's log. Returns false if the access must be checked immediately. */
static bool take_note(struct race *race, struct shadow *page, struct race_note note)
{
    struct race_global *global = &race->global;
    if (!page->log || !note.instant)
        return false;
    if (log_add(page, global->patterns.list, note))
        return true;
    if (page->log->words)
        return false;
    log_tidy(page->log, global->patterns.list, turn_of, global); /* the log is full */
    if (page->log->count > log_max_notes / 4 * 3)
        race->failed |= !empty_log(race, page);
    return log_add(page, global->patterns.list, note);
}

/* --- instants --------------------------------------------------------------------------------- */

/* Deletes all instants. First empties or ends all logs, because their notes refer to instants. */
static bool forget_instants(struct race *race)
{
    struct race_global *global = &race->global;
    bool ok = true;
    for (uint64_t i = 0; i < global->pages.room && ok; i++) {
        struct shadow *page = global->pages.slots[i].shadow;
        if (page && page->log)
            ok = page->log->words ? end_log(race, page) : empty_log(race, page);
    }
    for (uint32_t w = 0; w < ORDER_WARPS; w++)
        global->latest[w].now = 0;
    global->instant_count = 1;
    return ok;
}

static bool make_room(struct race *race)
{
    struct race_global *global = &race->global;
    if (global->instant_count < global->instant_room)
        return true;
    if (global->instant_room >= race_max_instants)
        return forget_instants(race);
    uint32_t room = global->instant_room ? 2 * global->instant_room : 256;
    struct race_instant *instants = realloc(global->instants, room * sizeof *instants);
    if (!instants)
        return false;
    global->instants = instants;
    global->instant_room = room;
    return true;
}

/* Returns the index of WARP's current instant. Returns 0 when out of memory, or if the warp's KNOWN
 * times for the other warps are not all equal. */
static uint32_t find_instant(struct race *race, uint32_t warp)
{
    struct race_global *global = &race->global;
    struct race_moment when = race_now(race, warp);
    /* times are unique to a CTA and its turn (race_order.h), so this is the same instant */
    if (global->latest[warp].now == when.now)
        return global->latest[warp].instant;
    uint64_t others = when.known[warp == 0], differ = 0;
    for (uint32_t v = 0; v < race->order.warps; v++)
        differ |= v == warp ? 0 : when.known[v] ^ others;
    if (!differ && !make_room(race)) {
        race->failed = true;
        return 0;
    }
    struct race_instant mine = {when.begun, when.now, when.known[warp], others};
    const struct race_instant *last = &global->instants[global->instant_count - 1];
    bool is_same = !differ && global->instant_count > 1 && last->begun == mine.begun &&
                   last->now == mine.now && last->own == mine.own && last->others == mine.others;
    if (!differ && !is_same)
        global->instants[global->instant_count++] = mine;
    global->latest[warp].now = when.now;
    global->latest[warp].instant = differ ? 0 : global->instant_count - 1;
    return global->latest[warp].instant;
}

/* --- pages ------------------------------------------------------------------------------------ */

static bool is_watched(const struct race *race, uint64_t page)
{
    const struct mem_block *block = mem_block_at(race->launch->memory, page + SHADOW_PAGE - 1);
    bool in_heap = page + SHADOW_PAGE > race->heap_begin && page < race->heap_end;
    return block && block->host && block->addr + block->size > page && !in_heap;
}

/* Adds the page that contains ADDR. */
static struct shadow *add_page(struct race *race, uint64_t addr)
{
    struct shadow *page = shadow_add(&race->global.pages, addr);
    if (page && race_may_defer(race))
        page->log = log_open();
    return page;
}

/* Handles an access by LANES page by page. Adds it to the page's log if it has an instant and the
 * log has room for it. Otherwise checks it immediately. Lists the pages in SPREAD if it is not
 * NULL, except if an address is not checked. */
static bool visit_pages(struct race *race, const struct obs_access *access, uint32_t lanes,
                        struct race_note note, struct race_spread *spread)
{
    bool is_listed = spread;
    uint32_t count = 0;
    while (lanes) {
        uint64_t addr = access->addr[__builtin_ctz(lanes)] / SHADOW_PAGE * SHADOW_PAGE;
        uint32_t here = lanes & lanes_in(access, addr);
        struct shadow *page = shadow_find(&race->global.pages, addr);
        lanes &= ~here;
        if (!page && !is_watched(race, addr)) {
            is_listed = false;
            continue;
        }
        if (!page && !(page = add_page(race, addr)))
            return false;
        if (is_listed)
            spread->pages[count++] = page;
        note.first = (int32_t)(access->addr[0] - addr);
        if (!take_note(race, page, note) &&
            (!end_log(race, page) || !race_visit(race, access, page, here)))
            return false;
    }
    if (spread)
        spread->count = is_listed ? count : 0;
    return true;
}

/* --- accesses to several pages ---------------------------------------------------------------- */

/* Sets how far lane 0's address may move until a lane leaves its page. */
LANES_CLONES static void find_reach(struct race_spread *spread, const struct obs_access *access)
{
    uint64_t least = SHADOW_PAGE, most = 0;
    for (uint32_t l = 0; l < WARP; l++) {
        uint64_t at = access->addr[l] % SHADOW_PAGE;
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    spread->low = access->addr[0] - least;
    spread->high = access->addr[0] + (SHADOW_PAGE - access->bytes - most);
}

/* Notes a load in the pages of SPREAD. Returns the number of pages whose logs took it: all of them,
 * unless a log ends. */
static uint32_t note_spread(struct race *race, const struct race_spread *spread,
                            struct race_note note, uint64_t first)
{
    uint32_t i = 0;
    for (; i < spread->count; i++) {
        note.first = (int32_t)(first - spread->pages[i]->addr);
        if (!take_note(race, spread->pages[i], note))
            break;
    }
    return i;
}

/* Handles a load from several pages. If the lanes stay in the pages of the pattern's latest access,
 * it need not find the pages. This is frequent in a loop in which each thread reads its own part of
 * an array. The pages of a narrow pattern are not kept, because it soon leaves them. */
static void repeat_spread(struct race *race, const struct obs_repeat *repeat, struct race_note note)
{
    struct race_global *global = &race->global;
    const struct race_pattern *pattern = &global->patterns.list[note.pattern];
    struct race_spread *spread = &global->spreads[note.pattern % RACE_SPREADS];
    bool is_there = spread->count && spread->pattern == note.pattern &&
                    repeat->first >= spread->low && repeat->first <= spread->high;
    bool is_wide = (int64_t)pattern->high - pattern->low >= SHADOW_PAGE;
    uint32_t done = is_there ? note_spread(race, spread, note, repeat->first) : 0;
    if (is_there && done == spread->count)
        return;
    struct obs_access access = pattern_access(pattern, repeat->first, repeat->warp);
    uint32_t lanes = access.mask;
    access.space = PTX_GLOBAL;
    for (uint32_t i = 0; i < done; i++)
        lanes &= ~lanes_in(&access, spread->pages[i]->addr);
    /* a page whose log has ended takes no more notes, so its pages are not listed again */
    bool is_kept = is_wide && !is_there;
    if (is_wide) {
        spread->pattern = note.pattern;
        spread->count = 0;
        find_reach(spread, &access);
    }
    race->failed |= !visit_pages(race, &access, lanes, note, is_kept ? spread : NULL);
}

/* --- accesses --------------------------------------------------------------------------------- */

bool global_visit(struct race *race, const struct obs_access *access, bool is_plain)
{
    struct race_global *global = &race->global;
    uint32_t lanes = race_valid_lanes(access, UINT64_MAX);
    struct race_note note = {.warp = access->warp};
    if (!is_plain || lanes != access->mask)
        global->patterns.of[access->pc] = 0;
    else if ((note.pattern = patterns_find(&global->patterns, access)))
        note.instant = find_instant(race, access->warp);
    return visit_pages(race, access, lanes, note, NULL);
}

bool global_repeat(struct race *race, const struct obs_repeat *repeat)
{
    struct race_global *global = &race->global;
    struct race_note note = {.warp = repeat->warp, .pattern = global->patterns.of[repeat->pc]};
    const struct race_pattern *pattern = &global->patterns.list[note.pattern];
    if (!note.pattern || !(note.instant = find_instant(race, repeat->warp)))
        return false;
    uint64_t low = repeat->first + (uint64_t)(int64_t)pattern->low;
    uint64_t last = repeat->first + (uint64_t)(int64_t)pattern->high + repeat->bytes - 1;
    if (low / SHADOW_PAGE == last / SHADOW_PAGE) {
        struct shadow *page = shadow_find(&global->pages, low);
        note.first = (int32_t)(repeat->first % SHADOW_PAGE);
        return page && take_note(race, page, note);
    }
    /* the check of a store needs the stored values, which a repeat does not have */
    if (repeat->kind != OBS_LOAD)
        return false;
    repeat_spread(race, repeat, note);
    return true;
}
