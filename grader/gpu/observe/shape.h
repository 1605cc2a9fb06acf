/* Shapes: the rule behind the addresses of a warp's lanes, found in the addresses alone.
 *
 * With l for a lane, nearly every access of real programs is one of
 *   stride   first + l * step
 *   rows     first + (l + phase) % width * step + (l + phase) / width * jump      two-dimensional
 *   wrap     first + (phase + l * step) % jump                                    i * 7 % 100
 * (step 0 or jump 0: lanes share words), or else neighbouring words in another order, or scattered. Where
 * a row ends within the warp and no whole one is seen, nobody can know how long rows are: these are two
 * pieces. */
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
    int64_t step;   /* of a stride and in a row: bytes from a lane to the next */
    int64_t jump;   /* bytes from a row to the next; of pieces: from the first one's last lane; of a
                     * wrap: after which it goes round */
    unsigned width; /* lanes of a row, or of the first piece */
    uint64_t low, span; /* the lowest address, and bytes from there to the end of the highest */
    unsigned distinct;  /* addresses */
    bool packed;        /* a stride from one active lane to the next, as if there were no others */
    bool dense;         /* the span has no byte that no lane wants */
};

/* One access of a warp: inactive lanes' addresses do not count; MASK is not 0. */
struct shape_access {
    uint64_t addr[32];
    uint32_t mask;
    unsigned bytes; /* of a lane */
};

struct shape shape_find(const struct shape_access *access);

/* Why ACCESS to global memory takes COST sectors, in at most 100 characters and no full stop:
 * "each lane takes 4 of 12 bytes (stride 3 elements)". VERB: "read", "write" or "update". */
void shape_tell_global(char *text, size_t size, const struct shape_access *access,
                       const char *verb);
/* What to try against that; NULL: nothing but what is always said. */
const char *shape_help_global(const struct shape_access *access);
const char *shape_help_shared(const struct shape_access *access);
/* Why it takes wavefronts: "lanes 0, 4, 8, ... read words 0, 32, 64, ...: all in bank 0 (stride 8
 * words)". */
void shape_tell_shared(char *text, size_t size, const struct shape_access *access,
                       const char *verb);

#endif
