/* Small kernels whose counts Nsight Compute recorded on a real GPU. Each launch in main() is a row of
 * counts.tsv, in the same order; its source lines are in counts_lines.tsv. test_hardware_counts.c compares.
 *
 * Loops are not unrolled, and every result is stored. So the machine code makes exactly the memory
 * accesses that the source and the PTX show. */
#include <cstdio>
#include <cuda_runtime.h>

#define MEGABYTE (1 << 20)

// --- global loads: stride, offset, width, broadcast, part of a warp -------------------------------

template <int STRIDE, int OFFSET> __global__ void load32(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x * STRIDE + OFFSET];
}

template <typename T, int STRIDE> __global__ void load(const T *in, T *out)
{
    out[threadIdx.x] = in[threadIdx.x * STRIDE];
}

template <typename T, int STRIDE> __global__ void load_narrow(const T *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x * STRIDE];
}

template <int SHARERS> __global__ void load_same(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x / SHARERS];
}

template <int LANES> __global__ void load_part(const int *in, int *out)
{
    if (threadIdx.x < LANES)
        out[threadIdx.x] = in[threadIdx.x];
}

__global__ void load_permuted(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x * 37 % 32];
}

struct vec3 {
    float x, y, z;
};

__global__ void load_structures(const vec3 *in, float *out)
{
    vec3 v = in[blockIdx.x * blockDim.x + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v.x + v.y + v.z;
}

__global__ void load_arrays(const float *x, const float *y, const float *z, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i] + y[i] + z[i];
}

// --- global stores and atomics --------------------------------------------------------------------

template <int STRIDE> __global__ void store32(int *out)
{
    out[threadIdx.x * STRIDE] = threadIdx.x;
}

template <int SHARERS> __global__ void store_same(int *out)
{
    out[threadIdx.x / SHARERS] = threadIdx.x;
}

template <int SHARERS> __global__ void reduce32(int *out)
{
    atomicAdd(&out[threadIdx.x / SHARERS], threadIdx.x);
}

template <int SHARERS> __global__ void atomic32(int *counters, int *out)
{
    out[threadIdx.x] = atomicAdd(&counters[threadIdx.x / SHARERS], threadIdx.x);
}

template <int SHARERS>
__global__ void atomic64(unsigned long long *counters, unsigned long long *out)
{
    out[threadIdx.x] = atomicAdd(&counters[threadIdx.x / SHARERS], threadIdx.x);
}

// Atomic additions of float vectors, which a GPU of compute capability 9.0 does in one instruction.
template <typename T, int STRIDE> __global__ void reduce_vector(T *out)
{
    T value = {};
    value.x = threadIdx.x;
    atomicAdd(&out[threadIdx.x * STRIDE], value);
}

template <typename T, int STRIDE> __global__ void atomic_vector(T *counters, T *out)
{
    T value = {};
    value.x = threadIdx.x;
    out[threadIdx.x] = atomicAdd(&counters[threadIdx.x * STRIDE], value);
}

// --- shared memory --------------------------------------------------------------------------------

template <typename T, int STRIDE> __global__ void shared(int *out)
{
    __shared__ T s[32 * STRIDE];
    s[threadIdx.x * STRIDE] = (T)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (int)s[(31 - threadIdx.x) * STRIDE];
}

template <int STRIDE> __global__ void shared128(float4 *out)
{
    __shared__ float4 s[32 * STRIDE];
    float f = threadIdx.x;
    s[threadIdx.x * STRIDE] = make_float4(f, f, f, f);
    __syncthreads();
    out[threadIdx.x] = s[(31 - threadIdx.x) * STRIDE];
}

template <typename T, int SHARERS> __global__ void shared_same(int *out)
{
    __shared__ T s[32];
    s[threadIdx.x] = (T)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (int)s[threadIdx.x / SHARERS];
}

template <int SHARERS> __global__ void shared128_same(float4 *out)
{
    __shared__ float4 s[32];
    float f = threadIdx.x;
    s[threadIdx.x] = make_float4(f, f, f, f);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / SHARERS];
}

// --- matrices between shared memory and registers --------------------------------------------------

