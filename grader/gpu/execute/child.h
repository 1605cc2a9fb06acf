/* Grids that kernels launch (dynamic parallelism).
 *
 * A kernel asks for a buffer, writes the parameters into it and launches. No kernel can wait for
 * a grid that it launched, so the grid may as well run when its parent is over. The parent ends
 * when all of them have:
 *
 *   parent ── its children in order, each followed by its own ── its tail launches */
#ifndef GPU_EXECUTE_CHILD_H
#define GPU_EXECUTE_CHILD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/memory/heap.h"
#include "gpu/ptx/module.h"

#define CHILD_DEPTH 24u        /* nesting depth */
#define CHILD_MOST  (1u << 16) /* launches of one grid */

struct launch;

struct child {
    struct emu_launch request; /* without its kernel; owns its parameters */
    const struct ptx_function *function;
    uint64_t buffer; /* for the parameters, in the kernels' heap, until the launch */
    struct child *next;
};

/* Shared by workers. A child is in one of the lists; launched children are in launch order. */
enum child_state { CHILD_PREPARED, CHILD_LAUNCHED, CHILD_TAIL, CHILD_STATES };
struct children {
    pthread_mutex_t lock;
    struct child *first[CHILD_STATES], *last[CHILD_STATES];
    uint32_t launched;
};

void children_init(struct children *children);
void children_free(struct children *children, struct heap *heap);

/* The buffer for the parameters of the kernel at address FUNCTION; 0: no such kernel, or out of
 * memory. */
uint64_t child_prepare(struct launch *launch, uint64_t function, const struct emu_launch *shape);
/* Launches it. Returns an error code of the CUDA runtime. */
uint32_t child_launch(struct launch *launch, uint64_t buffer, uint64_t stream);

/* Removes and returns the next child to run; NULL: none is left. */
struct child *children_take(struct children *children);
void child_free(struct child *child);

#endif
