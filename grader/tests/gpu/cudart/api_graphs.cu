/* The runtime's answers about nodes of graphs: generic calls to add and change nodes, attributes,
 * user objects. Like in api_answers.cu, each scenario runs in its own process.
 *
 * api_graphs.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To
 * record it again: nvcc -o a api_graphs.cu && ./a >api_graphs.expected The emulator must answer the
 * same. */
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "tests/support/scenarios.cuh"

#define TRY(call) show(#call, call)

static int host[64];
static int *device;
__device__ int variable[8];

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value;
}

static void show(const char *call, cudaError_t error)
{
    printf("  %s -> %d %s\n", call, error, cudaGetErrorName(error));
    cudaGetLastError();
}

static const char *noted = "nothing";

static void note(void *text)
{
    noted = (const char *)text;
}

static int value_of(const int *p)
{
    int value = -1;
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault);
    return value;
}

static cudaGraphNodeParams params_of(cudaGraphNodeType type)
{
    cudaGraphNodeParams params = {type};
    return params;
}

static cudaGraphNodeParams kernel_of(void **args)
{
    cudaGraphNodeParams params = params_of(cudaGraphNodeTypeKernel);
    params.kernel.func = (void *)fill;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(4);
    params.kernel.kernelParams = args;
    return params;
}

static void kernels()
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t a, b;
    cudaGraphNodeType type;
    int value = 7;
    cudaMalloc(&device, 256);
    void *args[] = {&device, &value};
    cudaGraphNodeParams k = kernel_of(args), none = params_of(cudaGraphNodeTypeEmpty);
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphAddNode(&a, g, nullptr, nullptr, 0, &k));
    TRY(cudaGraphNodeGetType(a, &type));
    printf("  %d\n", type);
    TRY(cudaGraphDebugDotPrint(g, "drawing_of_kernel", 0));
    TRY(cudaGraphDebugDotPrint(g, "drawing_with_kernel", cudaGraphDebugDotFlagsVerbose));
    TRY(cudaGraphAddNode(nullptr, g, nullptr, nullptr, 0, &k));
    TRY(cudaGraphAddNode(&b, nullptr, nullptr, nullptr, 0, &k));
    TRY(cudaGraphAddNode(&b, g, nullptr, nullptr, 0, nullptr));
    TRY(cudaGraphAddNode(&b, g, nullptr, nullptr, 1, &k));
    cudaGraphEdgeData edge = {};
    TRY(cudaGraphAddNode(&b, g, &a, &edge, 1, &none));
    edge.reserved[0] = 1;
    TRY(cudaGraphAddNode(&b, g, &a, &edge, 1, &none));
    edge = {};
    edge.from_port = 9;
    TRY(cudaGraphAddNode(&b, g, &a, &edge, 1, &none));
    edge = {};
    edge.type = 7;
    TRY(cudaGraphAddNode(&b, g, &a, &edge, 1, &none));
    k.kernel.gridDim = dim3(0);
    TRY(cudaGraphAddNode(&b, g, &a, nullptr, 1, &k));
    TRY(cudaGraphNodeSetParams(a, &k));
    k = kernel_of(args);
    k.kernel.func = nullptr;
    TRY(cudaGraphAddNode(&b, g, &a, nullptr, 1, &k));
    k = kernel_of(args);
    k.reserved0[0] = 1;
    TRY(cudaGraphAddNode(&b, g, nullptr, nullptr, 0, &k));
    k = kernel_of(args);
    k.reserved2 = 1;
    TRY(cudaGraphAddNode(&b, g, nullptr, nullptr, 0, &k));
    k = params_of((cudaGraphNodeType)77);
    TRY(cudaGraphAddNode(&b, g, nullptr, nullptr, 0, &k));
    TRY(cudaGraphNodeSetParams(a, &k));
    TRY(cudaGraphNodeSetParams(a, &none));
    TRY(cudaGraphNodeSetParams(a, nullptr));
    k = kernel_of(args);
    TRY(cudaGraphNodeSetParams(nullptr, &k));
    value = 8;
    TRY(cudaGraphNodeSetParams(a, &k));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphLaunch(e, 0));
    printf("  %d\n", value_of(device));
    value = 9;
    TRY(cudaGraphExecNodeSetParams(e, a, &k));
    TRY(cudaGraphExecNodeSetParams(e, a, &none));
    TRY(cudaGraphExecNodeSetParams(e, a, nullptr));
    TRY(cudaGraphExecNodeSetParams(e, nullptr, &k));
    TRY(cudaGraphExecNodeSetParams(nullptr, a, &k));
    TRY(cudaGraphLaunch(e, 0));
    printf("  %d\n", value_of(device));
}

