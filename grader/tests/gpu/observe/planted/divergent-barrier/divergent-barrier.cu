/* Barriers that only some threads of a warp reach. Barriers that end in a deadlock are in deadlock/. */
#include "tests/support/kernel_rows.cuh"

// divergent-barrier
__global__ void barrier_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t % 2) {
        g[t] = 1;
        __syncthreads(); // B
        g[t + 64] = g[t - 1];
    }
    g[t + 128] = t;
}

// divergent-barrier
__global__ void barrier_in_both_branches(int *g)
{
    int t = threadIdx.x;
    if (t % 3) {
        g[t] = 1;
        __syncthreads(); // B
        g[t + 64] = 5;
    } else {
        g[t] = 2;
        __syncthreads();
        g[t + 64] = 7;
    }
}

// divergent-barrier
__global__ void barrier_in_a_loop_of_odd_length(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 2 + (t == 5); i++) {
        g[t] += i;
        __syncthreads(); // B
    }
    g[t + 64] = 1;
}

// divergent-barrier
__global__ void barrier_for_some_of_a_tail(int *g)
{
    int t = threadIdx.x;
    if (t < 40) {
        g[t] = t;
        __syncthreads(); // B
        g[t + 64] = g[39 - t];
    }
}

// divergent-barrier
__global__ void barrier_that_counts_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t != 3) {
        int n = __syncthreads_count(g[t]); // B
        g[t + 64] = n;
    }
}

// divergent-barrier
__global__ void barrier_behind_a_condition_on_data(int *g)
{
    int t = threadIdx.x;
    g[t] = t * 7 % 5;
    if (g[t] > 2) {
        g[t] = 0;
        __syncthreads(); // B
    }
}

// fine
__global__ void barrier_for_all(int *g)
{
    int t = threadIdx.x;
    if (t % 2)
        g[t] = 1;
    __syncthreads();
    g[t + 64] = g[t ^ 1];
}

// fine
__global__ void barrier_for_whole_warps(int *g)
{
    int t = threadIdx.x;
    if (t < 32)
        g[t] = 1;
    else
        g[t] = 2;
    __syncthreads();
    g[t + 64] = g[63 - t];
}

// fine
__global__ void barrier_in_a_uniform_branch(int *g)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t;
        __syncthreads();
        g[t + 64] = g[63 - t];
    }
}

// fine
__global__ void barrier_in_a_uniform_loop(int *g)
{
    int t = threadIdx.x;
    for (int off = 32; off; off /= 2) {
        if (t < off)
            g[t] += g[t + off];
        __syncthreads();
    }
}

// fine
__global__ void barrier_behind_a_lock(int *g)
{
    while (atomicCAS(&g[0], 0, 1) != 0)
        ;
    __threadfence();
    ((volatile int *)g)[1] += 1;
    __threadfence();
    atomicExch(&g[0], 0);
    __syncthreads();
    g[threadIdx.x + 64 * (blockIdx.x + 1)] = 1;
}

// fine
__global__ void barrier_behind_a_lock_with_a_flag(int *g)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&g[0], 0, 1) == 0) {
            __threadfence();
            ((volatile int *)g)[1] += 1;
            __threadfence();
            atomicExch(&g[0], 0);
            done = true;
        }
    }
    __syncthreads();
    g[threadIdx.x + 64] = g[1];
}

// fine
__global__ void barriers_around_a_lock(int *g)
{
    for (int i = 0; i < 3; i++) {
        while (atomicCAS(&g[0], 0, 1) != 0)
            ;
        __threadfence();
        ((volatile int *)g)[1] += 1;
        __threadfence();
        atomicExch(&g[0], 0);
        __syncthreads();
    }
    g[threadIdx.x + 64] = __syncthreads_count(g[1] > 0);
}

// fine
__global__ void barrier_behind_a_wait_for_a_neighbour(int *g)
{
    volatile int *v = g;
    int t = threadIdx.x;
    while (t && !v[t - 1])
        ;
    v[t] = 1;
    __syncthreads();
    g[t + 64] = g[63];
}

// fine
__global__ void barrier_after_whole_warps_left(int *g)
{
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    g[threadIdx.x] = 1;
}

