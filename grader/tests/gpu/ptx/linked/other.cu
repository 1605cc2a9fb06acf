/* The second file of the program in main.cu. */
#include "shared.cuh"

__device__ int counter = 5, table[SCALES] = {1, 2, 3, 5, 7, 11, 13, 17};
__constant__ float scales[SCALES] = {0.5f, 1, 2, 4, 8, 16, 32, 64};
__managed__ int shared_word = 9;

__device__ int triple(int x)
{
    return 3 * x;
}

/* A table of functions; one of them is in main.cu. */
static __device__ __noinline__ int own(int x)
{
    return x + 2000;
}
__device__ operation *operations[3] = {triple, add_seven, own};

/* Names that main.cu also uses, for other things. */
static __device__ int next = 200;
__device__ static const char *const volatile name = "other";

static __global__ void write_name(int *out)
{
    out[threadIdx.x] = name[threadIdx.x];
}

static __global__ void write_next(int *out)
{
    out[threadIdx.x] = own(atomicAdd(&next, 1)) + of_main;
}

int other_name(int *out)
{
    write_name<<<1, 5>>>(out);
    return sum(out, 5);
}

int other_next(int *out)
{
    write_next<<<1, 1>>>(out);
    return sum(out, 1);
}

int other_template(int *out)
{
    twice_all<<<1, THREADS>>>(out);
    return sum(out, THREADS);
}

static __global__ void add_to_both(int *out)
{
    out[threadIdx.x] = both += 10;
}

int other_weak(int *out)
{
    add_to_both<<<1, 1>>>(out);
    return sum(out, 1);
}

/* A function with shared memory, which kernels of both files call. */
__device__ __noinline__ int block_sum(int x)
{
    __shared__ int values[THREADS];
    int total = 0;
    values[threadIdx.x] = x;
    __syncthreads();
    for (int i = 0; i < THREADS; i++)
        total += values[i];
    __syncthreads();
    return total;
}

__device__ int area_of(const shape *s)
{
    return s->area();
}

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
