/* Copies of boxes of tensors. The host computes what each copy must do, element by element; the
 * expected bits of numbers that are rounded, flushed or not a number are those of an NVIDIA H100.
 *
 *     nvcc -arch=sm_90a -O3 -Ishared -Igrader grader/tests/gpu/execute/tensor_maps.cu
 */
#include "tests/support/check.cuh"
#include "tests/support/tensor.cuh"

#include <cstring>
#include <vector>

#define ROOM  (1 << 16) /* bytes of the tensors' memory, and of boxes in shared memory */
#define UNSET 0xcc      /* bytes of shared memory to which nothing was copied */

typedef std::vector<uint8_t> bytes;

static uint8_t *tensor, *other; /* ROOM bytes each, in managed memory */
static encode_function *encode;
static replace_function *replace_address;

struct spec {
    const char *name;
    int type, dims;
    unsigned size[5], gap; /* bytes after each row */
    unsigned box[5], step[5];
    int swizzle, fill;
    point at;
};

static int type_bytes(int type)
{
    static const int bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

static unsigned step_of(const spec &s, int i)
{
    return i && s.step[i] ? s.step[i] : 1;
}

static unsigned count_of(const spec &s, int i)
{
    return i < s.dims ? (s.box[i] + step_of(s, i) - 1) / step_of(s, i) : 1;
}

/* Returns the stride of dimension I in bytes. Rows begin at multiples of 16. */
static uint64_t stride_of(const spec &s, int i)
{
    uint64_t stride = type_bytes(s.type);
    for (int k = 0; k < i; k++)
        stride = k ? stride * s.size[k] : (s.size[0] * stride + s.gap + 15) / 16 * 16;
    return stride;
}

static unsigned pitch_of(const spec &s)
{
    return s.swizzle ? 16u << s.swizzle : s.box[0] * type_bytes(s.type);
}

static unsigned rows_of(const spec &s)
{
    return count_of(s, 1) * count_of(s, 2) * count_of(s, 3) * count_of(s, 4);
}

static CUtensorMap map_of(const spec &s, void *memory)
{
    CUtensorMap map;
    cuuint64_t size[5], stride[5];
    cuuint32_t box[5], step[5];
    for (int i = 0; i < s.dims; i++) {
        size[i] = s.size[i];
        stride[i] = stride_of(s, i + 1);
        box[i] = s.box[i];
        step[i] = step_of(s, i);
    }
    CUresult result = encode(&map, (CUtensorMapDataType)s.type, s.dims, memory, size, stride, box,
                             step, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)s.swizzle,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)s.fill);
    if (result != CUDA_SUCCESS) {
        printf("FAIL %s: the map was refused with %d\n", s.name, (int)result);
        exit(1);
    }
    return map;
}

static void fill_memory(uint8_t *memory, unsigned seed)
{
    for (unsigned i = 0; i < ROOM; i++)
        memory[i] = (uint8_t)((i + seed) * 2654435761u >> 13);
}

/* --- what a copy must do ---------------------------------------------------------------------- */

/* Calls VISIT for each element of the box, with its offset in the tensor's memory, its offset in
 * shared memory, and whether it is in the tensor. WHOLE: an element whose 16 bytes begin in the
 * tensor is in the tensor. */
template <typename Visit> static void each_element(const spec &s, bool whole, Visit visit)
{
    unsigned bytes = type_bytes(s.type);
    for (unsigned row = 0; row < rows_of(s); row++)
        for (unsigned x = 0; x < s.box[0]; x++) {
            long first = (long)s.at.c[0] * bytes + x * bytes, left = whole ? first & -16l : first;
            bool inside = left >= 0 && left < (long)s.size[0] * bytes;
            uint64_t from = first;
            unsigned rest = row, to = row * pitch_of(s) + x * bytes;
            for (int i = 1; i < s.dims; i++) {
                long c = s.at.c[i] + (long)(rest % count_of(s, i) * step_of(s, i));
                rest /= count_of(s, i);
                inside &= c >= 0 && c < (long)s.size[i];
                from += c * stride_of(s, i);
            }
            if (s.swizzle)
                to ^= (to >> 7 & ((1 << s.swizzle) - 1)) << 4;
            visit(from, to, inside);
        }
}

