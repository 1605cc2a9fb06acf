/* Threads that wait for values in memory: locks, flags and tickets that hang, each beside the same
 * kernel done right: see kernel_rows.cuh. */
#include <cooperative_groups.h>

#include "tests/support/kernel_rows.cuh"

namespace cg = cooperative_groups;

#define LOCK 0x1000 /* locks, flags and counters start at g[LOCK] */
#define OUT  0x2000

__device__ static void acquire(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0) // B of one_lock_twice
        ;
    __threadfence();
}

__device__ static void release(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

/* --- locks --------------------------------------------------------------------------------------- */

// deadlock
__global__ void two_locks_crosswise(int *g)
{
    int t = threadIdx.x, mine = t / 32;
    if (t % 32 == 0)
        while (atomicCAS(&g[LOCK + mine], 0, 1))
            ;
    __syncthreads();
    if (t % 32 == 0) {
        while (atomicCAS(&g[LOCK + !mine], 0, 1)) // B
            ;
        g[OUT] += 1;
        atomicExch(&g[LOCK + !mine], 0);
        atomicExch(&g[LOCK + mine], 0);
    }
}

// fine
__global__ void two_locks_in_one_order(int *g)
{
    int t = threadIdx.x;
    __syncthreads();
    if (t % 32 == 0) {
        acquire(&g[LOCK]);
        acquire(&g[LOCK + 1]);
        g[OUT] += 1;
        release(&g[LOCK + 1]);
        release(&g[LOCK]);
    }
}

// deadlock
__global__ void lock_kept_on_one_way(int *g)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(&g[LOCK], 0, 1) != 0) // B
        ;
    __threadfence();
    if (g[OUT] >= 3)
        return;
    g[OUT]++;
    __threadfence();
    atomicExch(&g[LOCK], 0);
}

// fine
__global__ void lock_given_back_on_all_ways(int *g)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(&g[LOCK], 0, 1) != 0)
        ;
    __threadfence();
    if (g[OUT] >= 3) {
        atomicExch(&g[LOCK], 0);
        return;
    }
    g[OUT]++;
    __threadfence();
    atomicExch(&g[LOCK], 0);
}

__device__ static void insert(int *g, int value)
{
    acquire(&g[LOCK]);
    g[OUT + g[OUT]++ + 1] = value;
    release(&g[LOCK]);
}

// deadlock
__global__ void one_lock_twice(int *g)
{
    if (threadIdx.x == 0) {
        acquire(&g[LOCK]);
        if (g[OUT] < 10)
            insert(g, blockIdx.x);
        release(&g[LOCK]);
    }
}

// fine
__global__ void one_lock_after_the_other(int *g)
{
    if (threadIdx.x == 0) {
        acquire(&g[LOCK]);
        bool room = g[OUT] < 10;
        release(&g[LOCK]);
        if (room)
            insert(g, blockIdx.x);
    }
}

// deadlock
__global__ void barrier_while_locked(int *g)
{
    while (atomicExch(&g[LOCK], 1)) // B
        ;
    __threadfence();
    g[OUT] += 1;
    __syncthreads(); // C
    __threadfence();
    atomicExch(&g[LOCK], 0);
}

// fine
__global__ void barrier_when_unlocked(int *g)
{
    while (atomicExch(&g[LOCK], 1))
        ;
    __threadfence();
    g[OUT] += 1;
    __threadfence();
    atomicExch(&g[LOCK], 0);
    __syncthreads();
    g[OUT + 1 + threadIdx.x] = g[OUT];
}

// deadlock
__global__ void lock_waits_longer_each_time(int *g)
{
    if (threadIdx.x == 0) {
        unsigned ns = 8;
        while (atomicCAS(&g[LOCK], 0, 1)) { // B
            __nanosleep(ns);
            ns += 8;
        }
        g[OUT] += ns;
    }
}

// fine
__global__ void lock_waits_longer_and_ends(int *g)
{
    if (threadIdx.x == 0) {
        unsigned ns = 8;
        while (atomicCAS(&g[LOCK], 0, 1)) {
            __nanosleep(ns);
            ns += 8;
        }
        __threadfence();
        g[OUT] += 3;
        __threadfence();
        atomicExch(&g[LOCK], 0);
    }
}

// deadlock
__global__ void ticket_is_skipped(int *g)
{
    volatile int *serving = &g[LOCK + 1];
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&g[LOCK], 1);
        while (*serving != mine) // B
            ;
        __threadfence();
        g[OUT] += mine;
        __threadfence();
        *serving = mine == 2 ? mine + 2 : mine + 1;
    }
}

