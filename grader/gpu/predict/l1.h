/* Simulates the first-level cache of one multiprocessor. It has lines of 128 bytes with four
 * sectors; the least recently used line is replaced. */
#ifndef GPU_PREDICT_L1_H
#define GPU_PREDICT_L1_H

#include <stdbool.h>
#include <stdint.h>

struct l1_line {
    uint64_t line;               /* its address */
    double filled;               /* the time when the last of its sectors arrives */
    uint32_t sectors;            /* bits of the sectors that the line holds or waits for */
    uint32_t newer, older, next; /* `next` is the next line with the same hash */
};

struct l1 {
    struct l1_line *lines;
    uint32_t *chains;
    uint32_t capacity, used, chain_mask;
    uint32_t newest, oldest;
};

/* Opens a cache of BYTES bytes. Returns false when out of memory. The caller must call l1_close()
 * in any case. */
bool l1_open(struct l1 *l1, uint64_t bytes);
void l1_close(struct l1 *l1);

/* Finds LINE and makes it the most recently used. Returns NULL if the cache does not hold it. */
struct l1_line *l1_find(struct l1 *l1, uint64_t line);
/* Adds LINE without any sectors, and drops the least recently used line if the cache is full.
 * Returns NULL if the cache has size 0. */
struct l1_line *l1_add(struct l1 *l1, uint64_t line);

#endif
