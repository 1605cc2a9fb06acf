/* The price list of operations. All multiprocessors are full; each thread repeats one operation on four numbers in
 * turn, so that no operation waits for the one before. Also the cost of a launch that does nothing, and of loops that
 * the compiler may not unroll.
 *
 * Functions of floats have errors, too: the largest in ulp for numbers from 1/2 to 3, and from 30 to 80.
 *
 * Look at: the warp instructions of each launch. Which operations are several instructions, even in PTX? */
#include "ladder.cuh"

#include <cuda_fp16.h>
#include <math.h>

#define BLOCKS  1056
#define THREADS 256
#define STEPS   1024  // operations on each of the four numbers
#define POINTS  65536 // numbers for which the errors of a function are measured

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
/* sin(pi * x), whose zeros are exact */
static double sin_of_turns(double x)
{
    double rest = x - 2 * rint(x / 2);
    return sin(M_PI * (fabs(rest) > 0.5 ? copysign(1, rest) - rest : rest));
}

/* A function of a float that may be inexact, and the same in double. */
#define FUNCTION(name, of_float, of_double)                                                        \
    struct name {                                                                                  \
        __device__ float operator()(float a, float b)                                              \
        {                                                                                          \
            float x = a + b;                                                                       \
            return of_float;                                                                       \
        }                                                                                          \
        static double exact(double x)                                                              \
        {                                                                                          \
            return of_double;                                                                      \
        }                                                                                          \
    };
FUNCTION(fast_quotient, __fdividef(1, x), 1 / x)
FUNCTION(reciprocal, __frcp_rn(x), 1 / x)
FUNCTION(square_root, sqrtf(x), sqrt(x))
FUNCTION(inverse_root, rsqrtf(x), 1 / sqrt(x))
FUNCTION(sine, sinf(x), sin(x))
FUNCTION(fast_sine, __sinf(x), sin(x))
FUNCTION(sine_of_turns, sinpif(x), sin_of_turns(x))
FUNCTION(exponential, expf(x), exp(x))
FUNCTION(fast_exponential, __expf(x), exp(x))
FUNCTION(logarithm, logf(x), log(x))
FUNCTION(fast_logarithm, __logf(x), log(x))
FUNCTION(power, powf(x, 1.7f), pow(x, 1.7f))
FUNCTION(fast_power, __powf(x, 1.7f), pow(x, 1.7f))
FUNCTION(round_even, rintf(x), rint(x))
FUNCTION(round_away, roundf(x), round(x))

struct double_sine {
    __device__ double operator()(double a, double b)
    {
        return sin(a + b);
    }
};
struct double_exponential {
    __device__ double operator()(double a, double b)
    {
        return exp(a + b);
    }
};
/* Two halves in the bits of an int. */
struct two_halves {
    __device__ int operator()(int a, int b)
    {
        __half2 x = *(__half2 *)&a, y = *(__half2 *)&b, z = __hfma2(x, y, y);
        return *(int *)&z;
    }
};
struct divide_by_8 {
    __device__ int operator()(int a, int b)
    {
        return (a + b) / 8;
    }
};
struct shift_by_3 {
    __device__ int operator()(int a, int b)
    {
        return (a + b) >> 3;
    }
};
struct divide_by_7 {
    __device__ int operator()(int a, int b)
    {
        return (a + b) / 7;
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

/* The same with a branch, a comparison and an addition of the counter for each four operations. */
template <typename Operation, typename T>
__global__ void repeat_rolled(Operation operation, T b, T *out)
{
    T t = (T)(threadIdx.x % 7 + 1), x[4] = {t, t + 1, t + 2, t + 3};
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step)
        for (int k = 0; k < 4; ++k)
            x[k] = operation(x[k], b);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

/* result[i] = operation(data[i], 0) */
template <typename Operation>
__global__ void apply(Operation operation, const float *data, float *result)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = operation(data[i], 0);
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

template <typename T, typename Kernel, typename Operation>
static void rung_of(Kernel kernel, const char *name, const char *title, Operation operation, T b)
{
    int blocks = ladder.times ? BLOCKS : 1, n = blocks * THREADS;
    T *out = ladder_alloc<T>(n);
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof(T))); },
        [=] { kernel<<<blocks, THREADS>>>(operation, b, out); }, [=] { return agree(out, n); });
    ladder_rate("gops", 4.0 * STEPS * n); // billions a second
    CHECK_CUDA(cudaFree(out));
}

template <typename T, typename Operation>
static void rung(const char *name, const char *title, Operation operation, T b)
{
    rung_of(repeat<Operation, T>, name, title, operation, b);
}

