/* Bulk copies, and mbarriers of other blocks in a cluster. */
#include "tests/support/bulk.cuh"
#include "tests/support/check.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define TILE   256 /* words of a tile */
#define TILES  6
#define STAGES 2

/* Two stages of tiles: while one tile is added up, the next one is on its way. */
__global__ void add_tiles(const int *in, int *out)
{
    __shared__ alignas(16) int tile[STAGES][TILE];
    __shared__ unsigned long long full[STAGES];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        for (int s = 0; s < STAGES; s++)
            bulk_init(&full[s], 1);
    __syncthreads();
    for (int i = 0; i < TILES + STAGES - 1; i++) {
        if (t == 0 && i < TILES) {
            bulk_announce(&full[i % STAGES], sizeof tile[0]);
            bulk_copy(tile[i % STAGES], in + i * TILE, sizeof tile[0], &full[i % STAGES]);
        }
        int ready = i - (STAGES - 1);
        if (ready < 0)
            continue;
        bulk_wait(&full[ready % STAGES], ready / STAGES & 1);
        for (int k = t; k < TILE; k += blockDim.x)
            sum += tile[ready % STAGES][k];
        __syncthreads();
    }
    atomicAdd(out, sum);
}

__global__ void copy_out(int *out)
{
    __shared__ alignas(16) int tile[TILE];
    for (int k = threadIdx.x; k < TILE; k += blockDim.x)
        tile[k] = 3 * k;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         __cvta_generic_to_global(out)),
                     "r"(shared_address(tile)), "r"((unsigned)sizeof tile)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

/* Each block gives its tile to the next block of the cluster, whose mbarrier counts the bytes. */
__global__ void hand_on(int *out)
{
    __shared__ alignas(16) int own[TILE], other[TILE];
    __shared__ unsigned long long full;
    auto cluster = cg::this_cluster();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks(), to, barrier;
    for (int k = threadIdx.x; k < TILE; k += blockDim.x)
        own[k] = blockIdx.x * 1000 + k;
    if (threadIdx.x == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof other);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(to)
                     : "r"(shared_address(other)), "r"(next));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(barrier)
                     : "r"(shared_address(&full)), "r"(next));
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(to),
            "r"(shared_address(own)), "r"((unsigned)sizeof own), "r"(barrier)
            : "memory");
    }
    bulk_wait(&full, 0);
    for (int k = threadIdx.x; k < TILE; k += blockDim.x)
        out[blockIdx.x * TILE + k] = other[k];
    cluster.sync();
}

/* Block 0 gives a tile to blocks 0, 2 and 3 of its cluster. */
__global__ void give_to_some(int *in)
{
    __shared__ alignas(16) int tile[TILE];
    __shared__ unsigned long long full;
    auto cluster = cg::this_cluster();
    unsigned short blocks = 13;
    bool gets = blocks >> cluster.block_rank() & 1;
    for (int k = threadIdx.x; k < TILE; k += blockDim.x)
        tile[k] = -1;
    if (threadIdx.x == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, gets ? sizeof tile : 0);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(tile)),
                     "l"(__cvta_generic_to_global(in)), "r"((unsigned)sizeof tile),
                     "r"(shared_address(&full)), "h"(blocks)
                     : "memory");
    bulk_wait(&full, 0);
    for (int k = threadIdx.x; k < TILE; k += blockDim.x)
        in[(1 + cluster.block_rank()) * TILE + k] = tile[k];
    cluster.sync();
}

/* All threads of the cluster arrive at the mbarrier of block 0, which then reads their values. */
__global__ void report_to_first(int *out)
{
    __shared__ int values[128];
    __shared__ unsigned long long all;
    auto cluster = cg::this_cluster();
    unsigned barrier, rank = cluster.block_rank();
    if (rank == 0 && threadIdx.x == 0)
        bulk_init(&all, cluster.num_threads());
    cluster.sync();
    cluster.map_shared_rank(values, 0)[cluster.thread_rank()] = 7 * cluster.thread_rank();
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(barrier) : "r"(shared_address(&all)));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
    if (rank == 0) {
        asm volatile(
            "{.reg .pred p;\nW: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
            "@!p bra W;}" ::"r"(shared_address(&all))
            : "memory");
        for (int k = threadIdx.x; k < 128; k += blockDim.x)
            out[k] = values[k];
    }
    cluster.sync();
}