// fine
__global__ void ticket_after_ticket(int *g)
{
    volatile int *serving = &g[LOCK + 1];
    if (threadIdx.x == 0) {
        int mine = atomicAdd(&g[LOCK], 1);
        while (*serving != mine)
            ;
        __threadfence();
        g[OUT] += mine;
        __threadfence();
        *serving = mine + 1;
    }
}

// deadlock
__global__ void readers_wait_for_each_other(int *g)
{
    int t = threadIdx.x;
    volatile int *readers = &g[LOCK];
    if (t % 32 == 0)
        atomicAdd(&g[LOCK], 1);
    __syncthreads();
    if (t % 32 == 0) {
        while (*readers != 1) // B
            ;
        g[OUT] = 1;
        atomicSub(&g[LOCK], 1);
    }
}

// fine
__global__ void readers_leave_first(int *g)
{
    int t = threadIdx.x;
    volatile int *readers = &g[LOCK];
    if (t % 32 == 0)
        atomicAdd(&g[LOCK], 1);
    __syncthreads();
    if (t % 32 == 0)
        atomicSub(&g[LOCK], 1);
    if (t == 0) {
        while (*readers != 0)
            ;
        g[OUT] = 1;
    }
}

// deadlock
__global__ void semaphore_without_units(int *g)
{
    bool done = false;
    while (!done) {
        int units = atomicAdd(&g[LOCK], 0); // B
        if (units > 0 && atomicCAS(&g[LOCK], units, units - 1) == units) {
            g[OUT + threadIdx.x] = 1;
            atomicAdd(&g[LOCK], 1);
            done = true;
        }
    }
}

// fine
__global__ void semaphore_of_two(int *g)
{
    bool done = false;
    if (threadIdx.x == 0)
        atomicAdd(&g[LOCK], 2);
    while (!done) {
        int units = atomicAdd(&g[LOCK], 0);
        if (units > 0 && atomicCAS(&g[LOCK], units, units - 1) == units) {
            g[OUT + threadIdx.x] = 1;
            atomicAdd(&g[LOCK], 1);
            done = true;
        }
    }
}

/* --- flags ----------------------------------------------------------------------------------------- */

// deadlock
__global__ void flag_is_counted(int *g)
{
    volatile int *flag = &g[LOCK];
    int spins = 0;
    if (threadIdx.x == 0) {
        while (*flag == 0) // B
            spins++;
        g[OUT + blockIdx.x] = spins;
    }
}

// fine
__global__ void flag_is_counted_and_raised(int *g)
{
    volatile int *flag = &g[LOCK];
    int spins = 0;
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x - 1)
            *flag = 1;
        while (*flag == 0)
            spins++;
        g[OUT + blockIdx.x] = spins;
    }
}

// deadlock
__global__ void flag_is_counted_and_judged(int *g)
{
    volatile int *flag = &g[LOCK];
    float waited = 0;
    for (int i = 0;; i++) {
        if (*flag) // B
            break;
        waited = waited * 0.75f + i;
    }
    if (waited > 10)
        g[OUT + threadIdx.x] = 1;
}

// fine
__global__ void flag_is_looked_at_some_time(int *g)
{
    volatile int *flag = &g[LOCK];
    int spins = 0;
    while (*flag == 0 && spins < 5000)
        spins++;
    g[OUT + threadIdx.x] = spins;
}

// fine
__global__ void flag_is_looked_at_till_it_is_late(int *g)
{
    volatile int *flag = &g[LOCK];
    long long end = clock64() + 200000;
    int spins = 0;
    while (*flag == 0 && clock64() < end)
        spins++;
    g[OUT + threadIdx.x] = spins;
}

// deadlock
__global__ void both_wait_for_a_full_slot(int *g)
{
    __shared__ volatile int full;
    __shared__ volatile int slot;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x == 0) {
            while (full == 0) // B
                ;
            slot = k;
            __threadfence_block();
            full = 1;
        } else if (threadIdx.x == 32) {
            while (full == 0) // C
                ;
            __threadfence_block();
            g[OUT + k] = slot;
            __threadfence_block();
            full = 0;
        }
    }
}

// fine
__global__ void one_waits_for_an_empty_slot(int *g)
{
    __shared__ volatile int full;
    __shared__ volatile int slot;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x == 0) {
            while (full == 1)
                ;
            slot = k;
            __threadfence_block();
            full = 1;
        } else if (threadIdx.x == 32) {
            while (full == 0)
                ;
            __threadfence_block();
            g[OUT + k] = slot;
            __threadfence_block();
            full = 0;
        }
    }
}

