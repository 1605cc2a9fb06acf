// A program that calls the runtime as if nvcc 12 had built it, and that is linked with libcudart.so.12.
// It declares the functions and structures that differ in CUDA 13's headers.
#include <stdint.h>
#include <string.h>

#include "tests/support/check.cuh"

#define AS(symbol)   __asm__(#symbol)
#define CHECK(holds) expect(#holds, (bool)(holds), true)

extern "C" {
cudaError_t properties_v2(void *properties, int device) AS(cudaGetDeviceProperties_v2);
cudaError_t properties_v1(void *properties, int device) AS(cudaGetDeviceProperties);
cudaError_t pointer_attributes(void *attributes, const void *ptr) AS(cudaPointerGetAttributes);
cudaError_t texture_resource(void *desc, cudaTextureObject_t texture)
    AS(cudaGetTextureObjectResourceDesc);
cudaError_t surface_resource(void *desc, cudaSurfaceObject_t surface)
    AS(cudaGetSurfaceObjectResourceDesc);
cudaError_t texture_view(void *desc, cudaTextureObject_t texture)
    AS(cudaGetTextureObjectResourceViewDesc);
cudaError_t create_texture(cudaTextureObject_t *texture, const void *resource,
                           const cudaTextureDesc *desc, const void *view)
    AS(cudaCreateTextureObject);
cudaError_t create_surface(cudaSurfaceObject_t *surface, const void *resource)
    AS(cudaCreateSurfaceObject);
cudaError_t advise(const void *ptr, size_t size, cudaMemoryAdvise advice, int device)
    AS(cudaMemAdvise);
cudaError_t advise_v2(const void *ptr, size_t size, cudaMemoryAdvise advice, cudaMemLocation at)
    AS(cudaMemAdvise_v2);
cudaError_t prefetch(const void *ptr, size_t size, int device, cudaStream_t stream)
    AS(cudaMemPrefetchAsync);
cudaError_t prefetch_own(const void *ptr, size_t size, int device, cudaStream_t stream)
    AS(cudaMemPrefetchAsync_ptsz);
cudaError_t add_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                      size_t count) AS(cudaGraphAddDependencies);
cudaError_t remove_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                         size_t count) AS(cudaGraphRemoveDependencies);
cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
    AS(cudaGraphGetEdges);
cudaError_t get_edges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                         cudaGraphEdgeData *data, size_t *count) AS(cudaGraphGetEdges_v2);
cudaError_t before(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
    AS(cudaGraphNodeGetDependencies);
cudaError_t behind(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
    AS(cudaGraphNodeGetDependentNodes);
cudaError_t add_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                     size_t count, cudaGraphNodeParams *params) AS(cudaGraphAddNode);
cudaError_t add_node_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends,
                        const cudaGraphEdgeData *data, size_t count, cudaGraphNodeParams *params)
    AS(cudaGraphAddNode_v2);
cudaError_t copy_batch(void **to, void **from, size_t *sizes, size_t count,
                       cudaMemcpyAttributes *attributes, size_t *first, size_t listed,
                       size_t *failed, cudaStream_t stream) AS(cudaMemcpyBatchAsync);
cudaError_t copy_boxes(size_t count, cudaMemcpy3DBatchOp *list, size_t *failed,
                       unsigned long long flags, cudaStream_t stream) AS(cudaMemcpy3DBatchAsync);
cudaError_t capture_v1(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id)
    AS(cudaStreamGetCaptureInfo);
cudaError_t capture_v2(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                       cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count)
    AS(cudaStreamGetCaptureInfo_v2);
cudaError_t set_capture(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned flags)
    AS(cudaStreamUpdateCaptureDependencies);
cudaError_t elapsed_v2(float *ms, cudaEvent_t start, cudaEvent_t end) AS(cudaEventElapsedTime_v2);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit);
}

__global__ void triple(int *values)
{
    values[threadIdx.x] *= 3;
}

