/* Finite differences in one to three dimensions. */
#include "common.cuh"

/* The wave equation, eighth order: planes go through registers, a tile of the plane through shared memory; or all from global memory. */
__constant__ float wave_weights[5];

__global__ void wave8(float *next, const float *now, const float *before, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 4,
        y = blockIdx.y * blockDim.y + threadIdx.y + 4, z = blockIdx.z + 4;
    int w = nx + 8, plane = w * (ny + 8), i = z * plane + y * w + x;
    if (x >= nx + 4 || y >= ny + 4)
        return;
    float sum = 3 * wave_weights[0] * now[i];
#pragma unroll
    for (int k = 1; k <= 4; k++)
        sum += wave_weights[k] * (now[i - k] + now[i + k] + now[i - k * w] + now[i + k * w] +
                                  now[i - k * plane] + now[i + k * plane]);
    next[i] = 2 * now[i] - before[i] + 0.1f * sum;
}

__global__ void wave8March(float *next, const float *now, const float *before, int nx, int ny,
                           int nz)
{
    __shared__ float s[16 + 8][32 + 8];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    int w = nx + 8, plane = w * (ny + 8), at = (y0 + ty + 4) * w + x0 + tx + 4;
    float column[9];
#pragma unroll
    for (int k = 0; k < 8; k++)
        column[k + 1] = now[at + k * plane];
    for (int z = 4; z < nz + 4; z++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            column[k] = column[k + 1];
        column[8] = now[at + (z + 4) * plane];
        __syncthreads();
        for (int k = ty * 32 + tx; k < 24 * 40; k += 512)
            s[k / 40][k % 40] = now[z * plane + (y0 + k / 40) * w + x0 + k % 40];
        __syncthreads();
        float sum = 3 * wave_weights[0] * column[4];
#pragma unroll
        for (int k = 1; k <= 4; k++)
            sum += wave_weights[k] *
                   (s[ty + 4][tx + 4 - k] + s[ty + 4][tx + 4 + k] + s[ty + 4 - k][tx + 4] +
                    s[ty + 4 + k][tx + 4] + column[4 - k] + column[4 + k]);
        int i = z * plane + at;
        next[i] = 2 * column[4] - before[i] + 0.1f * sum;
    }
}

/* Maxwell's equations on Yee's grid: one component of H from E. */
__global__ void yeeMagnetic(float *hx, float *hy, float *hz, const float *ex, const float *ey,
                            const float *ez, int n, float c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int i = (z * n + y) * n + x;
    hx[i] = c * (ey[i + n * n] - ey[i] - ez[i + n] + ez[i]);
    hy[i] = c * (ez[i + 1] - ez[i] - ex[i + n * n] + ex[i]);
    hz[i] = c * (ex[i + n] - ex[i] - ey[i + 1] + ey[i]);
}

/* Advection with the wind: the side is chosen by the sign. */
template <typename T>
__global__ void upwind(T *out, const T *in, const T *u, const T *v, int w, int h, T dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    int i = y * w + x;
    T dx = u[i] > 0 ? in[i] - in[i - 1] : in[i + 1] - in[i],
      dy = v[i] > 0 ? in[i] - in[i - w] : in[i + w] - in[i];
    out[i] = in[i] - dt * (u[i] * dx + v[i] * dy);
}

/* Reaction and diffusion of Gray and Scott. */
__global__ void grayScott(float2 *out, const float2 *in, int n, float feed, float kill)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int l = (x + n - 1) & (n - 1), r = (x + 1) & (n - 1), t = (y + n - 1) & (n - 1),
        b = (y + 1) & (n - 1);
    float2 c = in[y * n + x], p = in[y * n + l], q = in[y * n + r], s = in[t * n + x],
           u = in[b * n + x];
    float ab = c.x * c.y * c.y;
    out[y * n + x] =
        make_float2(c.x + 0.2f * (p.x + q.x + s.x + u.x - 4 * c.x) - ab + feed * (1 - c.x),
                    c.y + 0.1f * (p.y + q.y + s.y + u.y - 4 * c.y) + ab - (feed + kill) * c.y);
}

