/* Streams of memory after BabelStream, with other mixes of reads and writes, widths, strides and hints. */
#include "expect.cuh"

template <typename T> __global__ void copy(const T *a, T *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i];
}

template <typename T> __global__ void triad(const T *a, const T *b, T *c, T s, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        c[i] = a[i] + s * b[i];
}

__global__ void fill(float4 *a, float v)
{
    a[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = make_float4(v, v, v, v);
}

/* Only reads; a dot product with few results. */
__global__ void dot(const float4 *a, const float4 *b, float *out, size_t n)
{
    __shared__ float warps[32];
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        float4 p = a[i], q = b[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            sum += warps[w];
        out[blockIdx.x] = sum;
    }
}

/* Four streams in, one out. */
__global__ void gather_four(const float4 *in, float4 *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = in[i], b = in[i + n], c = in[i + 2 * n], d = in[i + 3 * n];
    out[i] = make_float4(a.x + b.x + c.x + d.x, a.y + b.y + c.y + d.y, a.z + b.z + c.z + d.z,
                         a.w + b.w + c.w + d.w);
}

/* One in, four out. */
__global__ void spread_four(const float4 *in, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[i];
    out[i] = v.x, out[i + n] = v.y, out[i + 2 * n] = v.z, out[i + 3 * n] = v.w;
}

__global__ void copy_streaming(const float2 *a, float2 *b)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    __stcs(&b[i], __ldcs(&a[i]));
}

__global__ void copy_strided(const float *a, float *b, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i * stride % n];
}

__global__ void write_strided(const float *a, float *b, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i * stride % n] = a[i];
}

__global__ void gather_random(const float *a, float *b, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned j = (i * 2654435761u ^ i * 40503u >> 7) & (n - 1);
    b[i] = a[j];
}

__global__ void add_bytes(const unsigned char *a, const unsigned char *b, unsigned char *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

int main()
{
    const size_t n = 1 << 25, part = 1 << 21;
    float *a = filled<float>(n, [](size_t i) { return (float)(i & 0xffff); });
    float *b = zeros<float>(n), *c = zeros<float>(n);
    float *out = zeros<float>(4096);
    auto at = [](size_t i) { return (float)(i & 0xffff); };
    auto check_map = [&](const char *what, auto *memory, size_t size, auto wanted) {
        auto h = fetched(memory, size);
        for (size_t i : places(size, 1000))
            expect_near(what, i, h[i], wanted(i), 1e-6);
    };
    TWICE(copy<<<part / 256, 256>>>(a, b, part));
    check_map("copy", b, part, at);
    TWICE(copy<<<n / 8 / 128, 128>>>((float4 *)a, (float4 *)b, n / 8));
    check_map("copy", b, n / 2, at);
    TWICE(copy<<<2, 512>>>(a, c, (size_t)1000));
    check_map("copy", c, 1000, at);
    TWICE(triad<<<264, 512>>>(a, a, c, 2.0f, part * 2));
    check_map("triad", c, part * 2, [=](size_t i) { return 3 * at(i); });
    TWICE(triad<<<132 * 16, 128>>>(a, a, c, 2.0f, part * 2));
    double *da = filled<double>(part * 2, [=](size_t i) { return at(i); }),
           *dc = zeros<double>(part * 2);
    TWICE(triad<<<part * 2 / 256, 256>>>(da, da, dc, 3.0, part * 2));
    check_map("triad", dc, part * 2, [=](size_t i) { return 4.0 * at(i); });
    TWICE(fill<<<n / 4 / 256, 256>>>((float4 *)c, 5));
    check_map("fill", c, n, [](size_t) { return 5; });
    TWICE(fill<<<part / 4 / 1024, 1024>>>((float4 *)c, 6));
    check_map("fill", c, part, [](size_t) { return 6; });
    auto check_dot = [&](int blocks, size_t size) {
        double sum = 0, wanted = 0;
        for (float v : fetched(out, blocks))
            sum += v;
        for (size_t i = 0; i < size; i++)
            wanted += (double)at(i) * at(i);
        expect_near("dot", 0, sum, wanted, 1e-4);
    };
    TWICE(dot<<<1056, 256>>>((float4 *)a, (float4 *)a, out, n / 4));
    check_dot(1056, n);
    TWICE(dot<<<132, 1024>>>((float4 *)a, (float4 *)b, out, n / 8));
    check_dot(132, n / 2);
    TWICE(dot<<<16, 128>>>((float4 *)a, (float4 *)b, out, part / 32));
    check_dot(16, part / 8);
    TWICE(gather_four<<<n / 16 / 256, 256>>>((float4 *)a, (float4 *)c, n / 16));
    check_map("gather", c, n / 4, [=](size_t i) { return 4 * at(i); });
    TWICE(spread_four<<<part / 256, 256>>>((float4 *)a, c, part));
    check_map("spread", c, part * 4, [=](size_t i) { return at(i % part * 4 + i / part); });
    TWICE(copy_streaming<<<n / 4 / 256, 256>>>((float2 *)a, (float2 *)c));
    check_map("streaming", c, n / 2, at);
    auto steps = [&](unsigned stride) {
        check_map("strided", c, part, [=](size_t i) { return at(i * stride % n); });
    };
    TWICE(copy_strided<<<part / 256, 256>>>(a, c, n, 2));
    steps(2);
    TWICE(copy_strided<<<part / 128, 128>>>(a, c, n, 8));
    steps(8);
    TWICE(copy_strided<<<part / 512, 512>>>(a, c, n, 33));
    steps(33);
    TWICE(write_strided<<<part / 256, 256>>>(a, c, n, 3));
    auto hc = fetched(c, part * 3);
    for (size_t i : places(part, 1000))
        expect_near("write", i, hc[i * 3], at(i), 1e-6);
    TWICE(write_strided<<<part / 64, 64>>>(a, b, n, 16));
    auto hb = fetched(b, n);
    for (size_t i : places(part, 1000))
        expect_near("write", i, hb[i * 16 % n], at(i), 1e-6);
    auto random = [&](unsigned size, size_t count) {
        check_map("random", c, count, [=](size_t k) {
            unsigned i = k;
            return at((i * 2654435761u ^ i * 40503u >> 7) & (size - 1));
        });
    };
    TWICE(gather_random<<<part / 256, 256>>>(a, c, n));
    random(n, part);
    TWICE(gather_random<<<part / 512, 512>>>(a, c, 1 << 20));
    random(1 << 20, part);
    unsigned char *bytes = filled<unsigned char>(part * 2, [](size_t i) { return i; }),
                  *sum = zeros<unsigned char>(part * 2);
    TWICE(add_bytes<<<part * 2 / 512, 512>>>(bytes, bytes, sum));
    check_map("bytes", sum, part * 2, [](size_t i) { return i * 2 & 255; });
    return verdict("mixes");
}
