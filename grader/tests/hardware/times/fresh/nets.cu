/* Layers of neural networks: rows, attention, convolution, pooling, lookups. */
#include "../launch.cuh"

static __device__ float sum_warp(float value)
{
    for (int step = 16; step; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    return value;
}

static __device__ float sum_block(float value)
{
    __shared__ float parts[32];
    value = sum_warp(value);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = sum_warp(threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : 0);
    __syncthreads();
    return value;
}

__global__ void softmax_thread(float *out, const float *in, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *x = in + row * width;
    float most = -1e30f, sum = 0;
    for (int k = 0; k < width; k++)
        most = fmaxf(most, x[k]);
    for (int k = 0; k < width; k++)
        sum += expf(x[k] - most);
    for (int k = 0; k < width; k++)
        out[row * width + k] = expf(x[k] - most) / sum;
}

__global__ void softmax_warp(float *out, const float *in, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *x = in + row * width;
    float most = -1e30f, sum = 0;
    for (int k = lane; k < width; k += 32)
        most = fmaxf(most, x[k]);
    for (int step = 16; step; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    for (int k = lane; k < width; k += 32)
        sum += __expf(x[k] - most);
    sum = 1 / sum_warp(sum);
    for (int k = lane; k < width; k += 32)
        out[row * width + k] = __expf(x[k] - most) * sum;
}

__global__ void layer_norm(float *out, const float *in, const float *gain, int width)
{
    const float *x = in + blockIdx.x * width;
    float sum = 0, squares = 0;
    for (int k = threadIdx.x; k < width; k += blockDim.x) {
        sum += x[k];
        squares += x[k] * x[k];
    }
    float mean = sum_block(sum) / width;
    float scale = rsqrtf(sum_block(squares) / width - mean * mean + 1e-5f);
    for (int k = threadIdx.x; k < width; k += blockDim.x)
        out[blockIdx.x * width + k] = (x[k] - mean) * scale * gain[k];
}

__global__ void gelu(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] =
            0.5f * in[i] * (1 + tanhf(0.79788456f * (in[i] + 0.044715f * in[i] * in[i] * in[i])));
}

/* One query per warp, 64 numbers per key; the sums are corrected when the maximum grows. */
__global__ void attention(float *out, const float *q, const float *k, const float *v, int keys)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float2 query = ((const float2 *)q)[row * 32 + lane], sum = make_float2(0, 0);
    float most = -1e30f, weight = 0;
    for (int j = 0; j < keys; j++) {
        float2 key = ((const float2 *)k)[j * 32 + lane], value = ((const float2 *)v)[j * 32 + lane];
        float score = sum_warp(query.x * key.x + query.y * key.y) * 0.125f;
        float next = fmaxf(most, score), old = __expf(most - next), now = __expf(score - next);
        weight = weight * old + now;
        sum.x = sum.x * old + now * value.x;
        sum.y = sum.y * old + now * value.y;
        most = next;
    }
    ((float2 *)out)[row * 32 + lane] = make_float2(sum.x / weight, sum.y / weight);
}

__global__ void im2col(float *out, const float *in, int channels, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % size, y = i / size % size;
    int channel = i / (size * size);
    if (channel >= channels)
        return;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            int sx = x + dx - 1, sy = y + dy - 1;
            bool inside = sx >= 0 && sy >= 0 && sx < size && sy < size;
            out[((channel * 9 + dy * 3 + dx) * size + y) * size + x] =
                inside ? in[(channel * size + sy) * size + sx] : 0;
        }
}

__global__ void convolve(float *out, const float *in, const float *weights, int channels, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) {
                int sx = min(max(x + dx - 1, 0), size - 1), sy = min(max(y + dy - 1, 0), size - 1);
                sum += in[(c * size + sy) * size + sx] *
                       weights[(blockIdx.z * channels + c) * 9 + dy * 3 + dx];
            }
    out[(blockIdx.z * size + y) * size + x] = fmaxf(sum, 0);
}

