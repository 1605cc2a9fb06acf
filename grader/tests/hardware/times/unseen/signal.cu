// Signals: filters with taps in global, constant and shared memory, a DFT, an FFT's stage, recursive filters.
#include "../launch.cuh"

#define TAPS 48

__constant__ float cTaps[TAPS];

__global__ void firGlobal(const float *x, const float *taps, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0;
    for (int k = 0; k < TAPS; k++)
        acc += taps[k] * x[i + k];
    y[i] = acc;
}

__global__ void firConstant(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0;
    for (int k = 0; k < TAPS; k++)
        acc += cTaps[k] * x[i + k];
    y[i] = acc;
}

__global__ void firShared(const float *x, float *y)
{
    extern __shared__ float buf[];
    int base = blockIdx.x * blockDim.x;
    for (int i = threadIdx.x; i < blockDim.x + TAPS; i += blockDim.x)
        buf[i] = x[base + i];
    __syncthreads();
    float acc = 0;
    for (int k = 0; k < TAPS; k++)
        acc += cTaps[k] * buf[threadIdx.x + k];
    y[base + threadIdx.x] = acc;
}

__global__ void dft(const float *x, float2 *X, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float re = 0, im = 0;
    for (int t = 0; t < n; t++) {
        float s, c;
        __sincosf(-6.2831853f * ((k * t) & (n - 1)) / n, &s, &c);
        re += x[t] * c;
        im += x[t] * s;
    }
    X[k] = make_float2(re, im);
}

__global__ void fftStage(float2 *data, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int pos = i & (half - 1), a = ((i - pos) << 1) + pos, b = a + half;
    float s, c;
    sincospif(-(float)pos / half, &s, &c);
    float2 u = data[a], v = data[b];
    float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    data[a] = make_float2(0.5f * (u.x + w.x), 0.5f * (u.y + w.y));
    data[b] = make_float2(0.5f * (u.x - w.x), 0.5f * (u.y - w.y));
}

// Stored channel by channel: lanes are a whole channel apart.
__global__ void iirByChannel(const float *x, float *y, int length)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    float state = 0;
    for (int t = 0; t < length; t++) {
        state = 0.9f * state + 0.1f * x[ch * length + t];
        y[ch * length + t] = state;
    }
}

// Stored moment by moment: lanes read neighbouring words.
__global__ void iirByTime(const float *x, float *y, int length)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float state = 0;
    for (int t = 0; t < length; t++) {
        state = 0.9f * state + 0.1f * x[t * all + ch];
        y[t * all + ch] = state;
    }
}

__global__ void autocorrelate(const float *x, float *r, int n)
{
    __shared__ float part[8];
    int lag = blockIdx.x;
    float acc = 0;
    for (int i = threadIdx.x; i < n - lag; i += blockDim.x)
        acc += x[i] * x[i + lag];
    for (int d = 16; d; d >>= 1)
        acc += __shfl_xor_sync(0xffffffff, acc, d);
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            acc += part[w];
        r[lag] = acc;
    }
}

int main()
{
    int n = 1 << 20;
    float *x = fractions<float>(n + 1024), *y = zeros<float>(n), taps[TAPS];
    for (int k = 0; k < TAPS; k++)
        taps[k] = 1.0f / (k + 1);
    float *gTaps = fractions<float>(TAPS);
    CHECK(cudaMemcpyToSymbol(cTaps, taps, sizeof taps));
    TWICE(firGlobal<<<n / 256, 256>>>(x, gTaps, y));
    TWICE(firConstant<<<n / 256, 256>>>(x, y));
    TWICE(firShared<<<n / 256, 256, (256 + TAPS) * sizeof(float)>>>(x, y));
    TWICE(dft<<<16, 128>>>(x, (float2 *)y, 2048));
    TWICE(fftStage<<<n / 4 / 256, 256>>>((float2 *)y, 1));
    TWICE(fftStage<<<n / 4 / 256, 256>>>((float2 *)y, 1 << 14));
    TWICE(iirByChannel<<<32, 128>>>(x, y, 256));
    TWICE(iirByTime<<<32, 128>>>(x, y, 256));
    TWICE(autocorrelate<<<512, 256>>>(x, y, 8192));
}
