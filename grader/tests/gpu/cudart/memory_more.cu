/* Less common uses of memory: pitched volumes, arrays, peers, page-locked memory that kernels
 * access, registered memory, stream-ordered allocation, attributes of pointers. */
#include "tests/support/check.cuh"

#include <cstdint>
#include <cstring>
#include <vector>

__global__ void add_everywhere(char *volume, size_t pitch, size_t slice, int width, int height,
                               int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x < width && y < height && z < depth)
        ((int *)(volume + z * slice + y * pitch))[x] += 1000;
}

__global__ void double_all(int *list, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        list[i] *= 2;
}

__device__ int cells[16];

__global__ void raise_cells()
{
    cells[threadIdx.x] += 7;
}

static void check_volumes()
{
    enum { W = 29, H = 5, D = 4 };
    int from[D][H][W], to[D][H][W], part[2][3][10], wrong = 0;
    for (int i = 0; i < W * H * D; i++)
        (&from[0][0][0])[i] = i;
    cudaPitchedPtr volume;
    cudaExtent extent = make_cudaExtent(W * sizeof(int), H, D);
    MUST(cudaMalloc3D(&volume, extent));
    expect("pitch of a volume", volume.pitch % 512, (size_t)0);
    expect("rows of a volume", volume.xsize == W * sizeof(int) && volume.ysize == H, true);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(from, sizeof from[0][0], W, H);
    copy.dstPtr = volume;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    add_everywhere<<<dim3(1, H, D), 32>>>((char *)volume.ptr, volume.pitch, volume.pitch * H, W, H,
                                          D);
    FINISH();
    copy = {};
    copy.srcPtr = volume;
    copy.dstPtr = make_cudaPitchedPtr(to, sizeof to[0][0], W, H);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3DAsync(&copy, 0));
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < W * H * D; i++)
        wrong += (&to[0][0][0])[i] != i + 1000;
    expect("a volume there and back", wrong, 0);
    copy = {};
    copy.srcPtr = volume;
    copy.srcPos = make_cudaPos(3 * sizeof(int), 1, 2);
    copy.dstPtr = make_cudaPitchedPtr(part, sizeof part[0][0], 10, 3);
    copy.extent = make_cudaExtent(10 * sizeof(int), 3, 2);
    copy.kind = cudaMemcpyDefault;
    MUST(cudaMemcpy3D(&copy));
    wrong = 0;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 10; x++)
                wrong += part[z][y][x] != 1000 + from[z + 2][y + 1][x + 3];
    expect("a part of a volume", wrong, 0);
    MUST(cudaMemset3D(volume, 0x11, make_cudaExtent(8, 2, D)));
    MUST(cudaMemset3DAsync(volume, 0x22, make_cudaExtent(4, 1, 1), 0));
    MUST(cudaMemcpy3D(&(copy = {}, copy.srcPtr = volume,
                        copy.dstPtr = make_cudaPitchedPtr(to, sizeof to[0][0], W, H),
                        copy.extent = extent, copy.kind = cudaMemcpyDeviceToHost, copy)));
    expect("a volume set: first", to[0][0][0], 0x22222222);
    expect("a volume set: next", to[0][0][1], 0x11111111);
    expect("a volume set: last", to[D - 1][1][1], 0x11111111);
    expect("a volume set: outside", to[D - 1][2][1], 1000 + from[D - 1][2][1]);
    MUST(cudaFree(volume.ptr));
}

