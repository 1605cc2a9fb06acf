/* Clusters of blocks: their numbers, their barrier, access to each other's shared memory, and the
 * runtime's answers to right and wrong calls about clusters. */
#include "tests/support/check.cuh"

#include <cooperative_groups.h>
#include <cstring>

namespace cg = cooperative_groups;

/* --- kernels ------------------------------------------------------------------------------------- */

extern __shared__ int bins[];

/* Each block of a cluster holds PER bins of the histogram. */
__global__ void histogram(int *out, int per, const int *in, int n)
{
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < per; i += blockDim.x)
        bins[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(bins, in[i] / per) + in[i] % per, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < per; i += blockDim.x)
        atomicAdd(&out[cluster.block_rank() * per + i], bins[i]);
}

/* Each block sums its numbers. Then the block of rank 0 adds up the sums of its cluster. */
__global__ void __cluster_dims__(4, 1, 1) sum(const float *in, float *out)
{
    __shared__ float part[64], whole;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    for (int half = 32; half; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        whole = part[0];
    cluster.sync();
    if (cluster.block_rank() == 0 && t == 0) {
        float all = 0;
        for (unsigned r = 0; r < cluster.num_blocks(); r++)
            all += *cluster.map_shared_rank(&whole, r);
        out[blockIdx.x / 4] = all;
    }
    cluster.sync();
}

/* A number moves to the next block in each round and grows by 1. Between arriving and waiting, each
 * thread does some work. */
__global__ void __cluster_dims__(2, 3, 1) ring(int *out, int rounds)
{
    __shared__ int mine[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    int t = threadIdx.x, work = 0;
    if (t == 0)
        mine[0] = rank;
    cluster.sync();
    for (int i = 0; i < rounds; i++) {
        if (t == 40)
            cluster.map_shared_rank(mine, next)[(i + 1) % 2] = mine[i % 2] + 1;
        auto token = cluster.barrier_arrive();
        work += i;
        cluster.barrier_wait(std::move(token));
    }
    if (t == 1)
        out[blockIdx.y * gridDim.x + blockIdx.x] = mine[rounds % 2] * 1000 + work;
}

/* Every kind of access to another block's memory, by addresses of shared memory and by generic
 * addresses. */
__global__ void __cluster_dims__(2, 1, 1) kinds(long long *out)
{
    __shared__ __align__(16) long long box[8];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), other = rank ^ 1;
    if (threadIdx.x < 8)
        box[threadIdx.x] = 10 * rank + threadIdx.x;
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned own = (unsigned)__cvta_generic_to_shared(box), there, whose;
        long long a, b, c;
        long long *far = cluster.map_shared_rank(box, other);
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(other));
        asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(whose) : "r"(there));
        asm volatile("ld.shared::cluster.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "r"(there));
        asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(c) : "r"(own + 16));
        out[rank * 8] = a * 100 + b;
        out[rank * 8 + 1] = c;
        out[rank * 8 + 2] = whose * 10 + cluster.query_shared_rank(far);
        asm volatile("st.shared::cluster.u64 [%0 + 24], %1;" ::"r"(there), "l"(a + 7) : "memory");
        asm volatile("red.shared::cluster.add.u64 [%0 + 32], %1;" ::"r"(there), "l"(5ll)
                     : "memory");
        out[rank * 8 + 4] =
            (long long)atomicCAS((unsigned long long *)far + 5, 10ull * other + 5, 99ull);
    }
    cluster.sync();
    if (threadIdx.x == 0)
        out[rank * 8 + 6] = box[3] * 1000000 + box[4] * 1000 + box[5];
}

/* An address that one block has mapped is valid in all blocks of the cluster, even in the
 * block that it points to. */
__global__ void __cluster_dims__(2, 1, 1) handed_on(int *out)
{
    __shared__ int value;
    __shared__ int *where;
    cg::cluster_group cluster = cg::this_cluster();
    value = 70 + cluster.block_rank();
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&where, cluster.block_rank() ^ 1) =
            cluster.map_shared_rank(&value, 1);
    cluster.sync();
    if (threadIdx.x == 0)
        out[cluster.block_rank()] = *where;
    cluster.sync();
}

/* Without clusters, each block is a cluster of its own. */
__global__ void alone(int *out)
{
    __shared__ int value;
    cg::cluster_group cluster = cg::this_cluster();
    value = 5;
    cluster.sync();
    out[blockIdx.x] = *cluster.map_shared_rank(&value, 0) * 100 + cluster.num_blocks() * 10 +
                      cluster.block_rank() + __clusterDimIsSpecified();
}

/* Blocks of lower ranks end early, and the others need not wait for them. */
__global__ void __cluster_dims__(4, 1, 1) some_leave(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    for (unsigned i = 0; i <= cluster.block_rank(); i++)
        cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = cluster.block_rank();
}