// SIZE bytes that a call fills in, followed by bytes that it must not change.
template <size_t size> struct guarded {
    unsigned char bytes[size], behind[64];

    guarded()
    {
        memset(this, 0xa5, sizeof *this);
    }

    bool is_kept() const
    {
        for (unsigned char byte : behind)
            if (byte != 0xa5)
                return false;
        return true;
    }

    template <typename T> T at(size_t offset) const
    {
        T value;
        memcpy(&value, bytes + offset, sizeof value);
        return value;
    }
};

// Offsets of fields that cudaDeviceGetAttribute() also returns. For a 64-bit field, the
// offset of its low half.
static const struct {
    size_t at;
    cudaDeviceAttr attribute;
} fields[] = {
    {296, cudaDevAttrMaxSharedMemoryPerBlock},
    {308, cudaDevAttrWarpSize},
    {320, cudaDevAttrMaxThreadsPerBlock},
    {332, cudaDevAttrMaxBlockDimZ},
    {344, cudaDevAttrMaxGridDimZ},
    {348, cudaDevAttrClockRate},
    {352, cudaDevAttrTotalConstantMemory},
    {360, cudaDevAttrComputeCapabilityMajor},
    {376, cudaDevAttrTexturePitchAlignment},
    {384, cudaDevAttrGpuOverlap},
    {388, cudaDevAttrMultiProcessorCount},
    {392, cudaDevAttrKernelExecTimeout},
    {396, cudaDevAttrIntegrated},
    {400, cudaDevAttrCanMapHostMemory},
    {404, cudaDevAttrComputeMode},
    {408, cudaDevAttrMaxTexture1DWidth},
    {412, cudaDevAttrMaxTexture1DMipmappedWidth},
    {416, cudaDevAttrMaxTexture1DLinearWidth},
    {420, cudaDevAttrMaxTexture2DWidth},
    {444, cudaDevAttrMaxTexture2DLinearPitch},
    {564, cudaDevAttrMaxSurfaceCubemapLayeredLayers},
    {568, cudaDevAttrSurfaceAlignment},
    {576, cudaDevAttrConcurrentKernels},
    {604, cudaDevAttrUnifiedAddressing},
    {608, cudaDevAttrMemoryClockRate},
    {612, cudaDevAttrGlobalMemoryBusWidth},
    {636, cudaDevAttrLocalL1CacheSupported},
    {640, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {648, cudaDevAttrMaxRegistersPerMultiprocessor},
    {664, cudaDevAttrHostNativeAtomicSupported},
    {668, cudaDevAttrSingleToDoublePrecisionPerfRatio},
    {676, cudaDevAttrConcurrentManagedAccess},
    {688, cudaDevAttrCooperativeLaunch},
    {696, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {712, cudaDevAttrMaxBlocksPerMultiprocessor},
    {720, cudaDevAttrReservedSharedMemoryPerBlock},
};

template <size_t size> static void look_at(const guarded<size> &properties)
{
    CHECK(strcmp((const char *)properties.bytes, "Lanewise virtual GPU") == 0);
    for (const auto &field : fields) {
        int value;
        MUST(cudaDeviceGetAttribute(&value, field.attribute, 0));
        char name[40];
        snprintf(name, sizeof name, "%zu bytes have what is at %zu", size, field.at);
        expect(name, properties.template at<int>(field.at), value);
    }
    CHECK(properties.is_kept());
}

static void ask_for_properties()
{
    guarded<1032> now;
    MUST(properties_v2(&now, 0));
    look_at(now);
    CHECK(now.template at<int>(728) == 1 &&
          now.template at<int>(744) == 1); // page-locked memory is supported, and so are pools
    guarded<728> old;
    MUST(properties_v1(&old, 0));
    look_at(old);
    CHECK(properties_v2(&now, 1) == cudaErrorInvalidDevice);
    CHECK(properties_v2(NULL, 0) == cudaErrorInvalidValue);
    int version = 0, driver = 0;
    MUST(cudaRuntimeGetVersion(&version));
    MUST(cudaDriverGetVersion(&driver));
    CHECK(version / 1000 == 12 && driver >= version);
}

static void ask_for_pointer(int *values)
{
    guarded<24> attributes;
    MUST(pointer_attributes(&attributes, values));
    CHECK(attributes.at<int>(0) == cudaMemoryTypeDevice && attributes.at<void *>(8) == values);
    CHECK(attributes.is_kept());
}

// Descriptions of textures are shorter in CUDA 12. The bytes after them here are invalid.
static void use_objects()
{
    cudaArray_t array;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    MUST(cudaMallocArray(&array, &channels, 8, 8, cudaArraySurfaceLoadStore));
    guarded<64> resource, resource_again, resource_of_surface;
    memset(resource.bytes, 0, sizeof resource.bytes);
    memcpy(resource.bytes + 8, &array, sizeof array); // offset 8 follows the type, which is 0
    guarded<48> view, view_again;
    memset(view.bytes, 0, sizeof view.bytes);
    const size_t side = 8;
    memcpy(view.bytes + 8, &side, sizeof side); // offset 8 follows the format, which is 0
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    MUST(create_texture(&texture, &resource, &desc, &view));
    MUST(texture_resource(&resource_again, texture));
    CHECK(memcmp(&resource, &resource_again, sizeof resource) == 0);
    MUST(texture_view(&view_again, texture));
    CHECK(memcmp(&view, &view_again, sizeof view) == 0);
    MUST(create_surface(&surface, &resource));
    MUST(surface_resource(&resource_of_surface, surface));
    CHECK(memcmp(&resource, &resource_of_surface, sizeof resource) == 0);
    CHECK(create_texture(&texture, NULL, &desc, NULL) == cudaErrorInvalidValue);
    MUST(cudaDestroyTextureObject(texture));
    MUST(cudaDestroySurfaceObject(surface));
    MUST(cudaFreeArray(array));
}

static void advise_about_memory()
{
    int *shared;
    MUST(cudaMallocManaged(&shared, 4096));
    MUST(advise(shared, 4096, cudaMemAdviseSetPreferredLocation, 0));
    MUST(advise(shared, 4096, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
    CHECK(advise(shared, 4096, cudaMemAdviseSetAccessedBy, 5) == cudaErrorInvalidValue);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    MUST(advise_v2(shared, 4096, cudaMemAdviseSetPreferredLocation, here));
    MUST(prefetch(shared, 4096, 0, NULL));
    MUST(prefetch(shared, 4096, cudaCpuDeviceId, NULL));
    MUST(prefetch_own(shared, 4096, 0, NULL));
    CHECK(prefetch(shared, 4096, 5, NULL) == cudaErrorInvalidDevice);
    MUST(cudaFree(shared));
    cudaGetLastError();
}

static void draw_graph()
{
    cudaGraph_t graph;
    cudaGraphNode_t a, b, from, to;
    size_t count = 1;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
    MUST(cudaGraphAddEmptyNode(&b, graph, NULL, 0));
    MUST(add_edges(graph, &a, &b, 1));
    MUST(get_edges(graph, &from, &to, &count));
    CHECK(count == 1 && from == a && to == b);
    cudaGraphEdgeData data;
    MUST(get_edges_v2(graph, &from, &to, &data, &count));
    CHECK(count == 1);
    MUST(before(b, &from, &count));
    CHECK(count == 1 && from == a);
    MUST(behind(a, &to, &count));
    CHECK(count == 1 && to == b);
    MUST(remove_edges(graph, &a, &b, 1));
    MUST(get_edges(graph, NULL, NULL, &count));
    CHECK(count == 0);
    cudaGraphNodeParams empty = {cudaGraphNodeTypeEmpty};
    MUST(add_node(&from, graph, &a, 1, &empty));
    MUST(add_node_v2(&to, graph, &b, NULL, 1, &empty));
    MUST(get_edges(graph, NULL, NULL, &count));
    CHECK(count == 2);
    MUST(cudaGraphDestroy(graph));
}

static void copy_many(int *values)
{
    int numbers[8] = {1, 2, 3, 4}, results[4] = {};
    void *to[] = {values, values + 2}, *from[] = {numbers, numbers + 2};
    size_t sizes[] = {8, 8}, first = 0, failed = 7;
    cudaMemcpyAttributes attributes = {cudaMemcpySrcAccessOrderStream};
    cudaMemcpy3DBatchOp box;
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(copy_batch(to, from, sizes, 2, &attributes, &first, 1, &failed, stream));
    memset(&box, 0, sizeof box);
    box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
    box.src.op.ptr.ptr = values;
    box.dst.op.ptr.ptr = results;
    box.extent = make_cudaExtent(sizeof results, 1, 1);
    box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    MUST(copy_boxes(1, &box, &failed, 0, stream));
    MUST(cudaStreamSynchronize(stream));
    CHECK(results[0] == 1 && results[3] == 4);
    first = 1;
    CHECK(copy_batch(to, from, sizes, 2, &attributes, &first, 1, &failed, stream) ==
          cudaErrorInvalidValue);
    CHECK(failed == SIZE_MAX);
    cudaGetLastError();
    MUST(cudaStreamDestroy(stream));
}

// In CUDA 12, an invalid grid or block has another error.
static void launch_wrong(int *values)
{
    triple<<<1, 1025>>>(values);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    triple<<<1, dim3(1, 1, 65)>>>(values);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    triple<<<0, 1>>>(values);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    triple<<<dim3(1, 65536), 1>>>(values);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    triple<<<1, 1, 49153>>>(values);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

static void capture(int *values)
{
    cudaStream_t stream;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, same = 0;
    cudaGraph_t graph = NULL, captured = NULL;
    const cudaGraphNode_t *nodes;
    size_t count = 0;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    triple<<<1, 32, 0, stream>>>(values);
    MUST(capture_v1(stream, &status, &id));
    CHECK(status == cudaStreamCaptureStatusActive && id != 0);
    MUST(capture_v2(stream, &status, &same, &graph, &nodes, &count));
    CHECK(same == id && count == 1 && graph);
    MUST(set_capture(stream, NULL, 0, cudaStreamSetCaptureDependencies));
    MUST(capture_v2(stream, &status, NULL, NULL, NULL, &count));
    CHECK(count == 0);
    MUST(cudaStreamEndCapture(stream, &captured));
    CHECK(captured == graph);
    MUST(cudaGraphDestroy(captured));
    MUST(cudaStreamDestroy(stream));
}

static void launch(int *values)
{
    int ones[32], results[32];
    void *args[] = {&values};
    for (int &one : ones)
        one = 1;
    cudaEvent_t start, end;
    float ms = -1;
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&end));
    MUST(cudaMemcpy(values, ones, sizeof ones, cudaMemcpyHostToDevice));
    MUST(cudaEventRecord(start));
    triple<<<1, 32>>>(values);
    MUST(cudaLaunchKernel((const void *)triple, dim3(1), dim3(32), args, 0, NULL));
    MUST(cudaEventRecord(end));
    MUST(cudaThreadSynchronize());
    MUST(elapsed_v2(&ms, start, end));
    CHECK(ms > 0);
    MUST(cudaMemcpy(results, values, sizeof results, cudaMemcpyDeviceToHost));
    int right = 0;
    for (int result : results)
        right += result == 9;
    expect("values tripled twice", right, 32);
    size_t stack = 0;
    MUST(cudaThreadGetLimit(&stack, cudaLimitStackSize));
    CHECK(stack > 0);
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(end));
}

int main()
{
    int *values;
    MUST(cudaMalloc(&values, 32 * sizeof *values));
    ask_for_properties();
    ask_for_pointer(values);
    use_objects();
    advise_about_memory();
    draw_graph();
    capture(values);
    copy_many(values);
    launch(values);
    launch_wrong(values);
    MUST(cudaFree(values));
    return summary();
}
