/* Fourier transforms: Stockham passes through global memory, whole transforms in shared memory or registers. */
#include "expect.cuh"

__device__ inline float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* One radix 2 pass over all of the data; the angle is computed for every butterfly. */
__global__ void pass_two(const float2 *in, float2 *out, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (run - 1);
    float2 w, a = in[i], b = in[i + n / 2];
    sincosf(-3.14159265f * k / run, &w.y, &w.x);
    b = times(b, w);
    int at = ((i - k) << 1) + k;
    out[at] = make_float2(a.x + b.x, a.y + b.y);
    out[at + run] = make_float2(a.x - b.x, a.y - b.y);
}

/* The same with a table of roots. */
__global__ void pass_table(const float2 *in, const float2 *roots, float2 *out, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (run - 1);
    float2 w = roots[k * (n / 2 / run)], a = in[i], b = times(in[i + n / 2], w);
    int at = ((i - k) << 1) + k;
    out[at] = make_float2(a.x + b.x, a.y + b.y);
    out[at + run] = make_float2(a.x - b.x, a.y - b.y);
}

__global__ void pass_four(const float2 *in, float2 *out, int n, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (run - 1);
    float2 v[4], w;
    for (int r = 0; r < 4; r++) {
        v[r] = in[i + r * (n / 4)];
        __sincosf(-1.57079633f * k * r / run, &w.y, &w.x);
        v[r] = times(v[r], w);
    }
    float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
           b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
           d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    int at = ((i - k) << 2) + k;
    out[at] = make_float2(a.x + c.x, a.y + c.y);
    out[at + run] = make_float2(b.x + d.x, b.y + d.y);
    out[at + 2 * run] = make_float2(a.x - c.x, a.y - c.y);
    out[at + 3 * run] = make_float2(b.x - d.x, b.y - d.y);
}

/* A block a transform of 2 * blockDim.x points, in shared memory after reversing the bits. */
template <typename C, typename T> __global__ void whole(const C *in, C *out, int bits)
{
    extern __shared__ char memory[];
    C *s = (C *)memory;
    int n = 1 << bits, t = threadIdx.x;
    in += (size_t)blockIdx.x * n, out += (size_t)blockIdx.x * n;
    s[__brev(t) >> (32 - bits)] = in[t];
    s[__brev(t + n / 2) >> (32 - bits)] = in[t + n / 2];
    for (int run = 1; run < n; run *= 2) {
        __syncthreads();
        int k = t & (run - 1), p = ((t - k) << 1) + k;
        T c, d;
        sincospi(T(-k) / run, &d, &c);
        C a = s[p], b = s[p + run];
        T x = b.x * c - b.y * d, y = b.x * d + b.y * c;
        s[p].x = a.x + x, s[p].y = a.y + y;
        s[p + run].x = a.x - x, s[p + run].y = a.y - y;
    }
    __syncthreads();
    out[t] = s[t];
    out[t + n / 2] = s[t + n / 2];
}

