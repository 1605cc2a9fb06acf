/* Tables in all kinds of memory, and functions that take long. */
#include "common.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char byte;

__constant__ byte curve_constant[256];

enum where { CONSTANT, GLOBAL, SHARED };

/* A tone curve of bytes. */
template <where WHERE> __global__ void tone(byte *out, const byte *in, const byte *curve, int n)
{
    __shared__ byte own[256];
    if (WHERE == SHARED) {
        for (int k = threadIdx.x; k < 256; k += blockDim.x)
            own[k] = curve[k];
        __syncthreads();
    }
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x)
        out[i] = WHERE == CONSTANT ? curve_constant[in[i]]
                 : WHERE == GLOBAL ? curve[in[i]]
                                   : own[in[i]];
}

/* A function by a table and straight lines between, or computed. */
__global__ void interpolated(float *out, const float *in, const float *table, int size, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float x = in[i] * (size - 1);
    int k = min((int)x, size - 2);
    float f = x - k;
    out[i] = table[k] * (1 - f) + table[k + 1] * f;
}

__global__ void interpolatedTexture(float *out, const float *in, cudaTextureObject_t table,
                                    int size, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = tex1D<float>(table, in[i] * (size - 1) + 0.5f);
}

__global__ void computed(float *out, const float *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = sinf(6 * in[i]) * expf(-in[i]);
}

/* Cubes of colour: 17^3 corners, three straight lines. */
__global__ void colourCube(float4 *out, const float4 *in, const float4 *cube, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float4 c = in[i], sum = make_float4(0, 0, 0, 0);
    float r = c.x * 16, g = c.y * 16, b = c.z * 16;
    int ir = min((int)r, 15), ig = min((int)g, 15), ib = min((int)b, 15);
    float fr = r - ir, fg = g - ig, fb = b - ib;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        float w = (k & 1 ? fr : 1 - fr) * (k & 2 ? fg : 1 - fg) * (k & 4 ? fb : 1 - fb);
        float4 v = cube[((ib + (k >> 2)) * 17 + ig + (k >> 1 & 1)) * 17 + ir + (k & 1)];
        sum.x += w * v.x;
        sum.y += w * v.y;
        sum.z += w * v.z;
    }
    out[i] = sum;
}

/* Functions of floats and doubles. */
template <typename T> __global__ void powers(T *out, const T *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = pow(in[i], (T)2.4) + cbrt(in[i]);
}

template <typename T> __global__ void errors(T *out, const T *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = erf(in[i]) + tgamma(in[i] + 1);
}

template <typename T> __global__ void hyperbolic(T *out, const T *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = tanh(in[i]) + log1p(in[i]) * atan(in[i]);
}

__global__ void exact(float *out, const float *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = logf(1 + in[i]) + sinf(in[i]) / (2 + cosf(in[i]));
}

__global__ void quick(float *out, const float *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = __logf(1 + in[i]) + __fdividef(__sinf(in[i]), 2 + __cosf(in[i]));
}

/* Great circles between pairs of places, float or double. */
template <typename T>
__global__ void haversine(T *out, const T *lat, const T *lon, T lat0, T lon0, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    T a = sin((lat[i] - lat0) / 2), b = sin((lon[i] - lon0) / 2);
    out[i] = 2 * 6371 * asin(sqrt(a * a + cos(lat0) * cos(lat[i]) * b * b));
}

/* Chains of a logistic map in float, double, half and bfloat. */
template <typename T> __global__ void logistic(T *out, const T *in, int steps)
{
    int i = own_index();
    T x = in[i], r = (T)3.7f, one = (T)1.0f;
    for (int k = 0; k < steps; k++)
        x = r * x * (one - x);
    out[i] = x;
}

__global__ void logisticHalf2(half2 *out, const half2 *in, int steps)
{
    int i = own_index();
    half2 x = in[i], r = __float2half2_rn(3.7f), one = __float2half2_rn(1);
    for (int k = 0; k < steps; k++)
        x = __hmul2(__hmul2(r, x), __hsub2(one, x));
    out[i] = x;
}

/* Conversions. */
__global__ void toHalf(half *out, const float *in, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = __float2half(in[i]);
}

__global__ void toHalf4(uint2 *out, const float4 *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float4 v = in[i];
    half2 a = __floats2half2_rn(v.x, v.y), b = __floats2half2_rn(v.z, v.w);
    out[i] = make_uint2(*(unsigned *)&a, *(unsigned *)&b);
}