static void other_kinds()
{
    cudaGraph_t g, child, got;
    cudaGraphExec_t e;
    cudaGraphNode_t empty, copy, set, call, graph, record, wait, take, give;
    cudaEvent_t event;
    cudaMalloc(&device, 256);
    cudaEventCreate(&event);
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    cudaGraphNodeParams p = params_of(cudaGraphNodeTypeEmpty);
    TRY(cudaGraphAddNode(&empty, g, nullptr, nullptr, 0, &p));
    TRY(cudaGraphAddNode(&empty, child, nullptr, nullptr, 0, &p));
    TRY(cudaGraphNodeSetParams(empty, &p));
    p = params_of(cudaGraphNodeTypeMemset);
    TRY(cudaGraphAddNode(&set, g, nullptr, nullptr, 0, &p));
    p.memset.dst = device;
    p.memset.value = 5;
    p.memset.elementSize = 4;
    p.memset.width = 4;
    p.memset.height = 1;
    TRY(cudaGraphAddNode(&set, g, nullptr, nullptr, 0, &p));
    p.memset.value = 6;
    TRY(cudaGraphNodeSetParams(set, &p));
    p = params_of(cudaGraphNodeTypeMemcpy);
    TRY(cudaGraphAddNode(&copy, g, &set, nullptr, 1, &p));
    TRY(cudaGraphAddMemcpyNode(&copy, g, &set, 1, &p.memcpy.copyParams));
    p.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(device, 16, 16, 1);
    p.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, 16, 16, 1);
    p.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    TRY(cudaGraphAddNode(&copy, g, &set, nullptr, 1, &p));
    p.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
    p.memcpy.flags = 1;
    TRY(cudaGraphAddNode(&copy, g, &set, nullptr, 1, &p));
    p.memcpy.flags = 0;
    TRY(cudaGraphAddNode(&copy, g, &set, nullptr, 1, &p));
    p = params_of(cudaGraphNodeTypeHost);
    TRY(cudaGraphAddNode(&call, g, &copy, nullptr, 1, &p));
    p.host.fn = note;
    p.host.userData = (void *)"one";
    TRY(cudaGraphAddNode(&call, g, &copy, nullptr, 1, &p));
    p = params_of(cudaGraphNodeTypeGraph);
    TRY(cudaGraphAddNode(&graph, g, &call, nullptr, 1, &p));
    p.graph.graph = child;
    TRY(cudaGraphAddNode(&graph, g, &call, nullptr, 1, &p));
    TRY(cudaGraphChildGraphNodeGetGraph(graph, &got));
    printf("  %d\n", got == child);
    TRY(cudaGraphNodeSetParams(graph, &p));
    p = params_of(cudaGraphNodeTypeEventRecord);
    TRY(cudaGraphAddNode(&record, g, &call, nullptr, 1, &p));
    p.eventRecord.event = event;
    TRY(cudaGraphAddNode(&record, g, &call, nullptr, 1, &p));
    p = params_of(cudaGraphNodeTypeWaitEvent);
    p.eventWait.event = event;
    TRY(cudaGraphAddNode(&wait, g, &record, nullptr, 1, &p));
    p = params_of(cudaGraphNodeTypeMemAlloc);
    TRY(cudaGraphAddNode(&take, g, nullptr, nullptr, 0, &p));
    p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    p.alloc.bytesize = 1000;
    TRY(cudaGraphAddNode(&take, g, nullptr, nullptr, 0, &p));
    printf("  %d\n", p.alloc.dptr != nullptr);
    void *memory = p.alloc.dptr;
    TRY(cudaGraphNodeSetParams(take, &p));
    p = params_of(cudaGraphNodeTypeMemFree);
    TRY(cudaGraphAddNode(&give, g, &take, nullptr, 1, &p));
    p.free.dptr = memory;
    TRY(cudaGraphAddNode(&give, g, &take, nullptr, 1, &p));
    TRY(cudaGraphNodeSetParams(give, &p));
    TRY(cudaGraphDebugDotPrint(g, "drawing_of_all", 0));
    TRY(cudaGraphDebugDotPrint(g, "drawing_with_all", cudaGraphDebugDotFlagsVerbose));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphExecNodeSetParams(e, give, &p));
    p = params_of(cudaGraphNodeTypeHost);
    p.host.fn = note;
    p.host.userData = (void *)"two";
    TRY(cudaGraphExecNodeSetParams(e, call, &p));
    TRY(cudaGraphLaunch(e, 0));
    TRY(cudaDeviceSynchronize());
    printf("  host function %s\n", noted);
    printf("  %d\n", host[3]);
}

