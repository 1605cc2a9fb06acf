/* The runtime's answers about ranges of managed memory, and about batches of copies and prefetches.
 * Like in api_answers.cu, each scenario runs in its own process.
 *
 * api_ranges.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To
 * record it again: nvcc -o a api_ranges.cu && ./a >api_ranges.expected The emulator must answer the
 * same. */
#include <cstdio>
#include <cstring>

#include "tests/support/scenarios.cuh"

#define TRY(call) show(#call, call)

static const size_t PAGE = 4096;
static const cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0},
                             cpu = {cudaMemLocationTypeHost, 0},
                             node = {cudaMemLocationTypeHostNuma, 0};
static char *managed;

static void show(const char *call, cudaError_t error)
{
    printf("  %s -> %d %s\n", call, error, cudaGetErrorName(error));
    cudaGetLastError();
}

/* Prints all attributes of COUNT bytes at PTR. */
static void tell(const char *when, const void *ptr, size_t count)
{
    printf("  %s:", when);
    for (int attribute = 1; attribute <= 8; attribute++) {
        int value[2] = {77, 77};
        cudaError_t error =
            cudaMemRangeGetAttribute(value, attribute == 3 ? sizeof value : sizeof *value,
                                     (cudaMemRangeAttribute)attribute, ptr, count);
        if (error != cudaSuccess)
            printf(" error %d", error);
        else if (attribute == 3)
            printf(" (%d %d)", value[0], value[1]);
        else
            printf(" %d", value[0]);
        cudaGetLastError();
    }
    printf("\n");
}

static void ranges()
{
    int value = 0, many[3];
    int *device;
    cudaMallocManaged(&managed, 64 * PAGE);
    cudaMalloc(&device, 64);
    TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 64 * PAGE));
    TRY(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, managed, 64));
    TRY(cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly, managed, 64));
    TRY(cudaMemRangeGetAttribute(&value, 0, cudaMemRangeAttributeReadMostly, managed, 64));
    TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, nullptr, 64));
    TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 0));
    TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, device, 64));
    TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 65 * PAGE));
    TRY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed + 10, 20));
    TRY(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)0, managed, 64));
    TRY(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)9, managed, 64));
    TRY(cudaMemRangeGetAttribute(many, 0, cudaMemRangeAttributeAccessedBy, managed, 64));
    TRY(cudaMemRangeGetAttribute(many, 6, cudaMemRangeAttributeAccessedBy, managed, 64));
    TRY(cudaMemRangeGetAttribute(many, 12, cudaMemRangeAttributeAccessedBy, managed, 64));
    printf("  %d %d %d\n", many[0], many[1], many[2]);
    void *data[] = {&value, many};
    size_t sizes[] = {4, 12}, wrong[] = {4, 7};
    cudaMemRangeAttribute wanted[] = {cudaMemRangeAttributeReadMostly,
                                      cudaMemRangeAttributeAccessedBy},
                          unknown[] = {cudaMemRangeAttributeReadMostly, (cudaMemRangeAttribute)9};
    TRY(cudaMemRangeGetAttributes(data, sizes, wanted, 2, managed, 64));
    TRY(cudaMemRangeGetAttributes(data, sizes, wanted, 0, managed, 64));
    TRY(cudaMemRangeGetAttributes(nullptr, sizes, wanted, 2, managed, 64));
    TRY(cudaMemRangeGetAttributes(data, nullptr, wanted, 2, managed, 64));
    TRY(cudaMemRangeGetAttributes(data, sizes, nullptr, 2, managed, 64));
    TRY(cudaMemRangeGetAttributes(data, wrong, wanted, 2, managed, 64));
    TRY(cudaMemRangeGetAttributes(data, sizes, unknown, 2, managed, 64));
    TRY(cudaMemRangeGetAttributes(data, sizes, wanted, 2, device, 64));
    TRY(cudaMemRangeGetAttributes(data, sizes, wanted, 2, managed, 0));
    TRY(cudaMemAdvise(managed, 64 * PAGE, cudaMemAdviseSetReadMostly, gpu));
    TRY(cudaMemRangeGetAttributes(data, sizes, wanted, 2, managed, 64));
    printf("  %d %d\n", value, many[0]);
}

