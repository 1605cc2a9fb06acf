/* Cooperative groups: the whole grid, the block, tiles of a block, and the threads that
 * are active together. */
#include "tests/support/check.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

/* In each round, every thread reads a value that another block wrote in the round before. */
__global__ void rounds(int *a, int *b, int n, int count)
{
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < count; r++) {
        for (unsigned i = grid.thread_rank(); i < (unsigned)n; i += grid.size())
            b[i] = a[(i + 97) % n] + 1;
        grid.sync();
        int *t = a;
        a = b;
        b = t;
    }
}

__global__ void ranks(unsigned *out)
{
    cg::grid_group grid = cg::this_grid();
    if (grid.thread_rank() == 0) {
        out[0] = grid.size();
        out[1] = grid.is_valid();
        out[2] = grid.num_blocks();
    }
    grid.sync();
    if (grid.thread_rank() == grid.size() - 1)
        out[3] = grid.block_rank();
}

template <int SIZE> __global__ void tiles(const int *in, int *sums, int *scans)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<SIZE>(block);
    int value = in[block.thread_rank()];
    sums[block.thread_rank()] = cg::reduce(tile, value, cg::plus<int>());
    scans[block.thread_rank()] = cg::inclusive_scan(tile, value);
    block.sync();
}

/* The shuffles, votes and ranks of a tile. */
__global__ void tile_talk(int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int lane = tile.thread_rank(), value = threadIdx.x;
    for (int d = 4; d; d /= 2)
        value += tile.shfl_xor(value, d);
    out[threadIdx.x] = value + 1000 * tile.shfl(lane, 3) + 10000 * __popc(tile.ballot(lane & 1)) +
                       100000 * tile.all(lane < 8) + 1000000 * tile.meta_group_rank();
}

/* The well-known aggregated counter: one atomic for all threads that are active here. */
__global__ void aggregate(const int *in, int n, int *count, int *kept)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) {
        cg::coalesced_group here = cg::coalesced_threads();
        int base = 0;
        if (here.thread_rank() == 0)
            base = atomicAdd(count, (int)here.size());
        kept[here.shfl(base, 0) + here.thread_rank()] = in[i];
    }
}

/* Divides a warp into two groups. */
__global__ void parted(int *out)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto side = cg::binary_partition(warp, threadIdx.x % 3 == 1);
    out[threadIdx.x] = side.size() * 100 + side.thread_rank();
}

static void check_grid()
{
    enum { N = 5000, ROUNDS = 12 };
    int *a, *b, *list = new int[N], wrong = 0, n = N, count = ROUNDS;
    unsigned *out, got[4];
    MUST(cudaMalloc(&a, N * sizeof(int)));
    MUST(cudaMalloc(&b, N * sizeof(int)));
    MUST(cudaMalloc(&out, sizeof got));
    for (int i = 0; i < N; i++)
        list[i] = i;
    MUST(cudaMemcpy(a, list, N * sizeof(int), cudaMemcpyHostToDevice));
    void *args[] = {&a, &b, &n, &count};
    MUST(cudaLaunchCooperativeKernel(rounds, dim3(19), dim3(128), args, 0, 0));
    FINISH();
    MUST(cudaMemcpy(list, a, N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wrong += list[i] != (i + 97 * ROUNDS) % N + ROUNDS;
    expect("rounds over a grid", wrong, 0);
    void *more[] = {&out};
    MUST(cudaLaunchCooperativeKernel(ranks, dim3(3, 2), dim3(8, 4, 2), more, 0, 0));
    FINISH();
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    expect("threads of a grid", got[0], 6u * 64);
    expect("a grid that may synchronise", got[1], 1u);
    expect("blocks of a grid", got[2], 6u);
    expect("the last block's number", got[3], 5u);
    int blocks, sms;
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, 128, 0));
    MUST(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    MUST(cudaDeviceGetAttribute(&n, cudaDevAttrCooperativeLaunch, 0));
    expect("cooperative launches are supported", n, 1);
    n = N;
    expect("a grid too large",
           cudaLaunchCooperativeKernel(rounds, dim3(blocks * sms + 1), dim3(128), args, 0, 0),
           cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(7);
    config.blockDim = dim3(64);
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cudaMemcpy(a, list, N * sizeof(int), cudaMemcpyHostToDevice));
    MUST(cudaLaunchKernelEx(&config, rounds, a, b, (int)N, 2));
    FINISH();
    int value;
    MUST(cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost));
    expect("a cooperative launch by attribute", value, list[194] + 2);
    delete[] list;
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(out));
}

