/* The ranges of global memory that a launch has touched. */
#ifndef GPU_TOUCH_H
#define GPU_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

enum emu_touch_kind {
    EMU_READS,
    EMU_WRITES,
    EMU_UPDATES, /* atomics, which do not conflict with each other */
    /* volatile accesses, and atomics with system scope; they never conflict, because a kernel uses
     * them to synchronise with the host or with other kernels. Long ranges become EMU_UPDATES
     * (order/touches.c) */
    EMU_SIGNALS,
    EMU_TOUCH_KINDS
};

struct emu_touch {
    uint64_t begin, end; /* device addresses; `end` is not included */
    enum emu_touch_kind kind;
};

#endif
