/* The cost of instructions. All multiprocessors are full; each thread repeats one operation on four numbers in
 * turn, so that no operation waits for the one before. Also the cost of a launch that does nothing.
 *
 * Look at: the warp instructions of each launch. Which operations are several instructions, even in PTX? */
#include "ladder.cuh"

#include <math.h>

#define BLOCKS  1056
#define THREADS 256
#define STEPS   1024 // operations on each of the four numbers

template <typename T> struct add {
    __device__ T operator()(T a, T b)
    {
        return a + b;
    }
};
template <typename T> struct multiply_add {
    __device__ T operator()(T a, T b)
    {
        return a * b + b;
    }
};
template <typename T> struct divide {
    __device__ T operator()(T a, T b)
    {
        return b / a;
    }
};
struct multiply_24_add {
    __device__ int operator()(int a, int b)
    {
        return __mul24(a, b) + b;
    }
};
struct remainder_of {
    __device__ int operator()(int a, int b)
    {
        return b % (a | 1);
    }
};
struct remainder_of_32 {
    __device__ int operator()(int a, int b)
    {
        return (a + b) % 32;
    }
};
struct square_root {
    __device__ float operator()(float a, float b)
    {
        return sqrtf(a + b);
    }
};
struct sine {
    __device__ float operator()(float a, float b)
    {
        return sinf(a + b);
    }
};
struct fast_sine {
    __device__ float operator()(float a, float b)
    {
        return __sinf(a + b);
    }
};
struct to_int_and_back {
    __device__ float operator()(float a, float b)
    {
        return (float)(int)(a + b);
    }
};

template <typename Operation, typename T> __global__ void repeat(Operation operation, T b, T *out)
{
    T t = (T)(threadIdx.x % 7 + 1), x[4] = {t, t + 1, t + 2, t + 3};
    for (int step = 0; step < STEPS; ++step)
        for (int k = 0; k < 4; ++k)
            x[k] = operation(x[k], b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

__global__ void nothing()
{
}

/* Operations round in different ways. So this checks only that threads with equal inputs have equal results,
 * which shows that all threads ran. */
template <typename T> static bool agree(const T *out, int n)
{
    T *values = (T *)malloc(n * sizeof(T));
    ladder_download(values, out, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += memcmp(&values[i], &values[i % THREADS % 7], sizeof(T)) != 0;
    free(values);
    return wrong == 0;
}

template <typename T, typename Operation>
static void rung(const char *name, const char *title, Operation operation, T b)
{
    int blocks = ladder.times ? BLOCKS : 1, n = blocks * THREADS;
    T *out = ladder_alloc<T>(n);
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof(T))); },
        [=] { repeat<<<blocks, THREADS>>>(operation, b, out); }, [=] { return agree(out, n); });
    ladder_rate("gops", 4.0 * STEPS * n); // billions a second
    CHECK_CUDA(cudaFree(out));
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", ladder.times ? "1,056 blocks of 256 threads, 4,096 each" : "1 block");
    ladder_rung(
        "launch", "a launch that does nothing", [] {}, [] { nothing<<<1, 32>>>(); },
        [] { return true; });
    rung("float-add", "float: a + b", add<float>(), 1.5f);
    rung("float-fma", "float: a * b + b", multiply_add<float>(), 0.5f);
    rung("float-divide", "float: b / a", divide<float>(), 1.5f);
    rung("float-sqrt", "float: sqrtf(a + b)", square_root(), 1.5f);
    rung("float-sin", "float: sinf(a + b)", sine(), 1.5f);
    rung("float-fast-sin", "float: __sinf(a + b)", fast_sine(), 1.5f);
    rung("float-to-int", "float to int and back", to_int_and_back(), 1.5f);
    rung("double-add", "double: a + b", add<double>(), 1.5);
    rung("double-fma", "double: a * b + b", multiply_add<double>(), 0.5);
    rung("double-divide", "double: b / a", divide<double>(), 1.5);
    rung("int-fma", "int: a * b + b", multiply_add<int>(), 3);
    rung("int-mul24", "int: __mul24(a, b) + b", multiply_24_add(), 3);
    rung("int-divide", "int: b % (a | 1)", remainder_of(), 123456789);
    rung("int-remainder-32", "int: (a + b) % 32", remainder_of_32(), 5);
    return 0;
}