// divergent-barrier
__global__ void barrier_behind_a_ragged_return(int *g)
{
    int t = threadIdx.x;
    if (t >= 40)
        return;
    g[t] = t;
    __syncthreads(); // B
    g[t + 64] = g[39 - t];
}

// divergent-barrier
__global__ void barrier_that_asks_all_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t < 50)
        g[t] = __syncthreads_or(g[t]); // B
    g[t + 64] = 1;
}

// divergent-barrier
__global__ void barrier_in_a_case(int *g)
{
    int t = threadIdx.x;
    switch (t % 4) {
    case 0:
        g[t] = 1;
        break;
    case 1:
        g[t] = 2;
        __syncthreads(); // B
        g[t + 64] = g[t - 1];
        break;
    default:
        g[t] = 3;
    }
    g[t + 128] = 1;
}

// divergent-barrier
__global__ void barrier_in_a_loop_that_some_leave(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        if (i == t % 5)
            break;
        g[t] += i;
        __syncthreads(); // B
    }
    g[t + 64] = 1;
}

// divergent-barrier
__global__ void barrier_behind_and(int *g)
{
    int t = threadIdx.x;
    if (t != 9 && __syncthreads_and(g[t] == 0)) // B
        g[t + 64] = 1;
    g[t + 128] = 1;
}

__device__ __noinline__ void share(int *g)
{
    g[threadIdx.x] = 1;
    __syncthreads();
    g[threadIdx.x + 64] = g[63 - threadIdx.x];
}

// fine
__global__ void barrier_in_a_function_for_all(int *g)
{
    share(g);
}

// fine
__global__ void barriers_of_two_halves_with_numbers(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    g[t + 128] = g[t ^ 63];
}

// fine
__global__ void barrier_in_every_case(int *g)
{
    int t = threadIdx.x;
    switch (t / 32) {
    case 0:
        g[t] = 1;
        __syncthreads();
        break;
    default:
        g[t] = 3;
        __syncthreads();
    }
    g[t + 128] = g[63 - t];
}

// fine
__global__ void barrier_in_a_loop_that_all_leave(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 40; i++) {
        if (__syncthreads_or(g[t] > 5))
            break;
        g[t] += t % 3;
    }
    g[t + 64] = 1;
}

// divergent-barrier
__global__ void aligned_for_half_a_warp(int *g)
{
    asm volatile("barrier.cluster.arrive;");
    if (threadIdx.x % 2)
        asm volatile("barrier.cluster.wait.aligned;"); // B
}

static const kernel_row rows[] = {
    ROW(barrier_in_a_branch, 1, 64),
    ROW(barrier_in_both_branches, 1, 64),
    ROW(barrier_in_a_loop_of_odd_length, 1, 64),
    ROW(barrier_for_some_of_a_tail, 1, 64),
    ROW(barrier_that_counts_in_a_branch, 1, 64),
    ROW(barrier_behind_a_condition_on_data, 1, 64),
    ROW(barrier_for_all, 1, 64),
    ROW(barrier_for_whole_warps, 1, 64),
    ROW(barrier_in_a_uniform_branch, 2, 64),
    ROW(barrier_in_a_uniform_loop, 1, 64),
    ROW(barrier_behind_a_lock, 2, 64),
    ROW(barrier_behind_a_lock_with_a_flag, 1, 70),
    ROW(barriers_around_a_lock, 1, 64),
    ROW(barrier_behind_a_wait_for_a_neighbour, 1, 64),
    ROW(barrier_after_whole_warps_left, 1, 96),
    ROW(barrier_behind_a_ragged_return, 1, 64),
    ROW(barrier_that_asks_all_in_a_branch, 1, 64),
    ROW(barrier_in_a_case, 1, 64),
    ROW(barrier_in_a_loop_that_some_leave, 1, 64),
    ROW(barrier_behind_and, 1, 64),
    ROW(barrier_in_a_function_for_all, 1, 64),
    ROW(barriers_of_two_halves_with_numbers, 1, 128),
    ROW(barrier_in_every_case, 1, 64),
    ROW(barrier_in_a_loop_that_all_leave, 1, 64),
    PAIR(aligned_for_half_a_warp),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
