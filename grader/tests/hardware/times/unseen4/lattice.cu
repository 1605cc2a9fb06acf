/* Physics on grids: lattice Boltzmann D2Q9 in two layouts, Life by bytes and by bits, the Ising model, shallow water. */
#include "expect.cuh"

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                                1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

/* ARRAYS: f[k][cell]; else f[cell][k]. */
template <bool ARRAYS>
__device__ void boltzmann(const float *f, float *g, int nx, int ny, float omega)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        n = nx * ny;
    float v[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int from = (y - ey[k] + ny) % ny * nx + (x - ex[k] + nx) % nx;
        v[k] = f[ARRAYS ? k * n + from : from * 9 + k];
        rho += v[k], ux += ex[k] * v[k], uy += ey[k] * v[k];
    }
    ux /= rho, uy /= rho;
    int i = y * nx + x;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float eu = ex[k] * ux + ey[k] * uy;
        float equal = weight[k] * rho * (1 + 3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy));
        g[ARRAYS ? k * n + i : i * 9 + k] = v[k] + omega * (equal - v[k]);
    }
}

__global__ void boltzmann_arrays(const float *f, float *g, int nx, int ny, float omega)
{
    boltzmann<true>(f, g, nx, ny, omega);
}

__global__ void boltzmann_structs(const float *f, float *g, int nx, int ny, float omega)
{
    boltzmann<false>(f, g, nx, ny, omega);
}

__global__ void life_bytes(const unsigned char *in, unsigned char *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int l = (x - 1) & (n - 1), r = (x + 1) & (n - 1), u = ((y - 1) & (n - 1)) * n,
        d = ((y + 1) & (n - 1)) * n, m = y * n;
    int sum = in[u + l] + in[u + x] + in[u + r] + in[m + l] + in[m + r] + in[d + l] + in[d + x] +
              in[d + r];
    out[m + x] = sum == 3 || (sum == 2 && in[m + x]);
}

/* 32 cells a thread, added by logic. */
__global__ void life_bits(const unsigned *in, unsigned *out, int n)
{
    int words = n / 32, x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned ones = 0, twos = 0, fours = 0;
    int l = (x - 1) & (words - 1), r = (x + 1) & (words - 1);
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + ((y + dy) & (n - 1)) * words;
        unsigned a = row[l], b = row[x], c = row[r];
        unsigned v[3] = {b << 1 | a >> 31, b, b >> 1 | c << 31};
        for (int k = 0; k < 3; k++)
            if (dy != 0 || k != 1) {
                unsigned carry = ones & v[k];
                ones ^= v[k];
                fours |= twos & carry;
                twos ^= carry;
            }
    }
    /* Eight would look like none in ones and twos; fours remembers. */
    out[y * words + x] = twos & ~fours & (ones | in[y * words + x]);
}

/* One colour of the checkerboard; the random numbers are hashed. */
__global__ void ising(const signed char *in, signed char *out, int n, int colour, float beta)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, i = y * n + x;
    signed char s = in[i];
    if (((x + y) & 1) == colour) {
        int sum = in[y * n + ((x + 1) & (n - 1))] + in[y * n + ((x - 1) & (n - 1))] +
                  in[((y + 1) & (n - 1)) * n + x] + in[((y - 1) & (n - 1)) * n + x];
        unsigned h = i * 2654435761u;
        h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
        if ((h >> 8) / 16777216.0f < __expf(-2 * beta * s * sum))
            s = -s;
    }
    out[i] = s;
}

/* Lax and Friedrichs for shallow water: float4 (height, two momenta) a cell, in shared memory with a border. */
__device__ __host__ inline void water(float4 l, float4 r, float4 u, float4 d, float dt, float4 *out)
{
    float hx = l.y * l.y / l.x + 4.9f * l.x * l.x, gx = r.y * r.y / r.x + 4.9f * r.x * r.x;
    float hy = u.z * u.z / u.x + 4.9f * u.x * u.x, gy = d.z * d.z / d.x + 4.9f * d.x * d.x;
    out->x = 0.25f * (l.x + r.x + u.x + d.x) - dt * (r.y - l.y + d.z - u.z);
    out->y = 0.25f * (l.y + r.y + u.y + d.y) - dt * (gx - hx + d.y * d.z / d.x - u.y * u.z / u.x);
    out->z = 0.25f * (l.z + r.z + u.z + d.z) - dt * (r.y * r.z / r.x - l.y * l.z / l.x + gy - hy);
    out->w = 0;
}

