/* A shape is the rule behind the addresses of a warp's lanes. It is found from the addresses alone.
 *
 * With l for a lane, nearly every access of real programs is one of
 *   stride   first + l * step
 *   rows     first + (l + phase) % width * step + (l + phase) / width * jump      two-dimensional
 *   wrap     first + (phase + l * step) % jump                                    i * 7 % 100
 * (step 0 or jump 0: lanes share words), or neighbouring words in mixed order, or scattered words.
 * If one row ends within the warp and no row is complete, the width of the rows is unknown; this
 * shape is called two pieces. */
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
    int64_t step; /* for a stride, or within a row, the bytes from one lane to the next */
    /* for rows, the bytes from row to row; for pieces, the bytes across the gap; for a wrap, the
     * period in bytes */
    int64_t jump;
    unsigned width; /* number of lanes in a row, or in the first piece */
    /* the lowest address, and the bytes from there to the end of the last word */
    uint64_t low, span;
    unsigned distinct; /* number of different addresses */
    bool packed;       /* the stride is from one active lane to the next, skipping inactive lanes */
    bool dense;        /* together, the lanes access every byte of the span */
};

/* One access of a warp. MASK, which is not 0, has a bit for each active lane. The addresses of
 * inactive lanes do not matter. */
struct shape_access {
    uint64_t addr[32];
    uint32_t mask;
    unsigned bytes; /* bytes that one lane accesses */
};

struct shape shape_find(const struct shape_access *access);

/* Writes why ACCESS to global memory needs so many sectors, in at most 100 characters and without a
 * full stop: "each lane reads 4 of every 12 bytes (stride 3 elements)". VERB is "read", "write" or
 * "update". */
void shape_describe_global(char *text, size_t size, const struct shape_access *access,
                           const char *verb);
/* Returns advice for this cause, or NULL if there is only the general advice. */
const char *shape_help_global(const struct shape_access *access);
const char *shape_help_shared(const struct shape_access *access);
/* Writes why ACCESS to shared memory needs so many wavefronts: "lanes 0, 4, 8, ... read words 0,
 * 32, 64, ...: all in bank 0 (stride 8 words)". */
void shape_describe_shared(char *text, size_t size, const struct shape_access *access,
                           const char *verb);

#endif
