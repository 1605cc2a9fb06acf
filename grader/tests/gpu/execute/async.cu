/* Asynchronous copies, and barriers at which a thread arrives first and waits later: through
 * cooperative groups, cuda::barrier, cuda::pipeline and the primitives that these use. Compiled for 7.5
 * they are loads, stores and atomics; from 8.0 on they are cp.async and mbarrier. */
#include "tests/support/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#pragma nv_diag_suppress static_var_with_dynamic_init /* init() initialises each barrier */

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> barrier;

#define THREADS 128
#define TILES   6

/* These kernels reverse the words of each tile of THREADS words. */
__global__ void by_groups(int *data)
{
    __shared__ alignas(16) int tile[THREADS];
    auto block = cg::this_thread_block();
    for (int i = 0; i < TILES; i++, data += THREADS) {
        cg::memcpy_async(block, tile, data, sizeof tile);
        cg::wait(block);
        data[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
        block.sync();
    }
}

/* Two tiles are copied at the same time. */
__global__ void by_groups_ahead(int *data)
{
    __shared__ alignas(16) int tile[2][THREADS];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile[0], data, sizeof tile[0]);
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES) {
            cg::memcpy_async(block, tile[(i + 1) % 2], data + (i + 1) * THREADS, sizeof tile[0]);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        data[i * THREADS + threadIdx.x] = tile[i % 2][THREADS - 1 - threadIdx.x];
        block.sync();
    }
}

__global__ void by_barrier(int *data)
{
    __shared__ alignas(16) int tile[THREADS];
    __shared__ barrier ready;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&ready, THREADS);
    block.sync();
    for (int i = 0; i < TILES; i++, data += THREADS) {
        cuda::memcpy_async(block, tile, data, sizeof tile, ready);
        ready.arrive_and_wait();
        data[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
        block.sync();
    }
}

__global__ void by_pipeline(int *data)
{
    __shared__ alignas(16) int tile[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int next = 0, i = 0; i < TILES; i++) {
        for (; next < TILES && next < i + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[next % 2], data + next * THREADS, sizeof tile[0],
                               pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        data[i * THREADS + threadIdx.x] = tile[i % 2][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
}

/* The first warp copies, the others reverse. */
__global__ void by_roles(int *data)
{
    __shared__ alignas(16) int tile[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    auto warp = cg::tiled_partition<32>(block);
    for (int i = 0; i < TILES; i++) {
        if (role == cuda::pipeline_role::producer) {
            pipeline.producer_acquire();
            cuda::memcpy_async(warp, tile[i % 2], data + i * THREADS, sizeof tile[0], pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            for (unsigned k = threadIdx.x - 32; k < THREADS; k += THREADS - 32)
                data[i * THREADS + k] = tile[i % 2][THREADS - 1 - k];
            pipeline.consumer_release();
        }
    }
}

/* Each thread waits for its own copies. The copy fills the second word of each pair with zeros. */
__global__ void by_primitives(int *data)
{
    __shared__ alignas(16) int2 tile[TILES][THREADS];
    for (int i = 0; i < TILES; i++) {
        tile[i][threadIdx.x] = make_int2(-1, -1);
        __pipeline_memcpy_async(&tile[i][threadIdx.x],
                                (int2 *)data + i * THREADS / 2 + threadIdx.x / 2, 8, 4);
        __pipeline_commit();
    }
    for (int i = 0; i < TILES; i++) {
        __pipeline_wait_prior(TILES - 1); /* the later groups are empty */
        __pipeline_commit();
        __syncthreads();
        int2 pair = tile[i][THREADS - 1 - threadIdx.x];
        __syncthreads();
        data[i * THREADS + threadIdx.x] = pair.x + pair.y;
    }
}

/* Threads arrive, do something else, and wait. Some threads drop out. Some wait for a
 * phase by its parity. */
__global__ void phases(int *out)
{
    __shared__ barrier all;
    __shared__ int counter;
    int t = threadIdx.x;
    if (t == 0) {
        init(&all, THREADS);
        counter = 0;
    }
    __syncthreads();
    atomicAdd(&counter, 1);
    barrier::arrival_token token = all.arrive();
    out[t] = t;
    all.wait(std::move(token));
    out[t] += 1000 * counter;
    if (t >= THREADS / 2) {
        all.arrive_and_drop();
        return;
    }
    all.arrive_and_wait();
    if (t % 2) {
        (void)all.arrive();
        all.wait_parity(false);
    } else {
        all.arrive_and_wait();
    }
    out[t] += 1000000;
}

/* The primitives that cuda::barrier uses. A wait by parity exists only for 9.0. */
__global__ void counts(int *out)
{
#if __CUDA_ARCH__ >= 900
    __shared__ __mbarrier_t mbarrier;
    int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&mbarrier, THREADS);
    __syncthreads();
    if (t == 5) {
        __mbarrier_token_t token = __mbarrier_arrive(&mbarrier);
        out[0] = __mbarrier_test_wait(&mbarrier, token);
    }
    __syncthreads();
    if (t != 5)
        out[1] = 7 * (__mbarrier_arrive_and_drop(&mbarrier) != 0);
    __syncthreads();
    if (t == 5) {
        out[2] = __mbarrier_test_wait_parity(&mbarrier, false);
        __mbarrier_token_t token = __mbarrier_arrive(&mbarrier);
        out[3] = __mbarrier_test_wait(&mbarrier, token) +
                 10 * __mbarrier_test_wait_parity(&mbarrier, true);
        __mbarrier_inval(&mbarrier);
    }
#else
    out[0] = 0;
    out[2] = 1;
    out[3] = 11;
#endif
}

static int data[TILES * THREADS];

static void check_copy(const char *name, void (*kernel)(int *), bool pairs)
{
    int *d, wrong = 0;
    for (int i = 0; i < TILES * THREADS; i++)
        data[i] = 3 * i + 1;
    MUST(cudaMalloc(&d, sizeof data));
    MUST(cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice));
    kernel<<<1, THREADS>>>(d);
    FINISH();
    MUST(cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TILES * THREADS; i++) {
        int at = THREADS - 1 - i % THREADS, tile = i / THREADS * THREADS;
        wrong += data[i] != 3 * (tile + (pairs ? at / 2 * 2 : at)) + 1;
    }
    expect(name, wrong, 0);
    MUST(cudaFree(d));
}

int main()
{
    int *d;
    check_copy("cg::memcpy_async", by_groups, false);
    check_copy("cg::memcpy_async, two at a time", by_groups_ahead, false);
    check_copy("cuda::barrier", by_barrier, false);
    check_copy("cuda::pipeline", by_pipeline, false);
    check_copy("cuda::pipeline with roles", by_roles, false);
    check_copy("pipeline primitives", by_primitives, true);
    MUST(cudaMalloc(&d, sizeof data));
    phases<<<1, THREADS>>>(d);
    FINISH();
    MUST(cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < THREADS; t++)
        wrong += data[t] != t + 1000 * THREADS + (t < THREADS / 2 ? 1000000 : 0);
    expect("phases", wrong, 0);
    counts<<<1, THREADS>>>(d);
    FINISH();
    MUST(cudaMemcpy(data, d, sizeof data, cudaMemcpyDeviceToHost));
    expect("the first arrival ends nothing", data[0], 0);
    expect("the last arrival ends the phase", data[2], 1);
    expect("threads that dropped out are not expected again", data[3], 11);
    return summary();
}
