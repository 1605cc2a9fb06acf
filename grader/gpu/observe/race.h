/* The state of racecheck for one launch, and the pairs of accesses that race. */
#ifndef GPU_OBSERVE_RACE_H
#define GPU_OBSERVE_RACE_H

#include "gpu/lanes.h"
#include "gpu/observe/race_global.h"
#include "gpu/observe/race_interval.h"
#include "gpu/observe/race_order.h"
#include "gpu/observe/race_shadow.h"

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

/* How an access is meant: STRONG is for other threads to see; VOLATILE may still be a mistake. */
enum race_strength { RACE_WEAK, RACE_VOLATILE, RACE_STRONG };

/* A memory instruction. */
struct race_site {
    uint32_t pc;
    uint8_t kind, strength;
    bool implies_fence; /* .release or .acq_rel */
    bool use_known;     /* flag_use is set */
    uint8_t flag_use;   /* of a load: enum analyse_flag_use */
};

/* What racecheck knows of each instruction. */
struct race_code {
    uint16_t site;  /* 0: none */
    uint8_t bytes;  /* of one value */
    bool is_copy;   /* cp.async */
    bool shows_old; /* an atomic whose old value the thread reads */
};

struct race_access {
    uint32_t site, thread; /* in its CTA */
    uint64_t cta;
};

/* How far apart the two threads are, and so what could order them. RACE_COPY: one access is an
 * unfinished cp.async. */
enum race_distance { RACE_ONE_INSTRUCTION, RACE_ONE_WARP, RACE_ONE_CTA, RACE_GRID, RACE_COPY };

/* All races of two sites in one space. The accesses are the first at the largest distance. */
struct race_pair {
    struct race_access one, other; /* one.site <= other.site */
    bool is_shared;
    uint8_t distance;
    uint64_t addr; /* of the example */
    uint64_t count;
};

struct race_shared { /* the shadow of one CTA's shared memory */
    uint64_t cta;
    bool is_used;
    const uint8_t *bytes; /* its contents */
    struct shadow shadow;
};

struct race {
    const struct launch_view *launch;
    struct order order;
    struct race_site *sites;
    uint32_t site_count;
    struct race_code *code;   /* by pc */
    struct interval interval; /* of the current CTA */
    struct race_global global;
    struct race_shared *shared, *seats; /* the current CTA's; all */
    uint64_t heap_begin, heap_result;   /* malloc()'s heap: not watched, as it is reused */
    struct race_pair *pairs;
    uint32_t pair_count, pair_room;
    bool has_copies; /* the kernel uses cp.async */
    bool failed;     /* memory is out: nothing more is checked */
};

/* The lanes of an access that are aligned and whose bytes are all before END. */
uint32_t race_valid_lanes(const struct obs_access *access, uint64_t end);
/* The CTA's shared memory that an access goes to; NULL: device memory. */
struct race_shared *race_shared_of(const struct race *race, const struct obs_access *access);
/* The place's OWNER for race_order.h. */
static inline uint64_t race_owner(const struct race_shared *shared)
{
    return shared ? shared->cta + 1 : 0;
}
/* The site of an access; 0: it is not checked. */
uint32_t race_site_of(const struct race *race, const struct obs_access *access);

/* A moment of a warp: its CTA's turn began at BEGUN and its own time is NOW. The accesses that
 * warp w made before KNOWN[w] come before its own (race_order.h). */
struct race_moment {
    uint64_t begun, now;
    const uint64_t *known;
};
struct race_moment race_now(const struct race *race, uint32_t warp);

/* Checks LANES of an access, made now or at another moment, row by row and in order. All their
 * addresses must be in the shadow. False when memory is out. */
bool race_visit(struct race *race, const struct obs_access *access, struct shadow *shadow,
                uint32_t lanes);
bool race_visit_then(struct race *race, const struct obs_access *access, struct race_moment when,
                     struct shadow *shadow, uint32_t lanes);

/* Whether accesses may be noted now and checked later: not with cp.async, whose end is unknown. */
bool race_may_defer(const struct race *race);

/* Tests set it: every access is checked at once, with the same result. */
extern bool race_checks_every_access;

/* Counts one more race of these accesses. SECOND has just happened. */
void race_add(struct race *race, struct race_access first, struct race_access second,
              enum race_distance distance, bool is_shared, uint64_t addr);

/* Turns the pairs into findings. */
void race_report(struct race *race);

#endif
