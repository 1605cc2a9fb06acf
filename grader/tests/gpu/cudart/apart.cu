/* Loads and stores at irregular addresses by some lanes of each warp: of all widths; by global, shared,
 * local and generic addresses; and by several lanes to one address. Prints a hash of each kernel's
 * result. The arguments "outside" and "uneven" make one lane leave its array or use a misaligned
 * address; "some" runs only some kernels. */
#include <cstdint>
#include <cstdio>
#include <cstring>

#define BLOCKS  3
#define THREADS 96
#define COUNT   1024 /* elements, a power of two */
#define ROUNDS  40

struct astray {
    int round;     /* from this round on, one thread reads at a wrong address; -1: never */
    unsigned skip; /* bytes by which its address is wrong */
};

__device__ unsigned next(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 9;
}

__device__ unsigned fold(unsigned char v)
{
    return v;
}
__device__ unsigned fold(signed char v)
{
    return (unsigned)v;
}
__device__ unsigned fold(unsigned short v)
{
    return v;
}
__device__ unsigned fold(short v)
{
    return (unsigned)v;
}
__device__ unsigned fold(unsigned v)
{
    return v;
}
__device__ unsigned fold(unsigned long long v)
{
    return (unsigned)v ^ (unsigned)(v >> 32);
}
__device__ unsigned fold(uchar4 v)
{
    return v.x + v.y * 3u + v.z * 5u + v.w * 7u;
}
__device__ unsigned fold(ushort2 v)
{
    return v.x + v.y * 3u;
}
__device__ unsigned fold(uint2 v)
{
    return v.x + v.y * 3u;
}
__device__ unsigned fold(uint4 v)
{
    return v.x + v.y * 3u + v.z * 5u + v.w * 7u;
}
__device__ unsigned fold(ulonglong2 v)
{
    return fold(v.x) + fold(v.y) * 3u;
}

/* Each thread stores only to its own elements, so that the order of threads does not matter. */
template <typename T>
__device__ unsigned wander(const T *in, T *out, unsigned lanes, unsigned thread, astray away)
{
    unsigned state = thread * 7919u + 1, sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        unsigned at = next(state) % COUNT;
        if (state & 0x10000)
            continue;
        const char *from = (const char *)(in + at);
        if (i >= away.round && away.round >= 0 && thread == 77)
            from += away.skip;
        T value = *(const T *)from;
        sum = sum * 31 + fold(value);
        out[(next(state) & 7) * lanes + thread] = value;
    }
    return sum;
}

template <typename T> __global__ void in_global(const T *in, T *out, unsigned *sums, astray away)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    sums[t] = wander(in, out, BLOCKS * THREADS, t, away);
}

template <typename T> __global__ void in_shared(const T *in, T *out, unsigned *sums, astray away)
{
    extern __shared__ uint4 memory[];
    T *mine = (T *)memory, *made = mine + COUNT;
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < COUNT; i += blockDim.x)
        mine[i] = in[i];
    for (unsigned i = t; i < 8 * THREADS; i += blockDim.x)
        made[i] = in[0];
    __syncthreads();
    unsigned sum = wander(mine, made, THREADS, t, away);
    __syncthreads();
    for (unsigned i = t; i < 8 * THREADS; i += blockDim.x)
        sum = sum * 31 + fold(made[i]);
    sums[blockIdx.x * blockDim.x + t] = sum;
}

/* Some lanes read from shared memory, the others from global memory. */
template <typename T> __global__ void in_either(const T *in, T *out, unsigned *sums, astray away)
{
    extern __shared__ uint4 memory[];
    T *mine = (T *)memory;
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = threadIdx.x; i < COUNT; i += blockDim.x)
        mine[i] = in[COUNT - 1 - i];
    __syncthreads();
    unsigned sum = 0;
    for (unsigned turn = 0; turn < 6; turn++) {
        bool is_shared = turn % 3 == 0 || (turn % 3 == 1 && t % 5 == 0);
        sum = sum * 31 + wander(is_shared ? mine : in, out, BLOCKS * THREADS, t, away);
    }
    sums[t] = sum;
}

/* Each thread has its own array in local memory. */
template <typename T> __global__ void in_local(const T *in, T *out, unsigned *sums, astray away)
{
    T mine[32];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, state = t * 7919u + 1, sum = 0;
#pragma unroll 1
    for (int i = 0; i < 32; i++)
        mine[i] = in[(t + i * 5) % COUNT];
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        if (next(state) & 1)
            mine[next(state) % 32] = in[next(state) % COUNT];
        sum = sum * 31 + fold(mine[next(state) % 32]);
    }
    out[t] = mine[t % 32];
    sums[t] = sum;
}

/* Rows of 16 lanes, as in blocks that are 16 threads wide. The lanes of a row access adjacent
 * words, or all the same word. Sometimes one lane of each row is inactive, or the rows are shifted.
 * Each warp has its own shared memory. */
