// Work for the pipes: doubles, special functions, integers, divisions, the n-body problem, hashes.
#include "../launch.cuh"

__global__ void polynomial(const double *in, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i], y = 1;
    for (int k = 0; k < 32; k++)
        y = y * x + 0.125;
    out[i] = y;
}

__global__ void polynomial_float(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 1;
    for (int k = 0; k < 32; k++)
        y = y * x + 0.125f;
    out[i] = y;
}

__global__ void sines(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 8; k++)
        x = sinf(x) + cosf(x);
    out[i] = x;
}

__global__ void fast_sines(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 8; k++)
        x = __sinf(x) + __cosf(x);
    out[i] = x;
}

// Prices of options, by Black and Scholes.
__global__ void options(const float *stock, const float *strike, float *call, float years)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 5 + 25 * stock[i], x = 1 + 99 * strike[i], root = sqrtf(years);
    float d1 = (logf(s / x) + (0.02f + 0.5f * 0.09f) * years) / (0.3f * root),
          d2 = d1 - 0.3f * root;
    call[i] = s * normcdff(d1) - x * expf(-0.02f * years) * normcdff(d2);
}

__global__ void divisions(const int *in, int *out, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, x = in[i];
    for (int k = 1; k <= 8; k++)
        sum += x / (by + k) + x % (by + k);
    out[i] = sum;
}

__global__ void hashes(const int *in, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = in[i];
    for (int k = 0; k < 16; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6b;
        h ^= h >> 13;
        h *= 0xc2b2ae35;
        h = h << 7 | h >> 25;
    }
    out[i] = h;
}

__global__ void bodies(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = in[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 other = in[j];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = other.w * r * r * r;
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    out[i] = make_float4(ax, ay, az, 0);
}

__global__ void bodies_shared(const float4 *in, float4 *out, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = in[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = in[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = other.w * r * r * r;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0);
}

// A random walk with 64-bit integers.
__global__ void random_numbers(unsigned long long *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long state = i * 6364136223846793005ull + 1, sum = 0;
    for (int k = 0; k < count; k++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        sum += (state >> 33) % 1000;
    }
    out[i] = sum;
}

int main()
{
    int n = 1 << 20;
    float *in = fractions<float>(2 * n), *out = zeros<float>(2 * n);
    int *numbers = integers(n, 1 << 30);
    double *wide = fractions<double>(n), *wide_out = zeros<double>(n);
    TWICE(polynomial<<<n / 256, 256>>>(wide, wide_out));
    TWICE(polynomial_float<<<n / 256, 256>>>(in, out));
    TWICE(sines<<<n / 256, 256>>>(in, out));
    TWICE(fast_sines<<<n / 256, 256>>>(in, out));
    TWICE(options<<<n / 256, 256>>>(in, in + n, out, 2));
    TWICE(divisions<<<n / 256, 256>>>(numbers, (int *)out, 1000));
    TWICE(hashes<<<n / 256, 256>>>(numbers, (unsigned *)out));
    TWICE(bodies<<<16, 256>>>((float4 *)in, (float4 *)out, 4096));
    TWICE(bodies_shared<<<16, 256>>>((float4 *)in, (float4 *)out, 4096));
    TWICE(bodies_shared<<<64, 256>>>((float4 *)in, (float4 *)out, 2048));
    TWICE(random_numbers<<<512, 256>>>((unsigned long long *)out, 32));
}
