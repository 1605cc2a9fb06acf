/* Learning: clusters, neighbours, and layers of networks with their gradients. */
#include "common.cuh"
#include <cuda_fp16.h>

/* K-means: points of DIMS numbers, centres in shared memory. */
template <int DIMS>
__global__ void assign(int *label, const float *points, const float *centres, int k, int n)
{
    extern __shared__ float c[];
    for (int i = threadIdx.x; i < k * DIMS; i += blockDim.x)
        c[i] = centres[i];
    __syncthreads();
    int p = own_index();
    if (p >= n)
        return;
    float x[DIMS], best = 1e30f;
#pragma unroll
    for (int d = 0; d < DIMS; d++)
        x[d] = points[d * n + p];
    int nearest = 0;
    for (int j = 0; j < k; j++) {
        float sum = 0;
#pragma unroll
        for (int d = 0; d < DIMS; d++)
            sum += (x[d] - c[j * DIMS + d]) * (x[d] - c[j * DIMS + d]);
        if (sum < best) {
            best = sum;
            nearest = j;
        }
    }
    label[p] = nearest;
}

/* The five nearest in a list, kept sorted in registers. */
__global__ void fiveNearest(float *out, const float2 *queries, const float2 *points, int n)
{
    __shared__ float2 tile[128];
    int q = own_index();
    float2 me = queries[q];
    float best[5] = {1e30f, 1e30f, 1e30f, 1e30f, 1e30f};
    for (int first = 0; first < n; first += 128) {
        tile[threadIdx.x] = points[first + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 128; i++) {
            float dx = tile[i].x - me.x, dy = tile[i].y - me.y, d = dx * dx + dy * dy;
            if (d < best[4]) {
                best[4] = d;
#pragma unroll
                for (int k = 4; k > 0; k--)
                    if (best[k] < best[k - 1]) {
                        float t = best[k];
                        best[k] = best[k - 1];
                        best[k - 1] = t;
                    }
            }
        }
        __syncthreads();
    }
    for (int k = 0; k < 5; k++)
        out[q * 5 + k] = best[k];
}

/* Softmax and its loss in one pass over the logits, a block per row. */
__global__ void crossEntropy(float *loss, float *gradient, const float *logits, const int *target,
                             int classes)
{
    __shared__ float maxima[32], sums[32];
    const float *row = logits + (size_t)blockIdx.x * classes;
    float most = -1e30f, sum = 0;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        float x = row[c], next = fmaxf(most, x);
        sum = sum * __expf(most - next) + __expf(x - next);
        most = next;
    }
    for (int d = 16; d; d /= 2) {
        float m = __shfl_xor_sync(~0u, most, d), s = __shfl_xor_sync(~0u, sum, d),
              next = fmaxf(most, m);
        sum = sum * __expf(most - next) + s * __expf(m - next);
        most = next;
    }
    if (threadIdx.x % 32 == 0) {
        maxima[threadIdx.x / 32] = most;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    float all = -1e30f, total = 0;
    for (int w = 0; w < blockDim.x / 32; w++)
        all = fmaxf(all, maxima[w]);
    for (int w = 0; w < blockDim.x / 32; w++)
        total += sums[w] * __expf(maxima[w] - all);
    float by = 1 / total;
    for (int c = threadIdx.x; c < classes; c += blockDim.x)
        gradient[(size_t)blockIdx.x * classes + c] =
            __expf(row[c] - all) * by - (c == target[blockIdx.x]);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = logf(total) + all - row[target[blockIdx.x]];
}

