#include "gpu/execute/heartbeat.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"
#include "gpu/observe/describe.h"

/* seconds from the beginning of a launch to its first progress line; the time doubles for each
 * further line */
#define PATIENCE 5u
#define SLICES   64u /* a worker reads the clock once in this number of slices */

static atomic_uint running;
static atomic_bool interrupted;

static uint64_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec;
}

void heartbeat_begin(struct launch *launch)
{
    launch->begun = seconds();
    launch->patience = PATIENCE;
    atomic_fetch_add(&running, 1);
}

void heartbeat_end(void)
{
    atomic_fetch_sub(&running, 1);
}

bool heartbeat_interrupt(void)
{
    bool any = atomic_load(&running);
    atomic_store(&interrupted, any);
    return any;
}

static unsigned first_lane(const struct warp *warp)
{
    return warp->alive ? (unsigned)__builtin_ctz(warp->alive) : 0;
}

static void tell(const struct warp *warp, uint64_t taken)
{
    const struct launch *launch = warp->cta->launch;
    char where[400], line[600];
    describe_running(where, sizeof where, &launch->view, warp->pc,
                     warp->index * WARP + first_lane(warp), warp->cta->linear, taken);
    snprintf(line, sizeof line,
             "%s; its warp has executed %" PRIu64
             " instructions; Ctrl-C stops the kernel and prints a report",
             where, warp->executed);
    launch->options->tell(line);
}

/* Reports the launch's progress if it is time for the next line. */
static void look(struct warp *warp)
{
    struct launch *launch = warp->cta->launch;
    unsigned patience = atomic_load(&launch->patience);
    uint64_t taken = seconds() - launch->begun;
    if (taken >= patience &&
        atomic_compare_exchange_strong(&launch->patience, &patience, 2 * patience))
        tell(warp, taken);
}

void heartbeat_slice(struct warp *warp)
{
    struct launch *launch = warp->cta->launch;
    if (atomic_load_explicit(&interrupted, memory_order_relaxed) &&
        !atomic_exchange(&launch->is_interrupted, true)) {
        warp_interrupt_fault(warp, first_lane(warp));
        launch_stop(launch, EMU_TIMEOUT);
    }
    if (launch->options->tell && ++warp->cta->worker->slices % SLICES == 0)
        look(warp);
}
