/* Remembers the latest predictions of a device, with all the data from which they were computed.
 *
 * A benchmark launches the same kernel with the same arguments again and again. If a launch made
 * the same accesses, and found the same data in the second-level cache, its prediction is the same.
 * Then it is not computed again. Nothing is hashed: a prediction is reused only if all its data are
 * equal. */
#ifndef GPU_PREDICT_MEMO_H
#define GPU_PREDICT_MEMO_H

#include "gpu/predict/footprint.h"
#include "gpu/predict/predict.h"
#include "gpu/predict/sample.h"

#define MEMO_LAUNCHES 4u
#define MEMO_BYTES    (4u << 20) /* launches with more data are not remembered */
#define MOST_BUFFERS  64u

/* The data that a prediction needs besides the sample's walks and its numbers of instructions. It
 * has no padding, so keys can be compared as bytes. */
struct memo_key {
    const struct kernel *kernel;
    uint64_t cta_count, shared_bytes;
    uint64_t sms, each, resident, cta_slots; /* see struct spread */
    /* the counters of sectors and wavefronts, and their ideal values */
    uint64_t costs[8];
    double added; /* number of pages with atomics */
    uint64_t buffer_count;
    struct l2_buffer buffers[MOST_BUFFERS];
};

struct memo_entry {
    struct memo_key key;
    struct walk_cta *ctas;
    /* sample.work and sample.longest, one after the other */
    uint64_t *work, work_count;
    struct prediction prediction;
};

struct memo {
    struct memo_entry *entries[MEMO_LAUNCHES];
    uint64_t count; /* number of entries that were ever added */
};

/* Makes TO a copy of FROM, with its own `share`. Returns false when out of memory. */
bool prediction_copy(struct prediction *to, const struct prediction *from);

/* Returns the prediction of an equal launch, or NULL if there is none. */
const struct prediction *memo_find(const struct memo *memo, const struct memo_key *key,
                                   const struct sample *sample);
/* Adds a prediction in place of the oldest one. Takes the walks of SAMPLE, unless there is too much
 * data or too little memory. */
void memo_keep(struct memo *memo, const struct memo_key *key, struct sample *sample,
               const struct prediction *prediction);
void memo_clear(struct memo *memo);

#endif