template <typename T> __global__ void in_rows(const T *in, T *out, unsigned *sums, astray away)
{
    extern __shared__ uint4 memory[];
    unsigned t = threadIdx.x, x = t % 16, y = t % 32 / 16, all = blockIdx.x * 6 + t / 16, sum = 0;
    T *mine = (T *)memory + t / 32 * 512, *made = mine + 256;
    for (unsigned i = t % 32; i < 256; i += 32) {
        mine[i] = in[i];
        made[i] = in[0];
    }
    __syncwarp();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        unsigned row = all * (i < 30 ? 37 : 41) + i;
        if (i % 8 == 5 && x == 3)
            continue;
        T value = in[row % 512 + x];
        sum = sum * 31 + fold(value) + fold(in[row % 256]);
        sum = sum * 31 + fold(mine[row % 128 + x]) + fold(mine[y * 19 + i]);
        out[all * 128 + i % 7 * 16 + x] = value;
        made[y * 128 + i % 5 * 16 + x] = value;
        made[112 + i % 8 + x] = value;
    }
    __syncwarp();
    for (unsigned i = t % 32; i < 256; i += 32)
        sum = sum * 31 + fold(made[i]);
    sums[blockIdx.x * blockDim.x + t] = sum;
}

/* Several lanes store to one address. The lowest lane of the last pass wins, as on a GPU
 * (hardware/collisions.cu). */
template <typename T> __global__ void in_common(const T *in, T *out, unsigned *sums, astray away)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, state = t * 7919u + 1;
    T *own = out + t / 32 * 64;
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
        T value = in[next(state) % COUNT];
        own[next(state) % 24] = value;
        if (t & 1)
            own[24 + i % 8] = value;
        own[32 + t % 32 / 4] = value;
        own[40 + (t % 16)] = value;
    }
    sums[t] = state;
}

static unsigned hash(const void *bytes, size_t size)
{
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return sum;
}

template <typename T>
static void launch(const char *name, void (*kernel)(const T *, T *, unsigned *, astray),
                   astray away)
{
    static unsigned char host[COUNT * sizeof(T)], made[8 * BLOCKS * THREADS * sizeof(T)];
    unsigned sums[BLOCKS * THREADS], *sums_on_gpu;
    T *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof made);
    cudaMalloc(&sums_on_gpu, sizeof sums);
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)(i * 167 + (i >> 8) * 59);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof made);
    kernel<<<BLOCKS, THREADS, (COUNT + 8 * THREADS) * sizeof(T)>>>(in, out, sums_on_gpu, away);
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) {
        cudaMemcpy(made, out, sizeof made, cudaMemcpyDeviceToHost);
        cudaMemcpy(sums, sums_on_gpu, sizeof sums, cudaMemcpyDeviceToHost);
    } else {
        memset(made, 0, sizeof made);
        memset(sums, 0, sizeof sums);
    }
    printf("%s of %zu bytes: %08x %08x %s\n", name, sizeof(T), hash(made, sizeof made),
           hash(sums, sizeof sums), cudaGetErrorName(error));
    cudaFree(in);
    cudaFree(out);
    cudaFree(sums_on_gpu);
}

template <typename T> static void every(astray away)
{
    launch<T>("global", in_global<T>, away);
    launch<T>("shared", in_shared<T>, away);
    launch<T>("either", in_either<T>, away);
    launch<T>("local", in_local<T>, away);
    launch<T>("common", in_common<T>, away);
    launch<T>("rows", in_rows<T>, away);
}

int main(int argc, char **argv)
{
    const astray never = {-1, 0}, outside = {ROUNDS - 9, 1u << 20}, uneven = {ROUNDS - 9, 1};
    if (argc > 1 && *argv[1] == 's') {
        launch<signed char>("global", in_global<signed char>, never);
        launch<unsigned short>("shared", in_shared<unsigned short>, never);
        launch<uint2>("local", in_local<uint2>, never);
        launch<unsigned long long>("common", in_common<unsigned long long>, never);
        launch<uint4>("common", in_common<uint4>, never);
        launch<short>("rows", in_rows<short>, never);
        launch<unsigned>("rows", in_rows<unsigned>, never);
        return 0;
    }
    if (argc > 1) {
        launch<unsigned>("global", in_global<unsigned>, *argv[1] == 'o' ? outside : uneven);
        return 0;
    }
    every<unsigned char>(never);
    every<signed char>(never);
    every<unsigned short>(never);
    every<short>(never);
    every<unsigned>(never);
    every<unsigned long long>(never);
    every<uchar4>(never);
    every<ushort2>(never);
    every<uint2>(never);
    every<uint4>(never);
    every<ulonglong2>(never);
}
