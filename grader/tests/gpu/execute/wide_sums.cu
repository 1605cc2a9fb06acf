/* Ways to add up products of floats: only with floats, or with wider numbers. The counter
 * wide_operations must distinguish them: see test_cudart.c. */
#include "tests/support/check.cuh"

#include <mma.h>

#define COUNT 256
#define SCALE 16777216.f

__device__ static float product(const float *a, const float *b, int i)
{
    return a[i] * b[i];
}

/* --- floats alone -------------------------------------------------------------------------------- */

__global__ void floats_plain(const float *a, const float *b, float *out)
{
    float sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += product(a, b, i);
    *out = sum;
}

/* Neumaier's sum: rounding cuts bits off the smaller number. */
__global__ void floats_compensated(const float *a, const float *b, float *out)
{
    float sum = 0, lost = 0;
    for (int i = 0; i < COUNT; i++) {
        float x = product(a, b, i), next = sum + x;
        lost += fabsf(sum) >= fabsf(x) ? (sum - next) + x : (x - next) + sum;
        lost += fmaf(a[i], b[i], -x);
        sum = next;
    }
    *out = sum + lost;
}

/* Through shared memory, in words of 16 bytes, and by shuffles. */
__global__ void floats_shuffled(const float *a, const float *b, float *out)
{
    __shared__ float4 tile[2][COUNT / 4];
    for (int i = threadIdx.x; i < COUNT / 4; i += 32) {
        tile[0][i] = ((const float4 *)a)[i];
        tile[1][i] = ((const float4 *)b)[i];
    }
    __syncwarp();
    float sum = 0;
    for (int i = threadIdx.x; i < COUNT / 4; i += 32) {
        float4 x = tile[0][i], y = tile[1][i];
        sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x == 0)
        *out = sum;
}

__global__ void floats_swapped_in(const float *a, const float *b, float *out)
{
    int *word = (int *)out, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen,
                        __float_as_int(__int_as_float(seen) + product(a, b, threadIdx.x)));
    } while (old != seen);
    for (int i = threadIdx.x + blockDim.x; i < COUNT; i += blockDim.x)
        atomicAdd(out, product(a, b, i));
}

/* Warps draw their parts from a counter. */
__device__ int counter;
__global__ void floats_by_ticket(const float *a, const float *b, float *out)
{
    int ticket = threadIdx.x == 0 ? atomicAdd(&counter, 1) : 0;
    int first = 32 * __shfl_sync(0xffffffffu, ticket, 0);
    atomicAdd(out, product(a, b, (first + threadIdx.x) % COUNT));
}

/* --- something wider ----------------------------------------------------------------------------- */

__global__ void wide_doubles(const float *a, const float *b, float *out)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += (double)a[i] * b[i];
    *out = (float)sum;
}

__global__ void wide_long_integers(const float *a, const float *b, float *out)
{
    long long sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += __float2ll_rn(product(a, b, i) * SCALE);
    *out = (float)sum / SCALE;
}

__global__ void wide_two_integers(const float *a, const float *b, float *out)
{
    int high = 0, low = 0;
    for (int i = 0; i < COUNT; i++) {
        float x = product(a, b, i) * 4096, whole = rintf(x);
        high += (int)whole;
        low += __float2int_rn((x - whole) * 65536);
    }
    *out = (float)high / 4096 + (float)low / 65536 / 4096;
}

__global__ void wide_added_in_memory(const float *a, const float *b, unsigned long long *sum,
                                     float *out)
{
    for (int i = threadIdx.x; i < COUNT; i += 32)
        atomicAdd(sum, (unsigned long long)__float2ll_rn(product(a, b, i) * SCALE));
    __syncwarp();
    *out = (float)*(volatile long long *)sum / SCALE;
}

/* The bits of the numbers, loaded as integers. */
__global__ void wide_bits(const int *a, const int *b, int *out)
{
    long long sum = 0;
    for (int i = 0; i < COUNT; i++) {
        long long x = (a[i] & 0x7fffff) | 0x800000, y = (b[i] & 0x7fffff) | 0x800000;
        int shift = (a[i] >> 23 & 255) + (b[i] >> 23 & 255) - 254;
        sum += (x * y >> 16) >> -shift;
    }
    out[0] = (int)(sum >> 14);
}

/* Sums without any addition: the sum and the carries are kept separately. */
__global__ void wide_carries(const float *a, const float *b, float *out)
{
    unsigned sum = 0, carry = 0;
    for (int i = 0; i < COUNT; i++) {
        unsigned x = __float2uint_rn(product(a, b, i) * 65536);
        unsigned more = ((sum & carry) | (sum & x) | (carry & x)) << 1;
        sum ^= carry ^ x;
        carry = more;
    }
    *out = (float)sum / 65536 + (float)carry / 65536;
}

/* A function that is not inlined hides where its numbers come from. */
__device__ __noinline__ static int plus(int a, int b)
{
    return a + b;
}

__global__ void wide_in_a_function(const float *a, const float *b, float *out)
{
    int sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum = plus(sum, __float2int_rn(product(a, b, i) * 65536));
    *out = (float)sum / 65536;
}

__global__ void wide_tensor_cores(const double *a, const double *b, double *out)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::fill_fragment(sum, 0);
    wmma::load_matrix_sync(x, a, 4);
    wmma::load_matrix_sync(y, b, 4);
    wmma::mma_sync(sum, x, y, sum);
    wmma::store_matrix_sync(out, sum, 8, wmma::mem_row_major);
}

int main()
{
    static float x[COUNT];
    float *a, *b, *out;
    double *doubles;
    for (int i = 0; i < COUNT; i++)
        x[i] = 1 / (1.f + i);
    MUST(cudaMalloc(&a, sizeof x));
    MUST(cudaMalloc(&b, sizeof x));
    MUST(cudaMalloc(&out, sizeof x));
    MUST(cudaMalloc(&doubles, 3 * 512));
    MUST(cudaMemset(doubles, 0, 3 * 512));
    MUST(cudaMemset(out, 0, sizeof x));
    MUST(cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(b, x, sizeof x, cudaMemcpyHostToDevice));
    floats_plain<<<1, 1>>>(a, b, out);
    floats_compensated<<<1, 1>>>(a, b, out);
    floats_shuffled<<<1, 32>>>(a, b, out);
    floats_swapped_in<<<1, 32>>>(a, b, out);
    floats_by_ticket<<<4, 32>>>(a, b, out);
    wide_doubles<<<1, 1>>>(a, b, out);
    wide_long_integers<<<1, 1>>>(a, b, out);
    wide_two_integers<<<1, 1>>>(a, b, out);
    wide_added_in_memory<<<1, 32>>>(a, b, (unsigned long long *)doubles, out);
    wide_bits<<<1, 1>>>((int *)a, (int *)b, (int *)out);
    wide_carries<<<1, 1>>>(a, b, out);
    wide_in_a_function<<<1, 1>>>(a, b, out);
    wide_tensor_cores<<<1, 32>>>(doubles, doubles + 64, doubles + 128);
    FINISH();
    return summary();
}