// Lane t names row rows[t], of 16 bytes. MATRICES matrices of 8 rows are loaded or stored.
template <int MATRICES, bool TRANSPOSED> __global__ void load_matrices(const int *rows, int *out)
{
    __shared__ __align__(16) int s[4096];
    int t = threadIdx.x, v[4] = {};
#pragma unroll 1
    for (int i = t; i < 4096; i += blockDim.x)
        s[i] = i;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[4 * rows[t]]);
    if (MATRICES == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(at));
    else if (MATRICES == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(v[0]), "=r"(v[1])
                     : "r"(at));
    else if (!TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(at));
    out[t] = v[0] + v[1] + v[2] + v[3];
}

template <int MATRICES, bool TRANSPOSED> __global__ void store_matrices(const int *rows, int *out)
{
    __shared__ __align__(16) int s[4096];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&s[4 * rows[t]]);
    if (MATRICES == 1)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(t)
                     : "memory");
    else if (MATRICES == 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};" ::"r"(at), "r"(t)
                     : "memory");
    else if (!TRANSPOSED)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at),
                     "r"(t)
                     : "memory");
    else
        asm volatile(
            "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at),
            "r"(t)
            : "memory");
    __syncthreads();
    out[t] = s[4 * rows[0]];
}

__global__ void multiply_doubles(const double *in, double *out)
{
    double d0, d1, a = in[threadIdx.x], b = in[threadIdx.x + 32];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%2, %3};"
                 : "=d"(d0), "=d"(d1)
                 : "d"(a), "d"(b));
    out[threadIdx.x] = d0;
    out[threadIdx.x + 32] = d1;
}

// --- atomics in shared memory ---------------------------------------------------------------------

enum update { ADD, ADD_UNREAD, MAX, EXCHANGE, SWAP, COUNT };

// Lane t updates word in[t], so that the compiler cannot know which lanes meet and combine their values.
template <int UPDATE> __global__ void update_words(const int *in, int *out)
{
    __shared__ int s[1024];
    int t = threadIdx.x, old = 0;
#pragma unroll 1
    for (int i = t; i < 1024; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    if (UPDATE == ADD)
        old = atomicAdd(&s[in[t]], t + 1);
    if (UPDATE == ADD_UNREAD)
        atomicAdd(&s[in[t]], t + 1);
    if (UPDATE == MAX)
        old = atomicMax(&s[in[t]], t + 1);
    if (UPDATE == EXCHANGE)
        old = atomicExch(&s[in[t]], t + 1);
    if (UPDATE == SWAP)
        old = atomicCAS(&s[in[t]], 0, t + 1);
    if (UPDATE == COUNT)
        atomicAdd(&s[in[t]], 1);
    __syncthreads();
    out[t] = old + s[t];
}

// --- double precision -----------------------------------------------------------------------------

__global__ void compute_doubles(const double *in, double *out)
{
    double a = in[threadIdx.x], b = in[threadIdx.x + 32];
    out[threadIdx.x] = (a + b) * (a - b) + a * b + fma(a, b, b);
}

// --- small algorithms -----------------------------------------------------------------------------

enum tree { NEIGHBOURS, INTERLEAVED, SEQUENTIAL };

template <int KIND> __global__ void sum_tree(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < 256; step *= 2) {
        int far = KIND == SEQUENTIAL ? 128 / step : step;
        int at = KIND == INTERLEAVED ? 2 * step * t : t;
        bool active = KIND == NEIGHBOURS    ? t % (2 * step) == 0
                      : KIND == INTERLEAVED ? at + far < 256
                                            : t < far;
        if (active)
            s[at] += s[at + far];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

template <int PAD> __global__ void transpose_tile(const float *in, float *out, int n)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void stencil(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] =
            in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x];
}

__global__ void histogram(const unsigned char *in, int *bins, int n)
{
    int step = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&bins[in[i]], 1);
}

__global__ void scan(const int *in, int *out)
{
    __shared__ int s[2][256];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (int step = 1; step < 256; step *= 2) {
        int value = s[from][t];
        if (t >= step)
            value += s[from][t - step];
        s[1 - from][t] = value;
        from = 1 - from;
        __syncthreads();
    }
    out[t] = s[from][t];
}

__global__ void matmul_tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 16; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

