/* Graphs with conditional nodes, whose bodies run if, while, or depending on which value a kernel
 * has set. Like in api_answers.cu, each scenario runs in its own process.
 *
 * conditional.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To
 * record it again: nvcc -I grader -o c conditional.cu && ./c >conditional.expected The emulator must
 * answer the same. */
#include <cstdio>
#include <unistd.h>

#include "tests/support/scenarios.cuh"

#define TRY(call) show(#call, call)

static int *counts; // on the GPU
static const int SIZE = 16;

static void show(const char *call, cudaError_t error)
{
    printf("  %s -> %d %s\n", call, error, cudaGetErrorName(error));
    cudaGetLastError();
}

__global__ void add(int *p, int value)
{
    *p += value;
}

/* Sets the condition to whether *P is below LIMIT. */
__global__ void test(cudaGraphConditionalHandle handle, const int *p, int limit)
{
    cudaGraphSetConditional(handle, *p < limit);
}

__global__ void set(cudaGraphConditionalHandle handle, const int *p)
{
    cudaGraphSetConditional(handle, *p);
}

/* All threads set the same value. */
__global__ void set_by_all(cudaGraphConditionalHandle handle, int value)
{
    cudaGraphSetConditional(handle, value);
}

template <typename... T> static cudaGraphNodeParams kernel_of(void (*kernel)(T...), void **args)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = (void *)kernel;
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = args;
    return params;
}

static cudaGraphNodeParams condition_of(cudaGraphConditionalHandle handle,
                                        cudaGraphConditionalNodeType type, unsigned size)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    return params;
}

/* Adds a kernel to GRAPH after BEFORE, which may be null. */
template <typename... T>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void (*kernel)(T...),
                                  T... values)
{
    void *args[] = {&values...};
    cudaGraphNode_t node = nullptr;
    cudaGraphNodeParams params = kernel_of(kernel, args);
    cudaError_t error = cudaGraphAddNode(&node, graph, before ? &before : nullptr, nullptr,
                                         before ? 1 : 0, &params);
    if (error != cudaSuccess)
        show("a kernel", error);
    return node;
}

/* Adds a conditional node to GRAPH. Its bodies are in BODIES. */
static cudaGraphNode_t add_condition(cudaGraph_t graph, cudaGraphNode_t before,
                                     cudaGraphConditionalHandle handle,
                                     cudaGraphConditionalNodeType type, unsigned size,
                                     cudaGraph_t *bodies)
{
    cudaGraphNode_t node = nullptr;
    cudaGraphNodeParams params = condition_of(handle, type, size);
    cudaError_t error = cudaGraphAddNode(&node, graph, before ? &before : nullptr, nullptr,
                                         before ? 1 : 0, &params);
    if (error != cudaSuccess)
        show("a condition", error);
    for (unsigned i = 0; error == cudaSuccess && i < size; i++)
        bodies[i] = params.conditional.phGraph_out[i];
    return node;
}

static void start()
{
    cudaMalloc(&counts, SIZE * sizeof *counts);
    cudaMemset(counts, 0, SIZE * sizeof *counts);
}

static void set_first(int value)
{
    cudaMemcpy(counts, &value, sizeof value, cudaMemcpyHostToDevice);
}

static void launch(cudaGraphExec_t exec)
{
    int values[SIZE];
    TRY(cudaGraphLaunch(exec, 0));
    TRY(cudaDeviceSynchronize());
    cudaMemcpy(values, counts, sizeof values, cudaMemcpyDeviceToHost);
    printf("  counts");
    for (int i = 0; i < 6; i++)
        printf(" %d", values[i]);
    printf("\n");
}