static void advice()
{
    cudaMallocManaged(&managed, 64 * PAGE);
    tell("at first", managed, 64 * PAGE);
    TRY(cudaMemAdvise(managed, 32 * PAGE, cudaMemAdviseSetReadMostly, gpu));
    tell("half is read-mostly: all", managed, 64 * PAGE);
    tell("that half", managed, 32 * PAGE);
    tell("one byte of it", managed + 32 * PAGE - 1, 1);
    tell("one byte behind it", managed + 32 * PAGE, 1);
    TRY(cudaMemAdvise(managed + 8 * PAGE, PAGE, cudaMemAdviseUnsetReadMostly, gpu));
    tell("less a page", managed, 32 * PAGE);
    tell("before that page", managed, 8 * PAGE);
    TRY(cudaMemAdvise(managed + 40 * PAGE + 5, 10, cudaMemAdviseSetPreferredLocation, gpu));
    tell("a page prefers the GPU", managed + 40 * PAGE, PAGE);
    tell("and the next one", managed + 40 * PAGE, 2 * PAGE);
    TRY(cudaMemAdvise(managed, 64 * PAGE, cudaMemAdviseSetPreferredLocation, cpu));
    tell("all prefer the host", managed, 64 * PAGE);
    TRY(cudaMemAdvise(managed, 64 * PAGE, cudaMemAdviseSetPreferredLocation, node));
    tell("all prefer a node", managed, 64 * PAGE);
    TRY(cudaMemAdvise(managed, 16 * PAGE, cudaMemAdviseUnsetPreferredLocation, gpu));
    tell("no longer", managed, 16 * PAGE);
    TRY(cudaMemAdvise(managed, 64 * PAGE, cudaMemAdviseSetAccessedBy, gpu));
    tell("accessed by the GPU", managed, 64 * PAGE);
    TRY(cudaMemAdvise(managed, 64 * PAGE, cudaMemAdviseSetAccessedBy, cpu));
    tell("and by the host", managed, 64 * PAGE);
    TRY(cudaMemAdvise(managed, 64 * PAGE, cudaMemAdviseUnsetAccessedBy, gpu));
    tell("by the host alone", managed, 64 * PAGE);
    TRY(cudaMemPrefetchAsync(managed, 32 * PAGE, gpu, 0, 0));
    tell("half prefetched: all", managed, 64 * PAGE);
    tell("that half", managed, 32 * PAGE);
    TRY(cudaMemPrefetchAsync(managed, 64 * PAGE, cpu, 0, 0));
    tell("all prefetched to the host", managed, 64 * PAGE);
    TRY(cudaMemPrefetchAsync(managed, 64 * PAGE, node, 0, 0));
    tell("to a node", managed, 64 * PAGE);
    TRY(cudaFree(managed));
    TRY(cudaMallocManaged(&managed, 64 * PAGE));
    tell("in new memory", managed, 64 * PAGE);
}

static void batches()
{
    static int host[64];
    int *device;
    cudaStream_t s;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&device, 256);
    cudaStreamCreate(&s);
    void *to[] = {device, device + 8, nullptr};
    const void *from[] = {host, host + 20, nullptr};
    size_t sizes[] = {16, 32, 0}, zero[] = {16, 0}, first[] = {0, 1}, wrong[] = {1, 2},
           twice[] = {0, 0}, far[] = {0, 2};
    cudaMemcpyAttributes a[2];
    memset(a, 0, sizeof a);
    a[0].srcAccessOrder = a[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 2, s));
    TRY(cudaStreamSynchronize(s));
    int got[16] = {};
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDefault);
    printf("  %d %d %d\n", got[3], got[8], got[15]);
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, 0));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, cudaStreamPerThread));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 0, a, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 0, a, first, 0, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 0, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 1, a, first, 2, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, wrong, 2, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, twice, 2, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, far, 2, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, nullptr, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, nullptr, 1, s));
    TRY(cudaMemcpyBatchAsync(nullptr, from, sizes, 2, a, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, nullptr, sizes, 2, a, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, from, nullptr, 2, a, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, from, zero, 2, a, first, 1, s));
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 3, a, first, 1, s));
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    a[0].srcAccessOrder = (cudaMemcpySrcAccessOrder)4;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    a[0].flags = cudaMemcpyFlagPreferOverlapWithCompute;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    a[0].flags = 8;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    a[0].flags = 0;
    to[1] = (char *)device + 250;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    to[1] = device + 8;
    TRY(cudaMemcpyBatchAsync(to, from, sizes, 2, a, first, 1, s));
    cudaGraph_t g;
    TRY(cudaStreamEndCapture(s, &g));
}

