/* A GPU's answers about kernels and their occupancy: one line of TSV for each answer.
 *
 *   kernel       name  registers shared local max_threads max_dynamic binary_version ptx_version
 *   blocks       name  threads dynamic  blocks on one multiprocessor, or an error's name
 *   carveout     name  percent threads dynamic  the same, with a preferred carve-out
 *   dynamic      name  blocks threads  bytes of dynamic shared memory for each block, or an error's name
 *   potential    name  dynamic limit  grid and block that allow the most threads at a time
 *   cooperative  name  threads dynamic  the largest cooperative grid, and the error of a larger one
 *   launch       name  threads  the error of a launch of one block
 *
 * occupancy.tsv holds the answers of an NVIDIA GPU (record_occupancy.sh); test_hardware_occupancy.c
 * compares them with the emulator's. */
#include <cstdio>
#include <cuda_runtime.h>

// Keeps N values of each thread in registers at the same time.
template <int N> __device__ __forceinline__ void keep(float *data)
{
    float value[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        value[i] = data[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        data[(N - 1 - i) * 1024 + threadIdx.x] = value[i] * value[(i + 1) % N];
}

__global__ void empty()
{
}

template <int N> __global__ void keeps(float *data)
{
    keep<N>(data);
}

template <int N, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) bounded(float *data)
{
    keep<N>(data);
}

template <int BYTES> __global__ void shares(char *data)
{
    __shared__ char tile[BYTES];
    for (int i = threadIdx.x; i < BYTES; i += blockDim.x)
        tile[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < BYTES; i += blockDim.x)
        data[i] = tile[BYTES - 1 - i];
}

__global__ void indexes(int *data, int n)
{
    int stack[100];
    for (int i = 0; i < n; i++)
        stack[data[i] % 100] = i;
    for (int i = 0; i < n; i++)
        data[i] = stack[data[i] % 50];
}

struct row {
    const char *name;
    const void *kernel;
    bool opts_in; // the kernel may use all dynamic shared memory that is left
};

static const row rows[] = {
    {"empty", (const void *)empty, true},
    {"empty_48k", (const void *)shares<64>, false},
    {"keeps<4>", (const void *)keeps<4>, true},
    {"keeps<16>", (const void *)keeps<16>, true},
    {"keeps<32>", (const void *)keeps<32>, true},
    {"keeps<48>", (const void *)keeps<48>, true},
    {"keeps<64>", (const void *)keeps<64>, true},
    {"keeps<96>", (const void *)keeps<96>, true},
    {"keeps<150>", (const void *)keeps<150>, true},
    {"keeps<230>", (const void *)keeps<230>, true},
    {"bounded<64,1024,1>", (const void *)bounded<64, 1024, 1>, true},
    {"bounded<64,256,4>", (const void *)bounded<64, 256, 4>, true},
    {"bounded<96,128,4>", (const void *)bounded<96, 128, 4>, true},
    {"bounded<4,96,1>", (const void *)bounded<4, 96, 1>, true},
    {"shares<1>", (const void *)shares<1>, true},
    {"shares<1000>", (const void *)shares<1000>, true},
    {"shares<20000>", (const void *)shares<20000>, true},
    {"shares<49152>", (const void *)shares<49152>, true},
    {"indexes", (const void *)indexes, true},
};

static const int threads[] = {1,   32,  33,  64,  96,  128,  192, 256,
                              320, 384, 512, 640, 768, 1000, 1024};
static const size_t dynamics[] = {0,     1,      1024,   3000,   16384, 49152,
                                  65536, 101376, 116736, 200000, 232448};

static void print(cudaError_t error, size_t value)
{
    if (error == cudaSuccess)
        printf("\t%zu\n", value);
    else
        printf("\t%s\n", cudaGetErrorName(error));
    cudaGetLastError();
}

static void attributes(const row &r)
{
    cudaFuncAttributes a;
    cudaError_t error = cudaFuncGetAttributes(&a, r.kernel);
    if (error == cudaSuccess && r.opts_in)
        error = cudaFuncSetAttribute(r.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     232448 - (int)a.sharedSizeBytes);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&a, r.kernel);
    if (error != cudaSuccess)
        return print(error, 0);
    printf("kernel\t%s\t%d\t%zu\t%zu\t%d\t%d\t%d\t%d\n", r.name, a.numRegs, a.sharedSizeBytes,
           a.localSizeBytes, a.maxThreadsPerBlock, a.maxDynamicSharedSizeBytes, a.binaryVersion,
           a.ptxVersion);
}