/* Root mean square normalisation of halves, a warp per row. */
__global__ void rmsNorm(half2 *out, const half2 *in, const half2 *gain, int width)
{
    int row = own_index() / 32, lane = threadIdx.x % 32;
    const half2 *x = in + row * width;
    float sum = 0;
    for (int c = lane; c < width; c += 32) {
        float2 v = __half22float2(x[c]);
        sum += v.x * v.x + v.y * v.y;
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    float by = rsqrtf(sum / (2 * width) + 1e-5f);
    for (int c = lane; c < width; c += 32) {
        float2 v = __half22float2(x[c]), g = __half22float2(gain[c]);
        out[row * width + c] = __floats2half2_rn(v.x * by * g.x, v.y * by * g.y);
    }
}

/* Attention with a running softmax: 64 queries per block, tiles of 32 keys of 32 numbers. */
__global__ void attentionTile(float *out, const float *q, const float *k, const float *v, int keys)
{
    __shared__ float ks[32][32], vs[32][32];
    int query = blockIdx.x * 64 + threadIdx.x;
    float mine[32], sum[32], most = -1e30f, total = 0;
#pragma unroll
    for (int d = 0; d < 32; d++) {
        mine[d] = q[query * 32 + d] * 0.17677669f;
        sum[d] = 0;
    }
    for (int first = 0; first < keys; first += 32) {
        for (int i = threadIdx.x; i < 1024; i += 64) {
            ks[i / 32][i % 32] = k[first * 32 + i];
            vs[i / 32][i % 32] = v[first * 32 + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < 32; d++)
                s += mine[d] * ks[j][d];
            float next = fmaxf(most, s), old = __expf(most - next), p = __expf(s - next);
            total = total * old + p;
#pragma unroll
            for (int d = 0; d < 32; d++)
                sum[d] = sum[d] * old + p * vs[j][d];
            most = next;
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < 32; d++)
        out[query * 32 + d] = sum[d] / total;
}

/* A bias's gradient: sums of columns, by atomics of rows' parts or a block for 32 columns. */
__global__ void biasAtomics(float *out, const float *gradient, int width, int rows, int each)
{
    int c = own_index(), first = blockIdx.y * each;
    float sum = 0;
    for (int r = first; r < first + each && r < rows; r++)
        sum += gradient[r * width + c];
    atomicAdd(&out[c], sum);
}

__global__ void biasBlocks(float *out, const float *gradient, int width, int rows)
{
    __shared__ float part[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int r = threadIdx.y; r < rows; r += 32)
        sum += gradient[r * width + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = part[threadIdx.x][threadIdx.y];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0)
        out[blockIdx.x * 32 + threadIdx.y] = sum;
}

/* Convolution 5 x 5 of several channels, weights in constant memory. */
__constant__ float kernels[8 * 3 * 25];

__global__ void convolve5(float *out, const float *in, int w, int h)
{
    __shared__ float s[3][20][20];
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16, t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < 1200; i += 256) {
        int c = i / 400, y = y0 + i % 400 / 20 - 2, x = x0 + i % 20 - 2;
        s[c][i % 400 / 20][i % 20] =
            x >= 0 && y >= 0 && x < w && y < h ? in[(c * h + y) * w + x] : 0;
    }
    __syncthreads();
    for (int f = 0; f < 8; f++) {
        float sum = 0;
        for (int c = 0; c < 3; c++)
#pragma unroll
            for (int k = 0; k < 25; k++)
                sum +=
                    kernels[(f * 3 + c) * 25 + k] * s[c][threadIdx.y + k / 5][threadIdx.x + k % 5];
        out[(f * h + y0 + threadIdx.y) * w + x0 + threadIdx.x] = fmaxf(sum, 0);
    }
}

/* Activations: of floats, or halves two by two. */
__global__ void swish(float *out, const float *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = in[i] / (1 + expf(-in[i]));
}

__global__ void swishHalf(half2 *out, const half2 *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    half2 x = in[i], one = __float2half2_rn(1);
    out[i] = __h2div(x, __hadd2(one, h2exp(__hneg2(x))));
}

/* Stochastic gradient descent with momentum, four weights per thread. */
__global__ void momentum(float4 *w, float4 *m, const float4 *wIn, const float4 *mIn,
                         const float4 *g, float rate, int n)
{
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        float4 a = wIn[i], b = mIn[i], c = g[i];
        b.x = 0.9f * b.x + c.x;
        b.y = 0.9f * b.y + c.y;
        b.z = 0.9f * b.z + c.z;
        b.w = 0.9f * b.w + c.w;
        m[i] = b;
        w[i] = make_float4(a.x - rate * b.x, a.y - rate * b.y, a.z - rate * b.z, a.w - rate * b.w);
    }
}

/* Sums of rows of a table: a bag of words per block. */
__global__ void embeddingBag(float *out, const float *table, const int *words, const int *start,
                             int width)
{
    float sum = 0;
    for (int i = start[blockIdx.x]; i < start[blockIdx.x + 1]; i++)
        sum += table[words[i] * width + threadIdx.x];
    out[blockIdx.x * width + threadIdx.x] = sum;
}