static void ifs()
{
    cudaGraph_t g, body[2], no[1];
    cudaGraphExec_t e;
    cudaGraphConditionalHandle one, both;
    cudaGraphNodeType type;
    start();
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&one, g));
    TRY(cudaGraphConditionalHandleCreate(&both, g, 0, 0));
    cudaGraphNode_t first = add_kernel(g, nullptr, test, one, (const int *)counts, 1);
    cudaGraphNode_t second = add_kernel(g, first, test, both, (const int *)counts, 2);
    cudaGraphNode_t third = add_condition(g, second, one, cudaGraphCondTypeIf, 1, no);
    cudaGraphNode_t fourth = add_condition(g, third, both, cudaGraphCondTypeIf, 2, body);
    add_kernel(g, fourth, add, counts, 1);
    add_kernel(no[0], nullptr, add, counts + 1, 1);
    add_kernel(body[0], nullptr, add, counts + 2, 1);
    add_kernel(body[1], nullptr, add, counts + 3, 1);
    TRY(cudaGraphNodeGetType(third, &type));
    printf("  type %d\n", type);
    TRY(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 4; i++)
        launch(e);
}

static void whiles()
{
    cudaGraph_t g, body, inner;
    cudaGraphExec_t e;
    cudaGraphConditionalHandle outer_handle, inner_handle;
    start();
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&outer_handle, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t loop =
        add_condition(g, nullptr, outer_handle, cudaGraphCondTypeWhile, 1, &body);
    add_kernel(g, loop, add, counts + 5, 1);
    TRY(cudaGraphConditionalHandleCreate(&inner_handle, body, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t a = add_kernel(body, nullptr, add, counts, 1);
    cudaGraphNode_t within =
        add_condition(body, a, inner_handle, cudaGraphCondTypeWhile, 1, &inner);
    add_kernel(body, within, test, outer_handle, (const int *)counts, 3);
    cudaGraphNode_t b = add_kernel(inner, nullptr, add, counts + 1, 1);
    add_kernel(inner, b, test, inner_handle, (const int *)counts + 1, 5);
    TRY(cudaGraphInstantiate(&e, g, 0));
    launch(e);
    launch(e);
}

static void handle_of_graph()
{
    cudaGraph_t g, body, inner;
    cudaGraphExec_t e;
    cudaGraphConditionalHandle outer_handle, inner_handle;
    start();
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&outer_handle, g, 1, cudaGraphCondAssignDefault));
    TRY(cudaGraphConditionalHandleCreate(&inner_handle, g, 1, cudaGraphCondAssignDefault));
    add_condition(g, nullptr, outer_handle, cudaGraphCondTypeWhile, 1, &body);
    cudaGraphNode_t a = add_kernel(body, nullptr, add, counts, 1);
    cudaGraphNode_t within = add_condition(body, a, inner_handle, cudaGraphCondTypeIf, 1, &inner);
    add_kernel(body, within, test, outer_handle, (const int *)counts, 3);
    cudaGraphNode_t b = add_kernel(inner, nullptr, add, counts + 1, 1);
    add_kernel(inner, b, test, inner_handle, (const int *)counts + 1, 2);
    TRY(cudaGraphInstantiate(&e, g, 0));
    launch(e);
    launch(e);
}

static void switches()
{
    cudaGraph_t g, body[3];
    cudaGraphExec_t e;
    cudaGraphConditionalHandle handle;
    start();
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
    cudaGraphNode_t first = add_kernel(g, nullptr, set, handle, (const int *)counts);
    cudaGraphNode_t node = add_condition(g, first, handle, cudaGraphCondTypeSwitch, 3, body);
    add_kernel(g, node, add, counts, 1);
    for (int i = 0; i < 3; i++)
        add_kernel(body[i], nullptr, add, counts + 1 + i, 1);
    TRY(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 5; i++)
        launch(e);
    set_first(-1);
    launch(e);
}

/* Which value has a condition that no kernel sets? */
static void defaults(int initial, unsigned flags, bool is_set)
{
    cudaGraph_t g, body[3];
    cudaGraphExec_t e;
    cudaGraphConditionalHandle handle;
    start();
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&handle, g, initial, flags));
    cudaGraphNode_t node = add_condition(g, nullptr, handle, cudaGraphCondTypeSwitch, 3, body);
    for (int i = 0; i < 3; i++)
        add_kernel(body[i], nullptr, add, counts + i, 1);
    if (is_set)
        add_kernel(g, node, set_by_all, handle, 1);
    TRY(cudaGraphInstantiate(&e, g, 0));
    for (int i = 0; i < 3; i++)
        launch(e);
}

