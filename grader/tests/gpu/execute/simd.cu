/* The SIMD-in-a-word and fused integer intrinsics on many operands. Prints one line for each intrinsic,
 * so that a GPU's output can be recorded and compared (simd.expected). */
#include "tests/support/check.cuh"

#define SETS 4096

/* Operand I: edge values of bytes and halves, and pseudo-random words. */
__device__ static unsigned operand(unsigned i)
{
    const unsigned edges[] = {0,          0xffffffff, 0x80808080, 0x7f7f7f7f,
                              0x80008000, 0x7fff7fff, 0x01010101, 0x00010001,
                              0x7fffffff, 0x80000000, 0x00ff00ff, 0xff00ff00};
    unsigned x = i * 2654435761u;
    x ^= x >> 15;
    return i % 3 ? x * 2246822519u : edges[x % 12];
}

typedef unsigned function(unsigned a, unsigned b, unsigned c);

/* Computes a hash that depends on every result. */
template <function F> __global__ void evaluate(unsigned long long *sum)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = F(operand(3 * i), operand(3 * i + 1), operand(3 * i + 2));
    atomicAdd(sum, (value ^ 0x9e3779b9u) * (2ull * i + 1));
}

template <function F> static void show(const char *name)
{
    unsigned long long *sum, value;
    MUST(cudaMalloc(&sum, sizeof *sum));
    MUST(cudaMemset(sum, 0, sizeof *sum));
    evaluate<F><<<SETS / 256, 256>>>(sum);
    FINISH();
    MUST(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
    MUST(cudaFree(sum));
    printf("%-24s %016llx\n", name, value);
}

#define ONE(f)                                                                                     \
    __device__ static unsigned run_##f(unsigned a, unsigned, unsigned)                             \
    {                                                                                              \
        return (unsigned)f(a);                                                                     \
    }
#define TWO(f)                                                                                     \
    __device__ static unsigned run_##f(unsigned a, unsigned b, unsigned)                           \
    {                                                                                              \
        return (unsigned)f(a, b);                                                                  \
    }
#define THREE(f)                                                                                   \
    __device__ static unsigned run_##f(unsigned a, unsigned b, unsigned c)                         \
    {                                                                                              \
        return (unsigned)f(a, b, c);                                                               \
    }
#include "simd_functions.cuh"
#undef ONE
#undef TWO
#undef THREE

int main()
{
#define ONE(f)   show<run_##f>(#f);
#define TWO(f)   show<run_##f>(#f);
#define THREE(f) show<run_##f>(#f);
#include "simd_functions.cuh"
    return 0;
}
