/* Graphs: built node by node, captured from streams, launched repeatedly, changed between
 * launches. */
#include "tests/support/check.cuh"

#include <cstdint>
#include <cstring>

__global__ void add(int *p, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += value;
}

__global__ void combine(int *to, const int *a, const int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = a[i] * 100 + b[i];
}

enum { N = 300 };

static int *a, *b, *c, host[N];

static int value_of(int *p, int i)
{
    int value;
    MUST(cudaMemcpy(&value, p + i, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void CUDART_CB count_up(void *counter)
{
    ++*(int *)counter;
}

/* Sets a, adds 3 to a, calls a host function, and copies a to the host; sets b independently. */
static void check_by_hand()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t set_a, set_b, add_a, call, copy, join;
    static int calls;
    MUST(cudaGraphCreate(&graph, 0));
    cudaMemsetParams fill = {};
    fill.dst = a;
    fill.value = 7;
    fill.elementSize = 4;
    fill.width = N;
    fill.height = 1;
    MUST(cudaGraphAddMemsetNode(&set_a, graph, nullptr, 0, &fill));
    fill.dst = b;
    fill.value = 0x51;
    fill.elementSize = 1;
    fill.width = N * sizeof(int);
    MUST(cudaGraphAddMemsetNode(&set_b, graph, nullptr, 0, &fill));
    int n = N, three = 3;
    void *args[] = {&a, &n, &three};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3((N + 63) / 64);
    kernel.blockDim = dim3(64);
    kernel.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&add_a, graph, &set_a, 1, &kernel));
    three = 1000; /* the node has its own copy of the argument */
    cudaHostNodeParams function = {count_up, &calls};
    MUST(cudaGraphAddHostNode(&call, graph, &add_a, 1, &function));
    MUST(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, a, sizeof host,
                                  cudaMemcpyDeviceToHost));
    MUST(cudaGraphAddDependencies(graph, &call, &copy, nullptr, 1));
    cudaGraphNode_t ends[] = {copy, set_b};
    MUST(cudaGraphAddEmptyNode(&join, graph, ends, 2));
    size_t nodes = 0, edges = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    MUST(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    expect("nodes", nodes, (size_t)6);
    expect("edges", edges, (size_t)5);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    expect("a graph built by hand", host[0] + host[N - 1], 20);
    expect("the other branch of this graph", value_of(b, 5), 0x51515151);
    expect("the host function of this graph", calls, 3);
    three = 4;
    MUST(cudaGraphExecKernelNodeSetParams(exec, add_a, &kernel));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    expect("a kernel's parameters changed", host[17], 11);
    MUST(cudaGraphNodeSetEnabled(exec, add_a, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    expect("a kernel left out", host[17], 7);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

/* One stream forks into two and joins again. */
static void check_captured()
{
    cudaStream_t s, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&side));
    MUST(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    for (int i = 0; i < N; i++)
        host[i] = i;
    MUST(cudaMemset(c, 0, N * sizeof(int)));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, s));
    MUST(cudaEventRecord(fork, s));
    MUST(cudaStreamWaitEvent(side, fork, 0));
    MUST(cudaMemsetAsync(b, 0, N * sizeof(int), side));
    add<<<5, 64, 0, side>>>(b, N, 9);
    add<<<5, 64, 0, s>>>(a, N, 1);
    MUST(cudaEventRecord(join, side));
    MUST(cudaStreamWaitEvent(s, join, 0));
    combine<<<5, 64, 0, s>>>(c, a, b, N);
    cudaStreamCaptureStatus status;
    MUST(cudaStreamIsCapturing(side, &status));
    expect("both streams are captured", status, cudaStreamCaptureStatusActive);
    MUST(cudaStreamEndCapture(s, &graph));
    expect("nothing has run yet", value_of(c, 10), 0);
    size_t nodes = 0, roots = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes));
    MUST(cudaGraphGetRootNodes(graph, nullptr, &roots));
    expect("captured nodes", nodes, (size_t)5);
    expect("one root node", roots, (size_t)1);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    expect("a captured graph", value_of(c, 10), 1109);
    host[10] = 40; /* each launch reads this value again */
    MUST(cudaGraphLaunch(exec, side));
    MUST(cudaStreamSynchronize(side));
    expect("launched again", value_of(c, 10), 4109);
    cudaGraph_t changed;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaMemcpyAsync(a, host, sizeof host, cudaMemcpyHostToDevice, s));
    MUST(cudaEventRecord(fork, s));
    MUST(cudaStreamWaitEvent(side, fork, 0));
    MUST(cudaMemsetAsync(b, 0, N * sizeof(int), side));
    add<<<5, 64, 0, side>>>(b, N, 20);
    add<<<5, 64, 0, s>>>(a, N, 2);
    MUST(cudaEventRecord(join, side));
    MUST(cudaStreamWaitEvent(s, join, 0));
    combine<<<5, 64, 0, s>>>(c, a, b, N);
    MUST(cudaStreamEndCapture(s, &changed));
    cudaGraphExecUpdateResultInfo info;
    MUST(cudaGraphExecUpdate(exec, changed, &info));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    expect("updated from another capture", value_of(c, 10), 4220);
    MUST(cudaGraphDestroy(changed));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(s));
    MUST(cudaStreamDestroy(side));
    MUST(cudaEventDestroy(fork));
    MUST(cudaEventDestroy(join));
}

