// Lattices: flow (D2Q9) in two layouts, the game of life in bytes and in bits, waves in three dimensions.
#include "../launch.cuh"

__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float wt[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                            1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};

template <bool BY_CELL> __device__ int where(int q, int cell, int cells)
{
    return BY_CELL ? cell * 9 + q : q * cells + cell;
}

template <bool BY_CELL> __global__ void flow(const float *f, float *g, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = w * h;
    float p[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = (x - cx[q] + w) % w, sy = (y - cy[q] + h) % h;
        p[q] = f[where<BY_CELL>(q, sy * w + sx, cells)];
        rho += p[q];
        ux += p[q] * cx[q];
        uy += p[q] * cy[q];
    }
    rho += 1e-3f;
    ux /= rho;
    uy /= rho;
    float u2 = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float cu = 3 * (cx[q] * ux + cy[q] * uy), eq = wt[q] * rho * (1 + cu + 0.5f * cu * cu - u2);
        g[where<BY_CELL>(q, y * w + x, cells)] = p[q] + 0.6f * (eq - p[q]);
    }
}

__global__ void life_bytes(const unsigned char *now, unsigned char *next, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += now[((y + dy) & (n - 1)) * n + ((x + dx) & (n - 1))];
    next[y * n + x] = alive == 3 || (alive == 2 && now[y * n + x]);
}

// 32 cells in a word; neighbours are added up bit by bit.
__global__ void life_bits(const unsigned *now, unsigned *next, int words, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned ones = 0, twos = 0, fours = 0, here = 0;
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = now + ((y + dy) & (n - 1)) * words;
        unsigned l = row[(x - 1) & (words - 1)], c = row[x], r = row[(x + 1) & (words - 1)];
        unsigned side[3] = {c << 1 | l >> 31, c >> 1 | r << 31, c};
        if (dy == 0)
            here = c;
        for (int k = 0; k < (dy ? 3 : 2); k++) {
            unsigned carry = ones & side[k];
            ones ^= side[k];
            unsigned more = twos & carry;
            twos ^= carry;
            fours |= more;
        }
    }
    next[y * words + x] = twos & ~fours & (ones | here);
}

__global__ void wave(const float *before, const float *now, float *after, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 2 || y < 2 || z < 2 || x >= nx - 2 || y >= ny - 2 || z >= nz - 2)
        return;
    int i = (z * ny + y) * nx + x, sy = nx, sz = nx * ny;
    float lap =
        -7.5f * now[i] +
        1.333f * (now[i - 1] + now[i + 1] + now[i - sy] + now[i + sy] + now[i - sz] + now[i + sz]) -
        0.0833f * (now[i - 2] + now[i + 2] + now[i - 2 * sy] + now[i + 2 * sy] + now[i - 2 * sz] +
                   now[i + 2 * sz]);
    after[i] = 2 * now[i] - before[i] + 0.1f * lap;
}

__global__ void red_black(double *u, int n, int colour)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = blockIdx.y * blockDim.y + threadIdx.y;
    x += (y + colour) & 1;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    u[y * n + x] =
        0.25 * (u[y * n + x - 1] + u[y * n + x + 1] + u[(y - 1) * n + x] + u[(y + 1) * n + x]);
}

int main()
{
    float *f = fractions<float>(9 << 20), *g = zeros<float>(9 << 20);
    TWICE(flow<true><<<dim3(8, 512), 128>>>(f, g, 1024, 512));
    TWICE(flow<false><<<dim3(8, 512), 128>>>(f, g, 1024, 512));
    unsigned char *cells =
        filled<unsigned char>(1 << 22, [](size_t i) { return (unsigned char)(scrambled(i) & 1); });
    TWICE(life_bytes<<<dim3(64, 256), dim3(32, 8)>>>(cells, (unsigned char *)g, 2048));
    TWICE(life_bits<<<dim3(2, 256), dim3(32, 8)>>>((unsigned *)f, (unsigned *)g, 64, 2048));
    TWICE(wave<<<dim3(5, 40, 40), dim3(32, 4, 4)>>>(f, f + (1 << 22), g, 160, 160, 160));
    TWICE(wave<<<dim3(20, 20, 20), dim3(8, 8, 8)>>>(f, f + (1 << 22), g, 160, 160, 160));
    TWICE(red_black<<<dim3(16, 128), dim3(32, 8)>>>((double *)f, 1024, 0));
}