__global__ void water_shared(const float4 *in, float4 *out, int n, float dt)
{
    extern __shared__ float4 s[];
    int w = blockDim.x + 2, x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < w * (blockDim.y + 2);
         k += blockDim.x * blockDim.y) {
        int sx = (blockIdx.x * blockDim.x + k % w - 1) & (n - 1),
            sy = (blockIdx.y * blockDim.y + k / w - 1) & (n - 1);
        s[k] = in[sy * n + sx];
    }
    __syncthreads();
    int c = (threadIdx.y + 1) * w + threadIdx.x + 1;
    water(s[c - 1], s[c + 1], s[c - w], s[c + w], dt, &out[y * n + x]);
}

__global__ void water_global(const float4 *in, float4 *out, int n, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    water(in[y * n + ((x - 1) & (n - 1))], in[y * n + ((x + 1) & (n - 1))],
          in[((y - 1) & (n - 1)) * n + x], in[((y + 1) & (n - 1)) * n + x], dt, &out[y * n + x]);
}

int main()
{
    const int nx = 512, ny = 256, n = nx * ny;
    float *f =
              filled<float>(n * 9, [](size_t i) { return 0.1f + (scrambled(i) & 0xff) / 5120.0f; }),
          *g = zeros<float>(n * 9);
    auto hf = fetched(f, n * 9);
    auto check_boltzmann = [&](const char *what, bool arrays) {
        const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
        auto h = fetched(g, n * 9);
        for (size_t i : places(n, 500)) {
            int x = i % nx, y = i / nx;
            double v[9], rho = 0, ux = 0, uy = 0;
            for (int k = 0; k < 9; k++) {
                int from = (y - cy[k] + ny) % ny * nx + (x - cx[k] + nx) % nx;
                v[k] = hf[arrays ? k * n + from : from * 9 + k];
                rho += v[k], ux += cx[k] * v[k], uy += cy[k] * v[k];
            }
            ux /= rho, uy /= rho;
            for (int k = 0; k < 9; k++) {
                double eu = cx[k] * ux + cy[k] * uy, w = k == 0 ? 4 / 9. : k < 5 ? 1 / 9. : 1 / 36.;
                double equal = w * rho * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
                expect_near(what, i, h[arrays ? k * n + i : i * 9 + k], v[k] + 1.2 * (equal - v[k]),
                            1e-4);
            }
        }
        CHECK(cudaMemset(g, 0, n * 36));
    };
    TWICE(boltzmann_arrays<<<dim3(nx / 128, ny), 128>>>(f, g, nx, ny, 1.2f));
    check_boltzmann("arrays", true);
    TWICE(boltzmann_arrays<<<dim3(nx / 16, ny / 16), dim3(16, 16)>>>(f, g, nx, ny, 1.2f));
    check_boltzmann("arrays", true);
    TWICE(boltzmann_structs<<<dim3(nx / 128, ny), 128>>>(f, g, nx, ny, 1.2f));
    check_boltzmann("structs", false);
    TWICE(boltzmann_structs<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(f, g, nx, ny, 1.2f));
    check_boltzmann("structs", false);

    const int m = 1024;
    unsigned char *cells =
                      filled<unsigned char>(m * m, [](size_t i) { return scrambled(i) >> 9 & 1; }),
                  *next = zeros<unsigned char>(m * m);
    auto hc = fetched(cells, m * m);
    unsigned *bits = filled<unsigned>(m * m / 32, [&](size_t w) {
        unsigned v = 0;
        for (int b = 0; b < 32; b++)
            v |= (unsigned)hc[w * 32 + b] << b;
        return v;
    });
    unsigned *next_bits = zeros<unsigned>(m * m / 32);
    TWICE(life_bytes<<<dim3(m / 32, m / 8), dim3(32, 8)>>>(cells, next, m));
    TWICE(life_bytes<<<dim3(m / 256, m), dim3(256, 1)>>>(cells, next, m));
    TWICE(life_bits<<<dim3(1, m / 8), dim3(32, 8)>>>(bits, next_bits, m));
    TWICE(life_bits<<<dim3(2, m / 4), dim3(16, 4)>>>(bits, next_bits, m));
    auto hn = fetched(next, m * m);
    auto hb = fetched(next_bits, m * m / 32);
    for (size_t i : places(m * m, 2000)) {
        int x = i % m, y = i / m, sum = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (dx || dy)
                    sum += hc[((y + dy) & (m - 1)) * m + ((x + dx) & (m - 1))];
        int wanted = sum == 3 || (sum == 2 && hc[i]);
        expect_same("bytes", i, hn[i], wanted);
        expect_same("bits", i, hb[i / 32] >> i % 32 & 1, wanted);
    }
    signed char *spins = filled<signed char>(
                    m * m, [](size_t i) { return scrambled(i) >> 9 & 1 ? 1 : -1; }),
                *flipped = zeros<signed char>(m * m);
    TWICE(ising<<<dim3(m / 256, m), 256>>>(spins, flipped, m, 1, 0.4f));
    TWICE(ising<<<dim3(m / 64, m), 64>>>(spins, flipped, m, 0, 0.4f));
    auto hs = fetched(spins, m * m), hg = fetched(flipped, m * m);
    for (size_t i : places(m * m, 2000)) {
        int x = i % m, y = i / m, s = hs[i];
        if (((x + y) & 1) == 0) {
            int sum = hs[y * m + ((x + 1) & (m - 1))] + hs[y * m + ((x - 1) & (m - 1))] +
                      hs[((y + 1) & (m - 1)) * m + x] + hs[((y - 1) & (m - 1)) * m + x];
            unsigned h = i * 2654435761u;
            h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
            double r = (h >> 8) / 16777216.0, p = exp(-0.8 * s * sum);
            if (fabs(r - p) < 1e-5)
                continue;
            s = r < p ? -s : s;
        }
        expect_same("ising", i, hg[i], s);
    }
    const int w = 512;
    float4 *sea = filled<float4>(w * w, [](size_t i) {
        return make_float4(1 + (scrambled(i) & 0xff) / 1024.0f, (scrambled(i + 1) & 0xff) / 1024.0f,
                           (scrambled(i + 2) & 0xff) / 1024.0f, 0);
    });
    float4 *after = zeros<float4>(w * w);
    auto hw = fetched(sea, w * w);
    auto check_water = [&](const char *what) {
        auto h = fetched(after, w * w);
        for (size_t i : places(w * w, 1000)) {
            int x = i % w, y = i / w;
            float4 e;
            water(hw[y * w + ((x - 1) & (w - 1))], hw[y * w + ((x + 1) & (w - 1))],
                  hw[((y - 1) & (w - 1)) * w + x], hw[((y + 1) & (w - 1)) * w + x], 0.01f, &e);
            expect_near(what, i, h[i].x, e.x, 1e-4);
            expect_near(what, i, h[i].y, e.y, 1e-4);
            expect_near(what, i, h[i].z, e.z, 1e-4);
        }
        CHECK(cudaMemset(after, 0, w * w * 16));
    };
    TWICE(water_shared<<<dim3(w / 32, w / 8), dim3(32, 8), 34 * 10 * 16>>>(sea, after, w, 0.01f));
    check_water("shared");
    TWICE(water_shared<<<dim3(w / 16, w / 4), dim3(16, 4), 18 * 6 * 16>>>(sea, after, w, 0.01f));
    check_water("shared");
    TWICE(water_global<<<dim3(w / 32, w / 8), dim3(32, 8)>>>(sea, after, w, 0.01f));
    check_water("global");
    return verdict("lattice");
}