static void events()
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t record, wait;
    cudaEvent_t one, two, got = nullptr;
    cudaEventCreate(&one);
    cudaEventCreate(&two);
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphAddEventRecordNode(&record, g, nullptr, 0, one));
    TRY(cudaGraphAddEventRecordNode(&wait, g, nullptr, 0, nullptr));
    TRY(cudaGraphAddEventWaitNode(&wait, g, nullptr, 0, nullptr));
    TRY(cudaGraphAddEventWaitNode(&wait, g, &record, 1, one));
    TRY(cudaGraphEventRecordNodeGetEvent(record, &got));
    printf("  %d\n", got == one);
    TRY(cudaGraphEventRecordNodeGetEvent(wait, &got));
    TRY(cudaGraphEventRecordNodeGetEvent(record, nullptr));
    TRY(cudaGraphEventRecordNodeGetEvent(nullptr, &got));
    TRY(cudaGraphEventRecordNodeSetEvent(record, two));
    TRY(cudaGraphEventRecordNodeSetEvent(wait, two));
    TRY(cudaGraphEventRecordNodeSetEvent(record, nullptr));
    TRY(cudaGraphEventRecordNodeGetEvent(record, &got));
    printf("  %d\n", got == two);
    TRY(cudaGraphEventWaitNodeGetEvent(wait, &got));
    printf("  %d\n", got == one);
    TRY(cudaGraphEventWaitNodeGetEvent(record, &got));
    TRY(cudaGraphEventWaitNodeSetEvent(wait, two));
    TRY(cudaGraphEventWaitNodeSetEvent(record, two));
    TRY(cudaGraphEventWaitNodeGetEvent(wait, &got));
    printf("  %d\n", got == two);
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphExecEventRecordNodeSetEvent(e, record, one));
    TRY(cudaGraphExecEventRecordNodeSetEvent(e, wait, one));
    TRY(cudaGraphExecEventRecordNodeSetEvent(e, record, nullptr));
    TRY(cudaGraphExecEventRecordNodeSetEvent(nullptr, record, one));
    TRY(cudaGraphExecEventWaitNodeSetEvent(e, wait, one));
    TRY(cudaGraphExecEventWaitNodeSetEvent(e, record, one));
    TRY(cudaGraphLaunch(e, 0));
    TRY(cudaDeviceSynchronize());
    TRY(cudaEventQuery(one));
}