static void boxes()
{
    static int host[64];
    int *device;
    cudaStream_t s;
    cudaArray_t array;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&device, 256);
    cudaMallocArray(&array, &f, 8, 8);
    cudaStreamCreate(&s);
    cudaMemcpy3DBatchOp op[2];
    memset(op, 0, sizeof op);
    op[0].src.type = cudaMemcpyOperandTypePointer;
    op[0].src.op.ptr.ptr = host;
    op[0].src.op.ptr.rowLength = 8 * 4;
    op[0].src.op.ptr.layerHeight = 8;
    op[0].dst.type = cudaMemcpyOperandTypePointer;
    op[0].dst.op.ptr.ptr = device;
    op[0].extent = make_cudaExtent(16, 4, 1);
    op[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    op[1] = op[0];
    op[1].dst.type = cudaMemcpyOperandTypeArray;
    memset(&op[1].dst.op, 0, sizeof op[1].dst.op);
    op[1].dst.op.array.array = array;
    op[1].dst.op.array.offset.x = 1;
    op[1].dst.op.array.offset.y = 2;
    op[1].src.op.ptr.rowLength = 8;
    op[1].extent = make_cudaExtent(4, 4, 1);
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    TRY(cudaMemcpy3DBatchAsync(1, op + 1, 0, s));
    TRY(cudaMemcpy3DBatchAsync(2, op, 0, s));
    TRY(cudaStreamSynchronize(s));
    int got[16] = {}, from_array[4] = {};
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDefault);
    cudaMemcpy2DFromArray(from_array, 16, array, 4, 3, 16, 1, cudaMemcpyDeviceToHost);
    printf("  %d %d %d, %d %d\n", got[3], got[4], got[15], from_array[0], from_array[3]);
    TRY(cudaMemcpy3DBatchAsync(1, op, 1, s));
    TRY(cudaMemcpy3DBatchAsync(0, op, 0, s));
    TRY(cudaMemcpy3DBatchAsync(1, nullptr, 0, s));
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, 0));
    op[0].extent = make_cudaExtent(16, 0, 1);
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    op[0].extent = make_cudaExtent(16, 4, 1);
    op[0].src.op.ptr.rowLength = 12;
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    op[0].src.op.ptr.rowLength = 32;
    op[0].src.op.ptr.layerHeight = 2;
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    op[0].src.op.ptr.layerHeight = 0;
    op[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    op[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    op[0].src.type = (cudaMemcpy3DOperandType)0;
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    op[0].src.type = cudaMemcpyOperandTypePointer;
    op[0].src.op.ptr.ptr = nullptr;
    TRY(cudaMemcpy3DBatchAsync(1, op, 0, s));
    op[1].dst.op.array.offset.x = 5;
    TRY(cudaMemcpy3DBatchAsync(1, op + 1, 0, s));
}

static void prefetches()
{
    cudaStream_t s;
    int *device;
    cudaMallocManaged(&managed, 64 * PAGE);
    cudaMalloc(&device, 64);
    cudaStreamCreate(&s);
    void *ptrs[] = {managed, managed + 8 * PAGE}, *wrong[] = {managed, device};
    size_t sizes[] = {4 * PAGE, 4 * PAGE}, first[] = {0, 1}, bad[] = {1};
    cudaMemLocation at[] = {gpu, cpu}, strange[] = {{cudaMemLocationTypeDevice, 9}};
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, at, first, 2, 0, s));
    tell("the first", managed, 4 * PAGE);
    tell("the second", managed + 8 * PAGE, 4 * PAGE);
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, at, first, 1, 0, s));
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, at, first, 1, 1, s));
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, at, first, 1, 0, 0));
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 0, at, first, 0, 0, s));
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, at, bad, 1, 0, s));
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, at, first, 0, 0, s));
    TRY(cudaMemPrefetchBatchAsync(wrong, sizes, 2, at, first, 1, 0, s));
    TRY(cudaMemPrefetchBatchAsync(ptrs, sizes, 2, strange, first, 1, 0, s));
    TRY(cudaMemPrefetchBatchAsync(nullptr, sizes, 2, at, first, 1, 0, s));
    TRY(cudaMemDiscardBatchAsync(ptrs, sizes, 2, 0, s));
    tell("discarded", managed, 4 * PAGE);
    TRY(cudaMemDiscardBatchAsync(ptrs, sizes, 2, 1, s));
    TRY(cudaMemDiscardBatchAsync(ptrs, sizes, 2, 0, 0));
    TRY(cudaMemDiscardBatchAsync(ptrs, sizes, 0, 0, s));
    TRY(cudaMemDiscardBatchAsync(wrong, sizes, 2, 0, s));
    TRY(cudaMemDiscardBatchAsync(nullptr, sizes, 2, 0, s));
    TRY(cudaMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 2, at + 1, first, 1, 0, s));
    tell("discarded for the host", managed, 4 * PAGE);
    TRY(cudaMemDiscardAndPrefetchBatchAsync(ptrs, sizes, 2, at, bad, 1, 0, s));
    TRY(cudaMemDiscardAndPrefetchBatchAsync(wrong, sizes, 2, at, first, 1, 0, s));
}

