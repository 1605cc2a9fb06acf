/* Shapes: the rule behind the addresses of a warp's lanes, found from the addresses alone.
 *
 * With l for a lane, nearly every access of real programs is one of
 *   stride   first + l * step
 *   rows     first + (l + phase) % width * step + (l + phase) / width * jump      two-dimensional
 *   wrap     first + (phase + l * step) % jump                                    i * 7 % 100
 * (step 0 or jump 0: lanes share words), or neighbouring words in another order, or scattered.
 * If a row ends within the warp and no row is complete, the rows' width is unknown: the shape is
 * two pieces. */
#ifndef GPU_OBSERVE_SHAPE_H
#define GPU_OBSERVE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum shape_kind {
    SHAPE_SINGLE,
    SHAPE_SAME,
    SHAPE_STRIDE,
    SHAPE_ROWS,
    SHAPE_WRAP,
    SHAPE_PIECES,
    SHAPE_MIXED,
    SHAPE_SCATTERED
};

struct shape {
    enum shape_kind kind;
    int64_t step;   /* of a stride or in a row: bytes from a lane to the next */
    int64_t jump;   /* bytes from row to row; of pieces: across the gap; of a wrap: its period */
    unsigned width; /* lanes of a row, or of the first piece */
    uint64_t low, span; /* the lowest address; bytes from it to the end of the highest */
    unsigned distinct;  /* different addresses */
    bool packed;        /* a stride from one active lane to the next, ignoring inactive ones */
    bool dense;         /* lanes access every byte of the span */
};

/* One access of a warp: inactive lanes' addresses do not count; MASK is not 0. */
struct shape_access {
    uint64_t addr[32];
    uint32_t mask;
    unsigned bytes; /* per lane */
};

struct shape shape_find(const struct shape_access *access);

/* Why ACCESS to global memory takes its sectors, in at most 100 characters and no full stop:
 * "each lane takes 4 of 12 bytes (stride 3 elements)". VERB: "read", "write" or "update". */
void shape_describe_global(char *text, size_t size, const struct shape_access *access,
                           const char *verb);
/* What to try against this cause; NULL: only the general advice. */
const char *shape_help_global(const struct shape_access *access);
const char *shape_help_shared(const struct shape_access *access);
/* Why ACCESS to shared memory takes its wavefronts: "lanes 0, 4, 8, ... read words 0, 32, 64,
 * ...: all in bank 0 (stride 8 words)". */
void shape_describe_shared(char *text, size_t size, const struct shape_access *access,
                           const char *verb);

#endif