static void check_arrays()
{
    enum { W = 13, H = 7, D = 3 };
    float from[H][W], to[H][W];
    int wrong = 0;
    for (int i = 0; i < W * H; i++)
        (&from[0][0])[i] = 0.5f * i;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(), got;
    cudaArray_t array, other;
    MUST(cudaMallocArray(&array, &desc, W, H));
    MUST(cudaMallocArray(&other, &desc, W, H));
    MUST(cudaMemcpy2DToArray(array, 0, 0, from, sizeof from[0], sizeof from[0], H,
                             cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, sizeof from[0], H,
                                  cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy2DFromArray(to, sizeof to[0], other, 0, 0, sizeof to[0], H,
                               cudaMemcpyDeviceToHost));
    expect("copies to, between and from arrays", memcmp(from, to, sizeof from), 0);
    MUST(cudaMemcpy2DFromArrayAsync(to, sizeof to[0], array, 2 * sizeof(float), 3,
                                    4 * sizeof(float), 2, cudaMemcpyDeviceToHost, 0));
    MUST(cudaStreamSynchronize(0));
    expect("a part of an array", to[1][3], from[4][5]);
    cudaExtent extent;
    unsigned flags;
    MUST(cudaArrayGetInfo(&got, &extent, &flags, array));
    expect("an array's size", extent.width == W && extent.height == H && extent.depth == 0, true);
    expect("an array's channels", got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindFloat,
           true);
    MUST(cudaFreeArray(array));
    MUST(cudaFreeArray(other));

    short4 box[D][H][W], back[D][H][W];
    for (int i = 0; i < W * H * D; i++)
        (&box[0][0][0])[i] = make_short4(i, -i, 2 * i, 3);
    desc = cudaCreateChannelDesc<short4>();
    MUST(cudaMalloc3DArray(&array, &desc, make_cudaExtent(W, H, D)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(box, sizeof box[0][0], W, H);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    memset(back, 0, sizeof back);
    copy = {};
    copy.srcArray = array;
    copy.srcPos = make_cudaPos(1, 2, 1);
    copy.dstPtr = make_cudaPitchedPtr(back, sizeof back[0][0], W, H);
    copy.extent = make_cudaExtent(W - 1, H - 2, D - 1);
    copy.kind = cudaMemcpyDeviceToHost;
    MUST(cudaMemcpy3D(&copy));
    for (int z = 0; z < D - 1; z++)
        for (int y = 0; y < H - 2; y++)
            for (int x = 0; x < W - 1; x++)
                wrong += memcmp(&back[z][y][x], &box[z + 1][y + 2][x + 1], sizeof(short4)) != 0;
    expect("a part of a 3-D array", wrong, 0);
    MUST(cudaFreeArray(array));
}

static void check_host_pointers()
{
    enum { N = 1000 };
    int *pinned, *seen, wrong = 0;
    MUST(cudaHostAlloc(&pinned, N * sizeof(int), cudaHostAllocMapped));
    MUST(cudaHostGetDevicePointer(&seen, pinned, 0));
    for (int i = 0; i < N; i++)
        pinned[i] = i;
    double_all<<<(N + 127) / 128, 128>>>(seen, N);
    FINISH();
    for (int i = 0; i < N; i++)
        wrong += pinned[i] != 2 * i;
    expect("a kernel writes page-locked memory", wrong, 0);
    MUST(cudaMemset(pinned, 0, 8));
    expect("a fill writes page-locked memory", pinned[1] + pinned[2], 4);
    MUST(cudaFreeHost(pinned));

    std::vector<int> list(N, 21);
    MUST(cudaHostRegister(list.data(), N * sizeof(int), cudaHostRegisterDefault));
    MUST(cudaHostGetDevicePointer(&seen, list.data(), 0));
    double_all<<<(N + 127) / 128, 128>>>(seen, N);
    FINISH();
    expect("a kernel writes registered memory", list[0] + list[N - 1], 84);
    MUST(cudaHostUnregister(list.data()));
    expect("no longer registered", cudaHostUnregister(list.data()),
           cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
    MUST(cudaHostRegister(list.data(), N * sizeof(int), cudaHostRegisterMapped));
    expect("memory registered twice", cudaHostRegister(list.data(), N * sizeof(int), 0),
           cudaErrorHostMemoryAlreadyRegistered);
    cudaGetLastError();
    MUST(cudaHostUnregister(list.data()));
}

/* Registered memory that has no whole page for itself. */
static void check_small_registered()
{
    int *parts[3], *list;
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&list, 3 * sizeof(int)));
    for (int i = 0; i < 3; i++) {
        parts[i] = (int *)malloc(sizeof(int));
        *parts[i] = i + 5;
        MUST(cudaHostRegister(parts[i], sizeof(int), 0));
    }
    for (int i = 0; i < 3; i++)
        MUST(cudaMemcpyAsync(list + i, parts[i], sizeof(int), cudaMemcpyHostToDevice, stream));
    MUST(cudaMemcpyAsync(parts[0], list + 2, sizeof(int), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    expect("small registered memory is copied", *parts[0], 7);
    for (int *part : parts) {
        MUST(cudaHostUnregister(part));
        free(part);
    }
    MUST(cudaFree(list));
    MUST(cudaStreamDestroy(stream));
}

static void check_attributes()
{
    int *device, *managed, *pinned, plain;
    cudaPointerAttributes a;
    MUST(cudaMalloc(&device, 100));
    MUST(cudaMallocManaged(&managed, 100));
    MUST(cudaMallocHost(&pinned, 100));
    MUST(cudaPointerGetAttributes(&a, device + 3));
    expect("a device pointer", a.type == cudaMemoryTypeDevice && a.devicePointer == device + 3,
           true);
    MUST(cudaPointerGetAttributes(&a, managed));
    expect("a managed pointer", a.type == cudaMemoryTypeManaged && a.hostPointer == managed, true);
    MUST(cudaPointerGetAttributes(&a, pinned + 1));
    expect("a page-locked pointer", a.type == cudaMemoryTypeHost && a.hostPointer == pinned + 1,
           true);
    MUST(cudaPointerGetAttributes(&a, &plain));
    expect("a pointer to ordinary host memory", a.type == cudaMemoryTypeUnregistered, true);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    MUST(cudaMemPrefetchAsync(managed, 100, here, 0, 0));
    MUST(cudaMemPrefetchAsync(managed, 100, host, 0, 0));
    MUST(cudaMemAdvise(managed, 100, cudaMemAdviseSetReadMostly, here));
    MUST(cudaMemAdvise(managed, 100, cudaMemAdviseSetPreferredLocation, host));
    MUST(cudaDeviceSynchronize());
    MUST(cudaFree(device));
    MUST(cudaFree(managed));
    MUST(cudaFreeHost(pinned));
}

/* Handles of memory and events for other processes. A process cannot open its own handles. */
static void check_handles()
{
    int *device, *pinned;
    void *opened;
    cudaEvent_t event, plain;
    cudaIpcMemHandle_t handle;
    cudaIpcEventHandle_t event_handle;
    MUST(cudaMalloc(&device, 100));
    MUST(cudaMallocHost(&pinned, 100));
    MUST(cudaIpcGetMemHandle(&handle, device + 5));
    expect("open a handle of own memory",
           cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorDeviceUninitialized);
    memset(&handle, 3, sizeof handle);
    expect("open a handle of nothing",
           cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess),
           cudaErrorInvalidValue);
    expect("close memory that was not opened", cudaIpcCloseMemHandle(device),
           cudaErrorInvalidValue);
    expect("a handle of host memory", cudaIpcGetMemHandle(&handle, pinned), cudaErrorInvalidValue);
    MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    MUST(cudaEventCreate(&plain));
    MUST(cudaIpcGetEventHandle(&event_handle, event));
    expect("open a handle of an own event", cudaIpcOpenEventHandle(&event, event_handle),
           cudaErrorDeviceUninitialized);
    expect("a handle of an ordinary event", cudaIpcGetEventHandle(&event_handle, plain),
           cudaErrorInvalidResourceHandle);
    expect("an event for others keeps no time",
           cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
    cudaGetLastError();
    MUST(cudaFree(device));
    MUST(cudaFreeHost(pinned));
}

/* The size of the L2 part for persisting accesses is rounded up to tenths of the cache. */
static void check_persisting_cache()
{
    int most;
    size_t size;
    MUST(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
    MUST(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1));
    MUST(cudaDeviceGetLimit(&size, cudaLimitPersistingL2CacheSize));
    expect("the least cache to set aside", size, (size_t)most / 10);
    expect("more cache than there is",
           cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most + 1),
           cudaErrorInvalidValue);
    cudaGetLastError();
}

static void check_pools()
{
    enum { N = 500 };
    int *list, *other, value = 0;
    cudaStream_t stream;
    cudaMemPool_t pool;
    uint64_t keep = UINT64_MAX, used = 0;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    keep = 0;
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    expect("the pool keeps its release threshold", keep, UINT64_MAX);
    MUST(cudaMallocAsync(&list, N * sizeof(int), stream));
    MUST(cudaMemsetAsync(list, 0, N * sizeof(int), stream));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    expect("memory of the pool is used", used >= N * sizeof(int), true);
    int three = 3;
    MUST(cudaMemcpyAsync(list + 5, &three, sizeof three, cudaMemcpyHostToDevice, stream));
    double_all<<<(N + 127) / 128, 128, 0, stream>>>(list, N);
    MUST(cudaMemcpyAsync(&value, list + 5, sizeof value, cudaMemcpyDeviceToHost, stream));
    MUST(cudaFreeAsync(list, stream));
    MUST(cudaStreamSynchronize(stream));
    expect("stream-ordered memory", value, 6);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    MUST(cudaMemPoolCreate(&pool, &props));
    MUST(cudaMallocFromPoolAsync(&other, 64, pool, stream));
    MUST(cudaMemsetAsync(other, 1, 64, stream));
    MUST(cudaFreeAsync(other, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemPoolTrimTo(pool, 0));
    MUST(cudaMemPoolDestroy(pool));
    MUST(cudaStreamDestroy(stream));
}

static void check_peers_and_symbols()
{
    int list[16], *device, *other;
    for (int i = 0; i < 16; i++)
        list[i] = i;
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&device, sizeof list));
    MUST(cudaMalloc(&other, sizeof list));
    MUST(cudaMemcpyToSymbolAsync(cells, list, sizeof list, 0, cudaMemcpyHostToDevice, stream));
    raise_cells<<<1, 16, 0, stream>>>();
    void *address;
    MUST(cudaGetSymbolAddress(&address, cells));
    MUST(cudaMemcpyPeer(device, 0, address, 0, sizeof list));
    MUST(cudaMemcpyPeerAsync(other, 0, device, 0, sizeof list, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(
        cudaMemcpyFromSymbolAsync(list, cells, 8 * sizeof(int), 0, cudaMemcpyDeviceToHost, stream));
    MUST(cudaMemcpyAsync(list + 8, other + 8, 8 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    expect("a symbol written in stream order", list[7], 14);
    expect("a copy between peers", list[15], 22);
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFree(device));
    MUST(cudaFree(other));
}

int main()
{
    check_volumes();
    check_arrays();
    check_host_pointers();
    check_small_registered();
    check_attributes();
    check_handles();
    check_persisting_cache();
    check_pools();
    check_peers_and_symbols();
    return summary();
}