static void pools()
{
    cudaMemPool_t pool, own, other;
    cudaMemLocation at = gpu, far = {cudaMemLocationTypeDevice, 9},
                    none = {cudaMemLocationTypeInvalid, 0};
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location = gpu;
    cudaDeviceGetDefaultMemPool(&own, 0);
    TRY(cudaMemGetDefaultMemPool(&pool, &at, cudaMemAllocationTypePinned));
    printf("  %d\n", pool == own);
    TRY(cudaMemGetDefaultMemPool(nullptr, &at, cudaMemAllocationTypePinned));
    TRY(cudaMemGetDefaultMemPool(&pool, nullptr, cudaMemAllocationTypePinned));
    TRY(cudaMemGetDefaultMemPool(&pool, &far, cudaMemAllocationTypePinned));
    TRY(cudaMemGetDefaultMemPool(&pool, &none, cudaMemAllocationTypePinned));
    TRY(cudaMemGetDefaultMemPool(&pool, &at, cudaMemAllocationTypeInvalid));
    TRY(cudaMemPoolCreate(&other, &props));
    TRY(cudaMemSetMemPool(&at, cudaMemAllocationTypePinned, other));
    TRY(cudaMemGetMemPool(&pool, &at, cudaMemAllocationTypePinned));
    printf("  %d\n", pool == other);
    TRY(cudaDeviceGetMemPool(&pool, 0));
    printf("  %d\n", pool == other);
    TRY(cudaMemSetMemPool(&at, cudaMemAllocationTypePinned, nullptr));
    TRY(cudaMemSetMemPool(nullptr, cudaMemAllocationTypePinned, other));
    TRY(cudaMemSetMemPool(&far, cudaMemAllocationTypePinned, other));
    TRY(cudaMemGetMemPool(nullptr, &at, cudaMemAllocationTypePinned));
    TRY(cudaMemGetMemPool(&pool, &far, cudaMemAllocationTypePinned));
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    play("ranges", ranges);
    play("advice", advice);
    play("batches", batches);
    play("boxes", boxes);
    play("prefetches", prefetches);
    play("pools", pools);
    return 0;
}