static void default_for_each_launch()
{
    defaults(2, cudaGraphCondAssignDefault, true);
}

static void zero_for_each_launch()
{
    defaults(0, cudaGraphCondAssignDefault, true);
}

static void no_default()
{
    defaults(1, 0, true);
}

static void captured()
{
    cudaGraph_t g, body, ended;
    cudaGraphExec_t e;
    cudaGraphConditionalHandle handle;
    cudaStream_t s;
    start();
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    add_condition(g, nullptr, handle, cudaGraphCondTypeWhile, 1, &body);
    TRY(cudaStreamBeginCaptureToGraph(s, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(counts, 1);
    cudaMemcpyAsync(counts + 1, counts, sizeof *counts, cudaMemcpyDeviceToDevice, s);
    cudaMemsetAsync(counts + 2, 1, sizeof *counts, s);
    test<<<1, 1, 0, s>>>(handle, counts, 4);
    TRY(cudaStreamEndCapture(s, &ended));
    printf("  %s\n", ended == body ? "the body" : "another graph");
    TRY(cudaGraphInstantiate(&e, g, 0));
    launch(e);
    set_first(-10);
    launch(e);
}

/* A condition added to a graph that is being captured. */
static void in_capture()
{
    cudaGraph_t g, body;
    cudaGraphExec_t e;
    cudaGraphConditionalHandle handle;
    cudaStream_t s;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *last;
    const cudaGraphEdgeData *edges;
    cudaGraphNode_t node;
    size_t count;
    start();
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(counts, 1);
    TRY(cudaStreamGetCaptureInfo(s, &status, nullptr, &g, &last, &edges, &count));
    TRY(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams params = condition_of(handle, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphAddNode(&node, g, last, nullptr, count, &params));
    body = params.conditional.phGraph_out[0];
    TRY(cudaStreamUpdateCaptureDependencies(s, &node, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(counts + 1, 1);
    add_kernel(body, nullptr, add, counts + 2, 1);
    TRY(cudaStreamEndCapture(s, &g));
    TRY(cudaGraphInstantiate(&e, g, 0));
    launch(e);
}

static void rules()
{
    cudaGraph_t g, other, body, clone;
    cudaGraphExec_t e, again;
    cudaGraphNode_t node, child;
    cudaGraphConditionalHandle handle, unused;
    start();
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&other, 0);
    TRY(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0));
    TRY(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
    TRY(cudaGraphConditionalHandleCreate(&handle, g, 0, 2));
    TRY(cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
    cudaGraphNodeParams p = condition_of(12345, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, cudaGraphCondTypeIf, 0);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, cudaGraphCondTypeIf, 3);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, cudaGraphCondTypeWhile, 2);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, cudaGraphCondTypeSwitch, 0);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, (cudaGraphConditionalNodeType)3, 1);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    body = p.conditional.phGraph_out[0];
    cudaGraphNode_t second;
    p = condition_of(handle, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphAddNode(&second, g, nullptr, nullptr, 0, &p));
    p = condition_of(handle, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphNodeSetParams(node, &p));
    TRY(cudaGraphClone(&clone, g));
    TRY(cudaGraphAddChildGraphNode(&child, other, nullptr, 0, g));
    TRY(cudaGraphDestroy(body));
    TRY(cudaGraphInstantiate(&e, body, 0));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphInstantiate(&again, g, 0));
    p = condition_of(handle, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphExecNodeSetParams(e, node, &p));
    unsigned enabled;
    TRY(cudaGraphNodeGetEnabled(e, node, &enabled));
    TRY(cudaGraphNodeSetEnabled(e, node, 0));
    TRY(cudaGraphLaunch(e, 0));
    TRY(cudaDeviceSynchronize());
    TRY(cudaGraphExecDestroy(e));
    TRY(cudaGraphInstantiate(&again, g, 0));
    TRY(cudaGraphExecDestroy(again));
    TRY(cudaGraphConditionalHandleCreate(&unused, g, 0, 0));
    cudaGraphInstantiateParams params = {};
    TRY(cudaGraphInstantiateWithParams(&e, g, &params));
    printf("  result %d\n", params.result_out);
    TRY(cudaGraphDebugDotPrint(g, "drawing_of_condition", 0));
    TRY(cudaGraphDestroyNode(node));
    TRY(cudaGraphDestroy(g));
    TRY(cudaGraphDestroy(other));
}

