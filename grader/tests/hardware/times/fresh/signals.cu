/* Signals: stages of Fourier transforms, filters, trigonometric functions of small and large angles. */
#include "../launch.cuh"

static __device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* One stage by two in global memory. */
__global__ void stage_two(float2 *out, const float2 *in, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % run;
    float angle = -3.14159265f * k / run;
    float2 a = in[i], b = times(in[i + n / 2], make_float2(__cosf(angle), __sinf(angle)));
    int at = (i / run) * 2 * run + k;
    out[at] = make_float2(a.x + b.x, a.y + b.y);
    out[at + run] = make_float2(a.x - b.x, a.y - b.y);
}

/* One stage by four, exact sines. */
__global__ void stage_four(float2 *out, const float2 *in, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % run;
    float2 v[4];
    for (int r = 0; r < 4; r++) {
        float s, c;
        sincospif(-0.5f * r * k / run, &s, &c);
        v[r] = times(in[i + r * n / 4], make_float2(c, s));
    }
    float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
           b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
           d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    float2 *to = out + (i / run) * 4 * run + k;
    to[0] = make_float2(a.x + c.x, a.y + c.y);
    to[run] = make_float2(b.x + d.x, b.y + d.y);
    to[2 * run] = make_float2(a.x - c.x, a.y - c.y);
    to[3 * run] = make_float2(b.x - d.x, b.y - d.y);
}

/* All stages of 512 numbers in shared memory. */
__global__ void transform_block(float2 *data)
{
    __shared__ float2 v[512];
    float2 *mine = data + blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        v[__brev(i) >> 23] = mine[i];
    for (int half = 1; half < 512; half *= 2) {
        __syncthreads();
        int k = threadIdx.x % half, at = (threadIdx.x / half) * 2 * half + k;
        float s, c;
        __sincosf(-3.14159265f * k / half, &s, &c);
        float2 a = v[at], b = times(v[at + half], make_float2(c, s));
        v[at] = make_float2(a.x + b.x, a.y + b.y);
        v[at + half] = make_float2(a.x - b.x, a.y - b.y);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        mine[i] = make_float2(v[i].x / 23, v[i].y / 23);
}

__global__ void transform_plain(float2 *out, const float *in, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float re = 0, im = 0;
    for (int i = 0; i < n; i++) {
        float s, c;
        sincosf(-6.2831853f * ((i * k) % n) / n, &s, &c);
        re += in[i] * c;
        im += in[i] * s;
    }
    out[k] = make_float2(re, im);
}

/* The angle grows by STEP: beyond about 105 000, a slower reduction begins. */
__global__ void sines(float *out, float first, float step, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float angle = first + i * 0.001f, sum = 0;
    for (int k = 0; k < count; k++, angle += step)
        sum += sinf(angle) * cosf(angle * 0.5f);
    out[i] = sum;
}

__global__ void sines_double(double *out, double first, double step, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double angle = first + i * 0.001, sum = 0;
    for (int k = 0; k < count; k++, angle += step)
        sum += sin(angle);
    out[i] = sum;
}

__global__ void elementary(float *out, const float *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i] + 0.1f;
    for (int k = 0; k < count; k++)
        x = powf(x + 0.5f, 1.3f) * 0.3f + atan2f(x, 1.7f) + erff(x) * 0.1f + cbrtf(x) * 0.01f;
    out[i] = x;
}

__global__ void exponents_double(double *out, const double *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i];
    for (int k = 0; k < count; k++)
        x = exp(-x) + log(x + 1.5) / (x + 2);
    out[i] = x;
}

__global__ void filter(float *out, const float *in, const float *taps, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < count; k++)
        if (i + k < n)
            sum += in[i + k] * taps[k];
    out[i] = sum;
}

__global__ void filter_shared(float *out, const float *in, const float *taps, int n, int count)
{
    __shared__ float part[256 + 64], own[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = in[i];
    if (threadIdx.x < 64) {
        part[256 + threadIdx.x] = i + 256 < n ? in[i + 256] : 0;
        own[threadIdx.x] = threadIdx.x < count ? taps[threadIdx.x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < count; k++)
        sum += part[threadIdx.x + k] * own[k];
    out[i] = sum;
}

/* Recursive filters, one channel per thread: a long chain of dependent steps. */
__global__ void biquad(float *out, const float *in, int channels, int length)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    for (int t = 0; t < length; t++) {
        float x = in[t * channels + c], y = 0.2f * x + a;
        a = 0.3f * x + b + 0.5f * y;
        b = 0.2f * x - 0.25f * y;
        out[t * channels + c] = y;
    }
}

__global__ void haar(float *out, const float *in, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half)
        return;
    float a = in[2 * i], b = in[2 * i + 1];
    out[i] = (a + b) * 0.70710678f;
    out[half + i] = (a - b) * 0.70710678f;
}

__global__ void cosines8(float *out, const float *in, int width)
{
    __shared__ float tile[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    int at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
    tile[y][x] = in[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += tile[y][k] * cospif((2 * k + 1) * x / 16.0f);
    __syncthreads();
    tile[y][x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += tile[k][x] * cospif((2 * k + 1) * y / 16.0f);
    out[at] = sum * 0.25f;
}

int main()
{
    const int n = 1 << 19;
    float *in = fractions<float>(2 * n), *out = zeros<float>(2 * n);
    double *din = fractions<double>(1 << 15), *dout = zeros<double>(1 << 15);
    TWICE(stage_two<<<n / 512, 256>>>((float2 *)out, (float2 *)in, n, 1));
    TWICE(stage_two<<<n / 512, 256>>>((float2 *)out, (float2 *)in, n, 1024));
    TWICE(stage_four<<<n / 1024, 256>>>((float2 *)out, (float2 *)in, n, 1));
    TWICE(stage_four<<<n / 1024, 256>>>((float2 *)out, (float2 *)in, n, 4096));
    TWICE(transform_block<<<264, 256>>>((float2 *)out));
    TWICE(transform_plain<<<16, 32>>>((float2 *)out, in, 512));
    TWICE(sines<<<132, 128>>>(out, 0, 0.01f, 64));
    TWICE(sines<<<132, 128>>>(out, 5000, 1.7f, 64));
    TWICE(sines<<<66, 64>>>(out, 3e6f, 12345.6f, 32));
    TWICE(sines_double<<<132, 64>>>(dout, 0, 0.01, 32));
    TWICE(sines_double<<<16, 64>>>(dout, 1e10, 1e7, 32));
    TWICE(elementary<<<66, 128>>>(out, in, 16));
    TWICE(exponents_double<<<66, 128>>>(dout, din, 16));
    TWICE(filter<<<n / 2048, 256>>>(out, in, in, n / 8, 48));
    TWICE(filter_shared<<<n / 2048, 256>>>(out, in, in, n / 8, 48));
    TWICE(biquad<<<16, 64>>>(out, in, 1024, 256));
    TWICE(biquad<<<64, 128>>>(out, in, 8192, 64));
    TWICE(haar<<<n / 512, 256>>>(out, in, n / 2));
    TWICE(cosines8<<<dim3(32, 64), dim3(8, 8)>>>(out, in, 256));
    return 0;
}
