/* The data about a launch that are kept to predict its time (see predict.h). */
#ifndef GPU_PREDICT_SAMPLE_H
#define GPU_PREDICT_SAMPLE_H

#include <pthread.h>

#include "gpu/predict/footprint.h"
#include "gpu/predict/predict.h"
#include "gpu/predict/sm.h"
#include "gpu/predict/walk.h"

/* The approximate maximum number of warp instructions that are kept of a launch. It bounds the time
 * and the memory of a prediction. */
#define SAMPLE_BUDGET   120000u
#define SAMPLE_MOST     160u   /* at most this many CTAs are kept */
#define SAMPLE_WORK     65536u /* at most this many entries of `work` */
#define SAMPLE_MIN_WALK 2000u  /* the limit of kept instructions per warp is at least this */

/* The distribution of the launch's CTAs over the chip. */
struct spread {
    uint32_t sms; /* number of multiprocessors that get a CTA */
    /* number of CTAs that the first of these multiprocessors gets; the others get no more */
    uint64_t each;
    uint32_t resident;  /* CTAs that a multiprocessor holds at a time */
    uint32_t cta_slots; /* number of CTAs that a multiprocessor could hold if the launch had more */
    uint32_t warps;     /* warps of a CTA */
};

struct sample {
    struct spread spread;
    struct walk_cta *ctas; /* the CTAs of the simulated multiprocessor, in order */
    uint32_t cta_count;
    struct footprint footprint;
    unsigned parts; /* parts of the launch (footprint.h) */
    /* for each CTA, or in a large launch for each group of neighbouring CTAs: the number of
     * instructions, and that of its longest warp */
    const uint64_t *work, *longest;
    uint64_t work_count;
};

struct spread sample_spread(const struct launch_view *launch, const struct emu_chip *chip);

struct memo;

struct predictor {
    struct emu_chip chip;
    struct l2 *l2;
    unsigned shift; /* footprint.shift of the launches; it never decreases */
    struct prediction last;
    uint64_t number; /* last.number of the latest computed prediction */
    struct memo *memo;
    pthread_mutex_t lock;
    struct sampling *sampling; /* one for each running launch */
};

/* Returns the number of instructions of the multiprocessor that gets the most work, or 0 if unknown
 * (balance.c). */
double balance_busiest(const struct sample *sample);

/* The times, in cycles, from which balance_ratio() computes a lower bound of a multiprocessor's
 * time. */
struct balance_pace {
    struct sm_pace alone; /* the speed of a warp if only waiting for results took time */
    double unit;          /* cycles of the busiest unit for each warp instruction */
    /* A multiprocessor has slots for CTAs. These are the cycles before a slot's first CTA starts,
     * and the cycles between the end of a CTA and the start of the next one in its slot. */
    double start, next;
};

/* Computes a lower bound of each multiprocessor's time. Returns the maximum of these bounds,
 * divided by the bound of the simulated multiprocessor, or 1 if unknown (balance.c). */
double balance_ratio(const struct sample *sample, const struct balance_pace *pace);

/* Divides the launch's time into COUNT equal intervals. Adds to WARPS[i] the average number of
 * warps that all multiprocessors together hold in interval i (waves.c). The caller must set WARPS
 * to 0. */
void predict_waves(const struct sample *sample, double *warps, unsigned count);

/* Computes P->use, the utilisation of each unit, for a launch on CHIP that executes for US
 * microseconds and causes TRAFFIC (limit.c). The caller must set P->part_us and P->dram_bytes, and
 * TRAFFIC->passes must include the passes that take time. */
void predict_use(struct prediction *p, const struct emu_chip *chip,
                 const struct sm_traffic *traffic, double us);
/* Chooses P->limit and P->also from P->use (limit.c). */
void predict_limit(struct prediction *p, double us);

/* Returns the number of single-precision operations (roofline.c). COUNTERS has an entry for each
 * instruction. */
double predict_flops(const struct launch_view *launch, const struct emu_counters *counters);

/* If LAUNCH cannot be predicted, sets P->gap to the reason and returns true (gap.c). COUNTERS has
 * an entry for each instruction, or is NULL. */
bool predict_find_gap(const struct launch_view *launch, const struct emu_counters *counters,
                      struct prediction *p);

/* Predicts LAUNCH from SAMPLE, into predictor->last (predict.c). COUNTERS has an entry for each
 * instruction. May take SAMPLE's walks. */
void predict_launch(struct predictor *predictor, const struct launch_view *launch,
                    struct sample *sample, const struct emu_counters *counters);

#endif
