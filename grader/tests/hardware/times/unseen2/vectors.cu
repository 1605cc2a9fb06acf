/* Elementwise work on vectors. */
#include "common.cuh"

template <typename T> __global__ void triad(T *a, const T *b, const T *c, T scalar, int n)
{
    int i = own_index();
    if (i < n)
        a[i] = b[i] + scalar * c[i];
}

__global__ void complexProduct(float2 *out, const float2 *a, const float2 *b, int n)
{
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        float2 x = a[i], y = b[i];
        out[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
    }
}

/* One polynomial, its coefficients as arguments. */
struct coefficients {
    float c[12];
};

__global__ void horner(float *out, const float *in, coefficients p, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float x = in[i], y = p.c[11];
#pragma unroll
    for (int k = 10; k >= 0; k--)
        y = y * x + p.c[k];
    out[i] = y;
}

__global__ void toPolar(float *radius, float *angle, const float *x, const float *y, int n)
{
    int i = own_index();
    if (i < n) {
        radius[i] = hypotf(x[i], y[i]);
        angle[i] = atan2f(y[i], x[i]);
    }
}

__global__ void splitPlanes(unsigned char *r, unsigned char *g, unsigned char *b,
                            const unsigned char *rgb, int n)
{
    int i = own_index();
    if (i < n) {
        r[i] = rgb[3 * i];
        g[i] = rgb[3 * i + 1];
        b[i] = rgb[3 * i + 2];
    }
}

/* Four pixels per thread: 3 words in, a word out for each plane. */
__global__ void splitPlanesWords(unsigned *r, unsigned *g, unsigned *b, const unsigned *rgb, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned x = rgb[3 * i], y = rgb[3 * i + 1], z = rgb[3 * i + 2];
    r[i] = (x & 255) | (x >> 24) << 8 | (y >> 16 & 255) << 16 | (z >> 8 & 255) << 24;
    g[i] = (x >> 8 & 255) | (y & 255) << 8 | (y >> 24) << 16 | (z >> 16 & 255) << 24;
    b[i] = (x >> 16 & 255) | (y >> 8 & 255) << 8 | (z & 255) << 16 | (z >> 24) << 24;
}

/* 3-vectors to unit length: as three floats each, or as float4. */
__global__ void normalise3(float *v, const float *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2], s = rsqrtf(x * x + y * y + z * z);
    v[3 * i] = x * s;
    v[3 * i + 1] = y * s;
    v[3 * i + 2] = z * s;
}

__global__ void normalise4(float4 *v, const float4 *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float4 a = in[i];
    float s = rsqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
    v[i] = make_float4(a.x * s, a.y * s, a.z * s, 0);
}

/* Every thread takes a row of its own. */
__global__ void addRows(float *out, const float *a, const float *b, int each, int n)
{
    int first = own_index() * each;
    for (int k = first; k < first + each && k < n; k++)
        out[k] = a[k] + b[k];
}

