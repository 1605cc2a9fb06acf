/* What a program needs to check its results: copies of device memory, comparisons that count, and an exit code. */
#ifndef EXPECT_CUH
#define EXPECT_CUH

#include "../launch.cuh"
#include <cmath>
#include <vector>

static int wrong_results = 0;

template <typename T> static std::vector<T> fetched(const T *memory, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* A value known exactly. */
template <typename A, typename B>
static void expect_same(const char *what, size_t i, A got, B wanted)
{
    if ((double)got == (double)wanted)
        return;
    if (wrong_results++ < 20)
        fprintf(stderr, "%s[%zu]: %.9g, should be %.9g\n", what, i, (double)got, (double)wanted);
}

/* A value known up to a relative error (absolute below 1). */
static inline void expect_near(const char *what, size_t i, double got, double wanted, double error)
{
    if (std::fabs(got - wanted) <= error * std::fmax(1.0, std::fabs(wanted)))
        return;
    if (wrong_results++ < 20)
        fprintf(stderr, "%s[%zu]: %.9g, should be %.9g\n", what, i, got, wanted);
}

/* COUNT places, spread over SIZE, the first and the last among them. */
static inline std::vector<size_t> places(size_t size, size_t count)
{
    std::vector<size_t> result;
    for (size_t k = 0; k < count; k++)
        result.push_back(k == 0 ? 0 : k == 1 ? size - 1 : (size_t)scrambled(k * 7 + size) % size);
    return result;
}

static inline int verdict(const char *name)
{
    printf("%s: %s\n", name, wrong_results ? "wrong" : "right");
    return wrong_results ? 1 : 0;
}

#endif