/* A child graph in a graph, and a clone of both. */
static void check_nested()
{
    cudaGraph_t inner, outer, copy;
    cudaGraphExec_t exec;
    cudaGraphNode_t set, child, last, node;
    int n = N, one = 1;
    void *args[] = {&a, &n, &one};
    MUST(cudaGraphCreate(&inner, 0));
    MUST(cudaGraphCreate(&outer, 0));
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(5);
    kernel.blockDim = dim3(64);
    kernel.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&node, inner, nullptr, 0, &kernel));
    one = 2;
    MUST(cudaGraphAddKernelNode(&last, inner, &node, 1, &kernel));
    cudaMemsetParams fill = {};
    fill.dst = a;
    fill.elementSize = 1;
    fill.width = N * sizeof(int);
    fill.height = 1;
    MUST(cudaGraphAddMemsetNode(&set, outer, nullptr, 0, &fill));
    MUST(cudaGraphAddChildGraphNode(&child, outer, &set, 1, inner));
    one = 10;
    MUST(cudaGraphAddKernelNode(&last, outer, &child, 1, &kernel));
    MUST(cudaGraphDestroy(inner));
    MUST(cudaGraphClone(&copy, outer));
    MUST(cudaGraphNodeFindInClone(&node, last, copy));
    MUST(cudaGraphDestroyNode(last));
    MUST(cudaGraphInstantiate(&exec, outer, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    expect("a graph in a graph", value_of(a, 3), 3);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphInstantiate(&exec, copy, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    expect("a clone of this graph", value_of(a, 3), 13);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(copy));
    MUST(cudaGraphDestroy(outer));
}

/* Memory that a graph allocates and frees. Its address is known before the launch. */
static void check_memory()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t take, set, more, copy, give;
    cudaMemAllocNodeParams memory = {}, asked = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = N * sizeof(int);
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &memory));
    int *own = (int *)memory.dptr, n = N, value = 7;
    MUST(cudaGraphMemAllocNodeGetParams(take, &asked));
    expect("memory that a graph uses", asked.dptr == own && asked.bytesize == N * sizeof(int),
           true);
    cudaMemsetParams fill = {own, 0, 0, 1, N * sizeof(int), 1};
    MUST(cudaGraphAddMemsetNode(&set, graph, &take, 1, &fill));
    void *args[] = {&own, &n, &value}, *freed;
    cudaKernelNodeParams kernel = {(void *)add, dim3(5), dim3(64), 0, args, nullptr};
    MUST(cudaGraphAddKernelNode(&more, graph, &set, 1, &kernel));
    MUST(cudaGraphAddMemcpyNode1D(&copy, graph, &more, 1, host, own, sizeof host,
                                  cudaMemcpyDeviceToHost));
    MUST(cudaGraphAddMemFreeNode(&give, graph, &copy, 1, own));
    MUST(cudaGraphMemFreeNodeGetParams(give, &freed));
    expect("memory that a graph gives back", freed == own, true);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        memset(host, 0, sizeof host);
        MUST(cudaGraphLaunch(exec, 0));
        MUST(cudaDeviceSynchronize());
        expect("the graph's memory", host[N - 1], 7);
    }
    memory.bytesize = 0;
    expect("memory of no size", cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &memory),
           cudaErrorInvalidValue);
    expect("a pointer that is not memory", cudaGraphAddMemFreeNode(&give, graph, nullptr, 0, host),
           cudaErrorInvalidValue);
    (void)cudaGetLastError();
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static cudaGraphExec_t make_ready(cudaGraph_t graph, unsigned long long flags = 0)
{
    cudaGraphExec_t exec;
    MUST(cudaGraphInstantiate(&exec, graph, flags));
    return exec;
}

/* Memory that a graph allocates and that is freed outside of the graph. The next launch allocates it
 * again. */