/* A block polls a value that another block of the cluster writes, without a barrier. */
__global__ void __cluster_dims__(2, 1, 1) flags(volatile int *out)
{
    __shared__ volatile int flag;
    cg::cluster_group cluster = cg::this_cluster();
    flag = 0;
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        while (flag == 0)
            ;
    else if (cluster.block_rank() == 1 && threadIdx.x == 0)
        *cluster.map_shared_rank(const_cast<int *>(&flag), 0) = 3;
    __syncthreads();
    if (threadIdx.x == 0)
        out[cluster.block_rank()] = flag;
    cluster.sync();
}

__global__ void __launch_bounds__(128, 1, 2) at_most_two(int *out)
{
    out[blockIdx.x] = cg::this_cluster().num_blocks();
}

__global__ void sizes(int *out)
{
    out[blockIdx.x] = cg::this_cluster().num_blocks();
}

/* --- launches ------------------------------------------------------------------------------------ */

static cudaLaunchAttribute in_clusters(unsigned x, unsigned y, unsigned z)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = y;
    attribute.val.clusterDim.z = z;
    return attribute;
}

static cudaLaunchConfig_t configure(dim3 grid, dim3 block, cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = attribute;
    config.numAttrs = attribute != NULL;
    return config;
}

static void check_histogram(int *out)
{
    const int n = 20000, per = 33;
    int *in, wrong = 0, want[8 * per] = {0};
    MUST(cudaMallocManaged(&in, n * sizeof *in));
    for (int i = 0; i < n; i++) {
        in[i] = (unsigned)i * 2654435761u % (8 * per);
        want[in[i]]++;
    }
    cudaLaunchAttribute attribute = in_clusters(8, 1, 1);
    cudaLaunchConfig_t config = configure(24, 96, &attribute);
    config.dynamicSmemBytes = per * sizeof(int);
    MUST(cudaLaunchKernelEx(&config, histogram, out, per, (const int *)in, n));
    FINISH();
    for (int i = 0; i < 8 * per; i++)
        wrong += out[i] != want[i];
    expect("a histogram over eight blocks", wrong, 0);
    MUST(cudaFree(in));
}

static void check_sum()
{
    float *in, *out, wrong = 0;
    MUST(cudaMallocManaged(&in, 512 * sizeof *in));
    MUST(cudaMallocManaged(&out, 2 * sizeof *out));
    for (int i = 0; i < 512; i++)
        in[i] = i;
    sum<<<8, 64>>>(in, out);
    FINISH();
    wrong += out[0] != 255 * 256 / 2;
    wrong += out[0] + out[1] != 511 * 512 / 2;
    expect("sums over the ranks of two clusters", wrong, 0.0f);
    MUST(cudaFree(in));
    MUST(cudaFree(out));
}

static void check_barriers(int *out)
{
    int wrong = 0;
    ring<<<dim3(4, 6), 64>>>(out, 20);
    FINISH();
    for (int i = 0; i < 24; i++) { /* the number that arrives here began 20 blocks earlier */
        int rank = i / 4 % 3 * 2 + i % 4 % 2, begun = (rank + 6 * 20 - 20) % 6;
        wrong += out[i] != (begun + 20) * 1000 + 190;
    }
    expect("a barrier in a loop, and work before its end", wrong, 0);
    some_leave<<<8, 64>>>(out);
    FINISH();
    wrong = 0;
    for (int i = 0; i < 8; i++)
        wrong += out[i] != i % 4;
    expect("ended blocks are not waited for", wrong, 0);
    flags<<<2, 64>>>(out);
    FINISH();
    expect("a flag of another block", out[0], 3);
    alone<<<3, 32>>>(out);
    FINISH();
    expect("a block without a cluster", out[2], 510);
}

static void check_kinds(int *out)
{
    long long *wide;
    MUST(cudaMallocManaged(&wide, 16 * sizeof *wide));
    kinds<<<2, 32>>>(wide);
    FINISH();
    expect("a pair from block 1", wide[0], 10 * 100 + 11ll);
    expect("a pair from block 0", wide[8], 0 * 100 + 1ll);
    expect("own memory by a shared::cluster address", wide[9], 12ll);
    expect("the rank of an address in block 1", wide[2], 11ll);
    expect("the rank of an address in block 0", wide[10], 0ll);
    expect("the old value in another block, from block 0", wide[4], 15ll);
    expect("the old value in another block, from block 1", wide[12], 5ll);
    expect("stores of block 1 in block 0", wide[6], (0 + 7) * 1000000ll + (4 + 5) * 1000 + 99);
    expect("stores of block 0 in block 1", wide[14], (10 + 7) * 1000000ll + 19 * 1000 + 99);
    handed_on<<<2, 32>>>(out);
    FINISH();
    expect("an address from another block", out[0], 71);
    expect("an address of own memory, from another block", out[1], 71);
    MUST(cudaFree(wide));
}

/* --- the runtime --------------------------------------------------------------------------------- */

