/* Stencils in two and three dimensions. */
#include "expect.cuh"

#define TILE 16

/* As PolyBench's jacobi-2d. */
static __global__ void jacobi(double *out, const double *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
        const double *p = in + (size_t)y * n + x;
        out[(size_t)y * n + x] = 0.2 * (p[0] + p[-1] + p[1] + p[-n] + p[n]);
    }
}

/* All 27 neighbours, with a weight for each distance: as PolyBench's 3DCONV. */
static __global__ void convolve_cube(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    float sum = 0;
#pragma unroll
    for (int dz = -1; dz <= 1; dz++)
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++)
                sum += (4 - dx * dx - dy * dy - dz * dz) * in[((z + dz) * n + y + dy) * n + x + dx];
    out[(z * n + y) * n + x] = sum;
}

/* A thread goes through all planes and keeps three values of its column: as Parboil's stencil. */
static __global__ void march(float *out, const float *in, int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    int plane = width * height, at = y * width + x;
    float below = in[at], here = in[at + plane];
    for (int z = 1; z < depth - 1; z++) {
        at += plane;
        float above = in[at + plane];
        out[at] = 0.125f * (above + below + in[at - 1] + in[at + 1] + in[at - width] +
                            in[at + width] - 6 * here) +
                  here;
        below = here;
        here = above;
    }
}

/* STEPS steps in one launch: a tile loses its rim in each. As Rodinia's hotspot, with a fixed edge. */
static __global__ void hotspot(float *out, const float *in, const float *power, int n, int steps)
{
    __shared__ float heat[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, kept = TILE - 2 * steps;
    int x = blockIdx.x * kept + tx - steps, y = blockIdx.y * kept + ty - steps;
    bool inside = x >= 0 && y >= 0 && x < n && y < n;
    bool edge = x <= 0 || y <= 0 || x >= n - 1 || y >= n - 1;
    float mine = inside ? in[y * n + x] : 0, heating = inside ? power[y * n + x] : 0;
    heat[0][ty][tx] = mine;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        float(*old)[TILE] = heat[step & 1];
        if (!edge && tx > step && ty > step && tx < TILE - 1 - step && ty < TILE - 1 - step)
            mine += 0.1f * (old[ty][tx - 1] + old[ty][tx + 1] + old[ty - 1][tx] + old[ty + 1][tx] -
                            4 * mine) +
                    0.05f * heating + 0.01f * (0.5f - mine);
        heat[!(step & 1)][ty][tx] = mine;
        __syncthreads();
    }
    if (inside && tx >= steps && ty >= steps && tx < TILE - steps && ty < TILE - steps)
        out[y * n + x] = mine;
}

static void expect_hotspot(float *out, const float *in, const float *power, int n, int steps)
{
    const int x0 = n / 2 - 3, y0 = n / 3, side = 2 * steps + 1;
    std::vector<float> before = fetched(in, n * n), heating = fetched(power, n * n);
    std::vector<float> after = fetched(out, n * n), old(side * side), heat(side * side);
    for (int i = 0; i < side * side; i++)
        heat[i] = before[(y0 + i / side) * n + x0 + i % side];
    for (int step = 0; step < steps; step++) {
        old = heat;
        for (int y = step + 1; y < side - 1 - step; y++)
            for (int x = step + 1; x < side - 1 - step; x++) {
                float *p = &old[y * side + x];
                heat[y * side + x] += 0.1f * (p[-1] + p[1] + p[-side] + p[side] - 4 * p[0]) +
                                      0.05f * heating[(y0 + y) * n + x0 + x] +
                                      0.01f * (0.5f - p[0]);
            }
    }
    EXPECT(near(after[(y0 + steps) * n + x0 + steps], heat[steps * side + steps]));
    EXPECT(after[0] == before[0]);
}

static void expect_jacobi(double *out, const double *in, int n)
{
    std::vector<double> before = fetched(in, n * n), after = fetched(out, n * n);
    for (int y = 1; y < n - 1; y += 41)
        for (int x = 1; x < n - 1; x += 43) {
            const double *p = &before[y * n + x];
            EXPECT(near(after[y * n + x], 0.2 * (p[0] + p[-1] + p[1] + p[-n] + p[n]), 1e-12));
        }
    clear(out, n * n);
}

int main()
{
    double *grid_in = fractions<double>(2048 * 2048), *grid_out = zeros<double>(2048 * 2048);
    TWICE(jacobi<<<dim3(32, 128), dim3(32, 8)>>>(grid_out, grid_in, 1024));
    expect_jacobi(grid_out, grid_in, 1024);
    TWICE(jacobi<<<dim3(64, 256), dim3(32, 8)>>>(grid_out, grid_in, 2048));
    expect_jacobi(grid_out, grid_in, 2048);
    TWICE(jacobi<<<dim3(512, 32), dim3(4, 64)>>>(grid_out, grid_in, 2048));
    expect_jacobi(grid_out, grid_in, 2048);

    const int count = 1 << 22;
    float *in = fractions<float>(count), *power = fractions<float>(count);
    float *out = zeros<float>(count);
    std::vector<float> before = fetched(in, count);
    for (int n : {64, 128}) {
        TWICE(convolve_cube<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(out, in, n));
        std::vector<float> after = fetched(out, n * n * n);
        int at = (n / 2 * n + n / 3) * n + n / 4;
        float sum = 0;
        for (int i = 0; i < 27; i++) {
            int dx = i % 3 - 1, dy = i / 3 % 3 - 1, dz = i / 9 - 1;
            sum += (4 - dx * dx - dy * dy - dz * dz) * before[at + (dz * n + dy) * n + dx];
        }
        EXPECT(near(after[at], sum));
        clear(out, count);
    }

    auto expect_march = [&](int width, int height, int depth) {
        std::vector<float> after = fetched(out, width * height * depth);
        for (int z = 1; z < depth - 1; z += 5) {
            int at = (z * height + height / 2) * width + width / 3, plane = width * height;
            const float *p = &before[at];
            EXPECT(near(after[at], 0.125f * (p[plane] + p[-plane] + p[-1] + p[1] + p[-width] +
                                             p[width] - 6 * p[0]) +
                                       p[0]));
        }
        clear(out, count);
    };
    TWICE(march<<<dim3(8, 64), dim3(32, 4)>>>(out, in, 256, 256, 64));
    expect_march(256, 256, 64);
    TWICE(march<<<dim3(4, 16), dim3(32, 8)>>>(out, in, 128, 128, 256));
    expect_march(128, 128, 256);

    for (int steps : {1, 4}) {
        int across = blocks(512, TILE - 2 * steps);
        TWICE(hotspot<<<dim3(across, across), dim3(TILE, TILE)>>>(out, in, power, 512, steps));
        expect_hotspot(out, in, power, 512, steps);
        clear(out, count);
    }
    return 0;
}