/* Many steps of heat in a block's own plate of 32 x 32, walls at 0. */
__global__ void plates(float *out, const float *in, int steps)
{
    __shared__ float s[34][34];
    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 34 * 34; k += 1024)
        s[k / 34][k % 34] = 0;
    __syncthreads();
    s[y][x] = in[blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        float next = 0.25f * (s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x]);
        __syncthreads();
        s[y][x] = next;
        __syncthreads();
    }
    out[blockIdx.x * 1024 + threadIdx.y * 32 + threadIdx.x] = s[y][x];
}

/* Multigrid: to a grid of half the side, and back. */
__global__ void restrictGrid(double *coarse, const double *fine, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    const double *p = fine + 2 * y * 2 * n + 2 * x;
    int w = 2 * n;
    coarse[y * n + x] = 0.25 * p[0] + 0.125 * (p[-1] + p[1] + p[-w] + p[w]) +
                        0.0625 * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
}

__global__ void prolong(double *fine, const double *coarse, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        cx = x / 2, cy = y / 2;
    if (cx >= n - 1 || cy >= n - 1)
        return;
    const double *p = coarse + cy * n + cx;
    double a = x & 1 ? 0.5 * (p[0] + p[1]) : p[0], b = x & 1 ? 0.5 * (p[n] + p[n + 1]) : p[n];
    fine[y * 2 * n + x] = y & 1 ? 0.5 * (a + b) : a;
}