static bytes loaded(const spec &s)
{
    bytes want(rows_of(s) * pitch_of(s), UNSET);
    each_element(s, false, [&](uint64_t from, unsigned to, bool inside) {
        static const uint8_t nan[] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f}, zero[8] = {};
        const uint8_t *source = inside ? tensor + from : s.fill ? nan : zero;
        memcpy(&want[to], source, type_bytes(s.type));
    });
    return want;
}

/* --- loads ------------------------------------------------------------------------------------ */

/* Loads a box, and copies SPAN bytes of shared memory to OUT. */
template <int D>
static __device__ void load_box(const void *map, point at, unsigned brings, unsigned span,
                                uint8_t *out)
{
    extern __shared__ __align__(1024) uint8_t s[];
    __shared__ unsigned long long full;
    for (unsigned i = threadIdx.x; i < span; i += blockDim.x)
        s[i] = UNSET;
    if (threadIdx.x == 0)
        bulk_init(&full, 1);
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_announce(&full, brings);
        tensor_load<D>(map, s, at, &full);
    }
    bulk_wait(&full, 0);
    for (unsigned i = threadIdx.x; i < span; i += blockDim.x)
        out[i] = s[i];
}

template <int D>
__global__ void load(const __grid_constant__ CUtensorMap map, point at, unsigned brings,
                     unsigned span, uint8_t *out)
{
    load_box<D>(&map, at, brings, span, out);
}

__global__ void load_by_pointer(const void *map, point at, unsigned brings, unsigned span,
                                uint8_t *out)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    load_box<2>(map, at, brings, span, out);
}

__constant__ CUtensorMap constant_map;

__global__ void load_by_constant(point at, unsigned brings, unsigned span, uint8_t *out)
{
    asm volatile(
        "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&constant_map),
        "r"(at.c[0]), "r"(at.c[1])
        : "memory");
    load_box<2>(&constant_map, at, brings, span, out);
}

static unsigned brings(const spec &s)
{
    return rows_of(s) * s.box[0] * type_bytes(s.type);
}

static void check_bytes(const char *name, const bytes &want, const uint8_t *got)
{
    int wrong = 0;
    for (size_t i = 0; i < want.size(); i++)
        wrong += want[i] != got[i];
    expect(name, wrong, 0);
}

static void check_load(const spec &s)
{
    static void (*const kernels[])(CUtensorMap, point, unsigned, unsigned,
                                   uint8_t *) = {load<1>, load<2>, load<3>, load<4>, load<5>};
    bytes want = loaded(s);
    memset(other, 0, want.size());
    kernels[s.dims - 1]<<<1, 64, want.size()>>>(map_of(s, tensor), s.at, brings(s), want.size(),
                                                other);
    FINISH();
    check_bytes(s.name, want, other);
}