/* A handle of another graph. */
static void foreign()
{
    cudaGraph_t g, other;
    cudaGraphExec_t e;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    start();
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&other, 0);
    TRY(cudaGraphConditionalHandleCreate(&handle, other, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = condition_of(handle, cudaGraphCondTypeIf, 1);
    TRY(cudaGraphAddNode(&node, g, nullptr, nullptr, 0, &p));
    TRY(cudaGraphInstantiate(&e, other, 0));
}

static void nothing(void *)
{
}

/* Which nodes may a body have? */
static void contents()
{
    cudaGraph_t g, body, child;
    cudaGraphExec_t e;
    cudaGraphNode_t host, empty, nested;
    cudaGraphConditionalHandle handle;
    cudaEvent_t event;
    start();
    cudaEventCreate(&event);
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    add_kernel(child, nullptr, add, counts, 1);
    TRY(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    add_condition(g, nullptr, handle, cudaGraphCondTypeIf, 1, &body);
    TRY(cudaGraphAddEmptyNode(&empty, body, nullptr, 0));
    TRY(cudaGraphAddChildGraphNode(&nested, body, nullptr, 0, child));
    TRY(cudaGraphInstantiate(&e, g, 0));
    launch(e);
    TRY(cudaGraphExecDestroy(e));
    cudaHostNodeParams call = {nothing, nullptr};
    TRY(cudaGraphAddHostNode(&host, body, nullptr, 0, &call));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphDestroyNode(host));
    TRY(cudaGraphAddEventRecordNode(&host, body, nullptr, 0, event));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphDestroyNode(host));
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 256;
    TRY(cudaGraphAddMemAllocNode(&host, body, nullptr, 0, &memory));
}

/* The kernels and arguments in a body change by an update. */
static void updates()
{
    cudaGraph_t g[2], body[2];
    cudaGraphExec_t e;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphConditionalHandle handle[2];
    cudaGraphNode_t kernel[2];
    start();
    for (int i = 0; i < 2; i++) {
        cudaGraphCreate(&g[i], 0);
        TRY(cudaGraphConditionalHandleCreate(&handle[i], g[i], 1, cudaGraphCondAssignDefault));
        add_condition(g[i], nullptr, handle[i], cudaGraphCondTypeIf, 1, &body[i]);
        kernel[i] = add_kernel(body[i], nullptr, add, counts + i, 1);
    }
    TRY(cudaGraphInstantiate(&e, g[0], 0));
    launch(e);
    int value = 10;
    int *p = counts + 2;
    void *args[] = {&p, &value};
    cudaGraphNodeParams params = kernel_of(add, args);
    TRY(cudaGraphExecNodeSetParams(e, kernel[0], &params));
    launch(e);
    TRY(cudaGraphExecUpdate(e, g[1], &info));
    printf("  result %d\n", info.result);
    launch(e);
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    play("if and else", ifs);
    play("while", whiles);
    play("a handle of the outer graph", handle_of_graph);
    play("switch", switches);
    play("a default for each launch", default_for_each_launch);
    play("0 for each launch", zero_for_each_launch);
    play("a default without the flag", no_default);
    play("a captured body", captured);
    play("in a capture", in_capture);
    play("rules", rules);
    play("a handle of another graph", foreign);
    play("contents", contents);
    play("updates", updates);
    return 0;
}