static void launch_pairs(void (*kernel)(int *), int *out, int blocks, int width)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = width;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = blocks;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cudaLaunchKernelEx(&config, kernel, out));
    FINISH();
}

#define ASYNC_WORDS 4

static __device__ unsigned in_block(const void *p, unsigned rank)
{
    unsigned at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(at)
                 : "r"(shared_address(p)), "r"(rank));
    return at;
}

/* Each thread stores four words in the next block, and adds one word to a sum there. */
__global__ void store_later(int *out)
{
    __shared__ alignas(16) int words[32][ASYNC_WORDS];
    __shared__ int sum;
    __shared__ unsigned long long full;
    unsigned t = threadIdx.x, rank = cg::this_cluster().block_rank();
    unsigned next = (rank + 1) % cg::this_cluster().num_blocks(), barrier = in_block(&full, next);
    int value = 1000 * rank + 10 * t;
    if (t == 0) {
        sum = 5;
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof words + 32 * sizeof sum);
    }
    cg::this_cluster().sync();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
                 "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(in_block(words[t], next)),
                 "r"(value), "r"(value + 1), "r"(value + 2), "r"(value + 3), "r"(barrier)
                 : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 "
                 "[%0], %1, [%2];" ::"r"(in_block(&sum, next)),
                 "r"(value), "r"(barrier)
                 : "memory");
    bulk_wait(&full, 0);
    for (int k = 0; k < ASYNC_WORDS; k++)
        out[(blockIdx.x * 32 + t) * ASYNC_WORDS + k] = words[t][k];
    if (t == 0)
        out[gridDim.x * 32 * ASYNC_WORDS + blockIdx.x] = sum;
    cg::this_cluster().sync();
}

static void check_later_stores(int *out)
{
    int right = 0, sums = 0;
    launch_pairs(store_later, out, 4, 4);
    for (int b = 0; b < 4; b++) {
        int from = 1000 * ((b + 3) % 4);
        for (int k = 0; k < 32 * ASYNC_WORDS; k++)
            right += out[b * 32 * ASYNC_WORDS + k] == from + k / ASYNC_WORDS * 10 + k % ASYNC_WORDS;
        sums += out[4 * 32 * ASYNC_WORDS + b] == 5 + 32 * from + 10 * (31 * 32 / 2);
    }
    expect("words stored in another block", right, 4 * 32 * ASYNC_WORDS);
    expect("words added in another block", sums, 4);
}

int main()
{
    int *in, *out, right = 0;
    MUST(cudaMallocManaged(&in, TILES * TILE * sizeof *in));
    MUST(cudaMallocManaged(&out, 4096 * sizeof *out));
    for (int i = 0; i < TILES * TILE; i++)
        in[i] = i;
    out[0] = 0;
    add_tiles<<<1, 64>>>(in, out);
    FINISH();
    expect("tiles in two stages", out[0], TILES * TILE * (TILES * TILE - 1) / 2);

    copy_out<<<1, 64>>>(out);
    FINISH();
    for (int k = 0; k < TILE; k++)
        right += out[k] == 3 * k;
    expect("a tile for global memory", right, TILE);

    launch_pairs(hand_on, out, 8, 4);
    right = 0;
    for (int b = 0; b < 8; b++)
        for (int k = 0; k < TILE; k++)
            right += out[b * TILE + k] == (b / 4 * 4 + (b + 3) % 4) * 1000 + k;
    expect("tiles for other blocks", right, 8 * TILE);

    for (int k = 0; k < TILE; k++)
        out[k] = 5 * k;
    launch_pairs(give_to_some, out, 4, 4);
    right = 0;
    for (int b = 0; b < 4; b++)
        for (int k = 0; k < TILE; k++)
            right += out[(1 + b) * TILE + k] == (b == 1 ? -1 : 5 * k);
    expect("a tile for some blocks", right, 4 * TILE);

    launch_pairs(report_to_first, out, 4, 4);
    right = 0;
    for (int k = 0; k < 128; k++)
        right += out[k] == 7 * k;
    expect("arrivals from other blocks", right, 128);
    check_later_stores(out);
    MUST(cudaFree(in));
    MUST(cudaFree(out));
    return summary();
}