static const spec loads[] = {
    {"1 dimension", 4, 1, {100}, 0, {64}, {}, 0, 0, {{10}}},
    {"1 dimension, past the end", 3, 1, {101}, 0, {64}, {}, 0, 0, {{60}}},
    {"2 dimensions", 2, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{8, 5}}},
    {"3 dimensions", 1, 3, {24, 10, 9}, 8, {16, 3, 4}, {}, 0, 0, {{8, 2, 1}}},
    {"4 dimensions", 6, 4, {16, 5, 6, 7}, 0, {8, 2, 3, 2}, {}, 0, 0, {{8, 1, 2, 3}}},
    {"5 dimensions", 0, 5, {32, 3, 4, 5, 3}, 0, {16, 2, 2, 3, 2}, {}, 0, 0, {{16, 1, 1, 1, 1}}},
    {"5 dimensions, all edges",
     3,
     5,
     {5, 3, 4, 2, 3},
     0,
     {8, 4, 4, 3, 4},
     {},
     0,
     0,
     {{-4, -1, 2, -1, 1}}},
    {"rows with a gap", 2, 2, {37, 30}, 48, {16, 8}, {}, 0, 0, {{4, 5}}},
    {"before the beginning", 2, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{-8, -3}}},
    {"past both ends", 2, 2, {37, 30}, 0, {16, 8}, {}, 0, 0, {{32, 25}}},
    {"outside", 2, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{48, 31}}},
    {"far outside", 2, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{2147483644, -2147483647}}},
    {"a box larger than the tensor", 2, 2, {5, 3}, 0, {16, 8}, {}, 0, 0, {{0, 0}}},
    {"uint8", 0, 2, {83, 9}, 0, {32, 4}, {}, 0, 0, {{64, 7}}},
    {"uint16", 1, 2, {43, 9}, 0, {32, 4}, {}, 0, 0, {{16, 7}}},
    {"uint32", 2, 2, {21, 9}, 0, {32, 4}, {}, 0, 0, {{8, 7}}},
    {"int32", 3, 2, {21, 9}, 0, {32, 4}, {}, 0, 0, {{8, 7}}},
    {"uint64", 4, 2, {11, 9}, 0, {32, 4}, {}, 0, 0, {{6, 7}}},
    {"int64", 5, 2, {11, 9}, 0, {32, 4}, {}, 0, 0, {{6, 7}}},
    {"float16, NaN outside", 6, 2, {43, 9}, 0, {32, 4}, {}, 0, 1, {{16, 7}}},
    {"float32, NaN outside", 7, 2, {21, 9}, 0, {32, 4}, {}, 0, 1, {{8, 7}}},
    {"float64, NaN outside", 8, 2, {11, 9}, 0, {32, 4}, {}, 0, 1, {{6, 7}}},
    {"bfloat16, NaN outside", 9, 2, {43, 9}, 0, {32, 4}, {}, 0, 1, {{16, 7}}},
    {"float32_ftz, NaN outside", 10, 2, {21, 9}, 0, {32, 4}, {}, 0, 1, {{8, 7}}},
    {"float64, zeros outside", 8, 2, {11, 9}, 0, {32, 4}, {}, 0, 0, {{6, 7}}},
    {"swizzle 32 bytes", 2, 2, {40, 40}, 0, {8, 32}, {}, 1, 0, {{4, 1}}},
    {"swizzle 64 bytes", 2, 2, {40, 40}, 0, {16, 32}, {}, 2, 0, {{4, 1}}},
    {"swizzle 128 bytes", 2, 2, {40, 40}, 0, {32, 32}, {}, 3, 0, {{4, 1}}},
    {"swizzle 32 bytes, short rows", 2, 2, {40, 40}, 0, {4, 32}, {}, 1, 0, {{4, 1}}},
    {"swizzle 64 bytes, short rows", 2, 2, {40, 40}, 0, {4, 32}, {}, 2, 0, {{4, 1}}},
    {"swizzle 64 bytes, 48 of them", 2, 2, {40, 40}, 0, {12, 32}, {}, 2, 0, {{4, 1}}},
    {"swizzle 128 bytes, short rows", 2, 2, {40, 40}, 0, {8, 32}, {}, 3, 0, {{4, 1}}},
    {"swizzle 128 bytes, 3 dimensions", 1, 3, {64, 9, 9}, 0, {64, 4, 5}, {}, 3, 0, {{8, -1, 6}}},
    {"every 2nd row", 2, 2, {40, 30}, 0, {16, 8}, {1, 2}, 0, 0, {{8, 5}}},
    {"every 3rd row of 7", 2, 2, {8, 8}, 0, {8, 7}, {1, 3}, 0, 0, {{-4, -2}}},
    {"every 8th row, past the end", 2, 2, {40, 30}, 0, {16, 64}, {1, 8}, 0, 0, {{8, 1}}},
    {"steps in 3 dimensions", 1, 3, {24, 10, 9}, 0, {16, 5, 4}, {1, 2, 3}, 0, 0, {{8, 2, 1}}},
};

/* --- maps in other places --------------------------------------------------------------------- */

