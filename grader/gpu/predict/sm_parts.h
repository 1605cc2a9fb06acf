/* The state of one simulation of a multiprocessor. sm.c issues instructions, and sm_memory.c serves
 * their accesses. */
#ifndef GPU_PREDICT_SM_PARTS_H
#define GPU_PREDICT_SM_PARTS_H

#include "gpu/predict/l1.h"
#include "gpu/predict/sm.h"

#define MOST_SCHEDULERS 8u

/* The number of lines in a queue of DRAM. DRAM has many banks, and a line's address decides which
 * bank serves it. So some banks are busy while others are idle. To reach full bandwidth, several
 * times as many accesses must be in flight as latency and bandwidth alone require. A
 * multiprocessor's share of DRAM's bandwidth is divided into queues, so that each has this many
 * lines in flight at full bandwidth. On an H200, this gives the bandwidths that chip/h200.txt calls
 * dram_inflight_... */
#define LINES_A_QUEUE 3.6
#define MOST_QUEUES   64u

/* The number of instructions that are fetched together. */
#define CODE_PIECE 24u

/* The most groups of cp.async of a warp whose times are kept. */
#define GROUPS 16u

struct sm_block;

struct sm_warp {
    const struct walk *walk;
    struct sm_block *block;
    uint32_t scheduler;
    double *ready;   /* for each register, the time when its value is ready */
    uint32_t *maker; /* for each register, the pc of the instruction that writes it */
    double now;      /* the time before which the next instruction is not issued */
    double begun;    /* the time when its walk began */
    /* The warp's pace is measured from run `from_run`, the last that began in the first half of the
     * walk's runs, to run `to_run`, the last that began in the first seven eighths. `from` and `to`
     * are the times when these runs began. */
    uint32_t from_run, to_run;
    double from, to;
    double copies; /* the time when the warp's cp.async are done */
    /* for each of the latest groups of cp.async, the time when this group and all earlier ones are
     * done; group G is at G % GROUPS */
    double groups[GROUPS];
    uint32_t group_count;
    /* the current run of the walk */
    uint32_t run;
    /* The ops are those of a whole region, or of UNROLL iterations of a loop. Iteration i begins at
     * run starts[i], and the last one ends in run `last_run`. Otherwise, the ops are those of a
     * block, of which `run` may contain only a part. */
    bool is_whole;
    uint32_t starts[UNROLL + 1], last_run;
    uint32_t at_block, at, end; /* the block, the index of its next op, and the end of its ops */
    const struct op *op;        /* the next op, or NULL if the warp is done */
    uint32_t blamed;            /* pc of the instruction whose result the next op waits for */
    bool waits;                 /* the warp waits at a barrier */
    bool is_off;                /* the ops are those of a predicated block that no lane executes */
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
    /* The table also has the units and words of atomics, with the time when each is free again, and
     * the cycles for which it has been busy. */
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
    double l2_cycles, store_cycles; /* cycles that a sector takes in these units */
    double dram_cycles;             /* cycles that a line takes in a queue of DRAM */
    uint32_t queues;                /* queues of DRAM */
    double next_start;              /* earliest start of a block */
    double latest;                  /* the time when the last work ends */
    struct l1 l1;
    /* Each scheduler's cache of constants whose address is the same for all lanes, and the cache of
     * constants whose addresses are in registers. */
    struct l1 immediates[MOST_SCHEDULERS], indexed;
    /* the kernel loads more lines of constants than a scheduler's cache has lines, and each
     * scheduler has more warps than that */
    bool streams_constants;
    /* for each piece of the program, the time when it is in the SM's cache; below 0 if it has not
     * been used yet */
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
/* Executes the op at AT, or later if its code is missing. Returns that time. */
double sm_execute(struct sm *sm, struct sm_warp *warp, double at);

/* Serves the accesses of a memory instruction that WARP issues at AT. Returns the time when its
 * result is ready. */
double sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, double at);
/* Does the same for an OP_SPILL. */
double sm_spill(struct sm *sm, const struct sm_warp *warp, const struct op *op, double at);

#endif
