/* Every program of this folder compares what its kernels wrote with the CPU, after both launches of TWICE(). measure.cu
 * launches again and again, so that sums grow: then nothing is compared. */
#ifndef COMMON_CUH
#define COMMON_CUH

#include "../launch.cuh"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

/* An array on the host and on the device. */
template <typename T> struct both {
    std::vector<T> host;
    T *device;

    T operator[](size_t i) const
    {
        return host[i];
    }
};

template <typename T> static both<T> sent(const std::vector<T> &host)
{
    both<T> b{host, nullptr};
    CHECK(cudaMalloc(&b.device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(b.device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return b;
}

template <typename T, typename Make> static both<T> made(size_t count, Make make)
{
    std::vector<T> host(count);
    for (size_t i = 0; i < count; i++)
        host[i] = make(i);
    return sent(host);
}

static inline double fraction(size_t i)
{
    return (scrambled(i) & 0xffffff) / 16777216.0;
}

template <typename T>
static both<T> random_between(size_t count, double low, double high, size_t seed = 0)
{
    return made<T>(count,
                   [=](size_t i) { return (T)(low + (high - low) * fraction(i + seed * 77777)); });
}

static inline both<int> random_below(size_t count, unsigned limit, size_t seed = 0)
{
    return made<int>(count,
                     [=](size_t i) { return (int)((scrambled(i + seed * 77777) >> 3) % limit); });
}

template <typename T> static std::vector<T> fetched(const T *device, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

static inline bool comparing()
{
    return !getenv("MEASURE_OUT");
}

/* Compares every STEPth of COUNT numbers with WANT(i). */
template <typename T, typename Want>
static void expect(const char *what, const T *device, size_t count, Want want, double tolerance = 0,
                   size_t step = 1)
{
    if (!comparing())
        return;
    std::vector<T> got = fetched(device, count);
    for (size_t i = 0; i < count; i += step) {
        double a = (double)got[i], b = (double)want(i);
        if (!(std::fabs(a - b) <= tolerance * (1 + std::fabs(b)))) {
            fprintf(stderr, "%s: %zu: %.9g instead of %.9g\n", what, i, a, b);
            exit(4);
        }
    }
    printf("%s: right\n", what);
}

static __device__ __forceinline__ int own_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static inline int blocks_for(size_t count, int block)
{
    return (int)((count + block - 1) / block);
}

#endif