// deadlock
__global__ void greeting_after_answer(int *g)
{
    volatile int *flags = &g[LOCK];
    if (threadIdx.x == 0) {
        while (flags[1 - blockIdx.x] == 0) // B
            ;
        flags[blockIdx.x] = 1;
    }
}

// fine
__global__ void greeting_before_answer(int *g)
{
    volatile int *flags = &g[LOCK];
    if (threadIdx.x == 0) {
        flags[blockIdx.x] = 1;
        while (flags[1 - blockIdx.x] == 0)
            ;
    }
}

// deadlock
__global__ void lane_waits_for_one_behind(int *g)
{
    volatile int *flag = &g[LOCK];
    int lane = threadIdx.x;
    if (lane == 0)
        while (*flag == 0) // B
            ;
    __syncwarp(); // C
    if (lane == 1)
        *flag = 1;
    g[OUT + lane] = 1;
}

// fine
__global__ void lane_waits_for_one_before(int *g)
{
    volatile int *flag = &g[LOCK];
    int lane = threadIdx.x;
    if (lane == 0)
        while (*flag == 0)
            ;
    if (lane == 1)
        *flag = 1;
    __syncwarp();
    g[OUT + lane] = 1;
}

// deadlock
__global__ void lane_waits_for_a_shuffle(int *g)
{
    volatile int *flag = &g[LOCK];
    int lane = threadIdx.x, v = lane;
    if (lane == 3)
        while (*flag == 0) // B
            ;
    v = __shfl_sync(0xffffffff, v, 3); // C
    if (lane == 0)
        *flag = v;
}

/* --- blocks ---------------------------------------------------------------------------------------- */

__device__ static void meet_all(int *count, int wanted)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < wanted) // B of grid_too_large_to_meet
            ;
        __threadfence();
    }
    __syncthreads(); // C of grid_too_large_to_meet
}

// deadlock
__global__ void grid_too_large_to_meet(int *g)
{
    g[OUT + blockIdx.x] = 1;
    meet_all(&g[LOCK], gridDim.x);
    if (threadIdx.x == 0)
        g[OUT + gridDim.x + blockIdx.x] = g[OUT + gridDim.x - 1 - blockIdx.x];
}

// fine
__global__ void grid_small_enough_to_meet(int *g)
{
    g[OUT + blockIdx.x] = 1;
    meet_all(&g[LOCK], gridDim.x);
    if (threadIdx.x == 0)
        g[OUT + gridDim.x + blockIdx.x] = g[OUT + gridDim.x - 1 - blockIdx.x];
}

// deadlock
__global__ void threads_counted_for_blocks(int *g)
{
    volatile int *count = &g[LOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[OUT + i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&g[LOCK], 1);
        while (*count < gridDim.x * blockDim.x) // B
            ;
    }
    __syncthreads(); // C
    g[i] = g[OUT + (i + blockDim.x) % (gridDim.x * blockDim.x)];
}