template <int SIZE> static void check_tiles(const char *name)
{
    int in[64], sums[64], scans[64], *device, wrong = 0;
    for (int i = 0; i < 64; i++)
        in[i] = i * i % 23 - 5;
    MUST(cudaMalloc(&device, 3 * sizeof in));
    MUST(cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice));
    tiles<SIZE><<<1, 64>>>(device, device + 64, device + 128);
    FINISH();
    MUST(cudaMemcpy(sums, device + 64, sizeof sums, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(scans, device + 128, sizeof scans, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        int sum = 0, scan = 0;
        for (int k = i / SIZE * SIZE; k < i / SIZE * SIZE + SIZE; k++) {
            sum += in[k];
            scan += k <= i ? in[k] : 0;
        }
        wrong += sums[i] != sum || scans[i] != scan;
    }
    expect(name, wrong, 0);
    MUST(cudaFree(device));
}

static void check_talk()
{
    int out[64], *device, wrong = 0;
    MUST(cudaMalloc(&device, sizeof out));
    tile_talk<<<1, 64>>>(device);
    FINISH();
    MUST(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        wrong += out[i] != i / 8 * 64 + 28 + 3000 + 40000 + 100000 + 1000000 * (i / 8);
    expect("shuffles and votes of a tile", wrong, 0);
    parted<<<1, 32>>>(device);
    FINISH();
    MUST(cudaMemcpy(out, device, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 32; i++)
        wrong += out[i] != (i % 3 == 1 ? 1100 + i / 3 : 2100 + i - (i + 1) / 3);
    expect("a warp divided into two groups", wrong, 0);
    MUST(cudaFree(device));
}

static void check_aggregate()
{
    enum { N = 777 };
    int in[N], kept[N], count = 0, right = 0, *device;
    long long sum = 0, right_sum = 0;
    for (int i = 0; i < N; i++) {
        in[i] = i * 7 % 100;
        right += in[i] % 3 == 0;
        right_sum += in[i] % 3 == 0 ? in[i] : 0;
    }
    MUST(cudaMalloc(&device, (2 * N + 1) * sizeof(int)));
    MUST(cudaMemset(device, 0, (2 * N + 1) * sizeof(int)));
    MUST(cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice));
    aggregate<<<4, 256>>>(device, N, device + 2 * N, device + N);
    FINISH();
    MUST(cudaMemcpy(&count, device + 2 * N, sizeof count, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(kept, device + N, sizeof kept, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        sum += kept[i];
    expect("active threads count together", count, right);
    expect("active threads keep the counted values", sum, right_sum);
    MUST(cudaFree(device));
}

/* A cooperative kernel as a graph node. It stays cooperative when its parameters are changed. */
static void check_node()
{
    enum { N = 700, ROUNDS = 3 };
    int *a, *b, *list = new int[N](), wrong = 0, n = N, count = ROUNDS;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    MUST(cudaMalloc(&a, N * sizeof(int)));
    MUST(cudaMalloc(&b, N * sizeof(int)));
    MUST(cudaMemset(a, 0, N * sizeof(int)));
    void *args[] = {&a, &b, &n, &count};
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = (void *)rounds;
    params.kernel.gridDim = dim3(3);
    params.kernel.blockDim = dim3(64);
    params.kernel.kernelParams = args;
    cudaLaunchAttributeValue value = {};
    value.cooperative = 1;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
    MUST(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &value));
    params.kernel.gridDim = dim3(4);
    MUST(cudaGraphNodeSetParams(node, &params));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    count = ROUNDS + 2;
    MUST(cudaGraphExecNodeSetParams(exec, node, &params));
    MUST(cudaGraphLaunch(exec, 0));
    FINISH();
    MUST(cudaMemcpy(list, b, N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wrong += list[i] != ROUNDS + 2;
    expect("rounds in a node of a graph", wrong, 0);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    delete[] list;
}

int main()
{
    check_grid();
    check_node();
    check_tiles<32>("tiles of 32");
    check_tiles<8>("tiles of 8");
    check_tiles<2>("tiles of 2");
    check_talk();
    check_aggregate();
    return summary();
}