__global__ void reverse_bits(const float2 *in, float2 *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

/* A warp a transform of 32 points by shuffles. */
__global__ void warp_transform(const float2 *in, float2 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float2 v = in[i - lane + (__brev(lane) >> 27)];
    for (int run = 1; run < 32; run *= 2) {
        float x = __shfl_xor_sync(~0u, v.x, run), y = __shfl_xor_sync(~0u, v.y, run);
        float2 w;
        sincospif(-(float)(lane & (run - 1)) / run, &w.y, &w.x);
        if (lane & run) {
            float2 b = times(v, w);
            v = make_float2(x - b.x, y - b.y);
        } else {
            float2 b = times(make_float2(x, y), w);
            v = make_float2(v.x + b.x, v.y + b.y);
        }
    }
    out[i] = v;
}

int main()
{
    const int n = 1 << 19;
    auto make = [](size_t i) {
        return make_float2((scrambled(i) & 0xff) / 256.0f - 0.5f, (scrambled(i) >> 24) / 256.0f);
    };
    float2 *in = filled<float2>(n, make), *out = zeros<float2>(n), *out2 = zeros<float2>(n);
    float2 *roots = filled<float2>(n / 2, [=](size_t k) {
        return make_float2(cos(-2 * M_PI * k / n), sin(-2 * M_PI * k / n));
    });
    auto h = fetched(in, n);
    auto check_whole = [&](const char *what, int size, auto o, double error) {
        for (size_t i : places(o.size(), 40)) {
            size_t base = i / size * size;
            double x = 0, y = 0;
            for (int j = 0; j < size; j++) {
                double angle = -2 * M_PI * ((i - base) * j % size) / size, c = cos(angle),
                       s = sin(angle);
                x += h[base + j].x * c - h[base + j].y * s,
                    y += h[base + j].x * s + h[base + j].y * c;
            }
            expect_near(what, i, o[i].x, x, error);
            expect_near(what, i, o[i].y, y, error);
        }
    };
    auto check_pass = [&](const char *what, const std::vector<float2> &o, int radix, int run) {
        for (size_t at : places(n, 300)) {
            size_t k = at & (run - 1), r = at / run % radix, i = (at / run / radix) * run + k;
            double x = 0, y = 0;
            for (int j = 0; j < radix; j++) {
                double angle = -2 * M_PI * ((double)k * j / run / radix + (double)j * r / radix);
                float2 v = h[i + (size_t)j * (n / radix)];
                x += v.x * cos(angle) - v.y * sin(angle), y += v.x * sin(angle) + v.y * cos(angle);
            }
            expect_near(what, at, o[at].x, x, 1e-4);
            expect_near(what, at, o[at].y, y, 1e-4);
        }
    };
    TWICE(pass_two<<<n / 2 / 256, 256>>>(in, out, n, 1));
    check_pass("pass_two", fetched(out, n), 2, 1);
    TWICE(pass_two<<<n / 2 / 128, 128>>>(in, out, n, 4096));
    check_pass("pass_two", fetched(out, n), 2, 4096);
    TWICE(pass_table<<<n / 2 / 256, 256>>>(in, roots, out, n, 16));
    check_pass("pass_table", fetched(out, n), 2, 16);
    TWICE(pass_table<<<n / 2 / 512, 512>>>(in, roots, out, n, n / 2));
    check_pass("pass_table", fetched(out, n), 2, n / 2);
    TWICE(pass_four<<<n / 4 / 256, 256>>>(in, out, n, 1));
    check_pass("pass_four", fetched(out, n), 4, 1);
    TWICE(pass_four<<<n / 4 / 64, 64>>>(in, out, n, 1024));
    check_pass("pass_four", fetched(out, n), 4, 1024);
    auto single = whole<float2, float>;
    TWICE(single<<<n / 1024, 512, 1024 * 8>>>(in, out, 10));
    check_whole("whole", 1024, fetched(out, n), 1e-3);
    TWICE(single<<<n / 4 / 128, 64, 128 * 8>>>(in, out, 7));
    check_whole("whole", 128, fetched(out, n / 4), 1e-3);
    double2 *din =
        filled<double2>(n / 8, [=](size_t i) { return make_double2(make(i).x, make(i).y); });
    double2 *dout = zeros<double2>(n / 8);
    auto twice_as_long = whole<double2, double>;
    TWICE(twice_as_long<<<n / 8 / 512, 256, 512 * 16>>>(din, dout, 9));
    check_whole("double", 512, fetched(dout, n / 8), 1e-9);
    TWICE(warp_transform<<<n / 256, 256>>>(in, out));
    check_whole("warp", 32, fetched(out, n), 1e-3);
    TWICE(warp_transform<<<n / 64 / 8, 64>>>(in, out));
    TWICE(reverse_bits<<<n / 256, 256>>>(in, out2, 19));
    TWICE(reverse_bits<<<n / 8 / 1024, 1024>>>(in, out, 16));
    auto o = fetched(out2, n);
    for (size_t i : places(n, 1000)) {
        size_t r = 0;
        for (int b = 0; b < 19; b++)
            r |= (i >> b & 1) << (18 - b);
        expect_same("reverse", r, o[r].x, h[i].x);
    }
    return verdict("fourier");
}
