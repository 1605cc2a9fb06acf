/* Launches without <<<...>>>, and queries about kernels. */
#include "tests/support/check.cuh"

#include <cuda_profiler_api.h>

__global__ void add(int *to, int value, double scale, char small)
{
    atomicAdd(to, value * (int)scale + small);
}

__global__ void __launch_bounds__(64) bounded(int *to)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void fixed_shared(int *to)
{
    __shared__ int s[1000];
    s[threadIdx.x] = to[0];
    __syncthreads();
    to[threadIdx.x] = s[0];
}

static int take(int *device)
{
    int value;
    MUST(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    MUST(cudaMemset(device, 0, sizeof value));
    return value;
}

static void check_launches(int *device)
{
    int value = 3;
    double scale = 10;
    char small = 4;
    void *args[] = {&device, &value, &scale, &small};
    MUST(cudaMemset(device, 0, 4));
    add<<<2, 2>>>(device, value, scale, small);
    FINISH();
    expect("<<<>>>", take(device), 34 * 4);
    MUST(cudaLaunchKernel((void *)add, dim3(3), dim3(1), args, 0, 0));
    expect("cudaLaunchKernel", take(device), 34 * 3);
    cudaKernel_t kernel;
    MUST(cudaGetKernel(&kernel, (void *)add));
    MUST(cudaLaunchKernel((void *)kernel, dim3(1), dim3(5), args, 0, cudaStreamPerThread));
    expect("cudaLaunchKernel of a cudaKernel_t", take(device), 34 * 5);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2);
    config.blockDim = dim3(7);
    MUST(cudaLaunchKernelExC(&config, (void *)add, args));
    expect("cudaLaunchKernelExC", take(device), 34 * 14);
    MUST(cudaLaunchKernelEx(&config, add, device, 1, 1.0, (char)0));
    expect("cudaLaunchKernelEx", take(device), 14);
    int nested = 1;
    add<<<1, 1>>>(device, (bounded<<<1, 64, 256>>>(device + 1), nested), 1.0, 0);
    FINISH();
    expect("a launch among the arguments of a launch", take(device), 1);
}

static void check_attributes(int *device)
{
    cudaFuncAttributes attributes;
    MUST(cudaFuncGetAttributes(&attributes, bounded));
    expect("threads per block, by __launch_bounds__", attributes.maxThreadsPerBlock, 64);
    MUST(cudaFuncGetAttributes(&attributes, fixed_shared));
    expect("threads per block", attributes.maxThreadsPerBlock, 1024);
    expect("static shared memory", attributes.sharedSizeBytes, (size_t)4000);
    expect("dynamic shared memory left", attributes.maxDynamicSharedSizeBytes, 49152 - 4000);
    expect("a plausible number of registers", attributes.numRegs > 0 && attributes.numRegs < 256,
           true);
    MUST(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304));
    MUST(cudaFuncGetAttributes(&attributes, bounded));
    expect("dynamic shared memory after opting in", attributes.maxDynamicSharedSizeBytes, 98304);
    bounded<<<1, 64, 98304>>>(device);
    FINISH();
    int blocks = -1;
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 98304));
    expect("blocks per multiprocessor, with 96 KiB each", blocks, 2);
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 1024, 0));
    expect("blocks of 1024 threads per multiprocessor", blocks, 2);
    int grid = 0, block = 0;
    MUST(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
    expect("the best block size", grid > 0 && block >= 256, true);
    MUST(cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));
    const char *name;
    MUST(cudaFuncGetName(&name, (void *)add));
    expect("a kernel's mangled name", name[0] == '_' && name[1] == 'Z', true);
}

static void check_streams(int *device)
{
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float milliseconds = -1;
    MUST(cudaMemset(device, 0, sizeof(int)));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
    MUST(cudaProfilerStart());
    MUST(cudaEventRecord(start, stream));
    add<<<1, 1, 0, stream>>>(device, 5, 1.0, 0);
    MUST(cudaEventRecord(stop, stream));
    MUST(cudaStreamWaitEvent(0, stop, 0));
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventQuery(stop));
    MUST(cudaStreamQuery(stream));
    MUST(cudaEventElapsedTime(&milliseconds, start, stop));
    expect("time passes", milliseconds > 0, true);
    MUST(cudaEventElapsedTime(&milliseconds, stop, start));
    expect("time between events in reverse order is negative", milliseconds < 0, true);
    MUST(cudaStreamSynchronize(stream));
    expect("work of the stream", take(device), 5);
    MUST(cudaProfilerStop());
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(stop));
    MUST(cudaStreamDestroy(stream));
}

int main()
{
    int *device;
    MUST(cudaMalloc(&device, 1024));
    check_launches(device);
    check_attributes(device);
    check_streams(device);
    return summary();
}