static void symbols()
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaGraphNode_t to, from, other;
    for (int i = 0; i < 8; i++)
        host[i] = i + 1;
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&other, g, nullptr, 0);
    TRY(cudaGraphAddMemcpyNodeToSymbol(&to, g, nullptr, 0, variable, host, 4, 0,
                                       cudaMemcpyHostToDevice));
    TRY(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, host + 8, variable, 4, 0,
                                         cudaMemcpyDeviceToHost));
    TRY(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host, 32, 0, cudaMemcpyHostToDevice));
    TRY(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host, 32, 4, cudaMemcpyHostToDevice));
    TRY(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host, 32, 0, cudaMemcpyDeviceToHost));
    TRY(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, host, 32, 0, (cudaMemcpyKind)9));
    TRY(cudaGraphMemcpyNodeSetParamsToSymbol(other, variable, host, 32, 0, cudaMemcpyHostToDevice));
    TRY(cudaGraphMemcpyNodeSetParamsFromSymbol(from, host + 8, variable, 32, 0,
                                               cudaMemcpyDeviceToHost));
    TRY(cudaGraphMemcpyNodeSetParamsFromSymbol(from, host + 8, host, 32, 0,
                                               cudaMemcpyDeviceToHost));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphLaunch(e, 0));
    TRY(cudaDeviceSynchronize());
    printf("  %d %d\n", host[8], host[15]);
    TRY(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, to, variable, host + 4, 16, 16,
                                                 cudaMemcpyHostToDevice));
    TRY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, from, host + 16, variable, 32, 0,
                                                   cudaMemcpyDeviceToHost));
    TRY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, other, host + 16, variable, 32, 0,
                                                   cudaMemcpyDeviceToHost));
    TRY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(nullptr, from, host + 16, variable, 32, 0,
                                                   cudaMemcpyDeviceToHost));
    TRY(cudaGraphLaunch(e, 0));
    TRY(cudaDeviceSynchronize());
    printf("  %d %d\n", host[16], host[23]);
}

static void attributes()
{
    cudaGraph_t g;
    cudaGraphNode_t a, b, other;
    cudaLaunchAttributeValue v = {};
    int value = 7;
    cudaMalloc(&device, 256);
    void *args[] = {&device, &value};
    cudaGraphNodeParams k = kernel_of(args);
    cudaGraphCreate(&g, 0);
    cudaGraphAddNode(&a, g, nullptr, nullptr, 0, &k);
    cudaGraphAddNode(&b, g, nullptr, nullptr, 0, &k);
    cudaGraphAddEmptyNode(&other, g, nullptr, 0);
    for (int id = 0; id < 20; id++) {
        memset(&v, 0, sizeof v);
        cudaError_t error = cudaGraphKernelNodeGetAttribute(a, (cudaLaunchAttributeID)id, &v);
        printf("  attribute %d -> %d, %d %d %d\n", id, error, ((int *)&v)[0], ((int *)&v)[1],
               ((int *)&v)[2]);
        cudaGetLastError();
        memset(&v, 0, sizeof v);
        error = cudaGraphKernelNodeSetAttribute(b, (cudaLaunchAttributeID)id, &v);
        printf("  set to zeros -> %d\n", error);
        cudaGetLastError();
    }
    v.cooperative = 1;
    TRY(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &v));
    memset(&v, 0, sizeof v);
    TRY(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &v));
    printf("  %d\n", v.cooperative);
    v.priority = -3;
    TRY(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
    memset(&v, 0, sizeof v);
    TRY(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v));
    printf("  %d\n", v.priority);
    v.priority = -30;
    TRY(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
    memset(&v, 0, sizeof v);
    v.clusterDim.x = 1;
    v.clusterDim.y = 1;
    v.clusterDim.z = 1;
    TRY(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeClusterDimension, &v));
    memset(&v, 0, sizeof v);
    TRY(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeClusterDimension, &v));
    printf("  %u %u %u\n", v.clusterDim.x, v.clusterDim.y, v.clusterDim.z);
    v.clusterDim.x = 3;
    TRY(cudaGraphKernelNodeSetAttribute(b, cudaLaunchAttributeClusterDimension, &v));
    TRY(cudaGraphKernelNodeSetAttribute(other, cudaLaunchAttributePriority, &v));
    TRY(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &v));
    TRY(cudaGraphKernelNodeGetAttribute(nullptr, cudaLaunchAttributePriority, &v));
    TRY(cudaGraphKernelNodeCopyAttributes(b, a));
    memset(&v, 0, sizeof v);
    TRY(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v));
    printf("  %d\n", v.priority);
    TRY(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeCooperative, &v));
    printf("  %d\n", v.cooperative);
    TRY(cudaGraphKernelNodeCopyAttributes(b, other));
    TRY(cudaGraphKernelNodeCopyAttributes(nullptr, a));
    v.priority = -2;
    TRY(cudaGraphKernelNodeSetAttribute(b, cudaLaunchAttributePriority, &v));
    TRY(cudaGraphNodeSetParams(b, &k));
    TRY(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v));
    printf("  %d\n", v.priority);
}

