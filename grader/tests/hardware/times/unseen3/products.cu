/* Products of square matrices, C = A B: the same task from naive to tensor cores. */
#include "expect.cuh"
#include <cuda_fp16.h>
#include <mma.h>

static __global__ void product_naive(float *c, const float *a, const float *b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

/* As CUDA samples' matrixMul. */
template <typename T, int TILE>
static __global__ void product_tiled(T *c, const T *a, const T *b, int n)
{
    __shared__ T left[TILE][TILE], right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    T sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[ty][tx] = a[i * n + k + tx];
        right[ty][tx] = b[(k + ty) * n + j];
        __syncthreads();
#pragma unroll
        for (int t = 0; t < TILE; t++)
            sum += left[ty][t] * right[t][tx];
        __syncthreads();
    }
    c[i * n + j] = sum;
}

/* Each of 256 threads holds 4 x 4 sums of a tile of 64 x 64: as SHOC's and Parboil's sgemm. */
static __global__ void product_blocked(float *c, const float *a, const float *b, int n)
{
    __shared__ float left[16][64 + 1], right[16][64];
    int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
    int top = blockIdx.y * 64, first = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int s = thread; s < 16 * 64; s += 256) {
            left[s % 16][s / 16] = a[(top + s / 16) * n + k + s % 16];
            right[s / 64][s % 64] = b[(k + s / 64) * n + first + s % 64];
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < 16; t++) {
            float l[4], r[4];
#pragma unroll
            for (int q = 0; q < 4; q++) {
                l[q] = left[t][ty * 4 + q];
                r[q] = right[t][tx + 16 * q];
            }
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[p][q] += l[p] * r[q];
        }
        __syncthreads();
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
#pragma unroll
        for (int q = 0; q < 4; q++)
            c[(top + ty * 4 + p) * n + first + tx + 16 * q] = sum[p][q];
}

/* A warp makes a tile of 16 x 16 from global memory: as CUDA samples' simple wmma. */
static __global__ void product_tensor(float *c, const half *a, const half *b, int n)
{
    using namespace nvcuda::wmma;
    int i = blockIdx.y * 16, j = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, row_major> right;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(left, a + i * n + k, n);
        load_matrix_sync(right, b + k * n + j, n);
        mma_sync(sum, left, right, sum);
    }
    store_matrix_sync(c + i * n + j, sum, n, mem_row_major);
}

template <typename T> static T small_number(size_t i)
{
    return (T)(float)((int)(scrambled(i) % 9) - 4);
}

template <typename T> static void expect_product(T *c, int n)
{
    std::vector<T> found = fetched(c, n * n);
    for (int i = 3; i < n; i += 61) {
        int j = i * 7 % n;
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += small_number<double>(i * n + k) * small_number<double>(k * n + j + 1000);
        EXPECT(found[i * n + j] == sum);
    }
    clear(c, n * n);
}

template <typename T> static T *matrix(int n, int from)
{
    return filled<T>((size_t)n * n, [=](size_t i) { return small_number<T>(i + from); });
}

int main()
{
    const int most = 512;
    float *a = matrix<float>(most, 0), *b = matrix<float>(most, 1000);
    float *c = zeros<float>(most * most);
    double *double_a = matrix<double>(256, 0), *double_b = matrix<double>(256, 1000);
    double *double_c = zeros<double>(256 * 256);
    half *half_a = matrix<half>(most, 0), *half_b = matrix<half>(most, 1000);

    TWICE(product_naive<<<dim3(16, 16), dim3(16, 16)>>>(c, a, b, 256));
    expect_product(c, 256);
    TWICE(product_naive<<<dim3(12, 48), dim3(32, 8)>>>(c, a, b, 384));
    expect_product(c, 384);
    TWICE(product_tiled<float, 16><<<dim3(24, 24), dim3(16, 16)>>>(c, a, b, 384));
    expect_product(c, 384);
    TWICE(product_tiled<float, 32><<<dim3(12, 12), dim3(32, 32)>>>(c, a, b, 384));
    expect_product(c, 384);
    TWICE(product_tiled<double, 16>
          <<<dim3(16, 16), dim3(16, 16)>>>(double_c, double_a, double_b, 256));
    expect_product(double_c, 256);
    TWICE(product_blocked<<<dim3(6, 6), 256>>>(c, a, b, 384));
    expect_product(c, 384);
    TWICE(product_blocked<<<dim3(8, 8), 256>>>(c, a, b, 512));
    expect_product(c, 512);
    TWICE(product_tensor<<<dim3(4, 16), 128>>>(c, half_a, half_b, 256));
    expect_product(c, 256);
    TWICE(product_tensor<<<dim3(8, 32), 128>>>(c, half_a, half_b, 512));
    expect_product(c, 512);
    return 0;
}
