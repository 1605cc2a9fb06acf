// Which devices are there, what can they do, and which one is the largest?
#include <cuda_runtime.h>
#include <stdio.h>

// Prints what a program may want to know of a device before it chooses sizes.
static void describe(int device)
{
    cudaDeviceProp p;
    int clock = 0, memory_clock = 0; // in kHz; attributes, because newer properties lack them
    cudaGetDeviceProperties(&p, device);
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device);
    cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, device);

    printf("device %d: %s, compute capability %d.%d\n", device, p.name, p.major, p.minor);
    printf("  %d multiprocessors at %.2f GHz\n", p.multiProcessorCount, clock / 1e6);
    printf("    each holds %d threads, %d blocks, %d registers, %zu bytes of shared memory\n",
           p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor, p.regsPerMultiprocessor,
           p.sharedMemPerMultiprocessor);
    printf("  a warp has %d threads\n", p.warpSize);
    printf("  a block has at most %d threads, at most %d x %d x %d, and %d registers\n",
           p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
           p.regsPerBlock);
    printf("    and %zu bytes of shared memory, %zu if the kernel opts in\n", p.sharedMemPerBlock,
           p.sharedMemPerBlockOptin);
    printf("  a grid has at most %d x %d x %d blocks\n", p.maxGridSize[0], p.maxGridSize[1],
           p.maxGridSize[2]);
    printf("  %.1f GiB of memory, %d bits wide at %.2f GHz; %d KiB of L2 cache\n",
           (double)p.totalGlobalMem / (1 << 30), p.memoryBusWidth, memory_clock / 1e6,
           p.l2CacheSize / 1024);
    printf("  copies beside kernels: %s; kernels beside kernels: %s\n",
           p.asyncEngineCount ? "yes" : "no", p.concurrentKernels ? "yes" : "no");
}

// The device with the most multiprocessors.
static int choose(int count)
{
    int best = 0, most = 0;
    for (int device = 0; device < count; ++device) {
        int multiprocessors = 0;
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
        if (multiprocessors > most) {
            most = multiprocessors;
            best = device;
        }
    }
    return best;
}

int main()
{
    int count = 0, driver = 0, runtime = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) { // no driver, for example
        printf("no device: %s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    printf("driver for CUDA %d.%d, runtime %d.%d\n", driver / 1000, driver % 100 / 10,
           runtime / 1000, runtime % 100 / 10);
    for (int device = 0; device < count; ++device)
        describe(device);
    cudaSetDevice(choose(count)); // all calls from here on are about this device
    return cudaGetLastError();
}