__global__ void diverge_trips(int *out)
{
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < (int)threadIdx.x; i++)
        sum += out[i + 1024];
    out[threadIdx.x] = sum;
}

__global__ void diverge_both(const int *in, int *out)
{
    if (threadIdx.x % 2) {
#pragma unroll 1
        for (int i = 0; i < in[0]; i++)
            out[i * 64 + threadIdx.x] = 3;
    } else {
#pragma unroll 1
        for (int i = 0; i < in[1]; i++)
            out[i * 32 + 4096 + threadIdx.x] = 4;
    }
    out[threadIdx.x + 64] = 1;
}

// --- source lines: a called function of this file has lines of its own -----------------------------

__device__ int middle(const int *in, int i)
{
    int left = in[i];
    int right = in[i * 2];
    return left + right;
}

__global__ void inlines(const int *in, int *out)
{
    int sum = middle(in, threadIdx.x);
    sum += middle(in, threadIdx.x * 4);
    out[threadIdx.x] = sum;
}

__global__ void adds_neighbours(const int *in, int *out)
{
    __shared__ int s[256];
    for (int i = threadIdx.x; i < 256; i += 64)
        s[i] = in[i];
    __syncthreads();
    int sum = s[4 * threadIdx.x];
    sum += s[4 * threadIdx.x + 1];
    sum += s[4 * threadIdx.x + 2];
    sum += s[4 * threadIdx.x + 3];
    out[threadIdx.x] = sum;
}

template <typename T> static T *as(char *bytes)
{
    return (T *)bytes;
}