static void check_places()
{
    const spec s = {"", 2, 2, {37, 30}, 0, {16, 8}, {}, 0, 0, {{32, 25}}};
    bytes want = loaded(s);
    CUtensorMap map = map_of(s, tensor), *global;
    MUST(cudaMalloc(&global, sizeof map));
    MUST(cudaMemcpy(global, &map, sizeof map, cudaMemcpyHostToDevice));
    memset(other, 0, want.size());
    load_by_pointer<<<1, 64, want.size()>>>(global, s.at, brings(s), want.size(), other);
    FINISH();
    check_bytes("a map in global memory", want, other);
    MUST(cudaFree(global));

    MUST(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    memset(other, 0, want.size());
    load_by_constant<<<1, 64, want.size()>>>(s.at, brings(s), want.size(), other);
    FINISH();
    check_bytes("a map in constant memory", want, other);

    map = map_of(s, tensor + 4096);
    expect("another address", (int)replace_address(&map, tensor), (int)CUDA_SUCCESS);
    memset(other, 0, want.size());
    load<2><<<1, 64, want.size()>>>(map, s.at, brings(s), want.size(), other);
    FINISH();
    check_bytes("a map with another address", want, other);
}

/* --- loads to a cluster ----------------------------------------------------------------------- */

/* Block 0 loads a box to the BLOCKS of its cluster, and each block stores it. */
__global__ void spread(const __grid_constant__ CUtensorMap parameter, point at, unsigned span,
                       unsigned short blocks, uint8_t *out)
{
    const void *map = &parameter;
    extern __shared__ __align__(1024) uint8_t s[];
    __shared__ unsigned long long full;
    unsigned long long policy;
    void *to = s;
    unsigned long long *barrier = &full;
    for (unsigned i = threadIdx.x; i < span; i += blockDim.x)
        s[i] = UNSET;
    if (threadIdx.x == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, blocks >> blockIdx.x & 1 ? span : 0);
    }
    tensor_fence();
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(policy));
    if (threadIdx.x == 0 && blockIdx.x == 0)
        TENSOR_LOAD(2, TENSOR_COMPLETES ".multicast::cluster.L2::cache_hint", ", %8, %9");
    bulk_wait(&full, 0);
    for (unsigned i = threadIdx.x; i < span; i += blockDim.x)
        out[blockIdx.x * span + i] = s[i];
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

static void check_cluster()
{
    const spec s = {"", 2, 2, {40, 40}, 0, {32, 32}, {}, 3, 0, {{16, 1}}};
    bytes want = loaded(s), nothing(want.size(), UNSET);
    unsigned short blocks = 13;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 4;
    config.blockDim = 64;
    config.dynamicSmemBytes = want.size();
    config.attrs = &attribute;
    config.numAttrs = 1;
    MUST(cudaLaunchKernelEx(&config, spread, map_of(s, tensor), s.at, (unsigned)want.size(), blocks,
                            other));
    FINISH();
    for (int block = 0; block < 4; block++)
        check_bytes(blocks >> block & 1 ? "a block that gets the box" : "a block that does not",
                    blocks >> block & 1 ? want : nothing, other + block * want.size());
}

/* --- stores ----------------------------------------------------------------------------------- */

template <int D>
__global__ void store(const __grid_constant__ CUtensorMap map, point at, unsigned span,
                      const uint8_t *in)
{
    extern __shared__ __align__(1024) uint8_t s[];
    for (unsigned i = threadIdx.x; i < span; i += blockDim.x)
        s[i] = in[i];
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store<D>(&map, s, at);
        tensor_stored();
    }
}

static void check_store(const spec &s)
{
    static void (*const kernels[])(CUtensorMap, point, unsigned, const uint8_t *) = {
        store<1>, store<2>, store<3>, store<4>, store<5>};
    bytes before(tensor, tensor + ROOM), want = before;
    unsigned span = rows_of(s) * pitch_of(s);
    fill_memory(other, 99);
    each_element(s, true, [&](uint64_t to, unsigned from, bool inside) {
        if (inside)
            memcpy(&want[to], other + from, type_bytes(s.type));
    });
    kernels[s.dims - 1]<<<1, 64, span>>>(map_of(s, tensor), s.at, span, other);
    FINISH();
    check_bytes(s.name, want, tensor);
    memcpy(tensor, before.data(), ROOM);
}

