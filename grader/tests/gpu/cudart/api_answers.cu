/* The runtime's answers, call by call: correct calls, wrong arguments, wrong launches, and calls
 * after a kernel's fault. Each scenario runs in its own process, which is forked before the runtime
 * starts.
 *
 * api_answers.expected is this program's output on an NVIDIA H200 (CUDA 13.0, driver 580). To
 * record it again on a GPU of compute capability 9.0: nvcc -o a api_answers.cu && ./a
 * >api_answers.expected The emulator must answer the same. */
#include <cstdio>
#include <cstdlib>

#include <cuda_profiler_api.h>

#include "tests/support/scenarios.cuh"

#define TRY(call)   show(#call, call)
#define LAUNCH(...) (__VA_ARGS__, show("launch " #__VA_ARGS__, cudaGetLastError()), wait())

__device__ int variable[16];
__constant__ int constant[16];

static char host[4096]; /* not page-locked */
static int *device;     /* 1000 bytes on the device; valid in scenarios that call use_device() */

__global__ void fine(int *p)
{
    if (p)
        p[0] = 1;
}

__global__ void outside(int *p)
{
    p[(size_t)1 << 34] = 1;
}

__global__ void misaligned(char *p)
{
    *(volatile int *)(p + 1) = 1;
}

__global__ void traps()
{
    __trap();
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void fixed_shared(int *p)
{
    __shared__ int s[10000];
    s[threadIdx.x] = p[0];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void dynamic_shared(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = p[0];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}

static void show(const char *call, cudaError_t error)
{
    printf("  %s -> %d %s\n", call, error, cudaGetErrorName(error));
}

static void wait()
{
    cudaError_t error = cudaDeviceSynchronize();
    if (error)
        printf("    wait -> %d\n", error);
}

static void show_last()
{
    cudaError_t peek = cudaPeekAtLastError(), last = cudaGetLastError(), again = cudaGetLastError();
    printf("  peek, last, last again -> %d %d %d\n", peek, last, again);
}

static void use_device()
{
    cudaMalloc(&device, 1000);
}

/* --- scenarios -------------------------------------------------------------------------------- */

static void memory()
{
    int *p = nullptr;
    void *h;
    size_t pitch, size;
    TRY(cudaMalloc(&p, 0));
    printf("  %s\n", p ? "an address" : "NULL");
    TRY(cudaMalloc((void **)nullptr, 4));
    show_last();
    TRY(cudaMalloc(&p, (size_t)1 << 45));
    show_last();
    use_device();
    TRY(cudaFree(nullptr));
    TRY(cudaFree((char *)device + 4));
    TRY(cudaFree(host));
    TRY(cudaFree(device));
    TRY(cudaFree(device));
    show_last();
    TRY(cudaFreeHost(host));
    TRY(cudaMallocHost(&h, 100));
    TRY(cudaFree(h));
    TRY(cudaFreeHost(h));
    TRY(cudaFreeHost(h));
    TRY(cudaFreeHost(nullptr));
    TRY(cudaMallocHost(&h, 0));
    TRY(cudaHostAlloc(&h, 16, 0xff00));
    TRY(cudaMallocManaged(&p, 0));
    TRY(cudaMallocManaged(&p, 100, 7));
    TRY(cudaMallocPitch(&p, &pitch, 0, 5));
    TRY(cudaMallocPitch(&p, &pitch, 5, 0));
    for (size_t width : {1, 512, 513, 4000, 32764}) {
        cudaMallocPitch(&p, &pitch, width, 3);
        printf("  pitch of %zu: %zu\n", width, pitch);
    }
    TRY(cudaMemGetInfo(nullptr, &size));
    TRY(cudaMalloc(&p, 64));
    TRY(cudaFreeHost(p));
}

static void copies()
{
    static char x[2000];
    use_device();
    TRY(cudaMemcpy(device, x, 1000, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(device, x, 1001, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(x, device, 1001, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(x, device, 1000, cudaMemcpyHostToDevice));
    show_last();
    TRY(cudaMemcpy(device, x, 1000, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(device, x, 1000, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy(device, x, 1000, cudaMemcpyHostToHost));
    TRY(cudaMemcpy(x, x + 100, 100, cudaMemcpyHostToHost));
    TRY(cudaMemcpy(x, x + 100, 100, cudaMemcpyDefault));
    TRY(cudaMemcpy(device, x, 1000, cudaMemcpyDefault));
    TRY(cudaMemcpy(device, x, 1000, (cudaMemcpyKind)9));
    TRY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(nullptr, x, 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(nullptr, device, 4, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(device + 1, device, 16, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpyAsync(device, x, 1000, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpyAsync(device, device, 10, (cudaMemcpyKind)9));
    TRY(cudaMemset(device, 1, 1000));
    TRY(cudaMemset(device, 1, 1001));
    TRY(cudaMemset(x, 1, 100));
    TRY(cudaMemset(nullptr, 1, 0));
    TRY(cudaMemset(nullptr, 1, 4));
    TRY(cudaMemcpy2D(device, 10, x, 20, 10, 5, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(device, 9, x, 20, 10, 5, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(device, 10, x, 5, 10, 5, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(device, 10, x, 10, 10, 150, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(device, 10, x, 10, 0, 5, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(x, 10, device, 10, 10, 5, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(device, 8, device, 8, 4, 2, (cudaMemcpyKind)9));
    TRY(cudaMemset2D(device, 10, 1, 10, 5));
    TRY(cudaMemset2D(device, 9, 1, 10, 5));
    TRY(cudaMemset2D(device, 10, 1, 10, 5000));
    TRY(cudaMemset2D(device, 10, 1, 0, 5));
    show_last();
    cudaFree(device);
    TRY(cudaMemcpy(x, device, 4, cudaMemcpyDeviceToHost));
    TRY(cudaMemset(device, 0, 4));
}

static void symbols()
{
    static char x[200];
    void *p;
    size_t size;
    TRY(cudaMemcpyToSymbol(variable, x, 64));
    TRY(cudaMemcpyToSymbol(variable, x, 65));
    TRY(cudaMemcpyToSymbol(variable, x, 4, 62));
    TRY(cudaMemcpyToSymbol(variable, x, 4, 0, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpyToSymbol(variable, x, 4, 0, cudaMemcpyHostToHost));
    TRY(cudaMemcpyToSymbol(variable, x, 4, 0, cudaMemcpyDefault));
    TRY(cudaMemcpyToSymbol(variable, x, 4, 0, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpyToSymbol(variable, x, 4, 0, (cudaMemcpyKind)9));
    TRY(cudaMemcpyFromSymbol(x, variable, 4, 0, cudaMemcpyHostToDevice));
    TRY(cudaMemcpyFromSymbol(x, constant, 64));
    TRY(cudaMemcpyToSymbol(constant, x, 0));
    TRY(cudaMemcpyToSymbol(host, x, 4));
    show_last();
    TRY(cudaGetSymbolAddress(&p, host));
    TRY(cudaGetSymbolAddress(&p, (void *)nullptr));
    TRY(cudaGetSymbolAddress(&p, variable));
    TRY(cudaGetSymbolSize(&size, constant));
    printf("  size %zu\n", size);
    TRY(cudaMemcpy(x, p, 64, cudaMemcpyDeviceToHost));
    TRY(cudaFree(p));
}

static void launches()
{
    cudaMalloc(&device, 1 << 20);
    void *args[] = {&device};
    LAUNCH(fine<<<1, 1024>>>(device));
    LAUNCH(fine<<<1, 1025>>>(device));
    LAUNCH(fine<<<0, 1>>>(device));
    LAUNCH(fine<<<1, 0>>>(device));
    LAUNCH(fine<<<dim3(1, 65535), 1>>>(device));
    LAUNCH(fine<<<dim3(1, 65536), 1>>>(device));
    LAUNCH(fine<<<dim3(1, 1, 65536), 1>>>(device));
    LAUNCH(fine<<<1, dim3(1, 1, 65)>>>(device));
    LAUNCH(fine<<<1, dim3(32, 33)>>>(device));
    LAUNCH(fine<<<2147483648u, 1>>>(device));
    LAUNCH(dynamic_shared<<<1, 32, 49152>>>(device));
    LAUNCH(dynamic_shared<<<1, 32, 49153>>>(device));
    LAUNCH(fixed_shared<<<1, 32, 9152>>>(device));
    LAUNCH(fixed_shared<<<1, 32, 9153>>>(device));
    LAUNCH(bounded<<<1, 64>>>(device));
    LAUNCH(bounded<<<1, 65>>>(device));
    TRY(cudaLaunchKernel((void *)fine, 1, 1025, args, 0, 0));
    TRY(cudaLaunchKernel((void *)nullptr, 1, 1, args, 0, 0));
    TRY(cudaLaunchKernel((void *)host, 1, 1, args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)fine, 1 << 20, 1024, args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)fine, 0, 32, args, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 2000;
    TRY(cudaLaunchKernelExC(&config, (void *)fine, args));
    show_last();
}

static void functions()
{
    cudaFuncAttributes a;
    cudaKernel_t kernel;
    use_device();
    TRY(cudaGetKernel(&kernel, (void *)host));
    TRY(cudaGetKernel(&kernel, (void *)fine));
    TRY(cudaFuncGetAttributes(&a, (void *)kernel));
    TRY(cudaFuncGetAttributes(&a, (void *)host));
    TRY(cudaFuncGetAttributes(&a, (void *)nullptr));
    TRY(cudaFuncGetAttributes((cudaFuncAttributes *)nullptr, fine));
    TRY(cudaFuncGetAttributes(&a, fixed_shared));
    printf("  shared %zu, threads %d, binary %d, dynamic %d, carveout %d\n", a.sharedSizeBytes,
           a.maxThreadsPerBlock, a.binaryVersion, a.maxDynamicSharedSizeBytes,
           a.preferredShmemCarveout);
    TRY(cudaFuncGetAttributes(&a, bounded));
    printf("  threads %d, dynamic %d\n", a.maxThreadsPerBlock, a.maxDynamicSharedSizeBytes);
    TRY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
    TRY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
    TRY(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    TRY(cudaFuncSetAttribute(fixed_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 192448));
    TRY(cudaFuncSetAttribute(fixed_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 192449));
    TRY(cudaFuncSetAttribute(fine, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    TRY(cudaFuncSetAttribute(fine, (cudaFuncAttribute)3, 1));
    TRY(cudaFuncSetAttribute((void *)host, cudaFuncAttributeMaxDynamicSharedMemorySize, 10));
    TRY(cudaFuncSetCacheConfig(fine, cudaFuncCachePreferL1));
    TRY(cudaFuncSetCacheConfig(fine, (cudaFuncCache)9));
    TRY(cudaFuncSetCacheConfig((void *)host, cudaFuncCachePreferL1));
}

static void occupancy()
{
    int n;
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fine, 0, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fine, -1, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, fine, 128, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (void *)host, 128, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (void *)nullptr, 128, 0));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, fine, 128, 0, 1));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, fine, 128, 0, 2));
    for (int threads : {1, 32, 33, 64, 96, 128, 160, 256, 512, 768, 1024, 1025}) {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fine, threads, 0);
        printf("  %d threads: %d blocks\n", threads, n);
    }
    for (int bytes : {1000, 1024, 8801, 16384, 24355, 32132, 47686, 49152, 49153}) {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic_shared, 32, bytes);
        printf("  %d bytes: %d blocks\n", bytes, n);
    }
    cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    for (int bytes : {49153, 63240, 78794, 100000, 117679, 232448}) {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, dynamic_shared, 32, bytes);
        printf("  %d bytes, opted in: %d blocks\n", bytes, n);
    }
}

static void events_and_streams()
{
    cudaEvent_t a, b, c;
    cudaStream_t s;
    float ms;
    int least, greatest;
    TRY(cudaEventCreate(&a));
    TRY(cudaEventCreate(&b));
    TRY(cudaEventElapsedTime(&ms, a, b));
    TRY(cudaEventQuery(a));
    TRY(cudaEventSynchronize(a));
    TRY(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    TRY(cudaEventRecord(c));
    TRY(cudaEventRecord(a));
    TRY(cudaEventSynchronize(a));
    TRY(cudaEventElapsedTime(&ms, a, c));
    TRY(cudaEventElapsedTime(&ms, a, a));
    printf("  %g ms\n", ms);
    TRY(cudaEventElapsedTime(&ms, a, b));
    TRY(cudaEventElapsedTime((float *)nullptr, a, a));
    TRY(cudaEventCreateWithFlags(&c, 0x100));
    TRY(cudaEventCreateWithFlags(&c, cudaEventInterprocess));
    TRY(cudaEventCreate((cudaEvent_t *)nullptr));
    TRY(cudaEventDestroy(nullptr));
    TRY(cudaEventRecord(nullptr));
    TRY(cudaEventQuery(nullptr));
    TRY(cudaEventDestroy(a));
    show_last();
    TRY(cudaStreamCreate(&s));
    TRY(cudaStreamCreate((cudaStream_t *)nullptr));
    TRY(cudaStreamCreateWithFlags(&s, 7));
    TRY(cudaStreamDestroy(nullptr));
    TRY(cudaStreamDestroy(cudaStreamLegacy));
    TRY(cudaStreamSynchronize(cudaStreamPerThread));
    TRY(cudaStreamWaitEvent(s, b, 0));
    TRY(cudaStreamWaitEvent(s, b, 9));
    TRY(cudaStreamWaitEvent(s, nullptr, 0));
    TRY(cudaStreamDestroy(s));
    TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("  priorities %d to %d\n", least, greatest);
    TRY(cudaProfilerStart());
    TRY(cudaProfilerStop());
}

static void the_device()
{
    int n;
    cudaDeviceProp p;
    TRY(cudaSetDevice(99));
    show_last();
    TRY(cudaSetDevice(-1));
    TRY(cudaGetDeviceProperties(&p, 99));
    TRY(cudaGetDeviceProperties((cudaDeviceProp *)nullptr, 0));
    TRY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    TRY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)92, 0));
    TRY(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
    TRY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99));
    TRY(cudaDeviceGetAttribute((int *)nullptr, cudaDevAttrWarpSize, 0));
    TRY(cudaGetDeviceCount((int *)nullptr));
    TRY(cudaGetDevice((int *)nullptr));
    TRY(cudaDriverGetVersion((int *)nullptr));
    TRY(cudaRuntimeGetVersion((int *)nullptr));
    cudaRuntimeGetVersion(&n);
    printf("  runtime %d\n", n);
    cudaGetDeviceProperties(&p, 0);
    printf("  compute capability %d.%d, %d threads, grid %d x %d x %d, shared %zu, opted in %zu\n",
           p.major, p.minor, p.maxThreadsPerBlock, p.maxGridSize[0], p.maxGridSize[1],
           p.maxGridSize[2], p.sharedMemPerBlock, p.sharedMemPerBlockOptin);
    printf("  pitch up to %zu, textures aligned to %zu and %zu, sizeof %zu\n", p.memPitch,
           p.textureAlignment, p.texturePitchAlignment, sizeof p);
}

/* Calls after a kernel's fault that the program has already noticed. */
static void after_a_fault()
{
    int n, *q;
    cudaEvent_t event;
    cudaStream_t stream;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    size_t size;
    void *h;
    use_device();
    outside<<<1, 32>>>(device);
    show_last();
    TRY(cudaDeviceSynchronize());
    show_last();
    show_last();
    TRY(cudaMalloc(&q, 4));
    TRY(cudaFree(device));
    TRY(cudaFree(nullptr));
    TRY(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost));
    TRY(cudaMemset(device, 0, 4));
    TRY(cudaMallocHost(&h, 4));
    TRY(cudaEventCreate(&event));
    TRY(cudaStreamCreate(&stream));
    TRY(cudaGetDeviceCount(&n));
    TRY(cudaGetDevice(&n));
    TRY(cudaSetDevice(0));
    TRY(cudaGetDeviceProperties(&properties, 0));
    TRY(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    TRY(cudaRuntimeGetVersion(&n));
    TRY(cudaFuncGetAttributes(&attributes, fine));
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fine, 32, 0));
    TRY(cudaGetSymbolAddress(&h, variable));
    TRY(cudaMemGetInfo(&size, &size));
    TRY(cudaStreamSynchronize(0));
    TRY(cudaStreamQuery(0));
    LAUNCH(fine<<<1, 1>>>(device));
    LAUNCH(fine<<<1, 1025>>>(device));
    TRY(cudaDeviceReset());
}

static void fault_before_an_event()
{
    cudaEvent_t a, b;
    float ms;
    use_device();
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    TRY(cudaEventRecord(a));
    outside<<<1, 1>>>(device);
    TRY(cudaEventRecord(b));
    TRY(cudaEventSynchronize(b));
    TRY(cudaEventElapsedTime(&ms, a, b));
    TRY(cudaEventQuery(a));
    TRY(cudaEventDestroy(a));
}

static void a_null_pointer()
{
    int *volatile null = nullptr;
    outside<<<1, 1>>>(null);
    TRY(cudaDeviceSynchronize());
}

static void a_misaligned_address()
{
    use_device();
    misaligned<<<1, 1>>>((char *)device);
    TRY(cudaDeviceSynchronize());
}

static void a_trap()
{
    traps<<<1, 1>>>();
    TRY(cudaDeviceSynchronize());
    TRY(cudaDeviceSynchronize());
    show_last();
}

static void texts()
{
    for (int i = 0; i < 1100; i++)
        if (cudaGetErrorName((cudaError_t)i) != cudaGetErrorName((cudaError_t)5000))
            printf("  %d %s: %s\n", i, cudaGetErrorName((cudaError_t)i),
                   cudaGetErrorString((cudaError_t)i));
    printf("  %s: %s\n", cudaGetErrorName((cudaError_t)4242),
           cudaGetErrorString((cudaError_t)4242));
}

int main()
{
    play("memory", memory);
    play("copies", copies);
    play("symbols", symbols);
    play("launches", launches);
    play("functions", functions);
    play("occupancy", occupancy);
    play("events and streams", events_and_streams);
    play("the device", the_device);
    play("after a fault", after_a_fault);
    play("a fault before an event", fault_before_an_event);
    play("a null pointer", a_null_pointer);
    play("a misaligned address", a_misaligned_address);
    play("a trap", a_trap);
    play("texts", texts);
    return 0;
}
