/* Products of matrices: C is rows x columns, the inner dimension is DEPTH. */
#include "common.cuh"
#include <cuda_fp16.h>
#include <mma.h>

template <typename T>
__global__ void mmSimple(T *C, const T *A, const T *B, int rows, int columns, int depth)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= columns)
        return;
    T sum = 0;
    for (int k = 0; k < depth; k++)
        sum += A[r * depth + k] * B[k * columns + c];
    C[r * columns + c] = sum;
}

/* B is given transposed: every thread reads two rows. */
__global__ void mmTransposed(float *C, const float *A, const float *Bt, int rows, int columns,
                             int depth)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= columns)
        return;
    float sum = 0;
    for (int k = 0; k < depth; k++)
        sum += A[r * depth + k] * Bt[c * depth + k];
    C[r * columns + c] = sum;
}

template <typename T, int S>
__global__ void mmShared(T *C, const T *A, const T *B, int rows, int columns, int depth)
{
    __shared__ T as[S][S], bs[S][S];
    int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * S + tx, r = blockIdx.y * S + ty;
    T sum = 0;
    for (int k = 0; k < depth; k += S) {
        as[ty][tx] = r < rows && k + tx < depth ? A[r * depth + k + tx] : T(0);
        bs[ty][tx] = c < columns && k + ty < depth ? B[(k + ty) * columns + c] : T(0);
        __syncthreads();
        for (int i = 0; i < S; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (r < rows && c < columns)
        C[r * columns + c] = sum;
}

/* Every thread makes 8 elements of a column; A's tile is in shared memory. */
__global__ void mmColumnStrip(float *C, const float *A, const float *B, int columns, int depth)
{
    __shared__ float as[8][32];
    int c = blockIdx.x * 128 + threadIdx.x, r = blockIdx.y * 8;
    float sum[8] = {};
    for (int k = 0; k < depth; k += 32) {
        for (int i = threadIdx.x; i < 256; i += 128)
            as[i / 32][i % 32] = A[(r + i / 32) * depth + k + i % 32];
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            float b = B[(k + i) * columns + c];
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum[j] += as[j][i] * b;
        }
        __syncthreads();
    }
    for (int j = 0; j < 8; j++)
        C[(r + j) * columns + c] = sum[j];
}

/* Blocks make 64 x 64 elements, 256 threads 4 x 4 each. */
__global__ void mmRegisters(float *C, const float *A, const float *B, int columns, int depth)
{
    __shared__ float as[16][64 + 4], bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < depth; k += 16) {
        float4 a = *(const float4 *)&A[(r0 + t / 4) * depth + k + t % 4 * 4];
        as[t % 4 * 4][t / 4] = a.x;
        as[t % 4 * 4 + 1][t / 4] = a.y;
        as[t % 4 * 4 + 2][t / 4] = a.z;
        as[t % 4 * 4 + 3][t / 4] = a.w;
        *(float4 *)&bs[ty][tx * 4] = *(const float4 *)&B[(k + ty) * columns + c0 + tx * 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 x = *(float4 *)&as[i][ty * 4], y = *(float4 *)&bs[i][tx * 4];
            float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[p][q] += xs[p] * ys[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        *(float4 *)&C[(r0 + ty * 4 + p) * columns + c0 + tx * 4] =
            make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
}

/* A warp makes 16 x 16 elements by the tensor cores, four warps per block side by side. */
__global__ void mmTensor(float *C, const half *A, const half *B, int columns, int depth)
{
    using namespace nvcuda::wmma;
    int c = (blockIdx.x * 4 + threadIdx.x / 32) * 16, r = blockIdx.y * 16;
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, row_major> b;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0);
    for (int k = 0; k < depth; k += 16) {
        load_matrix_sync(a, A + r * depth + k, depth);
        load_matrix_sync(b, B + k * columns + c, columns);
        mma_sync(sum, a, b, sum);
    }
    store_matrix_sync(C + r * columns + c, sum, columns, mem_row_major);
}

/* Bytes, four a word; B transposed. */
__global__ void mmBytes(int *C, const int *A, const int *Bt, int columns, int words)
{
    __shared__ int as[16][17], bs[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, sum = 0;
    for (int k = 0; k < words; k += 16) {
        as[ty][tx] = A[(blockIdx.y * 16 + ty) * words + k + tx];
        bs[ty][tx] = Bt[(blockIdx.x * 16 + ty) * words + k + tx];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = __dp4a(as[ty][i], bs[tx][i], sum);
        __syncthreads();
    }
    C[(blockIdx.y * 16 + ty) * columns + blockIdx.x * 16 + tx] = sum;
}

/* The inner dimension is shared among blocks, which add up. */
__global__ void mmSplit(float *C, const float *A, const float *B, int columns, int depth, int part)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, c = blockIdx.x * 16 + tx, r = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = blockIdx.z * part; k < (blockIdx.z + 1) * part; k += 16) {
        as[ty][tx] = A[r * depth + k + tx];
        bs[ty][tx] = B[(k + ty) * columns + c];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    atomicAdd(&C[r * columns + c], sum);
}

int main()
{
    const int most = 768 * 768;
    auto a = random_between<float>(most, -1, 1), b = random_between<float>(most, -1, 1, 1);
    auto da = random_between<double>(most, -1, 1), db = random_between<double>(most, -1, 1, 1);
    float *c = zeros<float>(most);
    double *dc = zeros<double>(most);
    int columns, depth;
    auto want = [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < depth; k++)
            sum += (double)a[i / columns * depth + k] * b[(size_t)k * columns + i % columns];
        return sum;
    };
    auto dim = [](int w, int h, int x, int y) { return dim3((w + x - 1) / x, (h + y - 1) / y); };

    columns = 300, depth = 200;
    TWICE(mmSimple<float>
          <<<dim(300, 500, 16, 16), dim3(16, 16)>>>(c, a.device, b.device, 500, 300, 200));
    expect("mmSimple", c, 500 * 300, want, 1e-4, 97);
    TWICE(mmSimple<float>
          <<<dim(300, 500, 64, 4), dim3(64, 4)>>>(c, a.device, b.device, 500, 300, 200));
    TWICE(mmShared<float, 8>
          <<<dim(300, 500, 8, 8), dim3(8, 8)>>>(c, a.device, b.device, 500, 300, 200));
    expect("mmShared, 8", c, 500 * 300, want, 1e-4, 97);
    TWICE(mmShared<float, 32>
          <<<dim(300, 500, 32, 32), dim3(32, 32)>>>(c, a.device, b.device, 500, 300, 200));
    expect("mmShared, 32", c, 500 * 300, want, 1e-4, 97);
    TWICE(mmTransposed<<<dim(300, 500, 16, 16), dim3(16, 16)>>>(c, a.device, b.device, 500, 300,
                                                                200));
    expect(
        "mmTransposed", c, 500 * 300,
        [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < 200; k++)
                sum += (double)a[i / 300 * 200 + k] * b[i % 300 * 200 + k];
            return sum;
        },
        1e-4, 97);
    TWICE(mmSimple<double>
          <<<dim(300, 500, 16, 16), dim3(16, 16)>>>(dc, da.device, db.device, 500, 300, 200));
    auto want_double = [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < depth; k++)
            sum += da[i / columns * depth + k] * db[(size_t)k * columns + i % columns];
        return sum;
    };
    expect("mmSimple, double", dc, 500 * 300, want_double, 1e-12, 97);
    TWICE(mmShared<double, 16>
          <<<dim(300, 500, 16, 16), dim3(16, 16)>>>(dc, da.device, db.device, 500, 300, 200));
    expect("mmShared, double", dc, 500 * 300, want_double, 1e-12, 97);

    columns = 640, depth = 512;
    TWICE(mmShared<float, 16>
          <<<dim(640, 512, 16, 16), dim3(16, 16)>>>(c, a.device, b.device, 512, 640, 512));
    expect("mmShared, 16", c, 512 * 640, want, 1e-4, 397);
    TWICE(mmColumnStrip<<<dim3(5, 64), 128>>>(c, a.device, b.device, 640, 512));
    expect("mmColumnStrip", c, 512 * 640, want, 1e-4, 397);
    TWICE(mmRegisters<<<dim3(10, 8), 256>>>(c, a.device, b.device, 640, 512));
    expect("mmRegisters", c, 512 * 640, want, 1e-4, 397);
    TWICE(mmRegisters<<<dim3(2, 2), 256>>>(c, a.device, b.device, 640, 512));
    auto ha = made<half>(most, [&](size_t i) { return __float2half(a[i]); });
    auto hb = made<half>(most, [&](size_t i) { return __float2half(b[i]); });
    TWICE(mmTensor<<<dim3(10, 32), 128>>>(c, ha.device, hb.device, 640, 512));
    expect("mmTensor", c, 512 * 640, want, 5e-2, 397);
    TWICE(mmTensor<<<dim3(1, 4), 128>>>(c, ha.device, hb.device, 640, 512));

    auto ba = made<signed char>(512 * 256, [](size_t i) { return (signed char)scrambled(i); });
    auto bb = made<signed char>(512 * 256, [](size_t i) { return (signed char)scrambled(i + 99); });
    int *ic = zeros<int>(512 * 512);
    TWICE(mmBytes<<<dim3(32, 32), dim3(16, 16)>>>(ic, (int *)ba.device, (int *)bb.device, 512, 64));
    expect(
        "mmBytes", ic, 512 * 512,
        [&](size_t i) {
            int sum = 0;
            for (int k = 0; k < 256; k++)
                sum += ba[i / 512 * 256 + k] * bb[i % 512 * 256 + k];
            return sum;
        },
        0, 97);

    columns = 64, depth = 4096;
    TWICE(mmShared<float, 16><<<dim3(4, 4), dim3(16, 16)>>>(c, a.device, b.device, 64, 64, 4096));
    expect("mmShared, deep", c, 64 * 64, want, 1e-3);
    CHECK(cudaMemset(c, 0, 64 * 64 * sizeof *c));
    TWICE(mmSplit<<<dim3(4, 4, 16), dim3(16, 16)>>>(c, a.device, b.device, 64, 4096, 256));
    expect(
        "mmSplit", c, 64 * 64, [&](size_t i) { return 2 * want(i); }, 1e-3);
    return 0;
}