int main()
{
    const int n = 3000000;
    auto a = random_between<float>(n, -2, 2), b = random_between<float>(n, -2, 2, 1);
    float *out = zeros<float>(n), *out2 = zeros<float>(n);
    auto want_triad = [&](size_t i) { return b[i] + 3.0f * a[i]; };
    TWICE(triad<float><<<blocks_for(n, 256), 256>>>(out, b.device, a.device, 3, n));
    expect("triad", out, n, want_triad, 1e-6);
    TWICE(triad<float><<<blocks_for(n, 64), 64>>>(out, b.device, a.device, 3, n));
    TWICE(triad<float><<<blocks_for(100000, 256), 256>>>(out, b.device, a.device, 3, 100000));
    TWICE(triad<float><<<4, 96>>>(out, b.device, a.device, 3, 333));
    expect("triad, small", out, 333, want_triad, 1e-6);
    auto da = random_between<double>(n / 2, -2, 2), db = random_between<double>(n / 2, -2, 2, 1);
    double *dout = zeros<double>(n / 2);
    TWICE(triad<double><<<blocks_for(n / 2, 256), 256>>>(dout, da.device, db.device, 0.5, n / 2));
    expect(
        "triad, double", dout, n / 2, [&](size_t i) { return da[i] + 0.5 * db[i]; }, 1e-14);
    float2 *za = (float2 *)a.device, *zb = (float2 *)b.device, *zout = (float2 *)out;
    auto want_complex = [&](size_t i) {
        size_t k = i & ~(size_t)1;
        return i & 1 ? a[k] * b[k + 1] + a[k + 1] * b[k] : a[k] * b[k] - a[k + 1] * b[k + 1];
    };
    TWICE(complexProduct<<<264, 256>>>(zout, za, zb, n / 2));
    expect("complexProduct", out, n, want_complex, 1e-5);
    TWICE(complexProduct<<<blocks_for(n / 2, 128), 128>>>(zout, za, zb, n / 2));
    TWICE(complexProduct<<<16, 128>>>(zout, za, zb, 50000));
    coefficients p;
    for (int k = 0; k < 12; k++)
        p.c[k] = 1.0f / (k + 1);
    TWICE(horner<<<blocks_for(n, 256), 256>>>(out, a.device, p, n));
    expect(
        "horner", out, n,
        [&](size_t i) {
            double y = p.c[11];
            for (int k = 10; k >= 0; k--)
                y = y * a[i] + p.c[k];
            return y;
        },
        1e-4);
    TWICE(toPolar<<<blocks_for(n / 4, 192), 192>>>(out, out2, a.device, b.device, n / 4));
    expect(
        "toPolar, radius", out, n / 4, [&](size_t i) { return std::hypot(a[i], b[i]); }, 1e-5);
    expect(
        "toPolar, angle", out2, n / 4, [&](size_t i) { return std::atan2(b[i], a[i]); }, 1e-5);
    TWICE(toPolar<<<10, 192>>>(out, out2, a.device, b.device, 1900));
    auto rgb = made<unsigned char>(n, [](size_t i) { return (unsigned char)scrambled(i); });
    const int pixels = n / 3;
    unsigned char *plane[3];
    for (auto &each : plane)
        each = zeros<unsigned char>(pixels);
    TWICE(splitPlanes<<<blocks_for(pixels, 256), 256>>>(plane[0], plane[1], plane[2], rgb.device,
                                                        pixels));
    for (int c = 0; c < 3; c++) {
        expect("splitPlanes", plane[c], pixels, [&](size_t i) { return rgb[3 * i + c]; });
        CHECK(cudaMemset(plane[c], 0, pixels));
    }
    TWICE(splitPlanesWords<<<blocks_for(pixels / 4, 256), 256>>>(
        (unsigned *)plane[0], (unsigned *)plane[1], (unsigned *)plane[2], (unsigned *)rgb.device,
        pixels / 4));
    for (int c = 0; c < 3; c++)
        expect("splitPlanesWords", plane[c], pixels, [&](size_t i) { return rgb[3 * i + c]; });
    TWICE(normalise3<<<blocks_for(n / 3, 128), 128>>>(out, a.device, n / 3));
    expect(
        "normalise3", out, n,
        [&](size_t i) {
            const float *v = &a.host[i / 3 * 3];
            return a[i] / std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        },
        1e-4);
    TWICE(normalise4<<<blocks_for(n / 4, 128), 128>>>((float4 *)out, (float4 *)a.device, n / 4));
    expect(
        "normalise4", out, n,
        [&](size_t i) {
            const float *v = &a.host[i / 4 * 4];
            return i % 4 == 3 ? 0 : a[i] / std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        },
        1e-4);
    const int m = 1 << 19;
    TWICE(addRows<<<blocks_for(m / 4, 128), 128>>>(out, a.device, b.device, 4, m));
    TWICE(addRows<<<blocks_for(m / 64, 128), 128>>>(out, a.device, b.device, 64, m));
    expect("addRows", out, m, [&](size_t i) { return a[i] + b[i]; });
    return 0;
}
