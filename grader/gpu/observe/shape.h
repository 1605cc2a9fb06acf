/* A shape is the rule that the addresses of a warp's lanes follow. shape_find() finds it from the
 * addresses alone.
 *
 * Nearly every access of real programs has one of these shapes (l is the lane):
 *   stride   first + l * step
 *   rows     first + (l + phase) % width * step + (l + phase) / width * jump      two-dimensional
 *   wrap     first + (phase + l * step) % jump                                    i * 7 % 100
 * Other accesses touch neighbouring words in mixed order, or scattered words. If step or jump is 0,
 * lanes share words. If a row ends within the warp, but no row is complete, the width of the rows
 * is unknown. This shape is called two pieces. */
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
    int64_t step; /* for a stride, and within a row: bytes from one lane to the next */
    /* for rows: bytes from one row to the next; for two pieces: bytes from the last lane of the
     * first to the first lane of the second; for a wrap: its period in bytes */
    int64_t jump;
    unsigned width; /* lanes in a row, or in the first piece */
    /* the lowest address, and the number of bytes from there to the end of the last word */
    uint64_t low, span;
    unsigned distinct; /* number of distinct addresses */
    /* the stride counts only active lanes: `step` is from one active lane to the next */
    bool packed;
    bool dense; /* together, the lanes access every byte of the span */
};

/* One access of a warp. MASK has a bit for each active lane, and is not 0. The addresses of
 * inactive lanes do not matter. */
struct shape_access {
    uint64_t addr[32];
    uint32_t mask;
    unsigned bytes; /* size of a lane's access */
};

struct shape shape_find(const struct shape_access *access);

/* Writes a text of at most 100 characters, without a full stop, that says why ACCESS to global
 * memory needs its sectors: "each lane reads 4 of every 12 bytes (stride 3 elements)". VERB is
 * "read", "write" or "update". */
void shape_describe_global(char *text, size_t size, const struct shape_access *access,
                           const char *verb);
/* Return advice for the shape of the access, or NULL if the general advice fits. */
const char *shape_help_global(const struct shape_access *access);
const char *shape_help_shared(const struct shape_access *access);
/* Writes a text that says why ACCESS to shared memory needs its wavefronts: "lanes 0, 4, 8, ...
 * read words 0, 32, 64, ...: all in bank 0 (stride 8 words)". */
void shape_describe_shared(char *text, size_t size, const struct shape_access *access,
                           const char *verb);

#endif