static const spec stores[] = {
    {"store, 1 dimension", 4, 1, {100}, 0, {64}, {}, 0, 0, {{10}}},
    {"store, 2 dimensions", 2, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{8, 5}}},
    {"store, 3 dimensions", 1, 3, {24, 10, 9}, 8, {16, 3, 4}, {}, 0, 0, {{8, 2, 1}}},
    {"store, 4 dimensions", 6, 4, {16, 5, 6, 7}, 0, {8, 2, 3, 2}, {}, 0, 0, {{8, 1, 2, 3}}},
    {"store, 5 dimensions",
     0,
     5,
     {32, 3, 4, 5, 3},
     0,
     {16, 2, 2, 3, 2},
     {},
     0,
     0,
     {{16, 1, 1, 1, 1}}},
    {"store past both ends", 2, 2, {37, 30}, 48, {16, 8}, {}, 0, 0, {{32, 25}}},
    {"store outside", 2, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{48, 31}}},
    {"store past the end of bytes", 0, 2, {37, 30}, 48, {64, 8}, {}, 0, 0, {{16, 25}}},
    {"store tf32, which is not rounded", 11, 2, {40, 30}, 0, {16, 8}, {}, 0, 0, {{8, 5}}},
    {"store, swizzle 32 bytes", 2, 2, {40, 40}, 0, {8, 32}, {}, 1, 0, {{4, 1}}},
    {"store, swizzle 64 bytes", 2, 2, {40, 40}, 0, {16, 32}, {}, 2, 0, {{4, 1}}},
    {"store, swizzle 128 bytes", 2, 2, {40, 40}, 0, {32, 32}, {}, 3, 0, {{4, 1}}},
    {"store, swizzle 128 bytes, short rows", 2, 2, {40, 40}, 0, {8, 32}, {}, 3, 0, {{4, 1}}},
    {"store every 2nd row", 2, 2, {40, 30}, 0, {16, 8}, {1, 2}, 0, 0, {{8, 5}}},
};

/* --- numbers ---------------------------------------------------------------------------------- */

enum { LOAD, ADD, MIN, MAX, INC, DEC, AND, OR, XOR };
static const char *const operations[] = {"load", "add", "min", "max", "inc",
                                         "dec",  "and", "or",  "xor"};

template <int OP>
__global__ void reduce(const __grid_constant__ CUtensorMap parameter, const uint8_t *in)
{
    const void *map = &parameter;
    __shared__ __align__(128) uint8_t from[64];
    point at = {};
    unsigned long long policy;
    from[threadIdx.x] = in[threadIdx.x];
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    tensor_fence();
    __syncthreads();
    if (threadIdx.x)
        return;
    if (OP == ADD)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".add.tile.bulk_group", "");
    if (OP == MIN)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".min.bulk_group", "");
    if (OP == MAX)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".max.bulk_group", "");
    if (OP == INC)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".inc.bulk_group", "");
    if (OP == DEC)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".dec.bulk_group", "");
    if (OP == AND)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".and.bulk_group", "");
    if (OP == OR)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".or.bulk_group", "");
    if (OP == XOR)
        TENSOR_STORE("cp.reduce.async.bulk", 1, ".xor.tile.bulk_group.L2::cache_hint", ", %8");
    tensor_stored();
}

/* One element A in global memory and B in shared memory, and the result of an H100. */
static const struct {
    int op, type;
    uint64_t a, b, want;
} numbers[] = {
    {LOAD, 7, 1, 0, 1},
    {LOAD, 10, 0x807fffff, 0, 0x807fffff},
    {LOAD, 10, 0xffc01234, 0, 0xffc01234},
    {LOAD, 11, 1, 0, 0},
    {LOAD, 11, 0x1fff, 0, 0x2000},
    {LOAD, 11, 0x807fffff, 0, 0x80800000},
    {LOAD, 11, 0x3f801000, 0, 0x3f800000},
    {LOAD, 11, 0x3f801001, 0, 0x3f802000},
    {LOAD, 11, 0x3f803000, 0, 0x3f804000},
    {LOAD, 11, 0x7f7fffff, 0, 0x7f800000},
    {LOAD, 11, 0x7f800001, 0, 0x7fffe000},
    {LOAD, 12, 0xffc01234, 0, 0x7fffe000},
    {LOAD, 12, 0x1fff, 0, 0x2000},
    {ADD, 2, 0xfffffffe, 3, 1},
    {ADD, 3, 3, 0xfffffffe, 1},
    {ADD, 4, 0xfffffffffffffffe, 0xfffffffffffffffb, 0xfffffffffffffff9},
    {ADD, 6, 0x4200, 0x4500, 0x4800},
    {ADD, 6, 1, 0x8000, 1},
    {ADD, 6, 0x7fff, 0x3c00, 0x7fff},
    {ADD, 9, 0x4040, 0x40a0, 0x4100},
    {ADD, 7, 0x40400000, 0x40a00000, 0x41000000},
    {ADD, 7, 1, 2, 3},
    {ADD, 7, 0x80000001, 0x7fc01234, 0x7fffffff},
    {ADD, 10, 1, 2, 0},
    {ADD, 11, 0x40400000, 0x40a00000, 0x41000000},
    {ADD, 8, 0x4008000000000000, 0x4014000000000000, 0x4020000000000000},
    {MIN, 2, 0xfffffffe, 3, 3},
    {MIN, 3, 0xfffffffe, 3, 0xfffffffe},
    {MIN, 4, 0xfffffffffffffffe, 3, 3},
    {MIN, 5, 0xfffffffffffffffe, 3, 0xfffffffffffffffe},
    {MIN, 6, 0xc000, 0x4200, 0xc000},
    {MIN, 6, 1, 0x8000, 0x8000},
    {MIN, 6, 0x7fff, 0x3c00, 0x3c00},
    {MIN, 9, 0x40a0, 0x4040, 0x4040},
    {MAX, 2, 0xfffffffe, 3, 0xfffffffe},
    {MAX, 3, 0xfffffffe, 3, 3},
    {MAX, 4, 5, 3, 5},
    {MAX, 5, 0xfffffffffffffffe, 3, 3},
    {MAX, 6, 0xc000, 0x4200, 0x4200},
    {MAX, 6, 0x7fff, 0x3c00, 0x3c00},
    {MAX, 9, 1, 0x8000, 1},
    {INC, 2, 3, 5, 4},
    {INC, 2, 5, 3, 0},
    {DEC, 2, 3, 5, 2},
    {DEC, 2, 0, 9, 9},
    {AND, 2, 0xfffffffe, 0xfffffffb, 0xfffffffa},
    {AND, 3, 5, 3, 1},
    {AND, 4, 0xfffffffffffffffe, 3, 2},
    {OR, 2, 5, 3, 7},
    {OR, 4, 0xfffffffffffffffe, 3, 0xffffffffffffffff},
    {XOR, 2, 5, 3, 6},
    {XOR, 3, 0xfffffffe, 3, 0xfffffffd},
    {XOR, 4, 5, 3, 6},
};

