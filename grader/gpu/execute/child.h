/* Keeps the lists of grids that kernels launch (dynamic parallelism).
 *
 * A kernel asks for a buffer, writes the child's parameters into it and launches the child. No
 * kernel can wait for a grid that it launched, so children run only after the parent's own grid.
 * The parent is complete when all its children are complete. Children run in this order:
 *
 *   parent ── its children in order, each followed by its own children ── its tail launches */
#ifndef GPU_EXECUTE_CHILD_H
#define GPU_EXECUTE_CHILD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/memory/heap.h"
#include "gpu/ptx/module.h"

#define CHILD_DEPTH 24u        /* largest depth of nested launches */
#define CHILD_MOST  (1u << 16) /* largest number of launches by one grid */

struct launch;

struct child {
    struct emu_launch request; /* the launch of `function`; the child owns its parameters */
    const struct ptx_function *function;
    uint64_t buffer; /* address of the parameters in the device's heap, or 0 after the launch */
    struct child *next;
};

/* handles below this are CUDA's own, such as the default stream */
#define CHILD_FIRST_HANDLE 0x100u

/* The kind of a handle that a kernel has created. */
enum child_handle { CHILD_GONE, CHILD_STREAM, CHILD_EVENT };

/* The children of one launch, shared by its workers. There is one list for each state; launched
 * children are listed in launch order. */
enum child_state { CHILD_PREPARED, CHILD_LAUNCHED, CHILD_TAIL, CHILD_STATES };
struct children {
    pthread_mutex_t lock;
    struct child *first[CHILD_STATES], *last[CHILD_STATES];
    uint32_t launched;
    uint8_t *handles; /* the enum child_handle of each stream and event, in order of creation */
    uint32_t handle_count;
};

void children_init(struct children *children);
void children_free(struct children *children, struct heap *heap);

/* Prepares a launch of the kernel at address FUNCTION. Returns the address of a buffer for the
 * kernel's parameters. Returns 0 if no kernel has this address, or when out of memory. */
uint64_t child_prepare(struct launch *launch, uint64_t function, const struct emu_launch *shape);
/* Launches the kernel whose parameters are in BUFFER. Returns an error code of the CUDA runtime. */
uint32_t child_launch(struct launch *launch, uint64_t buffer, uint64_t stream);

/* Creates a stream or an event of the grid. Returns its handle, or 0 if the grid has too many
 * handles. */
uint64_t child_create(struct children *children, enum child_handle kind);
/* child_has() returns whether HANDLE is an existing stream or event of the grid; KIND says which of
 * the two. child_destroy() destroys such a handle, or returns false if it does not exist. */
bool child_has(struct children *children, uint64_t handle, enum child_handle kind);
bool child_destroy(struct children *children, uint64_t handle, enum child_handle kind);

/* Removes and returns the next child to run. Returns NULL if none is left. */
struct child *children_take(struct children *children);
void child_free(struct child *child);

#endif
