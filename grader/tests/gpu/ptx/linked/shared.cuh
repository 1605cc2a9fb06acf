/* Declarations that both files of the linked program include. */
#ifndef LINKED_SHARED_CUH
#define LINKED_SHARED_CUH

#include "tests/support/check.cuh"

enum { THREADS = 64, SCALES = 8 };

static int sum(const int *from, int n)
{
    int copy[THREADS], total = 0;
    MUST(cudaMemcpy(copy, from, n * sizeof *copy, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        total += copy[i];
    return total;
}

typedef int operation(int);

struct shape {
    __device__ virtual int area() const = 0;
};

/* defined in other.cu */
extern __device__ int counter, table[SCALES];
extern __constant__ float scales[SCALES];
extern __managed__ int shared_word;
extern __device__ operation *operations[3];
__device__ int triple(int x);
__device__ int block_sum(int x);
__device__ int area_of(const shape *s);
__global__ void fill(int *out, int value);
int other_name(int *out), other_next(int *out), other_template(int *out), other_weak(int *out);

/* defined in main.cu */
__device__ int add_seven(int x);
extern __device__ int of_main;

/* One variable, and below one function, that both files define. */
inline __device__ int both;

template <typename T> __device__ __noinline__ T twice(T x)
{
    return x + x + (T)(clock() < 0);
}

template <typename T> __global__ void twice_all(T *out)
{
    out[threadIdx.x] = twice<T>((T)threadIdx.x);
}

#endif
