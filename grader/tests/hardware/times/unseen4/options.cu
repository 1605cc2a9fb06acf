/* Finance after NVIDIA's samples: Black and Scholes' formula, binomial trees, Monte Carlo paths, Sobol's numbers. */
#include "expect.cuh"

template <typename T> __device__ __host__ inline T normal(T d)
{
    return T(0.5) * erfc(-d * T(0.70710678118654752));
}

template <typename T>
__device__ __host__ inline void formula(T s, T x, T t, T r, T v, T *call, T *put)
{
    T root = sqrt(t), d1 = (log(s / x) + (r + T(0.5) * v * v) * t) / (v * root), d2 = d1 - v * root,
      e = exp(-r * t);
    *call = s * normal(d1) - x * e * normal(d2);
    *put = x * e * (1 - normal(d2)) - s * (1 - normal(d1));
}

template <typename T>
__global__ void black_scholes(const T *price, const T *strike, const T *years, T *call, T *put,
                              int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        formula(T(5) + 25 * price[i], T(1) + 99 * strike[i], T(0.25) + 9 * years[i], T(0.02),
                T(0.3), &call[i], &put[i]);
}

struct Contract {
    float price, strike, years, call, put;
};

__global__ void black_structs(const Contract *in, Contract *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Contract c = in[i];
    formula(5 + 25 * c.price, 1 + 99 * c.strike, 0.25f + 9 * c.years, 0.02f, 0.3f, &c.call, &c.put);
    out[i] = c;
}