static void blocks(const row &r)
{
    for (int t : threads) {
        for (size_t d : dynamics) {
            int count = -1;
            cudaError_t error =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, r.kernel, t, d);
            printf("blocks\t%s\t%d\t%zu", r.name, t, d);
            print(error, count);
        }
    }
}

static void carveouts(const row &r)
{
    for (int percent : {0, 10, 50, 100, -1}) {
        cudaFuncSetAttribute(r.kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
        for (size_t d : {(size_t)0, (size_t)3000, (size_t)16384, (size_t)101376}) {
            int count = -1;
            cudaError_t error =
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, r.kernel, 128, d);
            printf("carveout\t%s\t%d\t128\t%zu", r.name, percent, d);
            print(error, count);
        }
    }
}

static void dynamic(const row &r)
{
    for (int t : {1, 64, 256, 1024}) {
        for (int count : {1, 2, 3, 4, 8, 16, 32, 33}) {
            size_t bytes = 0;
            cudaError_t error =
                cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, r.kernel, count, t);
            printf("dynamic\t%s\t%d\t%d", r.name, count, t);
            print(error, bytes);
        }
    }
}

static void potential(const row &r)
{
    for (size_t d : {(size_t)0, (size_t)16384, (size_t)101376}) {
        for (int limit : {0, 200, 512}) {
            int grid = -1, block = -1;
            cudaError_t error =
                cudaOccupancyMaxPotentialBlockSize(&grid, &block, r.kernel, d, limit);
            printf("potential\t%s\t%zu\t%d", r.name, d, limit);
            if (error == cudaSuccess)
                printf("\t%d", grid);
            print(error, block);
        }
    }
}

// The kernels' data. With n = 0 they access only this buffer, so that a grid may have any size.
static void *buffer;

static cudaError_t launch_cooperative(const row &r, int grid, int t, size_t d)
{
    int n = 0;
    void *args[] = {&buffer, &n};
    cudaError_t error = cudaLaunchCooperativeKernel(r.kernel, grid, t, args, d, 0);
    cudaError_t after = cudaDeviceSynchronize();
    cudaGetLastError();
    return error != cudaSuccess ? error : after;
}

static void cooperative(const row &r)
{
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    for (int t : {32, 256, 1000}) {
        for (size_t d : {(size_t)0, (size_t)65536}) {
            int low = 0, high = 33 * sms; // a grid of LOW blocks fits, one of HIGH does not
            while (high - low > 1) {
                int middle = (low + high) / 2;
                (launch_cooperative(r, middle, t, d) == cudaSuccess ? low : high) = middle;
            }
            printf("cooperative\t%s\t%d\t%zu\t%d\t%s\n", r.name, t, d, low,
                   cudaGetErrorName(launch_cooperative(r, low + 1, t, d)));
        }
    }
}

static void launch(const row &r)
{
    for (int t : {96, 128, 256, 384, 512, 1024}) {
        int n = 0;
        void *args[] = {&buffer, &n};
        cudaError_t error = cudaLaunchKernel(r.kernel, 1, t, args, 0, 0);
        cudaDeviceSynchronize();
        cudaGetLastError();
        printf("launch\t%s\t%d\t%s\n", r.name, t, cudaGetErrorName(error));
    }
}

int main(int argc, char **)
{
    bool only_asks = argc > 1; // launch nothing
    if (cudaMalloc(&buffer, 1 << 20) != cudaSuccess ||
        cudaMemset(buffer, 0, 1 << 20) != cudaSuccess)
        return 1;
    for (const row &r : rows) {
        attributes(r);
        blocks(r);
        carveouts(r);
        dynamic(r);
        potential(r);
        if (!only_asks) {
            cooperative(r);
            launch(r);
        }
    }
    return 0;
}
