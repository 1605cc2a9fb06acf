/* Cheap checks of results. A launch may be repeated any number of times: kernels read their input and write elsewhere,
 * or what they add up is checked to be a multiple of the right sum. */
#ifndef EXPECT_CUH
#define EXPECT_CUH

#include "../launch.cuh"
#include <cmath>
#include <vector>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(4);                                                                               \
        }                                                                                          \
    } while (0)

template <typename T> static std::vector<T> fetched(const T *memory, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* So that a kernel cannot live on what another one wrote. */
template <typename T> static void clear(T *memory, size_t count)
{
    CHECK(cudaMemset(memory, 0, count * sizeof(T)));
}

static inline bool near(double value, double expected, double tolerance = 1e-4)
{
    return fabs(value - expected) <= tolerance * (1 + fabs(expected));
}

static inline int blocks(int count, int per_block)
{
    return (count + per_block - 1) / per_block;
}

#endif
