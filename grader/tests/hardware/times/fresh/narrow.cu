/* Narrow numbers and matrix units: half, bfloat16, bytes, copies that run beside the calculation. */
#include "../launch.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

__global__ void axpy_half(__half *y, const __half *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float2half(a * __half2float(x[i]) + 0.5f * __half2float(y[i]));
}

__global__ void axpy_half2(__half2 *y, const __half2 *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __hfma2(__float2half2_rn(a), x[i], __hmul2(__float2half2_rn(0.5f), y[i]));
}

/* Horner's scheme in pairs of halves. */
__global__ void polynomial_half2(__half2 *out, const __half2 *in, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 x = in[i], sum = __float2half2_rn(0.25f);
    for (int k = 0; k < degree; k++)
        sum = __hfma2(sum, x, __float2half2_rn(0.125f));
    out[i] = sum;
}

__global__ void norm_bfloat(__nv_bfloat16 *out, const __nv_bfloat16 *in, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int k = lane; k < width; k += 32) {
        float x = __bfloat162float(in[row * width + k]);
        sum += x * x;
    }
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    float scale = rsqrtf(sum / width + 1e-6f);
    for (int k = lane; k < width; k += 32)
        out[row * width + k] = __float2bfloat16(__bfloat162float(in[row * width + k]) * scale);
}

/* One warp makes a tile of 16 x 16 straight from global memory. */
__global__ void product_warp(float *c, const __half *a, const __half *b, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = warp / (n / 16),
        column = warp % (n / 16);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(left, a + row * 16 * n + k, n);
        wmma::load_matrix_sync(right, b + k * n + column * 16, n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * 16 * n + column * 16, sum, n, wmma::mem_row_major);
}

/* Four warps make 32 x 64, from shared memory. */
__global__ void product_shared(float *c, const __half *a, const __half *b, int n)
{
    __shared__ __align__(32) __half as[32][32], bs[32][64];
    int warp = threadIdx.x / 32, row = blockIdx.y * 32, column = blockIdx.x * 64;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
    wmma::fill_fragment(sum[0], 0);
    wmma::fill_fragment(sum[1], 0);
    for (int k = 0; k < n; k += 32) {
        ((uint4 *)as)[threadIdx.x] =
            *(const uint4 *)&a[(row + threadIdx.x / 4) * n + k + threadIdx.x % 4 * 8];
        for (int i = threadIdx.x; i < 256; i += 128)
            ((uint4 *)bs)[i] = *(const uint4 *)&b[(k + i / 8) * n + column + i % 8 * 8];
        __syncthreads();
        for (int l = 0; l < 32; l += 16) {
            wmma::load_matrix_sync(left[0], &as[0][l], 32);
            wmma::load_matrix_sync(left[1], &as[16][l], 32);
            wmma::load_matrix_sync(right, &bs[l][warp * 16], 64);
            wmma::mma_sync(sum[0], left[0], right, sum[0]);
            wmma::mma_sync(sum[1], left[1], right, sum[1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        wmma::store_matrix_sync(c + (row + i * 16) * n + column + warp * 16, sum[i], n,
                                wmma::mem_row_major);
}

/* Sums of parts of a long row: plain loads, then a barrier. */
__global__ void rows_plain(float *out, const float4 *in, int parts, int work)
{
    __shared__ float4 part[128];
    float sum = 0;
    for (int p = 0; p < parts; p++) {
        part[threadIdx.x] = in[(blockIdx.x * parts + p) * 128 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < work; k++) {
            float4 v = part[(threadIdx.x + k * 5) % 128];
            sum += v.x * v.y + v.z * v.w;
        }
        __syncthreads();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

/* The same; copies are up to three parts ahead. */
__global__ void rows_ahead(float *out, const float4 *in, int parts, int work)
{
    __shared__ float4 part[4][128];
    float sum = 0;
    for (int p = 0; p < 3; p++) {
        __pipeline_memcpy_async(&part[p][threadIdx.x],
                                &in[(blockIdx.x * parts + p) * 128 + threadIdx.x], 16);
        __pipeline_commit();
    }
    for (int p = 0; p < parts; p++) {
        if (p + 3 < parts)
            __pipeline_memcpy_async(&part[(p + 3) % 4][threadIdx.x],
                                    &in[(blockIdx.x * parts + p + 3) * 128 + threadIdx.x], 16);
        __pipeline_commit();
        __pipeline_wait_prior(3);
        __syncthreads();
        for (int k = 0; k < work; k++) {
            float4 v = part[p % 4][(threadIdx.x + k * 5) % 128];
            sum += v.x * v.y + v.z * v.w;
        }
        __syncthreads();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void quantise(char4 *out, const float4 *in, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 v = in[i];
    out[i] = make_char4(__float2int_rn(v.x * scale), __float2int_rn(v.y * scale),
                        __float2int_rn(v.z * scale), __float2int_rn(v.w * scale));
}

/* Eight bytes per thread, or one. */
__global__ void grey(unsigned char *out, const uchar4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (in[i].x * 77 + in[i].y * 151 + in[i].z * 28) >> 8;
}

__global__ void grey_bytes(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (in[3 * i] * 77 + in[3 * i + 1] * 151 + in[3 * i + 2] * 28) >> 8;
}

int main()
{
    const int n = 1 << 19;
    auto half = [](size_t i) { return __float2half((scrambled(i) & 255) / 256.0f); };
    auto brain = [](size_t i) { return __float2bfloat16((scrambled(i) & 255) / 256.0f); };
    __half *x = filled<__half>(n, half), *y = filled<__half>(n, half);
    __nv_bfloat16 *rows = filled<__nv_bfloat16>(n, brain),
                  *normed = filled<__nv_bfloat16>(n, brain);
    float *in = fractions<float>(2 * n), *out = zeros<float>(n);
    unsigned char *bytes = zeros<unsigned char>(4 * n);
    TWICE(axpy_half<<<n / 256, 256>>>(y, x, 0.5f, n));
    TWICE(axpy_half2<<<n / 512, 256>>>((__half2 *)y, (__half2 *)x, 0.5f, n / 2));
    TWICE(polynomial_half2<<<264, 256>>>((__half2 *)y, (__half2 *)x, 64));
    TWICE(norm_bfloat<<<128, 128>>>(normed, rows, 1024));
    TWICE(norm_bfloat<<<256, 512>>>(normed, rows, 128));
    TWICE(product_warp<<<64, 128>>>(out, x, y, 256));
    TWICE(product_warp<<<72, 64>>>(out, x, y, 384));
    TWICE(product_shared<<<dim3(4, 8), 128>>>(out, x, y, 256));
    TWICE(product_shared<<<dim3(8, 2), 128>>>(out, x, y, 512));
    TWICE(rows_plain<<<132, 128>>>(out, (float4 *)in, 12, 8));
    TWICE(rows_ahead<<<132, 128>>>(out, (float4 *)in, 12, 8));
    TWICE(rows_plain<<<16, 128>>>(out, (float4 *)in, 100, 2));
    TWICE(rows_ahead<<<16, 128>>>(out, (float4 *)in, 100, 2));
    TWICE(quantise<<<n / 512, 256>>>((char4 *)bytes, (float4 *)in, 127, n / 2));
    TWICE(grey<<<n / 256, 256>>>(bytes, (uchar4 *)in, n));
    TWICE(grey_bytes<<<n / 256, 256>>>(bytes, (unsigned char *)in, n));
    return 0;
}