/* A block an option; the leaves in shared memory. */
__global__ void binomial_shared(const float *price, float *out, int steps)
{
    extern __shared__ float s[];
    float dt = 1.0f / steps, up = expf(0.3f * sqrtf(dt)),
          p = (expf(0.02f * dt) - 1 / up) / (up - 1 / up), q = expf(-0.02f * dt);
    for (int i = threadIdx.x; i <= steps; i += blockDim.x)
        s[i] =
            fmaxf((20 + 20 * price[blockIdx.x]) * expf(0.3f * sqrtf(dt) * (2 * i - steps)) - 30, 0);
    for (int k = steps; k > 0; k--)
        for (int base = 0; base < k; base += blockDim.x) {
            int i = base + threadIdx.x;
            __syncthreads();
            float v = i < k ? q * (p * s[i + 1] + (1 - p) * s[i]) : 0;
            __syncthreads();
            if (i < k)
                s[i] = v;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

/* A thread an option; the leaves in local memory. */
__global__ void binomial_thread(const float *price, float *out)
{
    const int steps = 63;
    float s[steps + 1];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float dt = 1.0f / steps, up = expf(0.3f * sqrtf(dt)),
          p = (expf(0.02f * dt) - 1 / up) / (up - 1 / up), q = expf(-0.02f * dt);
    for (int i = 0; i <= steps; i++)
        s[i] = fmaxf((20 + 20 * price[t]) * expf(0.3f * sqrtf(dt) * (2 * i - steps)) - 30, 0);
#pragma unroll 1
    for (int k = steps; k > 0; k--)
#pragma unroll 1
        for (int i = 0; i < k; i++)
            s[i] = q * (p * s[i + 1] + (1 - p) * s[i]);
    out[t] = s[0];
}

__device__ inline unsigned xorshift(unsigned &x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^= x << 5;
}

/* Paths with Box and Muller's numbers; a block's mean by shuffles and shared memory. */
template <typename T> __global__ void monte_carlo(T *out, int steps, T strike)
{
    __shared__ T warps[32];
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 88172645u;
    state += state == 0;
    T s = 30, dt = T(1) / steps;
    for (int i = 0; i < steps; i++) {
        T u = (xorshift(state) + T(1)) * T(2.3283064e-10), v = xorshift(state) * T(2.3283064e-10);
        T z = sqrt(-2 * log(u)) * cospi(2 * v);
        s *= exp((T(0.02) - T(0.045)) * dt + T(0.3) * sqrt(dt) * z);
    }
    T pay = s > strike ? s - strike : T(0);
    for (int d = 16; d; d /= 2)
        pay += __shfl_down_sync(~0u, pay, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = pay;
    __syncthreads();
    if (threadIdx.x == 0) {
        T all = 0;
        for (int w = 0; w < blockDim.x / 32; w++)
            all += warps[w];
        out[blockIdx.x] = all * exp(T(-0.02)) / blockDim.x;
    }
}

/* Sobol: the directions of a dimension in shared memory, one number a thread from its Gray code. */
__global__ void sobol_direct(const unsigned *directions, float *out, int n)
{
    __shared__ unsigned v[32];
    if (threadIdx.x < 32)
        v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, gray = i ^ i >> 1, x = 0;
    for (int k = 0; gray; k++, gray >>= 1)
        if (gray & 1)
            x ^= v[k];
    out[blockIdx.y * n + i] = x * 2.3283064e-10f;
}

/* Many numbers a thread, a stride of a power of two between them. */
__global__ void sobol_strided(const unsigned *directions, float *out, int n, int log_stride)
{
    __shared__ unsigned v[32];
    if (threadIdx.x < 32)
        v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, gray = i ^ i >> 1, x = 0,
             stride = 1u << log_stride;
    for (int k = 0; k < 32; k++)
        x ^= gray >> k & 1 ? v[k] : 0;
    for (; i < n; i += stride) {
        out[blockIdx.y * n + i] = x * 2.3283064e-10f;
        x ^= v[log_stride - 1] ^ v[__ffs(~((i | (stride - 1)))) - 1];
    }
}

int main()
{
    const int n = 1 << 18;
    float *a = fractions<float>(n), *call = zeros<float>(n), *put = zeros<float>(n);
    double *da = fractions<double>(n), *dcall = zeros<double>(n), *dput = zeros<double>(n);
    auto h = fetched(a, n);
    auto check_black = [&](const char *what, auto *c, auto *p, int count, double error) {
        auto hc = fetched(c, count), hp = fetched(p, count);
        for (size_t i : places(count, 1000)) {
            double x, y, v = h[i];
            formula(5 + 25 * v, 1 + 99 * v, 0.25 + 9 * v, 0.02, 0.3, &x, &y);
            expect_near(what, i, hc[i], x, error);
            expect_near(what, i, hp[i], y, error);
        }
    };
    TWICE(black_scholes<<<n / 256, 256>>>(a, a, a, call, put, n));
    check_black("single", call, put, n, 1e-4);
    TWICE(black_scholes<<<132, 128>>>(a, a, a, call, put, n));
    check_black("single", call, put, n, 1e-4);
    TWICE(black_scholes<<<n / 4 / 128, 128>>>(da, da, da, dcall, dput, n / 4));
    check_black("double", dcall, dput, n / 4, 1e-9);
    Contract *in = filled<Contract>(n,
                                    [&](size_t i) {
                                        return Contract{h[i], h[i], h[i], 0, 0};
                                    }),
             *out = zeros<Contract>(n);
    TWICE(black_structs<<<n / 256, 256>>>(in, out, n));
    auto ho = fetched(out, n);
    for (size_t i : places(n, 1000)) {
        double x, y, v = h[i];
        formula(5 + 25 * v, 1 + 99 * v, 0.25 + 9 * v, 0.02, 0.3, &x, &y);
        expect_near("structs", i, ho[i].call, x, 1e-4);
    }
    auto check_tree = [&](const char *what, int count, int steps) {
        auto o = fetched(call, count);
        for (size_t i : places(count, 50)) {
            double dt = 1.0 / steps, up = exp(0.3 * sqrt(dt)),
                   p = (exp(0.02 * dt) - 1 / up) / (up - 1 / up), q = exp(-0.02 * dt);
            std::vector<double> s(steps + 1);
            for (int k = 0; k <= steps; k++)
                s[k] = fmax((20 + 20 * h[i]) * pow(up, 2 * k - steps) - 30, 0);
            for (int k = steps; k > 0; k--)
                for (int j = 0; j < k; j++)
                    s[j] = q * (p * s[j + 1] + (1 - p) * s[j]);
            expect_near(what, i, o[i], s[0], 1e-3);
        }
    };
    TWICE(binomial_shared<<<256, 128, 512 * 4>>>(a, call, 511));
    check_tree("shared", 256, 511);
    TWICE(binomial_shared<<<64, 512, 512 * 4>>>(a, call, 511));
    check_tree("shared", 64, 511);
    TWICE(binomial_shared<<<1024, 32, 64 * 4>>>(a, call, 63));
    check_tree("shared", 1024, 63);
    TWICE(binomial_thread<<<128, 64>>>(a, call));
    check_tree("thread", 128 * 64, 63);
    auto check_mean = [&](const char *what, auto *memory, int blocks) {
        double mean = 0, x, y;
        for (auto v : fetched(memory, blocks))
            mean += v / blocks;
        formula(30.0, 30.0, 1.0, 0.02, 0.3, &x, &y);
        expect_near(what, blocks, mean, x, 0.1);
    };
    TWICE(monte_carlo<<<256, 256>>>(call, 32, 30.0f));
    check_mean("paths", call, 256);
    TWICE(monte_carlo<<<132, 512>>>(call, 8, 30.0f));
    check_mean("paths", call, 132);
    TWICE(monte_carlo<<<132, 128>>>(dcall, 16, 30.0));
    check_mean("double paths", dcall, 132);
    const int dimensions = 8, many = n / 8;
    unsigned *directions = filled<unsigned>(
        dimensions * 32, [](size_t i) { return (scrambled(i) | 1) << (31 - i % 32); });
    auto hd = fetched(directions, dimensions * 32);
    auto check_sobol = [&](const char *what) {
        auto o = fetched(put, n);
        for (size_t j : places(n, 1000)) {
            unsigned i = j % many, gray = i ^ i >> 1, x = 0;
            for (int k = 0; k < 32; k++)
                x ^= gray >> k & 1 ? hd[j / many * 32 + k] : 0;
            expect_near(what, j, o[j], x * 2.3283064e-10, 1e-6);
        }
        CHECK(cudaMemset(put, 0, n * 4));
    };
    TWICE(sobol_direct<<<dim3(many / 256, dimensions), 256>>>(directions, put, many));
    check_sobol("direct");
    TWICE(sobol_strided<<<dim3(8, dimensions), 256>>>(directions, put, many, 11));
    check_sobol("strided");
    TWICE(sobol_strided<<<dim3(8, dimensions), 64>>>(directions, put, many, 9));
    check_sobol("strided");
    return verdict("options");
}
