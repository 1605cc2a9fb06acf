// Layers of neural networks: convolutions, pooling, softmax, normalisation, embeddings, half precision.
#include "../launch.cuh"
#include <cuda_fp16.h>

__global__ void conv3x3(const float *in, const float *w, float *out, int side, int channels)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        o = blockIdx.z;
    if (x >= side - 2 || y >= side - 2)
        return;
    float acc = 0;
    for (int c = 0; c < channels; ++c)
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                acc +=
                    in[(c * side + y + j) * side + x + i] * w[((o * channels + c) * 3 + j) * 3 + i];
    out[(o * side + y) * side + x] = fmaxf(acc, 0.0f);
}

__global__ void conv3x3_shared(const float *in, const float *w, float *out, int side, int channels)
{
    __shared__ float tile[18][18], kernel[9];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, o = blockIdx.z;
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    float acc = 0;
    for (int c = 0; c < channels; ++c) {
        for (int i = t; i < 18 * 18; i += 256) {
            int y = min(y0 + i / 18, side - 1), x = min(x0 + i % 18, side - 1);
            tile[i / 18][i % 18] = in[(c * side + y) * side + x];
        }
        if (t < 9)
            kernel[t] = w[(o * channels + c) * 9 + t];
        __syncthreads();
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                acc += tile[ty + j][tx + i] * kernel[j * 3 + i];
        __syncthreads();
    }
    if (x0 + tx < side - 2 && y0 + ty < side - 2)
        out[(o * side + y0 + ty) * side + x0 + tx] = fmaxf(acc, 0.0f);
}

__global__ void max_pool(const float *in, float *out, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z, half = side / 2;
    const float *p = in + (c * side + 2 * y) * side + 2 * x;
    out[(c * half + y) * half + x] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[side], p[side + 1]));
}

__global__ void softmax_thread(const float *in, float *out, int cols)
{
    const float *row = in + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * cols;
    float *to = out + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * cols, most = -1e30f,
          sum = 0;
    for (int c = 0; c < cols; ++c)
        most = fmaxf(most, row[c]);
    for (int c = 0; c < cols; ++c)
        sum += expf(row[c] - most);
    for (int c = 0; c < cols; ++c)
        to[c] = expf(row[c] - most) / sum;
}

__global__ void softmax_warp(const float *in, float *out, int cols)
{
    size_t r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    const float *row = in + r * cols;
    float most = -1e30f, sum = 0;
    for (int c = lane; c < cols; c += 32)
        most = fmaxf(most, row[c]);
    for (int d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int c = lane; c < cols; c += 32)
        sum += expf(row[c] - most);
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int c = lane; c < cols; c += 32)
        out[r * cols + c] = expf(row[c] - most) / sum;
}

__global__ void layer_norm(const float *in, float *out, int cols)
{
    __shared__ float parts[2][8];
    const float *row = in + (size_t)blockIdx.x * cols;
    float s = 0, q = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        s += row[c];
        q += row[c] * row[c];
    }
    for (int d = 16; d; d /= 2) {
        s += __shfl_xor_sync(~0u, s, d);
        q += __shfl_xor_sync(~0u, q, d);
    }
    if (threadIdx.x % 32 == 0) {
        parts[0][threadIdx.x / 32] = s;
        parts[1][threadIdx.x / 32] = q;
    }
    __syncthreads();
    s = q = 0;
    for (int w = 0; w < 8; ++w) {
        s += parts[0][w];
        q += parts[1][w];
    }
    float mean = s / cols, scale = rsqrtf(q / cols - mean * mean + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * scale;
}

__global__ void embed(const int *token, const float *table, float *out, int dims)
{
    out[blockIdx.x * dims + threadIdx.x] = table[token[blockIdx.x] * dims + threadIdx.x];
}

__global__ void bias_gelu(const float *in, const float *bias, float *out, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i] + bias[i % cols];
    out[i] = 0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

__global__ void scale_half(const __half2 *in, __half2 *out, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __hfma2(in[i], __float2half2_rn(by), in[i]);
}

// A sum over all pictures for each channel: one block per channel.
__global__ void channel_means(const float *in, float *mean, int channels, int pixels, int pictures)
{
    __shared__ float all[256];
    float s = 0;
    for (int p = 0; p < pictures; ++p)
        for (int i = threadIdx.x; i < pixels; i += 256)
            s += in[(p * channels + blockIdx.x) * pixels + i];
    all[threadIdx.x] = s;
    for (int h = 128; h; h /= 2) {
        __syncthreads();
        if (threadIdx.x < h)
            all[threadIdx.x] += all[threadIdx.x + h];
    }
    if (threadIdx.x == 0)
        mean[blockIdx.x] = all[0] / (pixels * pictures);
}

int main()
{
    int n = 1 << 22;
    float *in = fractions<float>(n), *w = fractions<float>(1 << 16), *out = zeros<float>(n);
    int *tokens = integers(4096, 8192);
    TWICE(conv3x3<<<dim3(8, 8, 16), dim3(16, 16)>>>(in, w, out, 128, 16));
    TWICE(conv3x3_shared<<<dim3(8, 8, 16), dim3(16, 16)>>>(in, w, out, 128, 16));
    TWICE(max_pool<<<dim3(1, 128, 64), 128>>>(in, out, 256));
    TWICE(softmax_thread<<<32, 128>>>(in, out, 512));
    TWICE(softmax_warp<<<1024, 128>>>(in, out, 512));
    TWICE(layer_norm<<<4096, 256>>>(in, out, 768));
    TWICE(layer_norm<<<64, 256>>>(in, out, 768));
    TWICE(embed<<<4096, 512>>>(tokens, in, out, 512));
    TWICE(bias_gelu<<<n / 256, 256>>>(in, w, out, 1024));
    TWICE(scale_half<<<n / 256, 256>>>((__half2 *)in, (__half2 *)out, 0.5f));
    TWICE(channel_means<<<64, 256>>>(in, out, 64, 3136, 16));
}
