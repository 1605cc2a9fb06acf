/* Types and banks: a warp reads neighbouring elements of an array in shared memory, or one field of
 * neighbouring structures. Then the sum of an array of ints, read with 32, 64 and 128 bits per
 * load.
 *
 * Look at: bank conflicts per request, with RULES=g80 for half a warp on a card of 2007. Then the
 * requests of the last three rungs. */
#include "ladder.cuh"

#define WARPS    8
#define ELEMENTS 2048 // in shared memory
#define STEPS    1024 // elements that a thread reads

struct float_and_char {
    float x;
    char unused;
};

// Lane t reads field x of elements t, 32 + t, 64 + t, ...
template <typename T> __global__ void add_up(const T *in, decltype(+T().x) *out)
{
    __shared__ __align__(16) T elements[ELEMENTS];
    for (int i = threadIdx.x; i < sizeof elements / sizeof(int); i += blockDim.x)
        ((int *)elements)[i] = ((const int *)in)[i];
    __syncthreads();
    decltype(+T().x) sum = 0;
#pragma unroll 4 // so little that the compiler keeps no elements for later steps
    for (int step = 0; step < STEPS; ++step)
        sum += elements[(32 * step + threadIdx.x) % ELEMENTS].x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ int total(int1 v)
{
    return v.x;
}

__device__ int total(int2 v)
{
    return v.x + v.y;
}

__device__ int total(int4 v)
{
    return v.x + v.y + v.z + v.w;
}

// A warp adds up its 32 * STEPS ints. Each load of a lane fetches a V, which has 1, 2 or 4 ints.
template <typename V> __global__ void add_wide(const V *in, int *out)
{
    const int count = ELEMENTS * sizeof(int) / sizeof(V);
    __shared__ V elements[count];
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        elements[i] = in[i];
    __syncthreads();
    int sum = 0;
#pragma unroll 4
    for (int step = 0; step < STEPS * sizeof(int) / sizeof(V); ++step)
        sum += total(elements[(32 * step + threadIdx.x) % count]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* --- the host ----------------------------------------------------------------------------------- */

static int blocks()
{
    return ladder.times ? 1056 : 1;
}

static int threads()
{
    return blocks() * WARPS * 32;
}

template <typename T> static void fields(const char *name, const char *title)
{
    typedef decltype(+T().x) sum;
    T *elements = (T *)calloc(ELEMENTS, sizeof *elements);
    sum *right = (sum *)calloc(threads(), sizeof *right);
    for (int i = 0; i < ELEMENTS; ++i)
        elements[i].x = i % 37;
    for (int t = 0; t < threads(); ++t)
        for (int step = 0; step < STEPS && t < 32; ++step)
            right[t] += elements[(32 * step + t) % ELEMENTS].x;
    for (int t = 32; t < threads(); ++t)
        right[t] = right[t % 32];
    T *in = ladder_upload(elements, ELEMENTS);
    sum *out = ladder_alloc<sum>(threads());
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, threads() * sizeof *out)); },
        [=] { add_up<<<blocks(), WARPS * 32>>>(in, out); },
        [=] { return ladder_same(out, right, threads()); });
    CHECK_CUDA(cudaFree(in));
    CHECK_CUDA(cudaFree(out));
    free(right);
    free(elements);
}

template <typename V> static void loads(const char *name, const char *title)
{
    int *ints = ladder_ints(ELEMENTS), right = 0;
    for (int i = 0; i < ELEMENTS; ++i)
        right += ints[i] * (32 * STEPS / ELEMENTS) * (threads() / 32);
    const V *in = (const V *)ladder_upload(ints, ELEMENTS);
    int *out = ladder_alloc<int>(threads());
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, threads() * sizeof *out)); },
        [=] { add_wide<<<blocks(), WARPS * 32>>>(in, out); },
        [=] { return ladder_sum(out, threads()) == right; });
    CHECK_CUDA(cudaFree((void *)in));
    CHECK_CUDA(cudaFree(out));
    free(ints);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", ladder.times ? "1,056 blocks of 8 warps" : "1 block of 8 warps");
    fields<char1>("char", "char");
    fields<short1>("short", "short");
    fields<int1>("int", "int");
    fields<double1>("double", "double");
    fields<float_and_char>("float-char", "float of { float, char }");
    fields<float2>("float2", "x of float2");
    fields<float3>("float3", "x of float3");
    fields<float4>("float4", "x of float4");
    loads<int1>("sum-32", "sum, 32 bits a load");
    loads<int2>("sum-64", "sum, 64 bits a load");
    loads<int4>("sum-128", "sum, 128 bits a load");
    return 0;
}
