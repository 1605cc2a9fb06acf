/* The functions of cuda_fp16.h and cuda_bf16.h. Prints for each function a hash of its results for a
 * few thousand operands; halves.expected has a GPU's output. All NaNs count as equal. */
#include "tests/support/check.cuh"

#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { N = 4096, BLOCK = 256 };

static unsigned long long state = 88172645463325252ull;

static unsigned random32()
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 16);
}

/* Three operands for each thread. About half of the values are random bits; the others
 * are of similar size. */
static unsigned short operands[3][2 * N];

static void make_operands(int fraction, int bias)
{
    state = 88172645463325252ull;
    for (auto &list : operands)
        for (auto &value : list) {
            unsigned bits = random32(), exponent = bias - 3 + (bits >> 20) % 7;
            unsigned sized =
                (bits & 0x8000) | exponent << fraction | (bits & ((1u << fraction) - 1));
            value = (unsigned short)(bits >> 31 ? bits & 0xffff : sized);
        }
}

template <typename T> static T *upload()
{
    T *lists;
    MUST(cudaMalloc(&lists, 4 * sizeof *operands));
    MUST(cudaMemcpy(lists, operands, sizeof operands, cudaMemcpyHostToDevice));
    return lists;
}

static unsigned short with_one_nan(unsigned short bits, int fraction)
{
    return (bits & 0x7fff) > 0x8000 - (1 << fraction) ? 0x7fff : bits;
}

static void report(const char *type, const char *name, const void *results, int fraction)
{
    unsigned short back[2 * N];
    unsigned long long hash = 0xcbf29ce484222325ull;
    FINISH();
    MUST(cudaMemcpy(back, results, sizeof back, cudaMemcpyDeviceToHost));
    for (unsigned short bits : back)
        hash = (hash ^ with_one_nan(bits, fraction)) * 0x100000001b3ull;
    printf("%s %s %016llx\n", type, name, hash);
}

/* The function NAME computes VALUE from a, b and c, which are single numbers (T) or pairs. */
#define FUNCTION(name, value)                                                                      \
    template <typename T> __global__ void name##_kernel(const T *lists, int n)                     \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        T a = lists[i], b = lists[i + n], c = lists[i + 2 * n];                                    \
        ((T *)lists)[i + 3 * n] = value;                                                           \
    }                                                                                              \
    template <typename T> static void name##_run(const char *type, T *lists, int n, int fraction)  \
    {                                                                                              \
        name##_kernel<<<n / BLOCK, BLOCK>>>(lists, n);                                             \
        report(type, #name, lists + 3 * n, fraction);                                              \
    }

/* clang-format off */
#define SINGLES(F)                                                                                 \
    F(add, __hadd(a, b)) F(sub, __hsub(a, b)) F(mul, __hmul(a, b)) F(fma, __hfma(a, b, c))         \
    F(add_sat, __hadd_sat(a, b)) F(mul_sat, __hmul_sat(a, b)) F(fma_sat, __hfma_sat(a, b, c))      \
    F(divide, __hdiv(a, b)) F(min, __hmin(a, b)) F(max, __hmax(a, b))                              \
    F(min_nan, __hmin_nan(a, b)) F(max_nan, __hmax_nan(a, b)) F(absolute, __habs(a))               \
    F(negative, __hneg(a)) F(round, hrint(a)) F(down, hfloor(a)) F(up, hceil(a))                   \
    F(zero, htrunc(a)) F(less, T(float(__hlt(a, b)))) F(unordered_less, T(float(__hltu(a, b))))    \
    F(is_nan, T(float(__hisnan(a)))) F(sine, hsin(a)) F(cosine, hcos(a)) F(root, hsqrt(a))         \
    F(from_float, T(float(a) * float(b) + 1e-3f)) F(to_int, T(float(int(a)))) F(next, ++a)
#define PAIRS(F)                                                                                   \
    F(add2, __hadd2(a, b)) F(sub2, __hsub2(a, b)) F(mul2, __hmul2(a, b)) F(fma2, __hfma2(a, b, c)) \
    F(min2, __hmin2(a, b)) F(max2, __hmax2(a, b)) F(less2, __hlt2(a, b)) F(equal2, __heq2(a, c))   \
    F(unordered2, __hgeu2(a, b)) F(absolute2, __habs2(a)) F(swap2, __lowhigh2highlow(a))           \
    F(mixed2, highs(a, b)) F(round2, h2rint(a)) F(sine2, h2sin(a))
/* clang-format on */

static __device__ __half2 highs(__half2 a, __half2 b)
{
    return __highs2half2(a, b);
}

static __device__ __nv_bfloat162 highs(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __highs2bfloat162(a, b);
}

SINGLES(FUNCTION)
PAIRS(FUNCTION)

template <typename T, typename T2> static void run(const char *type, int fraction, int bias)
{
    make_operands(fraction, bias);
    T *lists = upload<T>();
#define RUN(name, value) name##_run(type, lists, 2 * N, fraction);
    SINGLES(RUN)
#undef RUN
#define RUN(name, value) name##_run(type, (T2 *)lists, N, fraction);
    PAIRS(RUN)
    MUST(cudaFree(lists));
}

/* --- atomics: sums of ones, which are exact in any order ------------------------------------------ */

template <typename T, typename T2> __global__ void count(T *sum, T2 *sums)
{
    T one = T(1.0f);
    atomicAdd(sum, one);
    T2 ones;
    ones.x = one;
    ones.y = threadIdx.x % 2 ? one : T(0.0f);
    atomicAdd(sums, ones);
}

template <typename T, typename T2> static void run_atomics(const char *type)
{
    T *sums, back[4];
    MUST(cudaMalloc(&sums, sizeof back));
    MUST(cudaMemset(sums, 0, sizeof back));
    count<<<2, 64>>>(sums, (T2 *)(sums + 2));
    FINISH();
    MUST(cudaMemcpy(back, sums, sizeof back, cudaMemcpyDeviceToHost));
    printf("%s atomics %g %g %g\n", type, float(back[0]), float(back[2]), float(back[3]));
    MUST(cudaFree(sums));
}

int main()
{
    run<__half, __half2>("half", 10, 15);
    run<__nv_bfloat16, __nv_bfloat162>("bfloat16", 7, 127);
    run_atomics<__half, __half2>("half");
    run_atomics<__nv_bfloat16, __nv_bfloat162>("bfloat16");
    return 0;
}