/* Tridiagonal systems of 256 unknowns by parallel cyclic reduction, a block each. */
template <typename T>
__global__ void cyclicReduction(T *x, const T *lower, const T *middle, const T *upper,
                                const T *right)
{
    __shared__ T s[4][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    T a = t ? lower[i] : T(0), b = middle[i], c = t < 255 ? upper[i] : T(0), d = right[i];
    for (int step = 1; step < 256; step *= 2) {
        s[0][t] = a;
        s[1][t] = b;
        s[2][t] = c;
        s[3][t] = d;
        __syncthreads();
        int l = t - step, r = t + step;
        T f = l >= 0 ? -a / s[1][l] : T(0), g = r < 256 ? -c / s[1][r] : T(0);
        if (l >= 0) {
            b += f * s[2][l];
            d += f * s[3][l];
            a = f * s[0][l];
        }
        if (r < 256) {
            b += g * s[0][r];
            d += g * s[3][r];
            c = g * s[2][r];
        }
        __syncthreads();
    }
    x[i] = d / b;
}

typedef std::vector<double> series;

int main()
{
    const int nx = 128, ny = 96, nz = 64, all = (nx + 8) * (ny + 8) * (nz + 8), w8 = nx + 8,
              plane = w8 * (ny + 8);
    auto now = random_between<float>(all, -1, 1), before = random_between<float>(all, -1, 1, 1);
    float *next = zeros<float>(all), weights[5] = {-2.84722f, 1.6f, -0.2f, 0.02540f, -0.001786f};
    CHECK(cudaMemcpyToSymbol(wave_weights, weights, sizeof weights));
    auto wave = [&](size_t i) {
        int x = (int)i % w8, y = (int)i / w8 % (ny + 8), z = (int)i / plane;
        if (x < 4 || y < 4 || z < 4 || x >= nx + 4 || y >= ny + 4 || z >= nz + 4)
            return 0.0;
        double sum = 3.0 * weights[0] * now[i];
        for (int k = 1; k <= 4; k++)
            for (int d : {1, w8, plane})
                sum += (double)weights[k] * (now[i - k * d] + now[i + k * d]);
        return 2.0 * now[i] - before[i] + 0.1 * sum;
    };
    TWICE(wave8<<<dim3(4, 12, nz), dim3(32, 8)>>>(next, now.device, before.device, nx, ny, nz));
    expect("wave8", next, all, wave, 1e-4, 3);
    TWICE(wave8<<<dim3(16, 6, nz), dim3(8, 16)>>>(next, now.device, before.device, nx, ny, nz));
    CHECK(cudaMemset(next, 0, all * sizeof *next));
    TWICE(wave8March<<<dim3(4, 6), dim3(32, 16)>>>(next, now.device, before.device, nx, ny, nz));
    expect("wave8March", next, all, wave, 1e-4, 3);

    const int n = 80, cube = n * n * n;
    float *h[3];
    for (auto &f : h)
        f = zeros<float>(cube);
    both<float> e[3] = {random_between<float>(cube, -1, 1, 5),
                        random_between<float>(cube, -1, 1, 6),
                        random_between<float>(cube, -1, 1, 7)};
    for (dim3 block : {dim3(32, 4, 2), dim3(8, 8, 8), dim3(4, 4, 4)}) {
        int side = block.x == 4 ? 24 : n; // the last one is small
        TWICE(yeeMagnetic<<<dim3(blocks_for(side, block.x), blocks_for(side, block.y),
                                 blocks_for(side, block.z)),
                            block>>>(h[0], h[1], h[2], e[0].device, e[1].device, e[2].device, side,
                                     0.5f));
        const int step[3] = {1, side, side * side};
        for (int c = 0; c < 3; c++)
            if (side == n)
                expect(
                    "yeeMagnetic", h[c], cube,
                    [&](size_t i) {
                        int x = i % n, y = i / n % n, z = i / n / n, a = (c + 1) % 3,
                            b = (c + 2) % 3;
                        if (x == n - 1 || y == n - 1 || z == n - 1)
                            return 0.0;
                        return 0.5 *
                               ((double)e[a][i + step[b]] - e[a][i] - e[b][i + step[a]] + e[b][i]);
                    },
                    1e-5, 3);
    }
    const int w = 1000, height = 600, cells = w * height;
    auto field = random_between<float>(cells, 0, 1), u = random_between<float>(cells, -1, 1, 2),
         v = random_between<float>(cells, -1, 1, 3);
    auto flow = [&](size_t i) {
        int x = i % w, y = i / w;
        if (x < 1 || y < 1 || x >= w - 1 || y >= height - 1)
            return 0.0;
        double dx = u[i] > 0 ? field[i] - field[i - 1] : field[i + 1] - field[i],
               dy = v[i] > 0 ? field[i] - field[i - w] : field[i + w] - field[i];
        return field[i] - 0.1 * (u[i] * dx + v[i] * dy);
    };
    float *moved = zeros<float>(cells);
    TWICE(upwind<float><<<dim3(blocks_for(w, 32), height / 8), dim3(32, 8)>>>(
        moved, field.device, u.device, v.device, w, height, 0.1f));
    expect("upwind", moved, cells, flow, 1e-5);
    auto df = made<double>(cells, [&](size_t i) { return (double)field[i]; }),
         du = made<double>(cells, [&](size_t i) { return (double)u[i]; }),
         dv = made<double>(cells, [&](size_t i) { return (double)v[i]; });
    double *dmoved = zeros<double>(cells);
    TWICE(upwind<double><<<dim3(blocks_for(w, 32), height / 8), dim3(32, 8)>>>(
        dmoved, df.device, du.device, dv.device, w, height, 0.1));
    expect("upwind, double", dmoved, cells, flow, 1e-6);
    const int side = 512;
    float2 *mixed = zeros<float2>(side * side);
    for (int m : {side, 64}) {
        TWICE(grayScott<<<dim3(m / 32, m / 8), dim3(32, 8)>>>(mixed, (float2 *)field.device, m,
                                                              0.04f, 0.06f));
        expect(
            "grayScott", (float *)mixed, 2 * m * m,
            [&](size_t j) {
                int i = (int)j / 2, x = i % m, y = i / m, p = j % 2;
                double a = field[2 * i], b = field[2 * i + 1], around = -4 * field[j];
                for (int k : {y * m + (x + 1) % m, y * m + (x + m - 1) % m, (y + 1) % m * m + x,
                              (y + m - 1) % m * m + x})
                    around += field[2 * k + p];
                return p ? b + 0.1 * around + a * b * b - 0.1 * b
                         : a + 0.2 * around - a * b * b + 0.04 * (1 - a);
            },
            1e-4);
    }
    float *cooled = zeros<float>(300 * 1024);
    for (int blocks : {300, 20}) {
        int steps = blocks == 300 ? 20 : 100;
        TWICE(plates<<<blocks, dim3(32, 32)>>>(cooled, field.device, steps));
        expect(
            "plates", cooled, 1024,
            [&, done = series()](size_t i) mutable {
                if (done.empty()) {
                    done.resize(1024);
                    for (int k = 0; k < 1024; k++)
                        done[k] = field[k];
                    for (int s = 0; s < steps; s++) {
                        auto old = done;
                        for (int k = 0; k < 1024; k++)
                            done[k] =
                                0.25 * ((k % 32 ? old[k - 1] : 0) + (k % 32 < 31 ? old[k + 1] : 0) +
                                        (k >= 32 ? old[k - 32] : 0) + (k < 992 ? old[k + 32] : 0));
                    }
                }
                return done[i];
            },
            1e-4);
    }
    const int coarse = 400;
    auto fine = random_between<double>(4 * coarse * coarse, -1, 1);
    double *half = zeros<double>(coarse * coarse), *twice = zeros<double>(4 * coarse * coarse);
    TWICE(
        restrictGrid<<<dim3(coarse / 16, coarse / 16), dim3(16, 16)>>>(half, fine.device, coarse));
    expect(
        "restrictGrid", half, coarse * coarse,
        [&](size_t i) {
            int x = i % coarse, y = i / coarse;
            double sum = 0;
            if (x < 1 || y < 1 || x >= coarse - 1 || y >= coarse - 1)
                return 0.0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum +=
                        fine[(2 * y + dy) * 2 * coarse + 2 * x + dx] / (4 << (dx * dx + dy * dy));
            return sum;
        },
        1e-12);
    TWICE(prolong<<<dim3(2 * coarse / 32, 2 * coarse / 8), dim3(32, 8)>>>(twice, fine.device,
                                                                          coarse));
    expect(
        "prolong", twice, 4 * coarse * coarse,
        [&](size_t i) {
            int x = i % (2 * coarse), y = (int)i / (2 * coarse), cx = x / 2, cy = y / 2;
            if (cx >= coarse - 1 || cy >= coarse - 1)
                return 0.0;
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += 0.25 * fine[(cy + (k / 2 && y % 2)) * coarse + cx + (k % 2 && x % 2)];
            return sum;
        },
        1e-12);
    const int systems = 500, unknowns = systems * 256;
    auto a = random_between<double>(unknowns, -1, 1, 11),
         b = random_between<double>(unknowns, 3, 5, 12),
         c = random_between<double>(unknowns, -1, 1, 13),
         d = random_between<double>(unknowns, -1, 1, 14);
    auto as_float = [](const both<double> &x) {
        return made<float>(x.host.size(), [&](size_t i) { return (float)x[i]; });
    };
    auto fa = as_float(a), fb = as_float(b), fc = as_float(c), fd = as_float(d);
    std::vector<double> solved(unknowns);
    for (int s = 0; s < systems; s++) {
        std::vector<double> p(256), q(256);
        for (int k = 0; k < 256; k++) {
            int i = s * 256 + k;
            double low = k ? a[i] : 0, m = b[i] - (k ? low * p[k - 1] : 0);
            p[k] = c[i] / m;
            q[k] = (d[i] - (k ? low * q[k - 1] : 0)) / m;
        }
        for (int k = 255; k >= 0; k--)
            solved[s * 256 + k] = q[k] - (k < 255 ? p[k] * solved[s * 256 + k + 1] : 0);
    }
    double *x = zeros<double>(unknowns);
    TWICE(cyclicReduction<double><<<systems, 256>>>(x, a.device, b.device, c.device, d.device));
    expect(
        "cyclicReduction, double", x, unknowns, [&](size_t i) { return solved[i]; }, 1e-9);
    TWICE(cyclicReduction<float>
          <<<systems, 256>>>((float *)x, fa.device, fb.device, fc.device, fd.device));
    expect(
        "cyclicReduction", (float *)x, unknowns, [&](size_t i) { return solved[i]; }, 1e-4);
    TWICE(cyclicReduction<float>
          <<<20, 256>>>((float *)x, fa.device, fb.device, fc.device, fd.device));
    return 0;
}
