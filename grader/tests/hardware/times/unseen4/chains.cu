/* Latencies: chains where each step waits for the one before, in every kind of memory and arithmetic. */
#include "expect.cuh"

__constant__ int ring_constant[2048];

__global__ void chase_global(const int *next, int *out, int steps)
{
    int p = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    for (int i = 0; i < steps; i++)
        p = next[p];
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}

__global__ void chase_wide(const int4 *next, int *out, int steps)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; i++)
        p = next[p].z;
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}

__global__ void chase_readonly(const int *__restrict__ next, int *out, int steps)
{
    int p = threadIdx.x;
    for (int i = 0; i < steps; i++)
        p = __ldg(&next[p]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}

__global__ void chase_shared(const int *next, int *out, int steps)
{
    __shared__ int s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        s[i] = next[i];
    __syncthreads();
    int p = threadIdx.x;
    for (int i = 0; i < steps; i++)
        p = s[p];
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}

__global__ void chase_constant(int *out, int steps)
{
    int p = blockIdx.x % 2048;
    for (int i = 0; i < steps; i++)
        p = ring_constant[p];
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}

__global__ void chase_texture(cudaTextureObject_t next, int *out, int steps)
{
    int p = threadIdx.x;
    for (int i = 0; i < steps; i++)
        p = tex1Dfetch<int>(next, p);
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}

__global__ void chain_shuffle(int *out, int steps)
{
    int v = threadIdx.x % 32;
    for (int i = 0; i < steps; i++)
        v = __shfl_sync(~0u, v, (v + 1) & 31);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* Every thread a counter of its own: the latency of an atomic with its result. */
__global__ void chain_atomic(int *counters, int *out, int steps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = 1;
    for (int i = 0; i < steps; i++)
        v = (atomicMax(&counters[t], v) & 1) + 1;
    out[t] = v;
}

template <typename T> __global__ void chain_divide(T *out, int steps, T by)
{
    T v = T(threadIdx.x + 1000);
    for (int i = 0; i < steps; i++)
        v = by / v + by;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void chain_fma(float *out, int steps, float a, float b)
{
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++)
        v = v * a + b;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void chain_four(float *out, int steps, float a, float b)
{
    float v = threadIdx.x, w = v + 1, x = v + 2, y = v + 3;
    for (int i = 0; i < steps; i++) {
        v = v * a + b;
        w = w * a + b;
        x = x * a + b;
        y = y * a + b;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v + w + x + y;
}

__global__ void chain_double(double *out, int steps, double a, double b)
{
    double v = threadIdx.x;
    for (int i = 0; i < steps; i++)
        v = v * a + b;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void chain_special(float *out, int steps)
{
    float v = threadIdx.x + 2;
    for (int i = 0; i < steps; i++)
        v = __sinf(rsqrtf(v)) + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void chain_barrier(int *out, int steps)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    for (int i = 0; i < steps; i++) {
        __syncthreads();
        if (threadIdx.x == i % blockDim.x)
            s += i;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = s;
}

int main()
{
    const int small = 2048, middle = 1 << 20, large = 1 << 25;
    auto ring = [](int size) {
        return [=](size_t i) { return (int)((i * 1664525 + 1013904223) & (size - 1)); };
    };
    int *next_small = filled<int>(small, ring(small)),
        *next_middle = filled<int>(middle, ring(middle));
    int *next_large = filled<int>(large, ring(large)), *out = zeros<int>(1 << 19),
        *counters = zeros<int>(1 << 17);
    int4 *next_wide =
        filled<int4>(1 << 18, [=](size_t i) { return make_int4(0, 0, ring(1 << 18)(i), 0); });
    auto check_chase = [&](const char *what, int threads, int size, int steps, auto start) {
        auto h = fetched(out, threads);
        for (size_t t : places(threads, 50)) {
            int p = start(t);
            for (int i = 0; i < steps; i++)
                p = ring(size)(p);
            expect_same(what, t, h[t], p);
        }
        CHECK(cudaMemset(out, 0, 4 << 19));
    };
    auto eights = [](size_t t) { return t * 8; };
    auto inside = [](size_t t) { return t % 32; };
    TWICE(chase_global<<<1, 32>>>(next_large, out, 2000));
    check_chase("large", 32, large, 2000, eights);
    TWICE(chase_global<<<1, 1>>>(next_middle, out, 4000));
    check_chase("middle", 1, middle, 4000, eights);
    TWICE(chase_global<<<132, 64>>>(next_middle, out, 256));
    check_chase("middle", 132 * 64, middle, 256, eights);
    TWICE(chase_global<<<1056, 128>>>(next_large, out, 24));
    check_chase("large", 1 << 17, large, 24, eights);
    TWICE(chase_wide<<<264, 128>>>(next_wide, out, 64));
    check_chase("wide", 264 * 128, 1 << 18, 64, [](size_t t) { return t; });
    TWICE(chase_readonly<<<132, 32>>>(next_small, out, 2000));
    check_chase("readonly", 32 * 132, small, 2000, inside);
    TWICE(chase_shared<<<132, 32>>>(next_small, out, 4000));
    check_chase("shared", 32 * 132, small, 4000, inside);
    TWICE(chase_shared<<<264, 1024>>>(next_small, out, 256));
    auto h_small = fetched(next_small, small);
    CHECK(cudaMemcpyToSymbol(ring_constant, h_small.data(), sizeof ring_constant));
    TWICE(chase_constant<<<4, 32>>>(out, 1000));
    check_chase("constant", 128, small, 1000, [](size_t t) { return t / 32; });
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = next_small;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = small * 4;
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, 0));
    TWICE(chase_texture<<<16, 32>>>(texture, out, 1500));
    check_chase("texture", 512, small, 1500, inside);
    TWICE(chain_shuffle<<<64, 128>>>(out, 3000));
    auto hs = fetched(out, 64 * 128);
    std::vector<int> v(32), w(32);
    for (int i = 0; i < 32; i++)
        v[i] = i;
    for (int s = 0; s < 3000; s++, v = w)
        for (int i = 0; i < 32; i++)
            w[i] = v[(v[i] + 1) & 31];
    for (int i = 0; i < 64 * 128; i++)
        expect_same("shuffle", i, hs[i], v[i % 32]);
    TWICE(chain_atomic<<<16, 64>>>(counters, out, 400));
    TWICE(chain_atomic<<<264, 256>>>(counters, out, 12));
    auto hk = fetched(counters, 264 * 256);
    for (int c : hk)
        expect_same("atomic", 0, c == 1 || c == 2, true);

    float *f = zeros<float>(1 << 19);
    double *d = zeros<double>(1 << 19);
    auto divided = [](double v, int steps, double by) {
        for (int i = 0; i < steps; i++)
            v = by / v + by;
        return v;
    };
    TWICE(chain_divide<<<32, 64>>>(f, 1000, 1.5f));
    expect_near("divide", 5, fetched(f, 6)[5], divided(1005, 1000, 1.5), 1e-5);
    TWICE(chain_divide<<<132, 128>>>(d, 500, 1.5));
    expect_near("divide", 5, fetched(d, 6)[5], divided(1005, 500, 1.5), 1e-12);
    TWICE(chain_divide<<<64, 32>>>(out, 800, 700));
    int q = 1031;
    for (int i = 0; i < 800; i++)
        q = 700 / q + 700;
    expect_same("divide", 31, fetched(out, 32)[31], q);
    auto line = [](double v, int steps, double a, double b) {
        for (int i = 0; i < steps; i++)
            v = v * a + b;
        return v;
    };
    TWICE(chain_fma<<<132, 32>>>(f, 8000, 0.99f, 0.5f));
    expect_near("fma", 7, fetched(f, 8)[7], line(7, 8000, 0.99, 0.5), 1e-3);
    TWICE(chain_fma<<<132, 1024>>>(f, 800, 0.99f, 0.5f));
    expect_near("fma", 7, fetched(f, 8)[7], line(7, 800, 0.99, 0.5), 1e-3);
    TWICE(chain_four<<<132, 128>>>(f, 2000, 0.99f, 0.5f));
    expect_near("four", 0, fetched(f, 1)[0], 4 * line(0, 2000, 0.99, 0.5), 1e-3);
    TWICE(chain_double<<<132, 32>>>(d, 4000, 0.99, 0.5));
    expect_near("double", 3, fetched(d, 4)[3], line(3, 4000, 0.99, 0.5), 1e-9);
    TWICE(chain_special<<<66, 64>>>(f, 1500));
    double s = 9;
    for (int i = 0; i < 1500; i++)
        s = sin(1 / sqrt(s)) + 1;
    expect_near("special", 7, fetched(f, 8)[7], s, 1e-4);
    TWICE(chain_barrier<<<132, 256>>>(out, 500));
    expect_same("barrier", 131, fetched(out, 132)[131], 500 * 499 / 2);
    TWICE(chain_barrier<<<132, 1024>>>(out, 250));
    expect_same("barrier", 0, fetched(out, 132)[0], 250 * 249 / 2);
    return verdict("chains");
}
