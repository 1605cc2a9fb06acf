/* Measures a GPU's constants, each by a small kernel of its own. The program prints a line for each
 * constant:
 *
 *     key = value   # low to high unit: what was measured
 *
 * VALUE is the median of SAMPLES runs after one to warm up; LOW and HIGH are the extremes. Cycles are those of
 * the multiprocessors' clock, by clock64() in the kernel, so they do not depend on the clock's rate. Microseconds
 * are those between two events. */
#ifndef CHIP_CUH
#define CHIP_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>

#define SAMPLES 7
#define OPS     256 /* instructions in a pipe's kernel between two jumps */

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error));                                                    \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* When a block began and ended, in cycles: the begin of its first warp and the end of its last warp. */
struct span {
    unsigned long long begin, end;
};

static __device__ inline void span_begin(struct span *span, unsigned long long *begin)
{
    __syncthreads();
    *begin = clock64();
}

static __device__ inline void span_end(struct span *span, unsigned long long begin)
{
    unsigned long long end = clock64();
    atomicMin(&span->begin, begin);
    atomicMax(&span->end, end);
}

/* Uses all words of a number, because ptxas makes a load narrower if some words are unused. */
static __device__ inline unsigned word_of(unsigned value)
{
    return value;
}

static __device__ inline unsigned word_of(uint2 value)
{
    return value.x ^ value.y;
}

static __device__ inline unsigned word_of(uint4 value)
{
    return value.x ^ value.y ^ value.z ^ value.w;
}

extern struct chip {
    int sms, warps_max, l2_bytes, shared_max;
    double clock_mhz;  // measured
    struct span *span; // on the GPU
    unsigned *sink;    // on the GPU, for results that nobody reads
    char *big;         // on the GPU
    size_t big_bytes;
    cudaEvent_t begin, end;
} chip;

/* Prints the line of KEY. RUN measures once. */
double chip_measure(const char *key, const char *unit, const char *what,
                    const std::function<double()> &run);
void chip_say(const char *key, double value, const char *what);

/* Returns the cycles of one block, or the microseconds of any launch. */
double chip_cycles(const std::function<void()> &launch);
double chip_us(const std::function<void()> &launch);
/* Returns the microseconds of COUNT pieces of work in a row, behind a kernel that waits until all
 * are queued, so that the host's time is not in it. */
double chip_queued_us(int count, const std::function<void()> &launch);

void measure_pipes(void);
void measure_latencies(void);
void measure_bandwidths(void);
void measure_requests(void);
void measure_atomics(void);
void measure_launches(void);
void measure_flow(void);
void measure_copies(void);

#endif
