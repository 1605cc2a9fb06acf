/* Compares the bytes that two pieces of work touch. */
#ifndef GPU_ORDER_TOUCHES_H
#define GPU_ORDER_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/touch.h"

/* Touches sorted by kind, then by address. Touches of the same kind do not overlap. */
struct touches {
    struct emu_touch *list;
    size_t first[EMU_TOUCH_KINDS + 1]; /* touches of kind k begin at first[k] */
    uint64_t begin, end;               /* lowest begin and highest end of all touches */
};

/* Sorts the COUNT touches in LIST. They may be in any order. */
struct touches touches_sort(struct emu_touch *list, size_t count);
/* Returns whether two accesses of these kinds to the same byte must be ordered. */
bool touches_conflict(enum emu_touch_kind one, enum emu_touch_kind other);
/* Finds a byte that ONE and OTHER touch by conflicting kinds of access. Sets the two kinds, and *AT
 * to the byte's address. Returns false if there is no such byte. */
bool touches_find(const struct touches *one, const struct touches *other,
                  enum emu_touch_kind *one_kind, enum emu_touch_kind *other_kind, uint64_t *at);
/* Finds the first touch of KIND that overlaps the bytes from BEGIN to END - 1. Returns NULL if
 * there is none. */
const struct emu_touch *touches_at(const struct touches *touches, enum emu_touch_kind kind,
                                   uint64_t begin, uint64_t end);
bool touches_equal(const struct touches *one, const struct touches *other);
/* Removes the bytes from BEGIN to END - 1 from all touches. */
void touches_remove(struct touches *touches, uint64_t begin, uint64_t end);

#endif
