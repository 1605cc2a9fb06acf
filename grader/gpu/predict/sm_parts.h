/* The state of one simulation of a multiprocessor. sm.c issues instructions, and sm_memory.c serves
 * their accesses. */
#ifndef GPU_PREDICT_SM_PARTS_H
#define GPU_PREDICT_SM_PARTS_H

#include "gpu/predict/l1.h"
#include "gpu/predict/sm.h"

#define MOST_SCHEDULERS 8u

/* The number of lines that each queue of DRAM has in flight at full bandwidth.
 *
 * DRAM has many banks, and a line's address decides which bank serves it. So some banks are busy
 * while others are idle, and full bandwidth needs several times as many accesses in flight as the
 * product of latency and bandwidth. The model has queues instead of banks: they share a
 * multiprocessor's part of DRAM's bandwidth evenly, and a line's address decides in which queue it
 * waits. LINES_A_QUEUE determines the number of queues. Its value gives the bandwidths that were
 * measured on an H200 (dram_inflight_... in chip/h200.txt). */
#define LINES_A_QUEUE 3.6
#define MOST_QUEUES   64u

/* The number of instructions that are fetched together. */
#define CODE_PIECE 24u

/* The times of this many latest groups of cp.async are kept for each warp. */
#define GROUPS 16u

struct sm_block;

struct sm_warp {
    const struct walk *walk;
    struct sm_block *block;
    uint32_t scheduler;
    double *ready;   /* for each register, the time when its value is ready */
    uint32_t *maker; /* for each register, the pc of the instruction that writes it */
    double now;      /* the earliest time at which its next instruction can be issued */
    double begun;    /* the time when its walk began */
    /* The warp's pace is measured between the starts of two runs of its walk: `from_run` is the
     * last run in the first half of the walk, and `to_run` is the last run in the first seven
     * eighths of it. `from` and `to` are the times when these runs started. */
    uint32_t from_run, to_run;
    double from, to;
    double copies; /* the time when the warp's cp.async are done */
    /* for each of the latest groups of cp.async, the time when this group and all earlier ones are
     * done; group G is at G % GROUPS */
    double groups[GROUPS];
    uint32_t group_count;
    /* the current run of the walk */
    uint32_t run;
    /* If `is_whole`, the warp executes a whole region, or UNROLL iterations of a loop. Iteration i
     * begins at run starts[i], and the last iteration ends in run `last_run`. Otherwise, the warp
     * executes a block, or only a part of the block, as `run` says. */
    bool is_whole;
    uint32_t starts[UNROLL + 1], last_run;
    uint32_t at_block, at, end; /* the block, the index of its next op, and the end of its ops */
    const struct op *op;        /* the next op, or NULL if the warp is done */
    uint32_t blamed;            /* pc of the instruction whose result the next op waits for */
    bool waits;                 /* the warp waits at a barrier */
    bool is_off;                /* the ops are those of a predicated block that no lane executes */
};

struct sm_block {
    uint32_t alive, arrived; /* warps that have not ended, and warps that wait at the barrier */
    uint32_t number;         /* index of the CTA in the list */
    double latest;           /* the time when the last warp arrived at the barrier, or ended */
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
    /* The same table has an entry for each unit and each word that executes atomics. `free` is the
     * time when the unit or word is free again, and `busy` the cycles for which it was busy. */
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
    /* for each scheduler, the times when it can issue again and when its pipes are free, the number
     * of instructions it has issued, and the cycles for which each pipe has been busy */
    double slot[MOST_SCHEDULERS], pipe[MOST_SCHEDULERS][PIPES];
    double issued[MOST_SCHEDULERS], worked[MOST_SCHEDULERS][PIPES];
    /* the times when these units are free */
    double address, l2, port, stores, textures, constants, immediate_misses[MOST_SCHEDULERS];
    /* the time when each queue of DRAM is free */
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
    /* `immediates` do not help: the kernel loads more lines of constants than a scheduler's cache
     * has lines, and each scheduler also has more warps than its cache has lines */
    bool streams_constants;
    /* for each CODE_PIECE instructions of the program, the time when they arrive in the SM's cache
     * of instructions, or a negative number if no warp has needed them yet */
    double *code;
    /* hash table of the lines of global memory that the SM has accessed */
    struct touched_line *touched;
    uint32_t touched_count, touched_room;
    bool is_first_wave; /* the current access is one of a block that started with the launch */
    bool failed;
};

/* Allocates the simulation's tables, with WARPS_EACH warps for each resident CTA. The caller has
 * filled in the parameters of sm_run(). Returns false when out of memory; call sm_close() even
 * then. */
bool sm_open(struct sm *sm, uint32_t warps_each);
void sm_close(struct sm *sm);

/* Goes to the first op of the warp's walk, or to the next op. */
void sm_enter(const struct sm *sm, struct sm_warp *warp);
void sm_next_op(const struct sm *sm, struct sm_warp *warp);
/* Returns the time when the operands of the warp's op are ready. Sets warp->blamed. */
double sm_ready_at(const struct sm *sm, struct sm_warp *warp);
/* Executes the warp's op at time AT, or as soon as its code is loaded if this is later. Returns the
 * later of the two times. */
double sm_execute(struct sm *sm, struct sm_warp *warp, double at);

/* Serves the accesses of a memory instruction that WARP issues at AT. Returns the time when its
 * result is ready. */
double sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, double at);
/* Does the same for an OP_SPILL. */
double sm_spill(struct sm *sm, const struct sm_warp *warp, const struct op *op, double at);

#endif
