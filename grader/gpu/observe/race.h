/* The state of racecheck for one launch, and the pairs of accesses that race. */
#ifndef GPU_OBSERVE_RACE_H
#define GPU_OBSERVE_RACE_H

#include "gpu/lanes.h"
#include "gpu/observe/race_global.h"
#include "gpu/observe/race_interval.h"
#include "gpu/observe/race_order.h"
#include "gpu/observe/race_shadow.h"

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

/* The likelihood that an access is meant to communicate with other threads. A STRONG access is
 * meant to do so, a VOLATILE access probably is, but may be a mistake, and a WEAK access is not. */
enum race_strength { RACE_WEAK, RACE_VOLATILE, RACE_STRONG };

/* A site is a memory instruction. Stamps name a site by its index in `sites`. */
struct race_site {
    uint32_t pc;
    uint8_t kind, strength;
    bool implies_fence; /* the instruction has .release or .acq_rel */
    bool use_known;     /* flag_use has been computed */
    uint8_t flag_use;   /* how a load's value is used, as enum analyse_flag_use */
    bool is_contended;  /* several threads write the same word with this store */
    bool store_known;   /* race_store_after() has set `store` */
    /* for a load, the site of the store in the same statement, or 0 if there is none */
    uint16_t store;
};

/* Properties of an instruction that racecheck uses. */
struct race_code {
    uint16_t site;  /* index of its site, or 0 if there is none */
    uint8_t bytes;  /* size of one value */
    bool is_copy;   /* cp.async */
    bool shows_old; /* an atomic that returns the old value */
};

struct race_access {
    uint32_t site, thread; /* the thread's number in the CTA */
    uint64_t cta;
};

/* The distance between the two threads of a race, which decides what could order their accesses.
 * RACE_COPY means that one access is an unfinished cp.async. */
enum race_distance { RACE_ONE_INSTRUCTION, RACE_ONE_WARP, RACE_ONE_CTA, RACE_GRID, RACE_COPY };

/* All races between two sites in one memory space. The two accesses are an example: the first race
 * at the largest distance. */
struct race_pair {
    struct race_access one, other; /* one.site <= other.site */
    bool is_shared;
    /* in one statement, a warp wrote a word that another of its lanes had just read */
    bool is_same_round;
    uint8_t distance;
    /* used by the report: bits of enum race_cause, and the index of the first pair in its group */
    uint8_t causes;
    uint32_t group;
    uint64_t addr; /* address of the example */
    uint64_t count;
};

/* The latest access by a load whose statement also stores. */
struct race_load {
    uint64_t addr[WARP], cta;
    uint32_t site, mask, warp;
};
#define RACE_LOADS 4u /* number of a statement's loads that are kept */

struct race_shared { /* the shadow of one CTA's shared memory */
    uint64_t cta;
    bool is_used;
    const uint8_t *bytes; /* the contents of that shared memory */
    struct shadow shadow;
};

struct race {
    const struct launch_view *launch;
    struct order order;
    struct race_site *sites;
    uint32_t site_count;
    struct race_code *code;   /* one entry for each pc */
    struct interval interval; /* interval of the current CTA */
    struct race_global global;
    /* shadow of the current CTA, and shadows of all resident CTAs by seat */
    struct race_shared *shared, *seats;
    /* bounds of the heap of malloc(), which is not watched because it is reused */
    uint64_t heap_begin, heap_end;
    struct race_load loads[RACE_LOADS];
    uint32_t next_load;
    struct race_pair *pairs;
    uint32_t pair_count, pair_room;
    bool has_copies; /* the kernel uses cp.async */
    bool failed;     /* memory ran out, so nothing more is checked */
};

/* Returns the lanes of an access that are aligned and whose bytes are all below END. */
uint32_t race_valid_lanes(const struct obs_access *access, uint64_t end);
/* Returns the shared memory that an access goes to, or NULL if it goes to device memory. */
struct race_shared *race_shared_of(const struct race *race, const struct obs_access *access);
/* Returns the OWNER of an address in this memory, as race_order.h defines it. */
static inline uint64_t race_owner(const struct race_shared *shared)
{
    return shared ? shared->cta + 1 : 0;
}
/* Returns the site of an access, or 0 if it is not checked. */
uint32_t race_site_of(const struct race *race, const struct obs_access *access);

/* A moment of a warp: the turn of its CTA began at BEGUN, and the warp's time is NOW. The accesses
 * that warp w made before KNOWN[w] come before this warp's (race_order.h). */
struct race_moment {
    uint64_t begun, now;
    const uint64_t *known;
};
struct race_moment race_now(const struct race *race, uint32_t warp);

/* Checks LANES of an access against the shadow, and records them there. The access is made now or,
 * with race_visit_then(), at the moment WHEN. All addresses of LANES must be in the shadow. Returns
 * false when out of memory. */
bool race_visit(struct race *race, const struct obs_access *access, struct shadow *shadow,
                uint32_t lanes);
bool race_visit_then(struct race *race, const struct obs_access *access, struct race_moment when,
                     struct shadow *shadow, uint32_t lanes);

/* Returns whether accesses may be noted now and checked later. Returns false if the kernel uses
 * cp.async, because the end of a copy is unknown. */
bool race_may_defer(const struct race *race);

/* Tests set this to have every access checked immediately. The result must be the same. */
extern bool race_checks_every_access;

/* Counts one more race between these accesses. SECOND has just been made. Returns the pair, or NULL
 * when out of memory. */
struct race_pair *race_add(struct race *race, struct race_access first, struct race_access second,
                           enum race_distance distance, bool is_shared, uint64_t addr);

/* Turns the pairs into findings. */
void race_report(struct race *race);

#endif