__global__ void depthwise(float *out, const float *in, const float *weights, int size)
{
    __shared__ float tile[20][20];
    int left = blockIdx.x * 16 - 2, top = blockIdx.y * 16 - 2, c = blockIdx.z;
    for (int i = threadIdx.x; i < 400; i += blockDim.x) {
        int x = left + i % 20, y = top + i / 20;
        bool inside = x >= 0 && y >= 0 && x < size && y < size;
        tile[i / 20][i % 20] = inside ? in[(c * size + y) * size + x] : 0;
    }
    __syncthreads();
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
        for (int dx = 0; dx < 5; dx++)
            sum += tile[y + dy][x + dx] * weights[c * 25 + dy * 5 + dx];
    out[(c * size + top + 2 + y) * size + left + 2 + x] = sum;
}

__global__ void pool_max(float *out, const float *in, int size, int window)
{
    int half = size / window, i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % half, y = i / half % half, c = i / (half * half);
    float most = -1e30f;
    for (int dy = 0; dy < window; dy++)
        for (int dx = 0; dx < window; dx++)
            most = fmaxf(most, in[(c * size + y * window + dy) * size + x * window + dx]);
    out[i] = most;
}

__global__ void pool_average(float *out, const float *in, int area)
{
    float sum = 0;
    for (int k = threadIdx.x; k < area; k += blockDim.x)
        sum += in[blockIdx.x * area + k];
    sum = sum_block(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum / area;
}

__global__ void embed(float4 *out, const float4 *table, const int *words, int width)
{
    out[blockIdx.x * width + threadIdx.x] = table[(size_t)words[blockIdx.x] * width + threadIdx.x];
}

__global__ void embed_back(float *table, const float *in, const int *words, int width)
{
    atomicAdd(&table[(size_t)words[blockIdx.x] * width + threadIdx.x],
              in[blockIdx.x * width + threadIdx.x]);
}

__global__ void gather(float *out, const float *in, const int *places, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[places[i]];
}

__global__ void adam(float *w, float *m, float *v, const float *g, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
    w[i] -= 0.001f * m[i] / (sqrtf(v[i]) + 1e-8f);
}

int main()
{
    const int n = 1 << 20;
    float *in = fractions<float>(n), *out = zeros<float>(4 * n),
          *weights = fractions<float>(1 << 15);
    float *m = zeros<float>(n), *v = zeros<float>(n);
    int *words = integers(8192, 4096), *few = integers(8192, 16), *places = integers(n, n);
    TWICE(softmax_thread<<<32, 64>>>(out, in, 128));
    TWICE(softmax_warp<<<256, 256>>>(out, in, 128));
    TWICE(softmax_warp<<<64, 128>>>(out, in, 2048));
    TWICE(layer_norm<<<512, 256>>>(out, in, weights, 1024));
    TWICE(layer_norm<<<32, 1024>>>(out, in, weights, 4096));
    TWICE(gelu<<<n / 2048, 512>>>(out, in, n / 4));
    TWICE(attention<<<32, 128>>>(out, in, in + n / 4, in + n / 2, 256));
    TWICE(attention<<<264, 256>>>(out, in, in + n / 2, in + n / 2 + 4096, 48));
    TWICE(im2col<<<512, 256>>>(out, in, 32, 64));
    TWICE(convolve<<<dim3(2, 8, 16), dim3(32, 8)>>>(out, in, weights, 8, 64));
    TWICE(convolve<<<dim3(1, 1, 64), dim3(16, 16)>>>(out, in, weights, 16, 16));
    TWICE(depthwise<<<dim3(4, 4, 64), 256>>>(out, in, weights, 64));
    TWICE(pool_max<<<512, 256>>>(out, in, 256, 2));
    TWICE(pool_max<<<32, 256>>>(out, in, 256, 8));
    TWICE(pool_average<<<256, 64>>>(out, in, 49));
    TWICE(pool_average<<<64, 256>>>(out, in, 4096));
    TWICE(embed<<<8192, 64>>>((float4 *)out, (float4 *)in, words, 64));
    TWICE(embed_back<<<2048, 128>>>(out, in, words, 128));
    TWICE(embed_back<<<2048, 128>>>(out, in, few, 128));
    TWICE(gather<<<n / 256, 256>>>(out, in, places, n));
    TWICE(adam<<<n / 512, 256>>>(out, m, v, in, n / 2));
    return 0;
}