int main()
{
    const int n = 60000;
    auto values = random_between<float>(16 * n, -1, 1),
         other = random_between<float>(16 * n, -1, 1, 1);
    int *labels = zeros<int>(n);
    auto near_right = [&](const char *what, int dims, int k, int count) {
        if (!comparing())
            return;
        auto got = fetched(labels, count);
        for (int p = 0; p < count; p += 11) {
            double best = 1e30, own = 0;
            for (int j = 0; j < k; j++) {
                double sum = 0;
                for (int d = 0; d < dims; d++)
                    sum += std::pow(values[d * count + p] - other[j * dims + d], 2);
                best = std::min(best, sum);
                own = j == got[p] ? sum : own;
            }
            if (own > best + 1e-5) {
                fprintf(stderr, "%s: point %d: %g instead of %g\n", what, p, own, best);
                exit(4);
            }
        }
        printf("%s: right\n", what);
    };
    TWICE(assign<3>
          <<<blocks_for(n, 256), 256, 3 * 64 * 4>>>(labels, values.device, other.device, 64, n));
    near_right("assign, 3", 3, 64, n);
    TWICE(assign<16>
          <<<blocks_for(n, 128), 128, 16 * 100 * 4>>>(labels, values.device, other.device, 100, n));
    near_right("assign, 16", 16, 100, n);
    TWICE(assign<3><<<8, 128, 3 * 8 * 4>>>(labels, values.device, other.device, 8, 1000));
    near_right("assign, few", 3, 8, 1000);
    float *out = zeros<float>(16 * n), *out2 = zeros<float>(16 * n);
    TWICE(fiveNearest<<<128, 128>>>(out, (float2 *)values.device, (float2 *)other.device, 2048));
    expect(
        "fiveNearest", out, 128 * 128 * 5,
        [&](size_t i) {
            std::vector<double> d(2048);
            for (int k = 0; k < 2048; k++)
                d[k] = std::pow(values[i / 5 * 2] - other[2 * k], 2) +
                       std::pow(values[i / 5 * 2 + 1] - other[2 * k + 1], 2);
            std::nth_element(d.begin(), d.begin() + i % 5, d.end());
            return d[i % 5];
        },
        1e-5, 997);
    auto target = random_below(2000, 100);
    auto entropy = [&](int classes) {
        return [&, classes](size_t r) {
            double sum = 0;
            for (int c = 0; c < classes; c++)
                sum += std::exp((double)values[r * classes + c]);
            return std::log(sum) - values[r * classes + target[r]];
        };
    };
    TWICE(crossEntropy<<<90, 256>>>(out2, out, values.device, target.device, 10000));
    expect("crossEntropy", out2, 90, entropy(10000), 1e-3);
    TWICE(crossEntropy<<<2000, 32>>>(out2, out, values.device, target.device, 100));
    expect("crossEntropy, few classes", out2, 2000, entropy(100), 1e-3);
    TWICE(crossEntropy<<<2000, 128>>>(out2, out, values.device, target.device, 100));
    expect("crossEntropy, large blocks", out2, 2000, entropy(100), 1e-3);

    auto halves = made<half>(16 * n, [&](size_t i) { return __float2half(values[i]); });
    half *hout = zeros<half>(16 * n);
    auto norm = [&](int width) {
        return [&, width](size_t i) {
            double sum = 0;
            for (int c = 0; c < width; c++)
                sum += (double)__half2float(halves[i / width * width + c]) *
                       __half2float(halves[i / width * width + c]);
            return __half2float(halves[i]) / std::sqrt(sum / width + 1e-5) *
                   __half2float(halves[i % width]);
        };
    };
    TWICE(rmsNorm<<<1024 / 4, 128>>>((half2 *)hout, (half2 *)halves.device, (half2 *)halves.device,
                                     384));
    expect("rmsNorm", hout, 1024 * 768, norm(768), 5e-3, 97);
    TWICE(rmsNorm<<<16, 64>>>((half2 *)hout, (half2 *)halves.device, (half2 *)halves.device, 2048));
    expect("rmsNorm, few", hout, 32 * 4096, norm(4096), 5e-3, 97);
    for (int blocks : {64, 4}) {
        int keys = blocks == 64 ? 512 : 2048;
        TWICE(attentionTile<<<blocks, 64>>>(out, values.device, other.device, other.device + 100000,
                                            keys));
        expect(
            "attentionTile", out, blocks * 64 * 32,
            [&](size_t i) {
                double total = 0, sum = 0;
                for (int k = 0; k < keys; k++) {
                    double s = 0;
                    for (int d = 0; d < 32; d++)
                        s += (double)values[i / 32 * 32 + d] * other[k * 32 + d];
                    s = std::exp(s / std::sqrt(32.0));
                    total += s;
                    sum += s * other[100000 + k * 32 + i % 32];
                }
                return sum / total;
            },
            1e-3, 311);
    }
    const int width = 512, rows = 1500;
    auto columns = [&](double times) {
        return [&, times](size_t c) {
            double sum = 0;
            for (int r = 0; r < rows; r++)
                sum += values[r * width + c];
            return times * sum;
        };
    };
    CHECK(cudaMemset(out, 0, width * sizeof *out));
    TWICE(biasAtomics<<<dim3(4, 100), 128>>>(out, values.device, width, rows, 15));
    expect("biasAtomics", out, width, columns(2), 1e-3);
    CHECK(cudaMemset(out, 0, width * sizeof *out));
    TWICE(biasAtomics<<<dim3(4, 3), 128>>>(out, values.device, width, rows, 500));
    expect("biasAtomics, few", out, width, columns(2), 1e-3);
    TWICE(biasBlocks<<<width / 32, dim3(32, 32)>>>(out, values.device, width, rows));
    expect("biasBlocks", out, width, columns(1), 1e-3);

    std::vector<float> filter(8 * 3 * 25);
    for (size_t i = 0; i < filter.size(); i++)
        filter[i] = (float)fraction(i) - 0.5f;
    CHECK(cudaMemcpyToSymbol(kernels, filter.data(), sizeof kernels));
    const int w = 320, h = 240;
    TWICE(convolve5<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(out, values.device, w, h));
    expect(
        "convolve5", out, 8 * w * h,
        [&](size_t i) {
            int f = (int)i / (w * h), y = (int)i / w % h, x = i % w;
            double sum = 0;
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 25; k++) {
                    int v = y + k / 5 - 2, u = x + k % 5 - 2;
                    if (u >= 0 && v >= 0 && u < w && v < h)
                        sum += (double)filter[(f * 3 + c) * 25 + k] * values[(c * h + v) * w + u];
                }
            return std::max(sum, 0.0);
        },
        1e-4, 31);
    auto activated = [&](size_t i) { return values[i] / (1 + std::exp(-(double)values[i])); };
    TWICE(swish<<<blocks_for(16 * n, 256), 256>>>(out, values.device, 16 * n));
    expect("swish", out, 16 * n, activated, 1e-5);
    TWICE(swishHalf<<<blocks_for(8 * n, 256), 256>>>((half2 *)hout, (half2 *)halves.device, 8 * n));
    expect("swishHalf", hout, 16 * n, activated, 1e-2);
    for (int blocks : {264, 1200}) {
        TWICE(momentum<<<blocks, 256>>>((float4 *)out, (float4 *)out2, (float4 *)values.device,
                                        (float4 *)other.device, (float4 *)values.device, 0.01f,
                                        4 * n));
        expect(
            "momentum", out, 16 * n,
            [&](size_t i) { return values[i] - 0.01 * (0.9 * other[i] + values[i]); }, 1e-5);
    }
    const int bags = 3000;
    std::vector<int> starts{0};
    for (int b = 0; b < bags; b++)
        starts.push_back(starts.back() + 1 + scrambled(b) % 40);
    auto start = sent(starts);
    auto words = random_below(starts.back(), 7000);
    TWICE(embeddingBag<<<bags, 128>>>(out, values.device, words.device, start.device, 128));
    expect(
        "embeddingBag", out, bags * 128,
        [&](size_t i) {
            double sum = 0;
            for (int k = starts[i / 128]; k < starts[i / 128 + 1]; k++)
                sum += values[words[k] * 128 + i % 128];
            return sum;
        },
        1e-4);
    return 0;
}
