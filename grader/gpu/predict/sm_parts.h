/* The state of a simulation. sm.c issues instructions, and sm_memory.c serves their accesses. */
#ifndef GPU_PREDICT_SM_PARTS_H
#define GPU_PREDICT_SM_PARTS_H

#include "gpu/predict/l1.h"
#include "gpu/predict/sm.h"

#define MOST_SCHEDULERS 8u

/* The number of lines in a queue of DRAM. DRAM has many banks, and a line's address decides which
 * bank serves it. So some banks are busy while others are idle. To reach full bandwidth, several
 * times as many accesses must be in flight as latency and bandwidth alone require. A
 * multiprocessor's share of memory is divided into queues, each with as many lines as are in flight
 * at full bandwidth. On an H200, this gives the bandwidths that chip/h200.txt calls
 * dram_inflight_... */
#define LINES_A_QUEUE 3.6
#define MOST_QUEUES   64u

/* The number of instructions that are fetched together. */
#define CODE_PIECE 24u

/* The number of groups of cp.async that a warp can have under way. */
#define GROUPS 16u

struct sm_block;

struct sm_warp {
    const struct walk *walk;
    struct sm_block *block;
    uint32_t scheduler;
    double *ready;   /* for each register, the time when its value is ready */
    uint32_t *maker; /* for each register, the pc of the instruction that makes the value */
    double now;      /* the time before which the next instruction is not issued */
    double begun;    /* the time when its walk began */
    /* The runs between which its pace is taken, and the times when it came to them: the last run of
     * the walk's first half, and of its first seven eighths, that its ops began with. */
    uint32_t from_run, to_run;
    double from, to;
    double copies; /* the time when the warp's cp.async are done */
    /* the same for those up to the end of each of the latest groups; group G is at G % GROUPS */
    double groups[GROUPS];
    uint32_t group_count;
    /* The place in the walk: the run, and the ops of one block of the machine. */
    uint32_t run;
    /* The ops cover whole runs: those of each iteration begin at run starts[i], and the last one
     * ends in run `last_run`. Otherwise, the ops cover a part of `run`. */
    bool is_whole;
    uint32_t starts[UNROLL + 1], last_run;
    uint32_t at_block, at, end; /* `end` is the end of the ops */
    const struct op *op;        /* the next op, or NULL if the warp is done */
    uint32_t blamed;            /* pc that the next op waits for */
    bool waits;                 /* the warp waits at a barrier */
    bool is_off;                /* the ops are predicated, and no lane takes part */
};

struct sm_block {
    uint32_t alive, arrived;
    uint32_t number; /* index of the CTA in the list */
    double latest;   /* the time when the last warp arrived at the barrier, or ended */
    struct sm_warp *warps;
    uint32_t warp_count;
};

struct sm_heap_entry {
    double time;
    uint64_t order;
    struct sm_warp *warp;
};

struct touched_line {
    uint64_t line;
    uint32_t sectors;
    /* for a unit for atomics, the time when it is free again, and its cycles so far */
    double free, busy;
};

struct sm {
    const struct emu_chip *chip;
    const struct machine *machine;
    const struct sm_memory *memory;
    const struct sm_options *options;
    struct sm_result *result;
    struct sm_block *blocks; /* the resident blocks */
    struct sm_warp *warps;
    uint32_t warps_each, resident;
    const struct walk_cta *next; /* the next CTA to start */
    uint32_t started, count;
    struct sm_heap_entry *heap;
    uint32_t heap_count;
    uint64_t order;
    double slot[MOST_SCHEDULERS], pipe[MOST_SCHEDULERS][PIPES];
    double issued[MOST_SCHEDULERS], worked[MOST_SCHEDULERS][PIPES];
    /* the times when these units are free */
    double address, l2, port, stores, textures, constants, immediate_misses[MOST_SCHEDULERS];
    /* the time when each queue of DRAM is free */
    double dram[MOST_QUEUES];
    double l2_cycles, store_cycles; /* cycles of a sector in these units */
    double dram_cycles;             /* cycles that a line takes in a queue of DRAM */
    uint32_t queues;                /* queues of DRAM */
    double next_start;              /* earliest start of a block */
    double latest;                  /* the time when the last work ends */
    struct l1 l1;
    /* Each scheduler's cache of constants whose address is the same for all lanes, and the cache of
     * constants whose addresses are in registers. */
    struct l1 immediates[MOST_SCHEDULERS], indexed;
    bool
        streams_constants; /* more lines of constants, and more warps, than a scheduler has lines */
    double
        *code; /* for each piece of the program, the time when it is in the SM's cache; below 0 if
                * it has not been used yet */
    /* hash table of the lines of global memory that the SM has accessed */
    struct touched_line *touched;
    uint32_t touched_count, touched_room;
    bool is_first_wave; /* a block that started with the launch makes the current access */
    bool failed;
};

/* Opens the places for warps. The caller has filled in the parameters of sm_run(). Returns false
 * when out of memory; call sm_close() even then. */
bool sm_open(struct sm *sm, uint32_t warps_each);
void sm_close(struct sm *sm);

/* Goes to the first op of the warp's walk, or to the next op. */
void sm_enter(const struct sm *sm, struct sm_warp *warp);
void sm_next_op(const struct sm *sm, struct sm_warp *warp);
/* Returns the time when the operands of the warp's op are ready, and notes the instruction for
 * which it waits. */
double sm_ready_at(const struct sm *sm, struct sm_warp *warp);
/* Executes the op at AT, or later if its code is missing. Returns that time. */
double sm_execute(struct sm *sm, struct sm_warp *warp, double at);

/* Serves the accesses of a memory instruction that WARP issues at AT. Returns the time when its
 * result is ready. */
double sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, double at);
/* Does the same for a value that is spilled. */
double sm_spill(struct sm *sm, const struct sm_warp *warp, const struct op *op, double at);

#endif
