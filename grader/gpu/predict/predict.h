/* Predicts how long launches take on a chip that this machine does not have.
 *
 *   steps, accesses --sample.c--> warps' instructions (walk.h), accessed memory (footprint.h)
 *   PTX             --machine.c, schedule.c--> machine instructions, in ptxas's order
 *   all of these, and the chip --sm.c, l2.c--> cycles --predict.c--> time, interval, limit
 *
 * A prediction depends on the launch, on the launches before it (through the contents of L2), and
 * on the numbers in the chip's file. It does not depend on the machine that runs the emulator, nor
 * on the number of its worker threads. */
#ifndef GPU_PREDICT_PREDICT_H
#define GPU_PREDICT_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/chips.h"
#include "gpu/observe/view.h"

/* Lists the parts of a chip, and the kinds of waiting, that can limit a launch's speed: P(name,
 * text). The time of a part is the time that the launch would take if only this part took time. The
 * time of `tail` is the time that would be saved if all multiprocessors had the same work. */
#define PREDICT_PARTS                                                                              \
    P(issue, "issuing instructions")                                                               \
    P(fp32, "single-precision arithmetic")                                                         \
    P(integer, "integer arithmetic")                                                               \
    P(fp64, "double-precision arithmetic")                                                         \
    P(special, "special functions")                                                                \
    P(matrix, "products of matrices")                                                              \
    P(shared, "shared memory")                                                                     \
    P(l1, "the first-level cache")                                                                 \
    P(l2, "the second-level cache")                                                                \
    P(dram, "memory")                                                                              \
    P(atomics, "atomics on the same words")                                                        \
    P(latency, "waiting for results")                                                              \
    P(launch, "the launch itself")                                                                 \
    P(tail, "multiprocessors without work")

enum predict_part {
#define P(name, text) PREDICT_##name,
    PREDICT_PARTS
#undef P
        PREDICT_PART_COUNT
};

/* A launch's time, without the time of PREDICT_launch, is divided into this many equal intervals
 * (see `warps`). */
#define PREDICT_MOMENTS 60

/* The reason why a launch is not predicted. */
enum predict_gap {
    PREDICT_NO_GAP,
    PREDICT_BLOCKS_WAIT, /* a block polls a value that another block stores, or a lock */
    /* a thread polls a value that another thread of its block stores, or a lock */
    PREDICT_THREADS_WAIT,
    /* a function calls itself; only ptxas knows how many registers each call saves */
    PREDICT_CALLS_ITSELF,
};

struct prediction {
    bool is_known; /* the launch was predicted; otherwise, `gap` may say why it was not */
    /* predictions of a predictor that have the same number are equal, except for `flops`; 0 if
     * there is no prediction */
    uint64_t number;
    enum predict_gap gap;
    uint32_t gap_pc;            /* the instruction that polls or calls */
    double us, low_us, high_us; /* the predicted time and the ends of its interval */
    enum predict_part limit;
    enum predict_part also; /* another unit that is nearly the limit, or PREDICT_PART_COUNT */
    double part_us[PREDICT_PART_COUNT];
    /* for each unit, its utilisation: its work, divided by the maximum that it could do in this
     * time (limit.c) */
    double use[PREDICT_PART_COUNT];
    /* the fraction of the chip that other launches cannot use: the maximum of the launch's part of
     * the slots for CTAs, and the part of the time for which the busiest unit works */
    double share_of_chip;
    /* [0]: the time if each access to global memory touched the ideal number of sectors; [1]: the
     * time if each access to shared memory took the ideal number of passes; 0 if the accesses are
     * nearly ideal already */
    double without_us[2];
    double cycles, instructions, dram_bytes, l2_hits; /* for comparisons with a profiler */
    /* For a roofline: the number of operations on single-precision numbers, and the numbers of
     * bytes that L2 and shared memory moved, whether or not a lane requested them. A shuffle counts
     * as a pass of shared memory. */
    double flops, l2_bytes, shared_bytes;
    /* for each of PREDICT_MOMENTS intervals, the average number of warps that are resident on all
     * multiprocessors together */
    double warps[PREDICT_MOMENTS];
    double *share; /* for each pc, its fraction of the time of all warps; from malloc(), or NULL */
    uint32_t share_count;
};

/* The peak rates of a chip, in units of 10^9 per second: warp instructions, single-precision
 * operations, and bytes of memory, of the second-level cache (0 if there is none) and of shared
 * memory. */
struct predict_roofs {
    double instructions, flops, dram, l2, shared;
};
struct predict_roofs predict_roofs(const struct emu_chip *chip);

/* Returns how many CTAs and warps of the launch one multiprocessor can hold at a time. */
struct emu_occupancy predict_occupancy(const struct launch_view *launch,
                                       const struct emu_chip *chip);

/* Returns the reason in words, such as "blocks wait for each other". */
const char *predict_gap_text(enum predict_gap gap);
const char *predict_part_name(enum predict_part part);
const char *predict_part_text(enum predict_part part);

/* The state that a device keeps for predictions: the chip and the contents of its L2 cache. */
struct predictor;
struct predictor *predictor_new(const struct emu_chip *chip);
void predictor_free(struct predictor *predictor); /* accepts NULL */
/* Must be called before a kernel is freed. */
void predictor_forget_kernels(struct predictor *predictor); /* accepts NULL */
const struct emu_chip *predictor_chip(const struct predictor *predictor);

/* Returns the prediction of the launch that has ended last. It is valid until the next launch
 * ends. */
const struct prediction *predictor_result(const struct predictor *predictor);

#endif
