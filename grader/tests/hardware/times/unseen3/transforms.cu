/* Steps of Fourier and other transforms. */
#include "expect.cuh"
#include <complex>

#define POINTS 1024
#define PI     3.14159265358979

__host__ __device__ static float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* One step of Stockham's transform of base two over global memory, as in HeCBench and textbooks. */
static __global__ void fft_step(float2 *out, const float2 *in, int n, int done)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % done;
    float sine, cosine;
    sincosf(-(float)PI * k / done, &sine, &cosine);
    float2 a = in[i], b = times(in[i + n / 2], make_float2(cosine, sine));
    int to = (i - k) * 2 + k;
    out[to] = make_float2(a.x + b.x, a.y + b.y);
    out[to + done] = make_float2(a.x - b.x, a.y - b.y);
}

/* A whole transform of 1024 points in each block, as SHOC's FFT of batches. */
static __global__ void fft_blocks(float2 *out, const float2 *in)
{
    __shared__ float2 buffers[2][POINTS];
    __shared__ float2 roots[POINTS / 2];
    int t = threadIdx.x, start = blockIdx.x * POINTS, half = POINTS / 2;
    __sincosf(-2 * (float)PI * t / POINTS, &roots[t].y, &roots[t].x);
    buffers[0][t] = in[start + t];
    buffers[0][t + half] = in[start + t + half];
    int from = 0;
    for (int done = 1; done < POINTS; done *= 2) {
        __syncthreads();
        int k = t & (done - 1), to = 2 * t - k;
        float2 a = buffers[from][t], b = times(buffers[from][t + half], roots[k * (half / done)]);
        from = !from;
        buffers[from][to] = make_float2(a.x + b.x, a.y + b.y);
        buffers[from][to + done] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
    out[start + t] = buffers[from][t];
    out[start + t + half] = buffers[from][t + half];
}

static __constant__ float cosines[8][8];

/* The cosine transform of 8 x 8 pixels, two tiles a block: as CUDA samples' dct8x8. */
static __global__ void dct(float *out, const float *in, int width)
{
    __shared__ float tile[2][8][8 + 1], half[2][8][8 + 1];
    int u = threadIdx.x, v = threadIdx.y, which = threadIdx.z;
    int at = (blockIdx.y * 8 + v) * width + (blockIdx.x * 2 + which) * 8 + u;
    tile[which][v][u] = in[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int x = 0; x < 8; x++)
        sum += cosines[u][x] * tile[which][v][x];
    half[which][v][u] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int y = 0; y < 8; y++)
        sum += cosines[v][y] * half[which][y][u];
    out[at] = sum;
}

int main()
{
    const int n = 1 << 20;
    float2 *in = (float2 *)fractions<float>(2 * n), *out = zeros<float2>(n);
    std::vector<float2> host = fetched(in, n);
    for (int done : {1, 16, 1 << 18}) {
        TWICE(fft_step<<<n / 512, 256>>>(out, in, n, done));
        std::vector<float2> found = fetched(out, n);
        for (int i = 0; i < n / 2; i += 997) {
            int k = i % done, to = 2 * i - k;
            double angle = -PI * k / done;
            float2 root = make_float2((float)cos(angle), (float)sin(angle));
            float2 b = times(host[i + n / 2], root);
            EXPECT(near(found[to].x, host[i].x + b.x) && near(found[to].y, host[i].y + b.y));
            EXPECT(near(found[to + done].x, host[i].x - b.x));
        }
        clear(out, n);
    }
    for (int batches : {32, 512}) {
        TWICE(fft_blocks<<<batches, POINTS / 2>>>(out, in));
        std::vector<float2> found = fetched(out, batches * POINTS);
        for (int bin : {0, 1, 5, 300, 1023}) {
            int start = (batches - 1) * POINTS;
            std::complex<double> sum = 0;
            for (int i = 0; i < POINTS; i++)
                sum += std::complex<double>(host[start + i].x, host[start + i].y) *
                       std::polar(1.0, -2 * PI * bin * i / POINTS);
            EXPECT(fabs(found[start + bin].x - sum.real()) < 0.02);
            EXPECT(fabs(found[start + bin].y - sum.imag()) < 0.02);
        }
        clear(out, n);
    }

    float table[8][8];
    for (int u = 0; u < 8; u++)
        for (int x = 0; x < 8; x++)
            table[u][x] = (float)(cos((2 * x + 1) * u * PI / 16) * (u ? 0.5 : sqrt(0.125)));
    CHECK(cudaMemcpyToSymbol(cosines, table, sizeof table));
    const float *pixels = (float *)in;
    std::vector<float> image = fetched(pixels, n);
    for (int width : {256, 1024}) {
        TWICE(dct<<<dim3(width / 16, width / 8), dim3(8, 8, 2)>>>((float *)out, pixels, width));
        std::vector<float> found = fetched((float *)out, width * width);
        for (int y = 0; y < width; y += 88) {
            int x = 8 * (y % 56), u = y / 8 % 8, v = 3;
            double sum = 0;
            for (int i = 0; i < 64; i++)
                sum += table[u][i % 8] * table[v][i / 8] *
                       image[(y + i / 8) * width + x % width + i % 8];
            EXPECT(near(found[(y + v) * width + x % width + u], sum));
        }
        clear(out, n);
    }
    return 0;
}