int main()
{
    char *p, *q;
    cudaMalloc(&p, MEGABYTE);
    cudaMalloc(&q, MEGABYTE);
    cudaMemset(p, 0, MEGABYTE);
    cudaMemset(q, 0, MEGABYTE);
    int *in = as<int>(p), *out = as<int>(q);

    load32<1, 0><<<1, 32>>>(in, out);
    load32<2, 0><<<1, 32>>>(in, out);
    load32<3, 0><<<1, 32>>>(in, out);
    load32<4, 0><<<1, 32>>>(in, out);
    load32<5, 0><<<1, 32>>>(in, out);
    load32<8, 0><<<1, 32>>>(in, out);
    load32<16, 0><<<1, 32>>>(in, out);
    load32<17, 0><<<1, 32>>>(in, out);
    load32<32, 0><<<1, 32>>>(in, out);
    load32<33, 0><<<1, 32>>>(in, out);
    load32<0, 5><<<1, 32>>>(in, out);
    load32<1, 1><<<1, 32>>>(in, out);
    load32<1, 4><<<1, 32>>>(in, out);
    load32<1, 8><<<1, 32>>>(in, out);
    load32<1, 31><<<1, 32>>>(in, out);
    load32<1, 0><<<1, 20>>>(in, out);
    load<double, 0><<<1, 32>>>(as<double>(p), as<double>(q));
    load<double, 1><<<1, 32>>>(as<double>(p), as<double>(q));
    load<double, 2><<<1, 32>>>(as<double>(p), as<double>(q));
    load<int4, 0><<<1, 32>>>(as<int4>(p), as<int4>(q));
    load<int4, 1><<<1, 32>>>(as<int4>(p), as<int4>(q));
    load<int4, 2><<<1, 32>>>(as<int4>(p), as<int4>(q));
    load_narrow<char, 1><<<1, 32>>>(as<char>(p), out);
    load_narrow<char, 3><<<1, 32>>>(as<char>(p), out);
    load_narrow<char, 64><<<1, 32>>>(as<char>(p), out);
    load_narrow<short, 1><<<1, 32>>>(as<short>(p), out);
    load_narrow<short, 5><<<1, 32>>>(as<short>(p), out);
    load_same<2><<<1, 32>>>(in, out);
    load_same<8><<<1, 32>>>(in, out);
    load_part<1><<<1, 32>>>(in, out);
    load_part<7><<<1, 32>>>(in, out);
    load_part<20><<<1, 32>>>(in, out);
    load_permuted<<<1, 32>>>(in, out);
    load_structures<<<4, 128>>>(as<vec3>(p), as<float>(q));
    load_arrays<<<4, 128>>>(as<float>(p), as<float>(p) + 512, as<float>(p) + 1024, as<float>(q));

    store32<1><<<1, 32>>>(out);
    store32<2><<<1, 32>>>(out);
    store32<9><<<1, 32>>>(out);
    store_same<2><<<1, 32>>>(out);
    store_same<32><<<1, 32>>>(out);
    reduce32<1><<<1, 32>>>(out);
    reduce32<2><<<1, 32>>>(out);
    reduce32<32><<<1, 32>>>(out);
    atomic32<1><<<1, 32>>>(out, in);
    atomic32<4><<<1, 32>>>(out, in);
    atomic32<32><<<1, 32>>>(out, in);
    atomic64<1><<<1, 32>>>(as<unsigned long long>(q), as<unsigned long long>(p));
    atomic64<32><<<1, 32>>>(as<unsigned long long>(q), as<unsigned long long>(p));

    reduce_vector<float2, 1><<<1, 32>>>(as<float2>(q));
    reduce_vector<float4, 1><<<1, 32>>>(as<float4>(q));
    reduce_vector<float4, 0><<<1, 32>>>(as<float4>(q));
    atomic_vector<float2, 1><<<1, 32>>>(as<float2>(q), as<float2>(p));
    atomic_vector<float2, 3><<<1, 32>>>(as<float2>(q), as<float2>(p));
    atomic_vector<float4, 1><<<1, 32>>>(as<float4>(q), as<float4>(p));
    atomic_vector<float4, 2><<<1, 32>>>(as<float4>(q), as<float4>(p));

    shared<int, 1><<<1, 32>>>(out);
    shared<int, 2><<<1, 32>>>(out);
    shared<int, 3><<<1, 32>>>(out);
    shared<int, 4><<<1, 32>>>(out);
    shared<int, 8><<<1, 32>>>(out);
    shared<int, 16><<<1, 32>>>(out);
    shared<int, 17><<<1, 32>>>(out);
    shared<int, 32><<<1, 32>>>(out);
    shared<int, 33><<<1, 32>>>(out);
    shared<double, 1><<<1, 32>>>(out);
    shared<double, 2><<<1, 32>>>(out);
    shared<double, 3><<<1, 32>>>(out);
    shared<double, 4><<<1, 32>>>(out);
    shared<double, 8><<<1, 32>>>(out);
    shared<double, 16><<<1, 32>>>(out);
    shared<double, 17><<<1, 32>>>(out);
    shared<char, 1><<<1, 32>>>(out);
    shared<char, 4><<<1, 32>>>(out);
    shared<char, 8><<<1, 32>>>(out);
    shared<char, 32><<<1, 32>>>(out);
    shared128<1><<<1, 32>>>(as<float4>(q));
    shared128<2><<<1, 32>>>(as<float4>(q));
    shared128<3><<<1, 32>>>(as<float4>(q));
    shared128<4><<<1, 32>>>(as<float4>(q));
    shared128<8><<<1, 32>>>(as<float4>(q));
    shared128<9><<<1, 32>>>(as<float4>(q));
    shared_same<int, 2><<<1, 32>>>(out);
    shared_same<int, 32><<<1, 32>>>(out);
    shared_same<double, 2><<<1, 32>>>(out);
    shared_same<double, 16><<<1, 32>>>(out);
    shared_same<double, 32><<<1, 32>>>(out);
    shared128_same<2><<<1, 32>>>(as<float4>(q));
    shared128_same<4><<<1, 32>>>(as<float4>(q));
    shared128_same<8><<<1, 32>>>(as<float4>(q));
    shared128_same<32><<<1, 32>>>(as<float4>(q));

    sum_tree<NEIGHBOURS><<<32, 256>>>(in, out);
    sum_tree<INTERLEAVED><<<32, 256>>>(in, out);
    sum_tree<SEQUENTIAL><<<32, 256>>>(in, out);
    transpose_naive<<<dim3(4, 4), dim3(32, 32)>>>(as<float>(p), as<float>(q), 128);
    transpose_tile<0><<<dim3(4, 4), dim3(32, 32)>>>(as<float>(p), as<float>(q), 128);
    transpose_tile<1><<<dim3(4, 4), dim3(32, 32)>>>(as<float>(p), as<float>(q), 128);
    stencil<<<dim3(4, 16), dim3(32, 8)>>>(as<float>(p), as<float>(q), 128);
    unsigned char bytes[4096]; /* fixed: the results of atomics depend on their order */
    for (int i = 0; i < 4096; i++)
        bytes[i] = (unsigned char)(i * 7);
    cudaMemcpy(p, bytes, sizeof bytes, cudaMemcpyHostToDevice);
    histogram<<<2, 256>>>(as<unsigned char>(p), out, 4096);
    scan<<<1, 256>>>(in, out);
    matmul_tiles<<<dim3(4, 4), dim3(16, 16)>>>(as<float>(p), as<float>(p) + 4096, as<float>(q), 64);
    diverge_trips<<<1, 64>>>(out);
    int trips[2] = {3, 5};
    cudaMemcpy(p, trips, sizeof trips, cudaMemcpyHostToDevice);
    diverge_both<<<1, 64>>>(in, out);
    inlines<<<4, 64>>>(in, out);
    adds_neighbours<<<1, 64>>>(in, out);

    /* The lanes access words that are 1, 2, 8 or 31 words apart, one word, or pairs in one bank. */
    int words[6][32];
    for (int t = 0; t < 32; t++) {
        words[0][t] = t;
        words[1][t] = 2 * t;
        words[2][t] = 8 * t;
        words[3][t] = 31 * t;
        words[4][t] = 7;
        words[5][t] = 32 * (t / 2);
    }
    cudaMemcpy(p, words, sizeof words, cudaMemcpyHostToDevice);
    for (int i = 0; i < 6; i++) {
        update_words<ADD><<<1, 32>>>(in + 32 * i, out);
        update_words<ADD_UNREAD><<<1, 32>>>(in + 32 * i, out);
        update_words<MAX><<<1, 32>>>(in + 32 * i, out);
        update_words<EXCHANGE><<<1, 32>>>(in + 32 * i, out);
        update_words<SWAP><<<1, 32>>>(in + 32 * i, out);
        update_words<COUNT><<<1, 32>>>(in + 32 * i, out);
    }
    update_words<ADD><<<1, 20>>>(in + 32 * 4, out);
    cudaMemset(p, 0, MEGABYTE);
    compute_doubles<<<1, 32>>>(as<double>(p), as<double>(q));
    compute_doubles<<<1, 20>>>(as<double>(p), as<double>(q));

    /* Rows that are 1, 2, 3, 4, 8, 9 or 17 rows apart; pairs of lanes with the same row; four rows, the
     * same for each matrix; rows of one bank for each matrix; and a permutation. */
    const int apart[] = {1, 2, 3, 4, 8, 9, 17};
    int rows[11][32];
    for (int t = 0; t < 32; t++) {
        for (int i = 0; i < 7; i++)
            rows[i][t] = apart[i] * t;
        rows[7][t] = t / 2;
        rows[8][t] = t % 8 / 2;
        rows[9][t] = 8 * (t % 8) + t / 8;
        rows[10][t] = t * 37 % 64;
    }
    cudaMemcpy(p, rows, sizeof rows, cudaMemcpyHostToDevice);
    for (int i = 0; i < 11; i++) {
        load_matrices<1, false><<<1, 32>>>(in + 32 * i, out);
        load_matrices<2, false><<<1, 32>>>(in + 32 * i, out);
        load_matrices<4, false><<<1, 32>>>(in + 32 * i, out);
        load_matrices<4, true><<<1, 32>>>(in + 32 * i, out);
        if (i == 7 || i == 8)
            continue; /* lanes that store to the same row */
        store_matrices<1, false><<<1, 32>>>(in + 32 * i, out);
        store_matrices<2, false><<<1, 32>>>(in + 32 * i, out);
        store_matrices<4, false><<<1, 32>>>(in + 32 * i, out);
        store_matrices<4, true><<<1, 32>>>(in + 32 * i, out);
    }
    cudaMemset(p, 0, MEGABYTE);
    multiply_doubles<<<1, 32>>>(as<double>(p), as<double>(q));

    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