static const char *launch(const void *kernel, dim3 grid, cudaLaunchAttribute attribute)
{
    static int *out;
    void *args[] = {&out};
    if (!out)
        MUST(cudaMalloc(&out, 4096));
    cudaLaunchConfig_t config = configure(grid, 64, &attribute);
    cudaError_t error = cudaLaunchKernelExC(&config, kernel, args);
    if (error != cudaSuccess && cudaGetLastError() != error)
        return "not remembered";
    MUST(cudaDeviceSynchronize());
    return cudaGetErrorName(error);
}

static void expect_error(const char *name, const char *got, const char *right)
{
    if (strcmp(got, right) != 0)
        printf("%s: %s, not %s\n", name, got, right);
    expect(name, strcmp(got, right), 0);
}

static void check_errors()
{
    const char *wrong = "cudaErrorInvalidClusterSize", *right = "cudaSuccess";
    const void *kernel = (const void *)sizes;
    expect_error("clusters of two", launch(kernel, 4, in_clusters(2, 1, 1)), right);
    expect_error("clusters of eight", launch(kernel, dim3(4, 2, 2), in_clusters(2, 2, 2)), right);
    expect_error("a grid that is no multiple of the cluster",
                 launch(kernel, 5, in_clusters(2, 1, 1)), wrong);
    expect_error("the same in y", launch(kernel, dim3(4, 3), in_clusters(2, 2, 1)), wrong);
    expect_error("clusters of sixteen", launch(kernel, 16, in_clusters(16, 1, 1)), wrong);
    expect_error("another size than the kernel's own",
                 launch((const void *)kinds, 4, in_clusters(4, 1, 1)), wrong);
    expect_error("the kernel's own size", launch((const void *)some_leave, 4, in_clusters(4, 1, 1)),
                 right);
    expect_error("more than the kernel's bound",
                 launch((const void *)at_most_two, 4, in_clusters(4, 1, 1)), wrong);
    some_leave<<<6, 64>>>(NULL);
    expect_error("a grid that is no multiple of the kernel's cluster",
                 cudaGetErrorName(cudaGetLastError()), wrong);
    MUST(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    expect_error("sixteen, if the kernel allows it", launch(kernel, 16, in_clusters(16, 1, 1)),
                 right);
    expect_error("clusters of thirty-two", launch(kernel, 32, in_clusters(32, 1, 1)), wrong);
}

static void check_queries()
{
    int answer = 0;
    cudaFuncAttributes attributes;
    cudaLaunchAttribute two = in_clusters(2, 1, 1), eight = in_clusters(8, 1, 1);
    cudaLaunchConfig_t config = configure(32, 1024, &two);
    MUST(cudaDeviceGetAttribute(&answer, cudaDevAttrClusterLaunch, 0));
    expect("the device supports clusters", answer, 1);
    MUST(cudaFuncGetAttributes(&attributes, (const void *)sum));
    expect("a kernel's width", attributes.requiredClusterWidth, 4);
    expect("a kernel's depth", attributes.requiredClusterDepth, 1);
    MUST(cudaFuncGetAttributes(&attributes, (const void *)histogram));
    expect("a kernel without a cluster width", attributes.requiredClusterWidth, 0);
    expect("sixteen not allowed", attributes.nonPortableClusterSizeAllowed, 0);
    MUST(cudaOccupancyMaxActiveClusters(&answer, histogram, &config));
    expect("pairs of large blocks", answer, 132);
    config.attrs = &eight;
    config.blockDim = 64;
    MUST(cudaOccupancyMaxActiveClusters(&answer, histogram, &config));
    expect("clusters of eight small blocks", answer, 124);
    MUST(cudaOccupancyMaxPotentialClusterSize(&answer, histogram, &config));
    expect("the largest cluster", answer, 8);
    MUST(cudaFuncSetAttribute((const void *)histogram,
                              cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    MUST(cudaOccupancyMaxPotentialClusterSize(&answer, histogram, &config));
    expect("the largest, if the kernel allows it", answer, 16);
    config.numAttrs = 0;
    MUST(cudaOccupancyMaxActiveClusters(&answer, histogram, &config));
    expect("the number of clusters without a size", answer, 0);
}

/* A kernel that is launched in a graph keeps its cluster size. */
static void check_graph(int *out)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaLaunchAttribute attribute = in_clusters(4, 1, 1);
    cudaLaunchConfig_t config = configure(8, 32, &attribute);
    MUST(cudaStreamCreate(&stream));
    config.stream = stream;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaLaunchKernelEx(&config, sizes, out));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, stream));
    FINISH();
    expect("clusters in a graph", out[7], 4);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

int main()
{
    int *out;
    MUST(cudaMallocManaged(&out, 1024 * sizeof *out));
    MUST(cudaMemset(out, 0, 1024 * sizeof *out));
    check_histogram(out);
    check_sum();
    check_barriers(out);
    check_kinds(out);
    check_errors();
    check_queries();
    check_graph(out);
    MUST(cudaFree(out));
    return summary();
}
