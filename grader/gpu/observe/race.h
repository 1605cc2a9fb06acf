/* The state of racecheck for one launch, and the races that it has found. */
#ifndef GPU_OBSERVE_RACE_H
#define GPU_OBSERVE_RACE_H

#include "gpu/lanes.h"
#include "gpu/observe/race_global.h"
#include "gpu/observe/race_interval.h"
#include "gpu/observe/race_order.h"
#include "gpu/observe/race_shadow.h"

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

/* Whether a thread uses an access to communicate with other threads. RACE_STRONG: certainly.
 * RACE_VOLATILE: probably, but it may be a mistake. RACE_WEAK: no. */
enum race_strength { RACE_WEAK, RACE_VOLATILE, RACE_STRONG };

/* A site is a memory instruction. A stamp (race_shadow.h) refers to a site by its index in
 * `sites`. */
struct race_site {
    uint32_t pc;
    uint8_t kind, strength;
    bool implies_fence; /* the instruction has .release or .acq_rel */
    bool use_known;     /* flag_use is set */
    uint8_t flag_use;   /* enum analyse_flag_use: how the code uses the value of a load */
    bool is_contended;  /* different threads write the same word with this store */
    bool store_known;   /* race_store_after() has set `store` */
    /* for a load: the site of the store in the same source statement, or 0 if there is none */
    uint16_t store;
};

/* The properties of each instruction that racecheck needs. */
struct race_code {
    uint16_t site;  /* index of the instruction's site, or 0 if it is not checked */
    uint8_t bytes;  /* size of one value in bytes */
    bool is_copy;   /* cp.async or cp.async.bulk */
    bool shows_old; /* an atomic that returns the old value */
};

struct race_access {
    uint32_t site, thread; /* `thread` is the thread's index in its CTA */
    uint64_t cta;
};

/* The distance between the two threads of a race. It decides which barrier or fence could order
 * their accesses. RACE_COPY is for a cp.async that no thread has waited for. */
enum race_distance { RACE_ONE_INSTRUCTION, RACE_ONE_WARP, RACE_ONE_CTA, RACE_GRID, RACE_COPY };

/* All races between two sites in one memory space. `one` and `other` are an example: the first race
 * with the largest distance. */
struct race_pair {
    struct race_access one, other; /* one.site <= other.site */
    bool is_shared;
    /* in one execution of a statement, a lane wrote a word that another lane of its warp had just
     * read */
    bool is_same_round;
    uint8_t distance;
    /* These two are set by the report: bits of enum race_cause, and the index of the first pair in
     * this pair's group. */
    uint8_t causes;
    uint32_t group;
    uint64_t addr; /* address that both accesses of the example touch */
    uint64_t count;
};

/* The latest execution of a load, if its source statement also has a store. */
struct race_load {
    uint64_t addr[WARP], cta;
    uint32_t site, mask, warp;
};
#define RACE_LOADS 4u /* the number of loads that are remembered */

struct race_shared { /* the shadow of one CTA's shared memory */
    uint64_t cta;
    bool is_used;
    const uint8_t *bytes; /* contents of that shared memory */
    struct shadow shadow;
};

struct race {
    const struct launch_view *launch;
    struct order order;
    struct race_site *sites;
    uint32_t site_count;
    struct race_code *code;   /* one entry per pc */
    struct interval interval; /* interval of the current CTA */
    struct race_global global;
    /* the shadow of the current CTA's shared memory, and the shadows of all running CTAs, indexed
     * by seat (see view.h) */
    struct race_shared *shared, *seats;
    /* bounds of the heap for malloc() in kernels; it is not checked, because its memory is
     * reused */
    uint64_t heap_begin, heap_end;
    struct race_load loads[RACE_LOADS];
    uint32_t next_load;
    struct race_pair *pairs;
    uint32_t pair_count, pair_room;
    bool has_copies; /* the kernel uses cp.async or cp.async.bulk */
    bool failed;     /* memory ran out, so the rest of the launch is not checked */
};

/* Returns the active lanes whose access is aligned and ends at or before END. */
uint32_t race_valid_lanes(const struct obs_access *access, uint64_t end);
/* Returns the shared memory that an access touches, or NULL for global memory. */
struct race_shared *race_shared_of(const struct race *race, const struct obs_access *access);
/* Returns the argument OWNER of order_release_at() for an address in SHARED, or in global memory if
 * SHARED is NULL. */
static inline uint64_t race_owner(const struct race_shared *shared)
{
    return shared ? shared->cta + 1 : 0;
}
/* Returns the site of an access, or 0 if it is not checked. */
uint32_t race_site_of(const struct race *race, const struct obs_access *access);

/* The clocks of a warp at some moment (race_order.h). BEGUN is the time at which the worker
 * switched to the warp's CTA, and NOW is the warp's own time. Accesses that warp w made before time
 * KNOWN[w] are ordered before the warp's next access. */
struct race_moment {
    uint64_t begun, now;
    const uint64_t *known;
};
struct race_moment race_now(const struct race *race, uint32_t warp);

/* Check an access of LANES against SHADOW and record it there. race_visit() assumes that the access
 * happens now, race_visit_then() that it happened at the moment WHEN. All addresses of LANES must
 * be in SHADOW. Both return false when out of memory. */
bool race_visit(struct race *race, const struct obs_access *access, struct shadow *shadow,
                uint32_t lanes);
bool race_visit_then(struct race *race, const struct obs_access *access, struct race_moment when,
                     struct shadow *shadow, uint32_t lanes);

/* Returns whether accesses may be noted now and checked later. This is not possible in a kernel
 * with asynchronous copies, because it is not known when a copy ends. */
bool race_may_defer(const struct race *race);

/* Only for tests: forces an immediate check of every access. The findings must be the same. */
extern bool race_checks_every_access;

/* Counts a race between an earlier access, FIRST, and the present access, SECOND. Returns their
 * pair, or NULL when out of memory. */
struct race_pair *race_add(struct race *race, struct race_access first, struct race_access second,
                           enum race_distance distance, bool is_shared, uint64_t addr);

/* Turns all pairs into findings. */
void race_report(struct race *race);

#endif
