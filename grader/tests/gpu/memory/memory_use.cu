/* Uses memory in the way that its argument names. Prints how much memory the program has allocated and
 * the process's peak memory, both in KiB. test_memory_use.c compares the two. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

static const size_t SIZE = 64 << 20;

__device__ int symbol[SIZE / sizeof(int)];

__global__ void touch(int *data)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < SIZE / sizeof(int);
         i += gridDim.x * blockDim.x)
        data[i] = 1;
}

// A recursive function that keeps nothing in memory: the emulator must not allocate the
// stack that it could use.
__device__ __noinline__ int count(int n)
{
    return n < 2 ? n : count(n - 1) + 1;
}

__global__ void wait_for_all(int *data)
{
    int n = count(data[0]);
    cooperative_groups::this_grid().sync();
    data[1 + threadIdx.x] = n;
}

__global__ void keep_locally(int *data)
{
    int own[100];
    for (int i = 0; i < 100; i++)
        own[i] = data[i];
    cooperative_groups::this_grid().sync();
    data[threadIdx.x] = own[data[threadIdx.x]];
}

// A function with a local array, which is on the threads' stacks.
__device__ __noinline__ int sum_of_copy(const int *data, int which)
{
    volatile int own[100];
    for (int i = 0; i < 100; i++)
        own[i] = data[i];
    cooperative_groups::this_grid().sync();
    return own[which] + own[99 - which];
}

__global__ void keep_on_stack(int *data)
{
    int sum = sum_of_copy(data, threadIdx.x % 100);
    cooperative_groups::this_grid().sync();
    data[threadIdx.x] = sum;
}

// Launches as many blocks as fit on the GPU, all of which run at the same time. Returns
// their number of threads.
static size_t fill_gpu(const void *kernel)
{
    int blocks = 0, multiprocessors = 0;
    int *data;
    void *args[] = {&data};
    cudaMalloc(&data, 1 << 20);
    cudaMemset(data, 0, 1 << 20);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 0);
    cudaLaunchCooperativeKernel(kernel, blocks * multiprocessors, 1024, args, 0, 0);
    return (size_t)blocks * multiprocessors * 1024;
}

// Each of these functions returns the number of bytes that it has allocated.
static size_t device_memory()
{
    int *data;
    cudaMalloc(&data, SIZE);
    touch<<<64, 256>>>(data);
    return SIZE;
}

static size_t copies()
{
    std::vector<char> host(SIZE, 1);
    int *data;
    cudaMalloc(&data, SIZE);
    cudaMemcpy(data, host.data(), SIZE, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(symbol, host.data(), SIZE);
    cudaMemcpyFromSymbol(host.data(), symbol, SIZE);
    return 3 * SIZE;
}

static size_t shared_with_host()
{
    int *managed, *pinned;
    cudaMallocManaged(&managed, SIZE);
    cudaMallocHost(&pinned, SIZE);
    touch<<<64, 256>>>(managed);
    touch<<<64, 256>>>(pinned);
    cudaDeviceSynchronize();
    memset(managed, 2, SIZE);
    memset(pinned, 2, SIZE);
    return 2 * SIZE;
}

static size_t waiting_blocks()
{
    fill_gpu((const void *)wait_for_all);
    return 1 << 20;
}

static size_t local_memory()
{
    return fill_gpu((const void *)keep_locally) * 100 * sizeof(int);
}

static size_t stack_memory()
{
    return fill_gpu((const void *)keep_on_stack) * 100 * sizeof(int);
}

static size_t come_and_go()
{
    for (int i = 0; i < 200; i++) {
        int *data;
        cudaMallocAsync(&data, SIZE / 16, 0);
        cudaMemsetAsync(data, 1, SIZE / 16, 0);
        cudaFreeAsync(data, 0);
    }
    return SIZE / 16;
}

static size_t handles()
{
    for (int i = 0; i < 10000; i++) {
        cudaStream_t stream;
        cudaEvent_t event;
        cudaStreamCreate(&stream);
        cudaEventCreate(&event);
        cudaEventRecord(event, stream);
    }
    return 0;
}

static const struct {
    const char *name;
    size_t (*use)();
} ways[] = {
    {"device", device_memory},   {"copies", copies},      {"shared", shared_with_host},
    {"waiting", waiting_blocks}, {"local", local_memory}, {"pool", come_and_go},
    {"handles", handles},        {"stack", stack_memory},
};

static long peak()
{
    char line[200];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %ld", &kib);
    return kib;
}

int main(int, char **argv)
{
    for (auto &way : ways) {
        if (strcmp(way.name, argv[1]) != 0)
            continue;
        size_t allocated = way.use();
        cudaError_t error = cudaDeviceSynchronize();
        printf("%zu %ld %s\n", allocated / 1024, peak(), cudaGetErrorString(error));
        return error != cudaSuccess;
    }
    return 2;
}
