/* The state of one simulation of a multiprocessor. sm.c chooses the next warp, sm_execute.c
 * executes its instruction, and sm_memory.c serves the instruction's memory access. */
#ifndef GPU_PREDICT_SM_PARTS_H
#define GPU_PREDICT_SM_PARTS_H

#include "gpu/predict/l1.h"
#include "gpu/predict/sm.h"

#define MOST_SCHEDULERS 8u

/* The number of lines that each queue of DRAM has in flight at full bandwidth.
 *
 * DRAM has many banks, and a line's address decides which bank serves it. So some banks are busy
 * while others are idle, and full bandwidth needs several times as many accesses in flight as the
 * product of latency and bandwidth. The model has queues instead of banks. A line's address decides
 * in which queue it waits, and the queues share the multiprocessor's part of DRAM's bandwidth
 * evenly. The number of queues follows from LINES_A_QUEUE. With this value, the model reaches the
 * bandwidths that were measured on an H200 (dram_inflight_... in chip/h200.txt). */
#define LINES_A_QUEUE 3.6
#define MOST_QUEUES   64u

/* The number of instructions that are fetched together. */
#define CODE_PIECE 24u

/* For each warp, the times of this many latest groups of cp.async are kept. */
#define GROUPS 16u

struct sm_block;

struct sm_warp {
    const struct walk *walk;
    struct sm_block *block;
    uint32_t scheduler;
    double *ready;   /* for each register, the time when its value is ready */
    uint32_t *maker; /* for each register, the pc of the instruction that writes it */
    double now;      /* the earliest time at which its next instruction can be issued */
    double begun;    /* the time when the warp started */
    /* The warp's speed is measured between the starts of two of its runs (walk.h): `from_run` is
     * the last run in the first half of its instructions, and `to_run` the last run in the first
     * seven eighths. `from` and `to` are the times when these runs started. */
    uint32_t from_run, to_run;
    double from, to;
    double copies; /* the time when the warp's cp.async are done */
    /* for each of the latest groups of cp.async, the time when this and all earlier groups are
     * done; group G is at index G % GROUPS */
    double groups[GROUPS];
    uint32_t group_count;
    /* index of the current run in the walk (walk.h) */
    uint32_t run;
    /* If `is_whole` is true, the warp executes a whole region, or UNROLL iterations of a loop.
     * Iteration i begins at run starts[i], and the last iteration ends in run `last_run`.
     * Otherwise, the warp executes those instructions of a block that are in the current run. */
    bool is_whole;
    uint32_t starts[UNROLL + 1], last_run;
    /* the current block, the index of its next op, and the end of its ops */
    uint32_t at_block, at, end;
    const struct op *op; /* the next op, or NULL if the warp is done */
    /* pc of the instruction that computes the operand for which the next op waits */
    uint32_t blamed;
    bool waits;  /* the warp waits at a barrier */
    bool is_off; /* the current block is predicated, and no lane executes it */
};

struct sm_block {
    /* number of warps that have not ended, and of those that wait at the barrier */
    uint32_t alive, arrived;
    uint32_t number; /* index of the CTA in the list */
    double latest;   /* the latest time at which a warp arrived at the barrier, or ended */
    struct sm_warp *warps;
    uint32_t warp_count;
};

/* A warp's place in the queue of warps. TIME has the bits of a double. Of several warps with the
 * same time, the one that was put into the queue first comes first. */
struct sm_turn {
    uint64_t time, order;
};

struct touched_line {
    uint64_t line;
    uint32_t sectors;
    /* The table also has an entry for each unit and each word that executes atomics. `free` is the
     * time when the unit or word becomes free, and `busy` is the number of cycles for which it was
     * busy. */
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
    /* the queue of warps (sm.c): for each warp its turn; the results of their tournament; the
     * number of warps, rounded up to a power of 2; the warp that was taken out last */
    struct sm_turn *turns;
    uint32_t *first, places, taken;
    uint64_t order;
    /* for each scheduler: the time when it can issue again, and the times when its pipes become
     * free; the number of instructions that it has issued, and the cycles for which each pipe has
     * been busy */
    double slot[MOST_SCHEDULERS], pipe[MOST_SCHEDULERS][PIPES];
    double issued[MOST_SCHEDULERS], worked[MOST_SCHEDULERS][PIPES];
    /* the times when these units become free */
    double address, l2, port, stores, textures, constants, immediate_misses[MOST_SCHEDULERS];
    /* the time when each queue of DRAM becomes free */
    double dram[MOST_QUEUES];
    double l2_cycles, store_cycles; /* cycles for which a sector occupies `l2` and `stores` */
    double dram_cycles;             /* cycles that a line takes in a queue of DRAM */
    uint32_t queues;                /* queues of DRAM */
    double next_start;              /* earliest start of a block */
    double latest;                  /* the time when the last work ends */
    struct l1 l1;
    /* Each scheduler's cache of constants whose address is the same for all lanes, and the cache of
     * constants whose addresses are in registers. */
    struct l1 immediates[MOST_SCHEDULERS], indexed;
    /* `immediates` are no help: the kernel loads more lines of constants than a scheduler's cache
     * has lines, and each scheduler has more warps than its cache has lines */
    bool streams_constants;
    /* for each CODE_PIECE instructions of the program: the time when they arrive in the
     * multiprocessor's instruction cache, or a negative number if no warp has needed them yet */
    double *code;
    /* hash table of the lines of global memory that the multiprocessor has accessed */
    struct touched_line *touched;
    uint32_t touched_count, touched_room;
    /* the current access is made by a block of the first wave, which starts with the launch */
    bool is_first_wave;
    bool failed;
};

/* Returns the later one of two times. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

/* Allocates the simulation's tables, with WARPS_EACH warps for each resident CTA. The caller has
 * set the members that are parameters of sm_run(). Returns false when out of memory. The caller
 * must call sm_close() in any case. */
bool sm_open(struct sm *sm, uint32_t warps_each);
void sm_close(struct sm *sm);

/* sm_enter() goes to the first op of the warp, sm_next_op() to the next one. */
void sm_enter(const struct sm *sm, struct sm_warp *warp);
void sm_next_op(const struct sm *sm, struct sm_warp *warp);
/* Returns the time when the operands of the warp's next op are ready. Sets warp->blamed. */
double sm_ready_at(const struct sm *sm, struct sm_warp *warp);
/* Executes the warp's next op at time AT, or later if its code is not loaded by then. Returns the
 * time at which it is executed. */
double sm_execute(struct sm *sm, struct sm_warp *warp, double at);

/* Simulates the accesses of a memory instruction that WARP issues at time AT. Returns the time when
 * its result is ready. */
double sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, double at);
/* Does the same for an OP_SPILL. */
double sm_spill(struct sm *sm, const struct sm_warp *warp, const struct op *op, double at);

#endif
