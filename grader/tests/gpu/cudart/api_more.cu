/* The runtime's answers to calls that api_answers.cu does not make. As in that program, each scenario
 * runs in its own process.
 *
 * api_more.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To record it
 * again: nvcc -o a api_more.cu && ./a >api_more.expected The emulator must answer the same. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/support/scenarios.cuh"

#define TRY(call) show(#call, call)

static int host[1000];

__global__ void fine(int *p)
{
    p[threadIdx.x] = 1;
}

static void show(const char *call, cudaError_t error)
{
    printf("  %s -> %d %s\n", call, error, cudaGetErrorName(error));
    cudaGetLastError();
}

static void volumes()
{
    cudaPitchedPtr p, q;
    cudaMemcpy3DParms c = {};
    TRY(cudaMalloc3D(nullptr, make_cudaExtent(8, 8, 8)));
    TRY(cudaMalloc3D(&p, make_cudaExtent(8, 0, 8)));
    printf("  %d, %zu\n", p.ptr == nullptr, p.pitch);
    TRY(cudaMalloc3D(&p, make_cudaExtent(100, 4, 4)));
    TRY(cudaMalloc3D(&q, make_cudaExtent((size_t)1 << 60, 4, 4)));
    TRY(cudaMemcpy3D(nullptr));
    TRY(cudaMemcpy3D(&c));
    c.srcPtr = make_cudaPitchedPtr(host, 100, 100, 4);
    c.dstPtr = p;
    c.extent = make_cudaExtent(100, 4, 4);
    c.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3D(&c));
    c.extent.width = 101;
    TRY(cudaMemcpy3D(&c));
    c.extent.width = 600;
    TRY(cudaMemcpy3D(&c));
    c.extent = make_cudaExtent(100, 5, 4);
    TRY(cudaMemcpy3D(&c));
    c.extent = make_cudaExtent(100, 4, 0);
    TRY(cudaMemcpy3D(&c));
    c.extent = make_cudaExtent(100, 4, 5);
    TRY(cudaMemcpy3D(&c));
    c.extent = make_cudaExtent(100, 4, 4);
    c.kind = (cudaMemcpyKind)9;
    TRY(cudaMemcpy3D(&c));
    c.kind = cudaMemcpyDeviceToHost;
    TRY(cudaMemcpy3D(&c));
    c.kind = cudaMemcpyDefault;
    c.srcPtr.ptr = nullptr;
    TRY(cudaMemcpy3D(&c));
    TRY(cudaMemset3D(p, 0, make_cudaExtent(100, 4, 4)));
    TRY(cudaMemset3D(p, 0, make_cudaExtent(100, 5, 4)));
    TRY(cudaMemset3D(p, 0, make_cudaExtent(600, 4, 4)));
    TRY(cudaMemset3D(p, 0, make_cudaExtent(100, 4, 400000)));
    TRY(cudaMemset3D(p, 0, make_cudaExtent(0, 4, 4)));
}

static void arrays()
{
    cudaArray_t a = nullptr, b;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(),
                          three = {32, 32, 32, 0, cudaChannelFormatKindFloat},
                          mixed = {32, 16, 0, 0, cudaChannelFormatKindFloat}, got,
                          small = {8, 0, 0, 0, cudaChannelFormatKindFloat},
                          zero = {0, 0, 0, 0, cudaChannelFormatKindFloat};
    TRY(cudaMallocArray(nullptr, &f, 8, 8));
    TRY(cudaMallocArray(&a, nullptr, 8, 8));
    TRY(cudaMallocArray(&a, &three, 8, 8));
    TRY(cudaMallocArray(&a, &mixed, 8, 8));
    TRY(cudaMallocArray(&a, &small, 8, 8));
    TRY(cudaMallocArray(&a, &zero, 8, 8));
    TRY(cudaMallocArray(&a, &f, 0, 8));
    TRY(cudaMallocArray(&a, &f, 8, 8, 0x1000));
    TRY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 0, 8)));
    TRY(cudaMallocArray(&a, &f, 8, 8));
    TRY(cudaGetChannelDesc(&got, a));
    TRY(cudaGetChannelDesc(nullptr, a));
    TRY(cudaGetChannelDesc(&got, nullptr));
    TRY(cudaArrayGetInfo(nullptr, nullptr, nullptr, a));
    TRY(cudaArrayGetInfo(&got, nullptr, nullptr, nullptr));
    TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 9, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2DToArray(a, 4, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2DToArray(a, 0, 0, host, 16, 32, 8, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyDefault));
    TRY(cudaMemcpy2DToArray(nullptr, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2DFromArray(host, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy2DFromArray(host, 32, a, 0, 1, 32, 8, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy2DFromArray(host, 32, a, 0, 0, 0, 8, cudaMemcpyDeviceToHost));
    TRY(cudaMallocArray(&b, &f, 8, 0));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 3, 32, 1));
    TRY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 3, 32, 2));
    TRY(cudaFreeArray(nullptr));
    TRY(cudaFreeArray(b));
    TRY(cudaFreeArray(a));
}

static void host_memory()
{
    int *p, *q, *d;
    unsigned flags = 99;
    TRY(cudaHostAlloc(&p, 4096, cudaHostAllocDefault));
    TRY(cudaHostGetDevicePointer(&q, p, 0));
    printf("  %d\n", p == q);
    TRY(cudaHostGetDevicePointer(&q, p + 5, 0));
    printf("  %d\n", p + 5 == q);
    TRY(cudaHostGetDevicePointer(&q, p, 1));
    TRY(cudaHostGetDevicePointer((int **)nullptr, p, 0));
    TRY(cudaHostGetDevicePointer(&q, host, 0));
    TRY(cudaHostGetFlags(&flags, p));
    printf("  flags %x\n", flags);
    TRY(cudaHostGetFlags(&flags, host));
    TRY(cudaHostGetFlags(nullptr, p));
    TRY(cudaHostRegister(host, 0, 0));
    TRY(cudaHostRegister(nullptr, 64, 0));
    TRY(cudaHostRegister(host, 64, 0x1000));
    TRY(cudaHostRegister(host, 64, 0));
    TRY(cudaHostRegister(host, 64, 0));
    TRY(cudaHostGetFlags(&flags, host));
    printf("  flags %x\n", flags);
    TRY(cudaHostUnregister(host + 100));
    TRY(cudaHostUnregister(host));
    TRY(cudaHostUnregister(host));
    TRY(cudaHostUnregister(nullptr));
    TRY(cudaHostUnregister(p));
    TRY(cudaHostRegister(p, 64, 0));
    TRY(cudaFree(p));
    TRY(cudaMalloc(&d, 64));
    TRY(cudaFreeHost(d));
    TRY(cudaFreeHost(host));
    TRY(cudaMemcpy(d, p, 64, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(d, p, 64, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy(d, p, 64, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(p, d, 64, cudaMemcpyHostToDevice));
    TRY(cudaMemset(p, 0, 64));
    TRY(cudaMemset(host, 0, 64));
    TRY(cudaFreeHost(p));
    TRY(cudaFreeHost(p));
}

static void attributes_of(const char *name, const void *p)
{
    cudaPointerAttributes a = {};
    cudaError_t error = cudaPointerGetAttributes(&a, p);
    printf("  %s -> %d: type %d, device %d, device pointer %s, host pointer %s\n", name, error,
           a.type, a.device,
           a.devicePointer == p ? "same"
           : a.devicePointer    ? "other"
                                : "null",
           a.hostPointer == p ? "same"
           : a.hostPointer    ? "other"
                              : "null");
}

static void pointers()
{
    int *d, *m, *h;
    cudaMalloc(&d, 64);
    cudaMallocManaged(&m, 64);
    cudaMallocHost(&h, 64);
    attributes_of("device", d + 1);
    attributes_of("managed", m + 1);
    attributes_of("page-locked", h + 1);
    attributes_of("plain", host);
    cudaFree(d);
    TRY(cudaPointerGetAttributes(nullptr, d));
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0},
                    host_place = {cudaMemLocationTypeHost, 0},
                    nowhere = {cudaMemLocationTypeDevice, 99};
    TRY(cudaMemPrefetchAsync(m, 64, here, 0, 0));
    TRY(cudaMemPrefetchAsync(m, 64, host_place, 0, 0));
    TRY(cudaMemPrefetchAsync(m, 64, nowhere, 0, 0));
    TRY(cudaMemPrefetchAsync(m, 0, here, 0, 0));
    TRY(cudaMemPrefetchAsync(m, 64, here, 1, 0));
    TRY(cudaMemAdvise(m, 64, cudaMemAdviseSetReadMostly, here));
    TRY(cudaMemAdvise(m, 64, (cudaMemoryAdvise)99, here));
    TRY(cudaMemAdvise(m, 64, cudaMemAdviseSetPreferredLocation, nowhere));
    TRY(cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, here));
    TRY(cudaMemcpyPeer(m, 0, m + 1, 0, 4));
    TRY(cudaMemcpyPeer(m, 0, m + 1, 99, 4));
}

static void pools()
{
    cudaMemPool_t pool;
    cudaStream_t s;
    int *p, reuse = -1;
    uint64_t value = 77;
    cudaStreamCreate(&s);
    TRY(cudaDeviceGetDefaultMemPool(&pool, 0));
    TRY(cudaDeviceGetDefaultMemPool(&pool, 99));
    TRY(cudaDeviceGetDefaultMemPool(nullptr, 0));
    cudaDeviceGetDefaultMemPool(&pool, 0);
    TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    printf("  %llu\n", (unsigned long long)value);
    TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    printf("  %d\n", reuse);
    TRY(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value));
    TRY(cudaMallocAsync((void **)nullptr, 64, s));
    TRY(cudaMallocAsync(&p, 0, s));
    TRY(cudaMallocAsync(&p, 64, s));
    TRY(cudaFreeAsync(nullptr, s));
    TRY(cudaFreeAsync(p, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMalloc(&p, 64));
    TRY(cudaFreeAsync(p, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaMallocAsync(&p, 64, s));
    TRY(cudaFree(p));
    TRY(cudaMemPoolDestroy(pool));
    TRY(cudaMemPoolTrimTo(pool, 0));
}

static void limits()
{
    size_t value;
    for (int i = 0; i < 6; i++) {
        value = 0;
        cudaError_t error = cudaDeviceGetLimit(&value, (cudaLimit)i);
        printf("  limit %d -> %d %zu\n", i, error, value);
    }
    cudaGetLastError();
    TRY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    TRY(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
    cudaDeviceGetLimit(&value, cudaLimitStackSize);
    printf("  stack %zu\n", value);
    TRY(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 30));
    TRY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1000));
    cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize);
    printf("  heap %zu\n", value);
    TRY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1000));
    cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize);
    printf("  printf %zu\n", value);
    TRY(cudaDeviceSetLimit((cudaLimit)99, 1000));
}

static void peers()
{
    int can;
    TRY(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("  %d\n", can);
    TRY(cudaDeviceCanAccessPeer(&can, 0, 99));
    TRY(cudaDeviceCanAccessPeer(nullptr, 0, 0));
    TRY(cudaDeviceEnablePeerAccess(0, 0));
    TRY(cudaDeviceEnablePeerAccess(99, 0));
    TRY(cudaDeviceEnablePeerAccess(0, 1));
    TRY(cudaDeviceDisablePeerAccess(0));
    TRY(cudaDeviceDisablePeerAccess(99));
    char id[20];
    TRY(cudaDeviceGetPCIBusId(id, 5, 0));
    TRY(cudaDeviceGetPCIBusId(id, 20, 99));
    TRY(cudaDeviceGetPCIBusId(nullptr, 20, 0));
    TRY(cudaDeviceGetByPCIBusId(&can, "nonsense"));
    TRY(cudaDeviceGetByPCIBusId(nullptr, "0000:00:00.0"));
}

static void CUDART_CB nothing(void *)
{
}

static void CUDART_CB called(cudaStream_t, cudaError_t, void *)
{
}

static void streams()
{
    cudaStream_t s;
    cudaStreamAttrValue v = {};
    int priority, device;
    TRY(cudaStreamCreateWithPriority(&s, 0, -99));
    TRY(cudaStreamGetPriority(s, &priority));
    printf("  %d\n", priority);
    TRY(cudaStreamGetDevice(s, &device));
    TRY(cudaLaunchHostFunc(s, nothing, nullptr));
    TRY(cudaLaunchHostFunc(s, nullptr, nullptr));
    TRY(cudaStreamAddCallback(s, called, nullptr, 0));
    TRY(cudaStreamAddCallback(s, called, nullptr, 1));
    TRY(cudaStreamAddCallback(s, nullptr, nullptr, 0));
    TRY(cudaStreamGetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &v));
    TRY(cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &v));
    TRY(cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &v));
    TRY(cudaStreamSynchronize(s));
}

static void cooperative()
{
    int *p = nullptr;
    void *args[] = {&p};
    cudaMalloc(&p, 4096);
    TRY(cudaLaunchCooperativeKernel((void *)fine, dim3(1), dim3(64), args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)fine, dim3(1 << 20), dim3(64), args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)fine, dim3(1), dim3(2000), args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)fine, dim3(0), dim3(32), args, 0, 0));
    TRY(cudaLaunchCooperativeKernel((void *)host, dim3(1), dim3(32), args, 0, 0));
    TRY(cudaDeviceSynchronize());
}

static void textures()
{
    cudaTextureObject_t t = 0;
    cudaSurfaceObject_t s = 0;
    cudaArray_t a, b;
    int *p;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>();
    cudaMallocArray(&a, &f, 8, 8);
    cudaMallocArray(&b, &i, 8, 8, cudaArraySurfaceLoadStore);
    cudaMalloc(&p, 4096);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    TRY(cudaDestroyTextureObject(t));
    TRY(cudaDestroyTextureObject(0));
    TRY(cudaCreateTextureObject(nullptr, &r, &d, nullptr));
    TRY(cudaCreateTextureObject(&t, nullptr, &d, nullptr));
    TRY(cudaCreateTextureObject(&t, &r, nullptr, nullptr));
    d.readMode = cudaReadModeNormalizedFloat;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeElementType;
    d.filterMode = cudaFilterModeLinear;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.array.array = b;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeNormalizedFloat;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.array.array = nullptr;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 4096;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = (char *)p + 4;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = nullptr;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = f;
    r.res.pitch2D.width = 8;
    r.res.pitch2D.height = 8;
    r.res.pitch2D.pitchInBytes = 64;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.pitchInBytes = 36;
    TRY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = b;
    TRY(cudaCreateSurfaceObject(&s, &r));
    TRY(cudaDestroySurfaceObject(s));
    TRY(cudaDestroySurfaceObject(0));
    r.res.array.array = a;
    TRY(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = nullptr;
    TRY(cudaCreateSurfaceObject(&s, &r));
    TRY(cudaCreateSurfaceObject(nullptr, &r));
}

static void captures()
{
    cudaStream_t s, other;
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    cudaStreamCaptureStatus status;
    int *p;
    cudaMalloc(&p, 4096);
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    TRY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    TRY(cudaStreamEndCapture(s, &g));
    TRY(cudaStreamIsCapturing(s, &status));
    printf("  %d\n", status);
    TRY(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    TRY(cudaStreamIsCapturing(s, &status));
    printf("  %d\n", status);
    TRY(cudaMemsetAsync(p, 0, 64, s));
    TRY(cudaStreamEndCapture(other, &g));
    TRY(cudaStreamEndCapture(s, &g));
    printf("  %d\n", g != nullptr);
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphLaunch(e, s));
    TRY(cudaGraphLaunch(nullptr, s));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaGraphExecDestroy(e));
    TRY(cudaGraphDestroy(g));
    TRY(cudaGraphDestroy(nullptr));
    TRY(cudaGraphCreate(&g, 1));
    TRY(cudaGraphCreate(nullptr, 0));
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    TRY(cudaStreamSynchronize(s));
    TRY(cudaStreamIsCapturing(s, &status));
    printf("  %d\n", status);
    TRY(cudaMemsetAsync(p, 0, 64, s));
    TRY(cudaStreamEndCapture(s, &g));
    printf("  %d\n", g == nullptr);
    cudaEvent_t event;
    cudaEventCreate(&event);
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    TRY(cudaEventRecord(event, s));
    TRY(cudaStreamWaitEvent(other, event, 0));
    TRY(cudaMemsetAsync(p, 0, 64, other));
    TRY(cudaStreamEndCapture(other, &g));
    TRY(cudaStreamEndCapture(s, &g));
    printf("  %d\n", g == nullptr);
}

static void graphs()
{
    cudaGraph_t g;
    cudaGraphNode_t a, b, c;
    cudaGraphExec_t e;
    size_t n;
    cudaGraphNodeType type;
    cudaKernelNodeParams k = {};
    cudaMemsetParams m = {};
    int *p;
    cudaMalloc(&p, 4096);
    void *args[] = {&p};
    TRY(cudaGraphCreate(&g, 0));
    TRY(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    TRY(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
    TRY(cudaGraphAddEmptyNode(&b, nullptr, nullptr, 0));
    TRY(cudaGraphAddEmptyNode(&b, g, nullptr, 1));
    TRY(cudaGraphAddKernelNode(&b, g, &a, 1, &k));
    k.func = (void *)fine;
    k.gridDim = dim3(1);
    k.blockDim = dim3(32);
    k.kernelParams = args;
    TRY(cudaGraphAddKernelNode(&b, g, &a, 1, &k));
    m.dst = p;
    m.elementSize = 3;
    m.width = 8;
    m.height = 1;
    TRY(cudaGraphAddMemsetNode(&c, g, &a, 1, &m));
    m.elementSize = 4;
    TRY(cudaGraphAddMemsetNode(&c, g, &a, 1, &m));
    TRY(cudaGraphAddDependencies(g, &b, &c, nullptr, 1));
    TRY(cudaGraphAddDependencies(g, &b, &c, nullptr, 1));
    TRY(cudaGraphAddDependencies(g, &b, &b, nullptr, 1));
    TRY(cudaGraphGetNodes(g, nullptr, &n));
    printf("  %zu\n", n);
    TRY(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &n));
    printf("  %zu\n", n);
    TRY(cudaGraphGetRootNodes(g, nullptr, &n));
    printf("  %zu\n", n);
    TRY(cudaGraphNodeGetType(c, &type));
    printf("  %d\n", type);
    TRY(cudaGraphInstantiate(&e, g, 0));
    TRY(cudaGraphInstantiate(nullptr, g, 0));
    TRY(cudaGraphDestroyNode(b));
    TRY(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &n));
    printf("  %zu\n", n);
    TRY(cudaGraphAddDependencies(g, &a, &a, nullptr, 1));
    TRY(cudaGraphRemoveDependencies(g, &a, &c, nullptr, 1));
    TRY(cudaGraphRemoveDependencies(g, &a, &c, nullptr, 1));
    TRY(cudaGraphExecDestroy(e));
    TRY(cudaGraphExecDestroy(nullptr));
    TRY(cudaGraphDestroy(g));
}

int main()
{
    play("volumes", volumes);
    play("arrays", arrays);
    play("host memory", host_memory);
    play("pointers", pointers);
    play("pools", pools);
    play("limits", limits);
    play("peers", peers);
    play("streams", streams);
    play("cooperative launches", cooperative);
    play("textures", textures);
    play("captures", captures);
    play("graphs", graphs);
    return 0;
}