int main()
{
    const int n = 800000;
    auto bytes = made<byte>(n, [](size_t i) { return (byte)(scrambled(i) >> 5); });
    auto curve = made<byte>(256, [](size_t i) { return (byte)(255 * std::pow(i / 255.0, 0.45)); });
    auto smooth = made<byte>(n, [](size_t i) { return (byte)(i >> 10); });
    CHECK(cudaMemcpyToSymbol(curve_constant, curve.host.data(), 256));
    byte *out = zeros<byte>(n);
    auto toned = [&](size_t i) { return curve[bytes[i]]; };
    TWICE(tone<CONSTANT><<<264, 256>>>(out, bytes.device, curve.device, n));
    expect("tone, constant", out, n, toned);
    TWICE(tone<GLOBAL><<<264, 256>>>(out, bytes.device, curve.device, n));
    expect("tone, global", out, n, toned);
    TWICE(tone<SHARED><<<264, 256>>>(out, bytes.device, curve.device, n));
    expect("tone, shared", out, n, toned);
    TWICE(tone<CONSTANT><<<264, 256>>>(out, smooth.device, curve.device, n));
    expect("tone, smooth", out, n, [&](size_t i) { return curve[smooth[i]]; });
    TWICE(tone<SHARED><<<4, 64>>>(out, bytes.device, curve.device, 10000));

    auto in = random_between<float>(n, 0.001, 1);
    auto din = made<double>(n, [&](size_t i) { return (double)in[i]; });
    float *fout = zeros<float>(n);
    double *dout = zeros<double>(n);
    auto wave = [](double x) { return std::sin(6 * x) * std::exp(-x); };
    auto all = [&](const char *what, auto function, double tolerance) {
        expect(
            what, fout, n, [&](size_t i) { return function((double)in[i]); }, tolerance, 3);
    };
    auto doubles = [&](const char *what, auto function, int count) {
        expect(
            what, dout, count, [&](size_t i) { return function(din[i]); }, 1e-12, 3);
    };
    for (int size : {100000, 1000}) {
        auto table =
            made<float>(size, [&](size_t i) { return (float)wave((double)i / (size - 1)); });
        TWICE(interpolated<<<blocks_for(n, 256), 256>>>(fout, in.device, table.device, size, n));
        all("interpolated", wave, 1e-4);
        if (size == 1000) {
            cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
            cudaArray_t array;
            CHECK(cudaMallocArray(&array, &format, size));
            CHECK(cudaMemcpy2DToArray(array, 0, 0, table.host.data(), size * 4, size * 4, 1,
                                      cudaMemcpyHostToDevice));
            cudaResourceDesc resource = {};
            resource.resType = cudaResourceTypeArray;
            resource.res.array.array = array;
            cudaTextureDesc texture = {};
            texture.addressMode[0] = cudaAddressModeClamp;
            texture.filterMode = cudaFilterModeLinear;
            cudaTextureObject_t object;
            CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
            TWICE(
                interpolatedTexture<<<blocks_for(n, 256), 256>>>(fout, in.device, object, size, n));
            all("interpolatedTexture", wave, 1e-3);
        }
    }
    TWICE(computed<<<blocks_for(n, 256), 256>>>(fout, in.device, n));
    all("computed", wave, 1e-5);
    auto cube = made<float4>(17 * 17 * 17, [](size_t i) {
        return make_float4((float)(i % 17) / 16, (float)(i / 17 % 17) / 16, (float)(i / 289) / 16,
                           0);
    });
    TWICE(colourCube<<<blocks_for(n / 4, 128), 128>>>((float4 *)fout, (float4 *)in.device,
                                                      cube.device, n / 4));
    expect(
        "colourCube", fout, n, [&](size_t i) { return i % 4 == 3 ? 0 : in[i]; }, 1e-5);

    auto power = [](double x) { return std::pow(x, 2.4) + std::cbrt(x); };
    auto error = [](double x) { return std::erf(x) + std::tgamma(x + 1); };
    auto tangent = [](double x) { return std::tanh(x) + std::log1p(x) * std::atan(x); };
    const int d = 100000;
    TWICE(powers<float><<<blocks_for(n, 256), 256>>>(fout, in.device, n));
    all("powers", power, 1e-5);
    TWICE(powers<float><<<4, 64>>>(fout, in.device, 256));
    TWICE(powers<double><<<blocks_for(d, 128), 128>>>(dout, din.device, d));
    doubles(
        "powers, double", [](double x) { return std::pow(x, 2.4) + std::cbrt(x); }, d);
    TWICE(errors<float><<<blocks_for(n, 256), 256>>>(fout, in.device, n));
    all("errors", error, 1e-5);
    TWICE(errors<double><<<blocks_for(d, 128), 128>>>(dout, din.device, d));
    doubles("errors, double", error, d);
    TWICE(hyperbolic<float><<<blocks_for(n, 256), 256>>>(fout, in.device, n));
    all("hyperbolic", tangent, 1e-5);
    TWICE(hyperbolic<double><<<blocks_for(d, 128), 128>>>(dout, din.device, d));
    doubles("hyperbolic, double", tangent, d);
    auto mixture = [](double x) { return std::log(1 + x) + std::sin(x) / (2 + std::cos(x)); };
    TWICE(exact<<<blocks_for(n, 256), 256>>>(fout, in.device, n));
    all("exact", mixture, 1e-5);
    TWICE(quick<<<blocks_for(n, 256), 256>>>(fout, in.device, n));
    all("quick", mixture, 1e-4);
    auto circle = [&](double lat, double lon) {
        double a = std::sin((lat - 0.5) / 2), b = std::sin((lon - 0.25) / 2);
        return 2 * 6371 * std::asin(std::sqrt(a * a + std::cos(0.5) * std::cos(lat) * b * b));
    };
    TWICE(haversine<float><<<blocks_for(n / 2, 256), 256>>>(fout, in.device, in.device + n / 2,
                                                            0.5f, 0.25f, n / 2));
    expect(
        "haversine", fout, n / 2, [&](size_t i) { return circle(in[i], in[n / 2 + i]); }, 1e-2, 3);
    TWICE(haversine<double><<<blocks_for(n / 4, 256), 256>>>(dout, din.device, din.device + n / 2,
                                                             0.5, 0.25, n / 4));
    expect(
        "haversine, double", dout, n / 4, [&](size_t i) { return circle(din[i], din[n / 2 + i]); },
        1e-9, 3);

    const int chains = 1 << 16;
    auto map = [&](int steps) {
        return [&, steps](size_t i) {
            double x = in[i];
            for (int k = 0; k < steps; k++)
                x = 3.7 * x * (1 - x);
            return x;
        };
    };
    auto hin = made<half>(chains, [&](size_t i) { return __float2half(in[i]); });
    auto bin = made<__nv_bfloat16>(chains, [&](size_t i) { return __float2bfloat16(in[i]); });
    half *hout = zeros<half>(n);
    // Chaos: only few steps can be compared, and the narrow ones only roughly.
    TWICE(logistic<float><<<chains / 256, 256>>>(fout, in.device, 4));
    expect("logistic", fout, chains, map(4), 1e-4);
    TWICE(logistic<float><<<chains / 256, 256>>>(fout, in.device, 400));
    TWICE(logistic<double><<<chains / 256, 256>>>(dout, din.device, 400));
    expect(
        "logistic, double", dout, chains, [](size_t) { return 0.5; }, 0.34);
    TWICE(logistic<half><<<chains / 256, 256>>>(hout, hin.device, 400));
    expect(
        "logistic, half", hout, chains, [](size_t) { return 0.5; }, 0.34);
    TWICE(logistic<__nv_bfloat16><<<chains / 256, 256>>>((__nv_bfloat16 *)hout, bin.device, 400));
    expect(
        "logistic, bfloat", (__nv_bfloat16 *)hout, chains, [](size_t) { return 0.5; }, 0.34);
    TWICE(logisticHalf2<<<chains / 512, 256>>>((half2 *)hout, (half2 *)hin.device, 400));
    expect(
        "logisticHalf2", hout, chains, [](size_t) { return 0.5; }, 0.34);
    TWICE(toHalf<<<blocks_for(n, 256), 256>>>(hout, in.device, n));
    expect("toHalf", hout, n, [&](size_t i) { return __half2float(__float2half(in[i])); });
    CHECK(cudaMemset(hout, 0, n * sizeof *hout));
    TWICE(toHalf4<<<blocks_for(n / 4, 256), 256>>>((uint2 *)hout, (float4 *)in.device, n / 4));
    expect("toHalf4", hout, n, [&](size_t i) { return __half2float(__float2half(in[i])); });
    return 0;
}
