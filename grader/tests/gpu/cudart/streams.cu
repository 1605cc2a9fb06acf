/* Streams, events, host functions and limits. */
#include "tests/support/check.cuh"

#include <cstring>
#include <string>

__global__ void add(int *p, int n)
{
    *p += n;
}

__global__ void times(int *p, int n)
{
    *p *= n;
}

__device__ int depth(int n)
{
    volatile int here[8];
    here[n & 7] = n;
    return n == 0 ? 0 : 1 + depth(here[n & 7] - 1);
}

__global__ void deep(int *p, int n)
{
    *p = depth(n);
}

__global__ void allocate(int *count, int bytes)
{
    if (malloc(bytes))
        atomicAdd(count, 1);
}

static std::string story;

static void CUDART_CB note(void *text)
{
    story += (const char *)text;
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *text)
{
    story += status == cudaSuccess ? (const char *)text : "!";
}

static void check_order()
{
    int *p, value = 0;
    cudaStream_t a, b;
    cudaEvent_t done;
    MUST(cudaMalloc(&p, sizeof *p));
    MUST(cudaMemset(p, 0, sizeof *p));
    MUST(cudaStreamCreate(&a));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    MUST(cudaDeviceSynchronize());
    add<<<1, 1, 0, a>>>(p, 5);
    MUST(cudaLaunchHostFunc(a, note, (void *)"one "));
    MUST(cudaEventRecord(done, a));
    MUST(cudaStreamWaitEvent(b, done, 0));
    times<<<1, 1, 0, b>>>(p, 7);
    MUST(cudaStreamAddCallback(b, called, (void *)"two ", 0));
    MUST(cudaStreamSynchronize(b));
    MUST(cudaLaunchHostFunc(a, note, (void *)"three"));
    MUST(cudaStreamSynchronize(a));
    MUST(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    expect("one stream waits for another", value, 35);
    expect("host functions in order", story == "one two three", true);
    expect("a stream is done", cudaStreamQuery(a), cudaSuccess);
    expect("an event is done", cudaEventQuery(done), cudaSuccess);
    MUST(cudaEventDestroy(done));
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
    MUST(cudaFree(p));
}

static void check_properties()
{
    cudaStream_t a, b;
    int least, greatest, priority;
    unsigned flags;
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    MUST(cudaStreamCreateWithPriority(&a, cudaStreamNonBlocking, greatest));
    MUST(cudaStreamGetPriority(a, &priority));
    MUST(cudaStreamGetFlags(a, &flags));
    expect("priority", priority, greatest);
    expect("flags", flags, (unsigned)cudaStreamNonBlocking);
    MUST(cudaStreamCreate(&b));
    cudaStreamAttrValue value = {}, got = {};
    value.syncPolicy = cudaSyncPolicyYield;
    MUST(cudaStreamSetAttribute(a, cudaStreamAttributeSynchronizationPolicy, &value));
    MUST(cudaStreamCopyAttributes(b, a));
    MUST(cudaStreamGetAttribute(b, cudaStreamAttributeSynchronizationPolicy, &got));
    expect("an attribute copied", got.syncPolicy, cudaSyncPolicyYield);
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
}

static void check_times()
{
    cudaEvent_t start, stop;
    float milliseconds;
    int *p;
    MUST(cudaMalloc(&p, sizeof *p));
    MUST(cudaMemset(p, 0, sizeof *p));
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaEventRecord(start));
    add<<<1, 1>>>(p, 1);
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&milliseconds, start, stop));
    expect("time goes on", milliseconds > 0, true);
    MUST(cudaEventElapsedTime(&milliseconds, stop, start));
    expect("time between events in reverse order is negative", milliseconds < 0, true);
    MUST(cudaFree(p));
}

static void check_limits()
{
    size_t value = 0;
    int *p, got = 0;
    MUST(cudaMalloc(&p, sizeof *p));
    MUST(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    MUST(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    expect("a larger heap", value >= 32 << 20, true);
    MUST(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20));
    MUST(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
    expect("a larger printf buffer", value >= 4 << 20, true);
    MUST(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    MUST(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    expect("a larger stack", value, (size_t)64 << 10);
    deep<<<1, 1>>>(p, 300);
    FINISH();
    MUST(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
    expect("the larger stack is used", got, 300);
    MUST(cudaMemset(p, 0, sizeof *p));
    allocate<<<1, 20>>>(p, 1 << 20);
    FINISH();
    MUST(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
    expect("the larger heap is used", got, 20);
    expect("the heap's size cannot change after use",
           cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) != 0, true);
    cudaGetLastError();
    MUST(cudaFree(p));
}

static void check_device()
{
    char id[32];
    int device = -1, can = -1, blocks = 0, threads = 0;
    MUST(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    MUST(cudaDeviceGetByPCIBusId(&device, id));
    expect("a device by its PCI bus id", device, 0);
    MUST(cudaDeviceCanAccessPeer(&can, 0, 0));
    expect("a device is not its own peer", can, 0);
    MUST(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add, 0, 0));
    expect("a block size", threads, 1024);
    size_t dynamic = 0, offset = 0, size = 0;
    MUST(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, add, 2, 256));
    expect("shared memory available for two blocks", dynamic > 0, true);
    MUST(cudaFuncGetParamInfo((const void *)add, 1, &offset, &size));
    expect("a parameter of a kernel", offset == 8 && size == 4, true);
}

int main()
{
    check_order();
    check_properties();
    check_times();
    check_limits();
    check_device();
    return summary();
}