/* Returns the largest error of a function, in ulp of a float, for numbers between LOW and HIGH. */
template <typename Operation> static double error_of(Operation operation, double low, double high)
{
    static float data[POINTS], result[POINTS];
    double worst = 0;
    for (int i = 0; i < POINTS; ++i)
        data[i] = (float)(low + (high - low) * i / POINTS);
    float *on_gpu = ladder_upload(data, POINTS), *out = ladder_alloc<float>(POINTS);
    apply<<<POINTS / THREADS, THREADS>>>(operation, on_gpu, out);
    ladder_download(result, out, POINTS);
    for (int i = 0; i < POINTS; ++i) {
        double want = Operation::exact(data[i]);
        double error = fabs(result[i] - want) / ldexp(1, want == 0 ? -149 : ilogb(want) - 23);
        worst = error <= worst ? worst : error;
    }
    CHECK_CUDA(cudaFree(out));
    CHECK_CUDA(cudaFree(on_gpu));
    return worst;
}

/* The errors of the functions near and far, in the order of climb_functions(). */
static double errors[20][2];
static int functions;

/* A rung whose operation is a function with errors. They are measured before the first rung, so that rungs count
 * only their own launches. */
template <typename Operation>
static void function(bool measures, const char *name, const char *title, Operation operation)
{
    double *both = errors[functions++];
    if (measures) {
        both[0] = error_of(operation, 0.5, 3);
        both[1] = error_of(operation, 30, 80);
        return;
    }
    rung(name, title, operation, 1.5f);
    ladder_value("ulp", both[0]);
    ladder_value("ulp_far", both[1]);
}

static void climb_functions(bool measures)
{
    functions = 0;
    function(measures, "float-fast-divide", "float: __fdividef(1, x)", fast_quotient());
    function(measures, "float-reciprocal", "float: __frcp_rn(x)", reciprocal());
    function(measures, "float-sqrt", "float: sqrtf(x)", square_root());
    function(measures, "float-rsqrt", "float: rsqrtf(x)", inverse_root());
    function(measures, "float-sin", "float: sinf(x)", sine());
    function(measures, "float-fast-sin", "float: __sinf(x)", fast_sine());
    function(measures, "float-sinpi", "float: sinpif(x)", sine_of_turns());
    function(measures, "float-exp", "float: expf(x)", exponential());
    function(measures, "float-fast-exp", "float: __expf(x)", fast_exponential());
    function(measures, "float-log", "float: logf(x)", logarithm());
    function(measures, "float-fast-log", "float: __logf(x)", fast_logarithm());
    function(measures, "float-pow", "float: powf(x, 1.7f)", power());
    function(measures, "float-fast-pow", "float: __powf(x, 1.7f)", fast_power());
    function(measures, "float-rint", "float: rintf(x)", round_even());
    function(measures, "float-round", "float: roundf(x)", round_away());
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    climb_functions(true);
    ladder_size("", ladder.times ? "1,056 blocks of 256 threads, 4,096 each" : "1 block");
    ladder_rung(
        "launch", "a launch that does nothing", [] {}, [] { nothing<<<1, 32>>>(); },
        [] { return true; });
    rung("float-add", "float: a + b", add<float>(), 1.5f);
    rung("float-fma", "float: a * b + b", multiply_add<float>(), 0.5f);
    rung_of(repeat_rolled<add<float>, float>, "float-add-rolled", "float: a + b, #pragma unroll 1",
            add<float>(), 1.5f);
    rung("float-divide", "float: b / a", divide<float>(), 1.5f);
    climb_functions(false);
    rung("float-to-int", "float to int and back", to_int_and_back(), 1.5f);
    rung("double-add", "double: a + b", add<double>(), 1.5);
    rung("double-fma", "double: a * b + b", multiply_add<double>(), 0.5);
    rung("double-divide", "double: b / a", divide<double>(), 1.5);
    rung("double-sin", "double: sin(a + b)", double_sine(), 1.5);
    rung("double-exp", "double: exp(a + b)", double_exponential(), 1.5);
    rung("half2-fma", "two halves: a * b + b", two_halves(), 0x38003800);
    rung("int-fma", "int: a * b + b", multiply_add<int>(), 3);
    rung("int-mul24", "int: __mul24(a, b) + b", multiply_24_add(), 3);
    rung("int-divide", "int: b % (a | 1)", remainder_of(), 123456789);
    rung("int-remainder-32", "int: (a + b) % 32", remainder_of_32(), 5);
    rung("int-divide-7", "int: (a + b) / 7", divide_by_7(), 5);
    rung("int-divide-8", "int: (a + b) / 8", divide_by_8(), 5);
    rung("int-shift", "int: (a + b) >> 3", shift_by_3(), 5);
    return 0;
}