static void ended(void *count)
{
    ++*(int *)count;
}

/* Destructors run in a thread of the runtime. */
static void show_ended(const int *count)
{
    cudaDeviceSynchronize();
    usleep(200000);
    printf("  ended: %d\n", *(volatile const int *)count);
}

static void objects()
{
    static int count;
    cudaUserObject_t o, p;
    cudaGraph_t g, clone;
    cudaGraphExec_t e;
    TRY(cudaUserObjectCreate(nullptr, &count, ended, 1, cudaUserObjectNoDestructorSync));
    TRY(cudaUserObjectCreate(&o, &count, nullptr, 1, cudaUserObjectNoDestructorSync));
    TRY(cudaUserObjectCreate(&o, &count, ended, 0, cudaUserObjectNoDestructorSync));
    TRY(cudaUserObjectCreate(&o, &count, ended, 1u << 31, cudaUserObjectNoDestructorSync));
    TRY(cudaUserObjectCreate(&o, &count, ended, 1, 0));
    TRY(cudaUserObjectCreate(&o, nullptr, ended, 1, 2));
    TRY(cudaUserObjectCreate(&o, &count, ended, 1, cudaUserObjectNoDestructorSync));
    TRY(cudaUserObjectRetain(o, 2));
    TRY(cudaUserObjectRetain(o, 0));
    TRY(cudaUserObjectRetain(nullptr, 1));
    TRY(cudaUserObjectRelease(o, 0));
    TRY(cudaUserObjectRelease(nullptr, 1));
    TRY(cudaUserObjectRelease(o, 2));
    show_ended(&count);
    TRY(cudaUserObjectRelease(o, 1));
    show_ended(&count);
    TRY(cudaUserObjectCreate(&p, &count, ended, 2, cudaUserObjectNoDestructorSync));
    cudaGraphCreate(&g, 0);
    TRY(cudaGraphRetainUserObject(g, p, 1, 2));
    TRY(cudaGraphRetainUserObject(g, p, 0, 0));
    TRY(cudaGraphRetainUserObject(nullptr, p, 1, 0));
    TRY(cudaGraphRetainUserObject(g, nullptr, 1, 0));
    TRY(cudaGraphRetainUserObject(g, p, 2, cudaGraphUserObjectMove));
    TRY(cudaGraphRetainUserObject(g, p, 1, 0));
    TRY(cudaGraphReleaseUserObject(g, p, 2));
    TRY(cudaGraphReleaseUserObject(g, p, 0));
    TRY(cudaGraphReleaseUserObject(nullptr, p, 1));
    show_ended(&count);
    TRY(cudaGraphClone(&clone, g));
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphDestroy(g));
    show_ended(&count);
    TRY(cudaGraphDestroy(clone));
    show_ended(&count);
    TRY(cudaGraphLaunch(e, 0));
    TRY(cudaGraphExecDestroy(e));
    show_ended(&count);
}

static void drawings()
{
    cudaGraph_t g;
    cudaGraphNode_t a, b;
    char line[200];
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&a, g, nullptr, 0);
    cudaGraphAddEmptyNode(&b, g, &a, 1);
    TRY(cudaGraphDebugDotPrint(g, nullptr, 0));
    TRY(cudaGraphDebugDotPrint(nullptr, "drawing", 0));
    TRY(cudaGraphDebugDotPrint(g, "no/such/folder/drawing", 0));
    TRY(cudaGraphDebugDotPrint(g, "drawing", 1u << 30));
    TRY(cudaGraphDebugDotPrint(g, "drawing", cudaGraphDebugDotFlagsVerbose));
    TRY(cudaGraphDebugDotPrint(g, "drawing", 0));
    FILE *file = fopen("drawing", "r");
    int edges = 0;
    while (file && fgets(line, sizeof line, file))
        edges += strstr(line, "->") != nullptr;
    printf("  edges: %d\n", edges);
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    play("kernels", kernels);
    play("other kinds", other_kinds);
    play("events", events);
    play("symbols", symbols);
    play("attributes", attributes);
    play("objects", objects);
    play("drawings", drawings);
    return 0;
}