static void check_memory_outside()
{
    cudaGraph_t graph, other, clone;
    cudaGraphExec_t exec, second;
    cudaGraphNode_t take, set, free_it, again;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = N * sizeof(int);
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &memory));
    int *own = (int *)memory.dptr, value = 0;
    cudaMemsetParams fill = {own, 0, 0x01010101, 4, N, 1};
    MUST(cudaGraphAddMemsetNode(&set, graph, &take, 1, &fill));
    expect("memory that is not yet allocated", cudaFree(own), cudaErrorInvalidValue);
    exec = make_ready(graph);
    expect("a graph instantiated twice", cudaGraphInstantiate(&second, graph, 0),
           cudaErrorNotSupported);
    for (int i = 0; i < 3; i++) {
        MUST(cudaGraphLaunch(exec, 0));
        expect("memory allocated by two launches", cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
        MUST(cudaMemcpy(&value, own + N - 1, sizeof value, cudaMemcpyDeviceToHost));
        expect("memory remains after the launch", value, 0x01010101);
        MUST(i == 1 ? cudaFreeAsync(own, 0) : cudaFree(own));
        expect("memory freed twice", cudaFree(own), cudaErrorInvalidValue);
    }
    MUST(cudaGraphCreate(&other, 0));
    MUST(cudaGraphAddMemFreeNode(&free_it, other, nullptr, 0, own));
    second = make_ready(other);
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaGraphLaunch(second, 0));
    expect("memory freed by two launches", cudaGraphLaunch(second, 0), cudaErrorInvalidValue);
    MUST(cudaGraphLaunch(exec, 0));
    expect("a clone of a graph with memory", cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    expect("memory in a child graph", cudaGraphAddChildGraphNode(&again, other, nullptr, 0, graph),
           cudaErrorNotSupported);
    expect("a memory node cannot be removed", cudaGraphDestroyNode(take), cudaErrorNotSupported);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphExecDestroy(second));
    MUST(cudaGraphDestroy(other));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaMemcpy(&value, own, sizeof value, cudaMemcpyDeviceToHost));
    expect("memory remains without its graph", value, 0x01010101);
    MUST(cudaFree(own));
    cudaGetLastError();
}

/* Allocations that follow each other in one graph get the same address. A launch may free memory that
 * the previous launch has left allocated. */
static void check_memory_again()
{
    cudaGraph_t graph;
    cudaGraphNode_t take, give, more;
    cudaMemAllocNodeParams memory = {};
    uint64_t used = 0, zero = 0;
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 3 << 20;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &memory));
    void *first = memory.dptr;
    MUST(cudaGraphAddMemFreeNode(&give, graph, &take, 1, first));
    expect("memory freed by two nodes", cudaGraphAddMemFreeNode(&more, graph, &give, 1, first),
           cudaErrorInvalidValue);
    MUST(cudaGraphAddMemAllocNode(&more, graph, &give, 1, &memory));
    expect("a second allocation gets the same address", memory.dptr == first, true);
    cudaGraphExec_t exec = make_ready(graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    expect("memory of graphs in use", used >= (3 << 20), true);
    MUST(cudaFree(first));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaDeviceGraphMemTrim(0));
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
    expect("no memory of graphs is left", used, zero);
    MUST(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    cudaGetLastError();
}

/* A stream may be destroyed before the capture ends, if the first stream waits for its work. */
static void check_captured_memory()
{
    cudaStream_t s, side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *own;
    MUST(cudaStreamCreate(&s));
    MUST(cudaStreamCreate(&side));
    MUST(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    MUST(cudaMallocAsync(&own, N * sizeof(int), s));
    MUST(cudaMemsetAsync(own, 0, N * sizeof(int), s));
    MUST(cudaEventRecord(fork, s));
    MUST(cudaStreamWaitEvent(side, fork, 0));
    add<<<5, 64, 0, side>>>(own, N, 21);
    MUST(cudaMemcpyAsync(host, own, sizeof host, cudaMemcpyDeviceToHost, side));
    MUST(cudaFreeAsync(own, side));
    MUST(cudaEventRecord(join, side));
    MUST(cudaStreamWaitEvent(s, join, 0));
    MUST(cudaStreamDestroy(side));
    MUST(cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    expect("memory that was captured", host[N - 1], 21);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(s));
}

int main()
{
    MUST(cudaMalloc(&a, N * sizeof(int)));
    MUST(cudaMalloc(&b, N * sizeof(int)));
    MUST(cudaMalloc(&c, N * sizeof(int)));
    check_by_hand();
    check_captured();
    check_nested();
    check_memory();
    check_memory_outside();
    check_memory_again();
    check_captured_memory();
    return summary();
}