// fine
__global__ void blocks_counted_for_blocks(int *g)
{
    volatile int *count = &g[LOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[OUT + i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&g[LOCK], 1);
        while (*count < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    g[i] = g[OUT + (i + blockDim.x) % (gridDim.x * blockDim.x)];
}

// deadlock
__global__ void later_blocks_than_fit(int *g)
{
    volatile int *flags = &g[LOCK];
    if (threadIdx.x == 0) {
        while (blockIdx.x < gridDim.x - 1 && flags[blockIdx.x + 1] == 0) // B
            ;
        flags[blockIdx.x] = 1;
    }
}

// fine
__global__ void later_blocks_that_fit(int *g)
{
    volatile int *flags = &g[LOCK];
    if (threadIdx.x == 0) {
        while (blockIdx.x < gridDim.x - 1 && flags[blockIdx.x + 1] == 0)
            ;
        flags[blockIdx.x] = 1;
    }
}

// deadlock
__global__ void look_back_at_an_empty_tile(int *g)
{
    volatile int *state = &g[LOCK];
    int tile = blockIdx.x, sum = 0;
    if (threadIdx.x)
        return;
    if (g[OUT + tile] >= 0 && tile != 2) {
        __threadfence();
        state[tile] = tile ? 1 : 2;
    }
    for (int before = tile - 1; before >= 0; before--) {
        int seen;
        while ((seen = state[before]) == 0) // B
            ;
        __threadfence();
        sum += g[before];
        if (seen == 2)
            break;
    }
    g[OUT + 64 + tile] = sum;
}

// fine
__global__ void look_back_at_all_tiles(int *g)
{
    volatile int *state = &g[LOCK];
    int tile = blockIdx.x, sum = 0;
    if (threadIdx.x)
        return;
    if (g[OUT + tile] >= 0) {
        __threadfence();
        state[tile] = tile ? 1 : 2;
    }
    for (int before = tile - 1; before >= 0; before--) {
        int seen;
        while ((seen = state[before]) == 0)
            ;
        __threadfence();
        sum += g[before];
        if (seen == 2)
            break;
    }
    g[OUT + 64 + tile] = sum;
}

// deadlock
__global__ void last_block_leaves_early(int *g)
{
    volatile int *done = &g[LOCK];
    if (blockIdx.x * blockDim.x >= 190)
        return;
    g[OUT + blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (threadIdx.x == 0)
        atomicAdd(&g[LOCK], 1);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (*done != gridDim.x) // B
            ;
        g[0] = 1;
    }
}

// fine
__global__ void last_block_counts_itself(int *g)
{
    volatile int *done = &g[LOCK];
    if (blockIdx.x * blockDim.x < 190)
        g[OUT + blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (threadIdx.x == 0)
        atomicAdd(&g[LOCK], 1);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (*done != gridDim.x)
            ;
        g[0] = 1;
    }
}

// deadlock
__global__ void grid_barrier_without_thread_0(int *g)
{
    if (blockIdx.x == 0 && threadIdx.x < 32)
        return;
    g[OUT + blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::this_grid().sync(); // B
}

// deadlock
__global__ void grid_barrier_in_loops_of_two_lengths(int *g)
{
    for (int i = 0; i < 2 + (int)blockIdx.x % 2; i++) {
        g[OUT + blockIdx.x * blockDim.x + threadIdx.x] = i;
        cg::this_grid().sync(); // B
    }
}

// fine
__global__ void grid_barrier_in_loops_of_one_length(int *g)
{
    for (int i = 0; i < 2 + (int)gridDim.x % 2; i++) {
        g[OUT + blockIdx.x * blockDim.x + threadIdx.x] = i;
        cg::this_grid().sync();
    }
}

static const kernel_row rows[] = {
    ROW(two_locks_crosswise, 1, 64),
    ROW(two_locks_in_one_order, 1, 64),
    ROW(lock_kept_on_one_way, 8, 32),
    ROW(lock_given_back_on_all_ways, 8, 32),
    ROW(one_lock_twice, 4, 32),
    ROW(one_lock_after_the_other, 4, 32),
    ROW(barrier_while_locked, 1, 64),
    ROW(barrier_when_unlocked, 1, 64),
    ROW(lock_waits_longer_each_time, 4, 32),
    ROW(lock_waits_longer_and_ends, 4, 32),
    ROW(ticket_is_skipped, 8, 32),
    ROW(ticket_after_ticket, 8, 32),
    ROW(readers_wait_for_each_other, 1, 64),
    ROW(readers_leave_first, 1, 64),
    ROW(semaphore_without_units, 1, 64),
    ROW(semaphore_of_two, 1, 64),
    ROW(flag_is_counted, 4, 32),
    ROW(flag_is_counted_and_raised, 4, 32),
    ROW(flag_is_counted_and_judged, 1, 64),
    ROW(flag_is_looked_at_some_time, 1, 64),
    ROW(flag_is_looked_at_till_it_is_late, 1, 64),
    ROW(both_wait_for_a_full_slot, 1, 64),
    ROW(one_waits_for_an_empty_slot, 1, 64),
    ROW(greeting_after_answer, 2, 32),
    ROW(greeting_before_answer, 2, 32),
    ROW(lane_waits_for_one_behind, 1, 32),
    ROW(lane_waits_for_one_before, 1, 32),
    ROW(lane_waits_for_a_shuffle, 1, 32),
    ROW(grid_too_large_to_meet, 300, 1024),
    ROW(grid_small_enough_to_meet, 30, 1024),
    ROW(threads_counted_for_blocks, 4, 64),
    ROW(blocks_counted_for_blocks, 4, 64),
    ROW(later_blocks_than_fit, 300, 1024),
    ROW(later_blocks_that_fit, 50, 32),
    ROW(look_back_at_an_empty_tile, 6, 32),
    ROW(look_back_at_all_tiles, 6, 32),
    ROW(last_block_leaves_early, 4, 64),
    ROW(last_block_counts_itself, 4, 64),
    ROW(grid_barrier_without_thread_0, 4, 64, 0, true),
    ROW(grid_barrier_in_loops_of_two_lengths, 4, 64, 0, true),
    ROW(grid_barrier_in_loops_of_one_length, 4, 64, 0, true),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
