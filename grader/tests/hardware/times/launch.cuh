/* The programs of this folder are ordinary: they fill their input, and launch every kernel twice. The second launch
 * finds the caches as the first launch left them, like every later launch. measure.cu measures it on a GPU, and the
 * emulator predicts its time. */
#ifndef LAUNCH_CUH
#define LAUNCH_CUH

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static inline void check(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
    exit(3);
}

#define CHECK(call) check((call), __LINE__)

#define TWICE(...)                                                                                 \
    do {                                                                                           \
        for (int again = 0; again < 2; again++) {                                                  \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        CHECK(cudaGetLastError());                                                                 \
        CHECK(cudaDeviceSynchronize());                                                            \
    } while (0)

/* Random numbers, the same in every run. */
static inline unsigned scrambled(size_t i)
{
    unsigned x = (unsigned)i * 2654435761u + 12345;
    x ^= x >> 15;
    return x * 2246822519u ^ x >> 13;
}

template <typename T> static T *zeros(size_t count)
{
    T *memory;
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    CHECK(cudaMemset(memory, 0, count * sizeof(T)));
    return memory;
}

/* COUNT numbers, made by MAKE(i). */
template <typename T, typename Make> static T *filled(size_t count, Make make)
{
    T *host = (T *)malloc(count * sizeof(T)), *memory;
    for (size_t i = 0; i < count; i++)
        host[i] = make(i);
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    CHECK(cudaMemcpy(memory, host, count * sizeof(T), cudaMemcpyHostToDevice));
    free(host);
    return memory;
}

/* COUNT numbers from 0 to 1. */
template <typename T> static T *fractions(size_t count)
{
    return filled<T>(count, [](size_t i) { return (T)((scrambled(i) & 0xffff) / 65536.0); });
}

/* COUNT numbers below LIMIT. */
static inline int *integers(size_t count, unsigned limit)
{
    return filled<int>(count, [=](size_t i) { return (int)(scrambled(i) % limit); });
}

#endif
