/* Passes of transforms. */
#include "common.cuh"

static __device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* A pass of Stockham's FFT, radix 2: S is how many transforms have been joined. */
__global__ void stockham2(float2 *out, const float2 *in, int n, int s)
{
    int i = own_index(), q = i % s, p = i / s, m = n / s / 2;
    float angle = -6.283185307f * p / (2 * m), sine, cosine;
    __sincosf(angle, &sine, &cosine);
    float2 a = in[q + s * p], b = in[q + s * (p + m)];
    out[q + s * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
    out[q + s * (2 * p + 1)] = times(make_float2(a.x - b.x, a.y - b.y), make_float2(cosine, sine));
}

/* Radix 4, twiddles from a table. */
__global__ void stockham4(float2 *out, const float2 *in, const float2 *twiddle, int n, int s)
{
    int i = own_index(), q = i % s, p = i / s, m = n / s / 4;
    float2 a = in[q + s * p], b = in[q + s * (p + m)], c = in[q + s * (p + 2 * m)],
           d = in[q + s * (p + 3 * m)];
    float2 ac = make_float2(a.x + c.x, a.y + c.y), am = make_float2(a.x - c.x, a.y - c.y);
    float2 bd = make_float2(b.x + d.x, b.y + d.y),
           jb = make_float2(b.y - d.y, d.x - b.x); // -i (b - d)
    out[q + s * 4 * p] = make_float2(ac.x + bd.x, ac.y + bd.y);
    out[q + s * (4 * p + 1)] = times(make_float2(am.x + jb.x, am.y + jb.y), twiddle[p * s]);
    out[q + s * (4 * p + 2)] = times(make_float2(ac.x - bd.x, ac.y - bd.y), twiddle[2 * p * s]);
    out[q + s * (4 * p + 3)] = times(make_float2(am.x - jb.x, am.y - jb.y), twiddle[3 * p * s]);
}

/* A block transforms 512 numbers in shared memory. */
__global__ void fftRows(float2 *out, const float2 *in)
{
    __shared__ float2 x[2][512];
    int t = threadIdx.x, now = 0;
    x[0][t] = in[blockIdx.x * 512 + t];
    x[0][t + 256] = in[blockIdx.x * 512 + t + 256];
    for (int s = 1; s < 512; s *= 2, now ^= 1) {
        __syncthreads();
        int q = t % s, p = t / s, m = 256 / s;
        float sine, cosine;
        sincospif(-(float)p / m, &sine, &cosine);
        float2 a = x[now][t], b = x[now][t + 256];
        x[now ^ 1][q + s * 2 * p] = make_float2(a.x + b.x, a.y + b.y);
        x[now ^ 1][q + s * (2 * p + 1)] =
            times(make_float2(a.x - b.x, a.y - b.y), make_float2(cosine, sine));
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = x[now][t];
    out[blockIdx.x * 512 + t + 256] = x[now][t + 256];
}

__global__ void bitReversal(float2 *out, const float2 *in, int bits)
{
    unsigned i = own_index();
    out[__brev(i) >> (32 - bits)] = in[i];
}

/* Walsh and Hadamard: 1024 numbers by shared memory, or 32 numbers in a warp. */
__global__ void walshShared(int *out, const int *in)
{
    __shared__ int x[1024];
    int t = threadIdx.x;
    x[t] = in[blockIdx.x * 1024 + t];
    x[t + 512] = in[blockIdx.x * 1024 + t + 512];
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        int i = t / d * 2 * d + t % d, a = x[i], b = x[i + d];
        x[i] = a + b;
        x[i + d] = a - b;
    }
    __syncthreads();
    out[blockIdx.x * 1024 + t] = x[t];
    out[blockIdx.x * 1024 + t + 512] = x[t + 512];
}

__global__ void walshWarp(int *out, const int *in)
{
    int lane = threadIdx.x % 32, first = own_index() / 32 * 1024 + lane, x[32];
#pragma unroll
    for (int k = 0; k < 32; k++)
        x[k] = in[first + k * 32];
#pragma unroll
    for (int d = 1; d < 32; d *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++) {
            int other = __shfl_xor_sync(~0u, x[k], d);
            x[k] = lane & d ? other - x[k] : other + x[k];
        }
#pragma unroll
    for (int d = 1; d < 32; d *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++)
            if (!(k & d)) {
                int a = x[k], b = x[k + d];
                x[k] = a + b;
                x[k + d] = a - b;
            }
#pragma unroll
    for (int k = 0; k < 32; k++)
        out[first + k * 32] = x[k];
}

/* A pass of a number-theoretic transform modulo 998244353: by 64-bit remainders, or Montgomery's products. */
#define PRIME 998244353u

static __host__ __device__ unsigned montgomery(unsigned a, unsigned b)
{
    unsigned long long t = (unsigned long long)a * b;
    unsigned m = (unsigned)t * 998244351u, high;
#ifdef __CUDA_ARCH__
    high = __umulhi(m, PRIME) + ((unsigned)t != 0);
#else
    high = (unsigned)(((unsigned long long)m * PRIME) >> 32) + ((unsigned)t != 0);
#endif
    unsigned r = (unsigned)(t >> 32) + high;
    return r >= PRIME ? r - PRIME : r;
}

template <bool MONTGOMERY>
__global__ void numberPass(unsigned *out, const unsigned *in, const unsigned *roots, int half)
{
    int t = own_index(), k = t % half, i = t / half * 2 * half + k;
    unsigned a = in[i], b = in[i + half], w = roots[half + k];
    b = MONTGOMERY ? montgomery(b, w) : (unsigned)((unsigned long long)b * w % PRIME);
    unsigned sum = a + b;
    out[i] = sum >= PRIME ? sum - PRIME : sum;
    out[i + half] = a >= b ? a - b : a + PRIME - b;
}

/* Power of one frequency for every channel, by Goertzel's recurrence. */
__global__ void goertzel(float *out, const float *in, float coefficient, int length, int channels)
{
    int c = own_index();
    if (c >= channels)
        return;
    float s1 = 0, s2 = 0;
    for (int t = 0; t < length; t++) {
        float s = in[t * channels + c] + coefficient * s1 - s2;
        s2 = s1;
        s1 = s;
    }
    out[c] = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
}

int main()
{
    const int n = 1 << 18;
    auto in = random_between<float>(2 * n, -1, 1);
    float2 *x = (float2 *)in.device, *out = zeros<float2>(n);
    auto cis = [](double turns, int part) {
        return part ? std::sin(2 * M_PI * turns) : std::cos(2 * M_PI * turns);
    };
    for (int s : {1, 1 << 10}) {
        TWICE(stockham2<<<n / 2 / 256, 256>>>(out, x, n, s));
        expect(
            "stockham2", (float *)out, 2 * n,
            [&](size_t j) {
                int i = (int)j / 2, q = i % s, r = i / s, p = r / 2, m = n / s / 2,
                    a = 2 * (q + s * p), b = 2 * (q + s * (p + m));
                if (r % 2 == 0)
                    return (double)in[a + j % 2] + in[b + j % 2];
                double re = in[a] - in[b], im = in[a + 1] - in[b + 1], c = cis(-p / 2.0 / m, 0),
                       si = cis(-p / 2.0 / m, 1);
                return j % 2 ? re * si + im * c : re * c - im * si;
            },
            1e-3);
    }
    auto twiddle =
        made<float>(2 * n, [&](size_t i) { return (float)cis(-(double)(i / 2) / n, i % 2); });
    for (int s : {1, 1 << 8}) {
        TWICE(stockham4<<<n / 4 / 128, 128>>>(out, x, (float2 *)twiddle.device, n, s));
        expect(
            "stockham4", (float *)out, 2 * n,
            [&](size_t j) {
                int i = (int)j / 2, q = i % s, r = i / s, p = r / 4, k = r % 4, m = n / s / 4;
                double re = 0, im = 0;
                for (int u = 0; u < 4; u++) {
                    double c = cis(-u * k / 4.0, 0), si = cis(-u * k / 4.0, 1);
                    float a = in[2 * (q + s * (p + u * m))], b = in[2 * (q + s * (p + u * m)) + 1];
                    re += a * c - b * si;
                    im += a * si + b * c;
                }
                double turns = -(double)k * p * s / n, c = cis(turns, 0), si = cis(turns, 1);
                return j % 2 ? re * si + im * c : re * c - im * si;
            },
            1e-3);
    }
    for (int blocks : {n / 512, 24}) {
        TWICE(fftRows<<<blocks, 256>>>(out, x));
        expect(
            "fftRows", (float *)out, blocks * 1024,
            [&](size_t j) {
                size_t row = j / 1024 * 1024, k = j / 2 % 512;
                double sum = 0;
                for (int u = 0; u < 512; u++) {
                    double turns = -(double)(u * k % 512) / 512;
                    sum +=
                        j % 2
                            ? in[row + 2 * u] * cis(turns, 1) + in[row + 2 * u + 1] * cis(turns, 0)
                            : in[row + 2 * u] * cis(turns, 0) - in[row + 2 * u + 1] * cis(turns, 1);
                }
                return sum;
            },
            1e-3, 1117);
    }
    TWICE(bitReversal<<<n / 256, 256>>>(out, x, 18));
    expect("bitReversal", (float *)out, 2 * n, [&](size_t j) {
        unsigned r = 0;
        for (int b = 0; b < 18; b++)
            r |= (unsigned)(j / 2 >> b & 1) << (17 - b);
        return in[2 * r + j % 2];
    });
    auto numbers = random_below(n, 2000);
    int *walsh = zeros<int>(n);
    auto want_walsh = [&](size_t i) {
        int sum = 0;
        for (int k = 0; k < 1024; k++)
            sum += (__builtin_popcount(k & (int)(i % 1024)) & 1 ? -1 : 1) *
                   numbers[i / 1024 * 1024 + k];
        return sum;
    };
    TWICE(walshShared<<<n / 1024, 512>>>(walsh, numbers.device));
    expect("walshShared", walsh, n, want_walsh, 0, 173);
    CHECK(cudaMemset(walsh, 0, n * sizeof *walsh));
    TWICE(walshWarp<<<n / 1024 / 4, 128>>>(walsh, numbers.device));
    expect("walshWarp", walsh, n, want_walsh, 0, 173);

    auto residues = made<unsigned>(n, [](size_t i) { return scrambled(i) % PRIME; });
    auto roots = made<unsigned>(n, [](size_t i) { return scrambled(i + 5) % PRIME; });
    auto scaled = made<unsigned>(
        n, [&](size_t i) { return (unsigned)(((unsigned long long)roots[i] << 32) % PRIME); });
    unsigned *pass = zeros<unsigned>(n);
    auto butterfly = [&](int half) {
        return [&, half](size_t i) {
            size_t k = i % half, low = i / (2 * half) * 2 * half + k;
            unsigned long long b =
                (unsigned long long)residues[low + half] * roots[half + k] % PRIME;
            return i % (2 * half) < (size_t)half ? (residues[low] + b) % PRIME
                                                 : (residues[low] + PRIME - b) % PRIME;
        };
    };
    for (int half : {1, 4096}) {
        TWICE(numberPass<false><<<n / 512, 256>>>(pass, residues.device, roots.device, half));
        expect("numberPass", pass, n, butterfly(half));
        TWICE(numberPass<true><<<n / 512, 256>>>(pass, residues.device, scaled.device, half));
        expect("numberPass, Montgomery", pass, n, butterfly(half));
    }
    const int channels = 2000, length = 250;
    float *power = zeros<float>(channels);
    double w = 2 * M_PI * 10 / length;
    auto spectrum = [&](int count) {
        return [&, count](size_t c) {
            double re = 0, im = 0;
            for (int t = 0; t < length; t++) {
                re += in[t * count + c] * std::cos(w * t);
                im += in[t * count + c] * std::sin(w * t);
            }
            return re * re + im * im;
        };
    };
    for (int count : {channels, 100}) {
        TWICE(goertzel<<<blocks_for(count, 64), 64>>>(power, in.device, (float)(2 * std::cos(w)),
                                                      length, count));
        expect("goertzel", power, count, spectrum(count), 1e-2);
    }
    return 0;
}