static void check_numbers()
{
    static void (*const kernels[])(CUtensorMap, const uint8_t *) = {
        nullptr,     reduce<ADD>, reduce<MIN>, reduce<MAX>, reduce<INC>,
        reduce<DEC>, reduce<AND>, reduce<OR>,  reduce<XOR>};
    for (const auto &row : numbers) {
        char name[80];
        int width = type_bytes(row.type);
        spec s = {name, row.type, 1, {(unsigned)(16 / width)}, 0, {(unsigned)(64 / width)}};
        uint64_t got = 0;
        memset(tensor, 0, 64);
        memset(other, 0, 64);
        /* the second element is used */
        memcpy(tensor + width, &row.a, width);
        memcpy(other + width, &row.b, width);
        if (row.op == LOAD)
            load<1><<<1, 64, 64>>>(map_of(s, tensor), s.at, 64, 64, other);
        else
            kernels[row.op]<<<1, 64>>>(map_of(s, tensor), other);
        FINISH();
        memcpy(&got, (row.op == LOAD ? other : tensor) + width, width);
        snprintf(name, sizeof name, "%s of type %d: %llx, %llx", operations[row.op], row.type,
                 (unsigned long long)row.a, (unsigned long long)row.b);
        expect(name, got, row.want);
    }
    /* a reduction, too, moves the last 16 bytes of a row as a whole */
    spec s = {"", 2, 1, {5}, 0, {16}};
    int right = 0;
    for (int i = 0; i < 16; i++)
        ((int *)tensor)[i] = i, ((int *)other)[i] = 100;
    reduce<ADD><<<1, 64>>>(map_of(s, tensor), other);
    FINISH();
    for (int i = 0; i < 16; i++)
        right += ((int *)tensor)[i] == i + (i < 8 ? 100 : 0);
    expect("a reduction past the end", right, 16);
}

int main()
{
    encode = driver_function<encode_function>("cuTensorMapEncodeTiled");
    replace_address = driver_function<replace_function>("cuTensorMapReplaceAddress");
    MUST(cudaMallocManaged(&tensor, ROOM));
    MUST(cudaMallocManaged(&other, ROOM));
    fill_memory(tensor, 1);
    for (const spec &s : loads)
        check_load(s);
    check_places();
    check_cluster();
    for (const spec &s : stores)
        check_store(s);
    check_numbers();
    MUST(cudaFree(tensor));
    MUST(cudaFree(other));
    return summary();
}
