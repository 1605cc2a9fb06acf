/* Layers of a neural network: products in int8, half and float, softmax and layer norm over rows, pooling, a 1D depthwise
 * convolution with weights in constant memory. */
#include "expect.cuh"
#include <cuda_fp16.h>

__constant__ float filter[64 * 7];

/* C = A B' of bytes, four products an instruction; 16 x 16 results a block. */
__global__ void product_bytes(const int *a, const int *b, int *c, int n, int quads)
{
    __shared__ int s[16][17], t[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x,
        sum = 0;
    for (int k = 0; k < quads; k += 16) {
        s[y][x] = a[row * quads + k + x];
        t[y][x] = b[(blockIdx.x * 16 + y) * quads + k + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = __dp4a(s[y][i], t[x][i], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void product_bytes_naive(const signed char *a, const signed char *b, int *c, int n,
                                    int depth)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y,
        sum = 0;
    for (int k = 0; k < depth; k++)
        sum += a[row * depth + k] * b[column * depth + k];
    c[row * n + column] = sum;
}

/* A thread two columns of half; B is read as pairs. */
__global__ void product_half(const __half *a, const __half2 *b, __half2 *c, int pairs, int depth)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    __half2 sum = __float2half2_rn(0);
    for (int k = 0; k < depth; k++)
        sum = __hfma2(__half2half2(a[row * depth + k]), b[k * pairs + column], sum);
    c[row * pairs + column] = sum;
}

/* 64 x 64 results a block of 256 threads, 4 x 4 a thread. */
__global__ void product_registers(const float *a, const float *b, float *c, int n, int depth)
{
    __shared__ float s[16][64], t[16][64];
    int id = threadIdx.x, x = id % 16, y = id / 16;
    float sum[4][4] = {};
    for (int k = 0; k < depth; k += 16) {
        for (int i = id; i < 1024; i += 256) {
            s[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * depth + k + i % 16];
            t[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    sum[p][q] += s[i][y * 4 + p] * t[i][x * 4 + q];
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            c[(blockIdx.y * 64 + y * 4 + p) * n + blockIdx.x * 64 + x * 4 + q] = sum[p][q];
}

__global__ void softmax_thread(const float *in, float *out, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from = in + row * columns;
    float top = -1e30f, sum = 0;
    for (int j = 0; j < columns; j++)
        top = fmaxf(top, from[j]);
    for (int j = 0; j < columns; j++)
        sum += __expf(from[j] - top);
    for (int j = 0; j < columns; j++)
        out[row * columns + j] = __expf(from[j] - top) / sum;
}

__global__ void softmax_warp(const float *in, float *out, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float v[8], top = -1e30f, sum = 0;
    for (int k = 0; k < 8; k++) {
        v[k] = in[row * columns + k * 32 + lane];
        top = fmaxf(top, v[k]);
    }
    for (int d = 16; d; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    for (int k = 0; k < 8; k++)
        sum += v[k] = __expf(v[k] - top);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int k = 0; k < 8; k++)
        out[row * columns + k * 32 + lane] = v[k] / sum;
}

__device__ float block_sum(float v, float *s)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < blockDim.x / 32; w++)
        v += s[w];
    return v;
}

__global__ void norm_block(const float *in, const float *scale, float *out, int columns)
{
    __shared__ float s[32];
    float v = 0, w = 0;
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        v += in[blockIdx.x * columns + j];
    float mean = block_sum(v, s) / columns;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        float d = in[blockIdx.x * columns + j] - mean;
        w += d * d;
    }
    float r = rsqrtf(block_sum(w, s) / columns + 1e-5f);
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        out[blockIdx.x * columns + j] = (in[blockIdx.x * columns + j] - mean) * r * scale[j];
}

/* in[channel][time]; a block row a channel: the weights are the same for a warp. */
__global__ void depthwise(const float *in, float *out, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y;
    float sum = 0;
    for (int k = 0; k < 7; k++)
        sum += t + k - 3 >= 0 && t + k - 3 < length
                   ? in[channel * length + t + k - 3] * filter[channel * 7 + k]
                   : 0;
    out[channel * length + t] = sum > 0 ? sum : 0.1f * sum;
}

/* in[time][channel]: the weights differ in a warp. */
__global__ void depthwise_last(const float *in, float *out, int length)
{
    int channel = threadIdx.x, t = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 7; k++)
        sum += t + k - 3 >= 0 && t + k - 3 < length
                   ? in[(t + k - 3) * 64 + channel] * filter[channel * 7 + k]
                   : 0;
    out[t * 64 + channel] = sum > 0 ? sum : 0.1f * sum;
}

__global__ void gelu_half(const __half2 *in, __half2 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = __half22float2(in[i]);
    v.x *= 0.5f * (1 + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
    v.y *= 0.5f * (1 + tanhf(0.79788456f * (v.y + 0.044715f * v.y * v.y * v.y)));
    out[i] = __float22half2_rn(v);
}

int main()
{
    const int n = 512, depth = 512;
    signed char *ba = filled<signed char>(
        n * depth, [](size_t i) { return (signed char)(scrambled(i) % 255 - 127); });
    signed char *bb = filled<signed char>(
        n * depth, [](size_t i) { return (signed char)(scrambled(i + 7) % 255 - 127); });
    int *ic = zeros<int>(n * n);
    auto ha = fetched(ba, n * depth), hb = fetched(bb, n * depth);
    auto check_bytes = [&](const char *what, int rows) {
        auto h = fetched(ic, rows * n);
        for (size_t i : places(rows * n, 300)) {
            int sum = 0;
            for (int k = 0; k < depth; k++)
                sum += ha[i / n * depth + k] * hb[i % n * depth + k];
            expect_same(what, i, h[i], sum);
        }
        CHECK(cudaMemset(ic, 0, n * n * 4));
    };
    TWICE(product_bytes<<<dim3(n / 16, n / 16), dim3(16, 16)>>>((int *)ba, (int *)bb, ic, n,
                                                                depth / 4));
    check_bytes("bytes", n);
    TWICE(product_bytes<<<dim3(n / 16, 4), dim3(16, 16)>>>((int *)ba, (int *)bb, ic, n, depth / 4));
    check_bytes("bytes", 64);
    TWICE(product_bytes_naive<<<dim3(n / 32, 16), dim3(32, 8)>>>(ba, bb, ic, n, depth));
    check_bytes("naive", 128);

    __half *fa = filled<__half>(n * depth,
                                [](size_t i) { return __float2half((scrambled(i) % 9) / 16.0f); });
    __half *fb = filled<__half>(
        n * depth, [](size_t i) { return __float2half((scrambled(i + 3) % 5 - 2.0f) / 8.0f); });
    __half *fc = zeros<__half>(n * n);
    auto hfa = fetched(fa, n * depth), hfb = fetched(fb, n * depth);
    TWICE(product_half<<<dim3(n / 2 / 64, n / 4), dim3(64, 4)>>>(fa, (__half2 *)fb, (__half2 *)fc,
                                                                 n / 2, 256));
    auto hfc = fetched(fc, n * n);
    for (size_t i : places(n * n, 300)) {
        double sum = 0;
        for (int k = 0; k < 256; k++)
            sum += (double)__half2float(hfa[i / n * 256 + k]) * __half2float(hfb[k * n + i % n]);
        expect_near("half", i, __half2float(hfc[i]), sum, 2e-2);
    }
    TWICE(product_half<<<dim3(n / 2 / 256, n), dim3(256, 1)>>>(fa, (__half2 *)fb, (__half2 *)fc,
                                                               n / 2, 256));

    float *a = fractions<float>(n * depth), *b = fractions<float>(n * depth),
          *c = zeros<float>(n * n);
    auto h = fetched(a, n * depth);
    TWICE(product_registers<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n, depth));
    auto hc = fetched(c, n * n);
    for (size_t i : places(n * n, 300)) {
        double sum = 0;
        for (int k = 0; k < depth; k++)
            sum += (double)h[i / n * depth + k] * h[k * n + i % n];
        expect_near("registers", i, hc[i], sum, 1e-4);
    }
    float *out = zeros<float>(n * depth);
    const int columns = 256, rows = 1024;
    auto check_soft = [&](const char *what) {
        auto o = fetched(out, rows * columns);
        for (size_t i : places(rows * columns, 300)) {
            double sum = 0;
            for (int k = 0; k < columns; k++)
                sum += exp(h[i / columns * columns + k]);
            expect_near(what, i, o[i] * columns, columns * exp(h[i]) / sum, 1e-4);
        }
        CHECK(cudaMemset(out, 0, n * depth * 4));
    };
    TWICE(softmax_thread<<<rows / 64, 64>>>(a, out, columns));
    check_soft("thread");
    TWICE(softmax_warp<<<rows / 8, 256>>>(a, out, columns));
    check_soft("warp");
    auto check_norm = [&](const char *what, int wide) {
        auto o = fetched(out, n * depth);
        for (size_t i : places(n * depth, 300)) {
            double mean = 0, var = 0;
            for (int k = 0; k < wide; k++)
                mean += h[i / wide * wide + k] / wide;
            for (int k = 0; k < wide; k++)
                var += pow(h[i / wide * wide + k] - mean, 2) / wide;
            expect_near(what, i, o[i], (h[i] - mean) / sqrt(var + 1e-5) * h[i % wide], 1e-3);
        }
    };
    TWICE(norm_block<<<64, 512>>>(a, a, out, 4096));
    check_norm("norm", 4096);
    TWICE(norm_block<<<512, 128>>>(a, a, out, 512));
    check_norm("norm", 512);

    const int length = 4096;
    CHECK(cudaMemcpyToSymbol(filter, h.data(), sizeof filter));
    auto check_depth = [&](const char *what, bool last) {
        auto o = fetched(out, 64 * length);
        for (size_t i : places(64 * length, 500)) {
            int channel = last ? i % 64 : i / length, t = last ? i / 64 : i % length;
            double sum = 0;
            for (int k = 0; k < 7; k++)
                if (t + k - 3 >= 0 && t + k - 3 < length)
                    sum += (double)
                               h[last ? (t + k - 3) * 64 + channel : channel * length + t + k - 3] *
                           h[channel * 7 + k];
            expect_near(what, i, o[i], sum, 1e-4);
        }
    };
    TWICE(depthwise<<<dim3(length / 256, 64), 256>>>(a, out, length));
    check_depth("depthwise", false);
    TWICE(depthwise_last<<<length / 4, dim3(64, 4)>>>(a, out, length));
    check_depth("last", true);
    TWICE(gelu_half<<<n * depth / 2 / 256, 256>>>((__half2 *)fb, (__half2 *)fa));
    TWICE(gelu_half<<<n * depth / 2 / 64 / 4, 64>>>((__half2 *)fb, (__half2 *)fa));
    auto g = fetched(fa, n * depth);
    for (size_t i : places(n * depth, 500)) {
        double v = __half2float(hfb[i]);
        expect_near("gelu", i, __half2float(g[i]),
                    v * 0.5 * (1 + tanh(0.79788456 * (v + 0.044715 * v * v * v))), 2e-3);
    }
    return verdict("layers");
}
