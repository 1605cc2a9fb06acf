/* Transposes, permutations and changes of layout. */
#include "common.cuh"

/* Any two-dimensional array; tiles of 32 x 32 by blocks of 32 x 8, padded by PAD. */
template <typename T, int PAD> __global__ void transposeTile(T *out, const T *in, int w, int h)
{
    __shared__ T s[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (x < w && y0 + k < h)
            s[k][threadIdx.x] = in[(y0 + k) * w + x];
    __syncthreads();
    int ox = y0 + threadIdx.x, oy = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (ox < h && oy + k < w)
            out[(oy + k) * h + ox] = s[threadIdx.x][k];
}

template <typename T> __global__ void transposeDirect(T *out, const T *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = in[y * w + x];
}

/* A warp transposes 32 x 32 in registers, by shuffles. */
__global__ void transposeShuffles(int *out, const int *in, int n)
{
    int lane = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, v[32];
#pragma unroll
    for (int k = 0; k < 32; k++)
        v[k] = in[(y0 + k) * n + x0 + lane];
#pragma unroll
    for (int d = 16; d; d /= 2)
#pragma unroll
        for (int k = 0; k < 32; k++)
            if (!(k & d)) {
                int give = lane & d ? v[k] : v[k + d], got = __shfl_xor_sync(~0u, give, d);
                if (lane & d)
                    v[k] = got;
                else
                    v[k + d] = got;
            }
#pragma unroll
    for (int k = 0; k < 32; k++)
        out[(x0 + k) * n + y0 + lane] = v[k];
}

/* Axes of three dimensions in another order: z y x to y x z. */
__global__ void turnAxes(float *out, const float *in, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z;
    if (x < nx && y < ny)
        out[(y * nx + x) * nz + z] = in[(z * ny + y) * nx + x];
}

__global__ void turnAxesTile(float *out, const float *in, int nx, int ny, int nz)
{
    __shared__ float s[16][17];
    int x0 = blockIdx.x * 16, z0 = blockIdx.y * 16, y = blockIdx.z, tx = threadIdx.x,
        ty = threadIdx.y;
    s[ty][tx] = in[((z0 + ty) * ny + y) * nx + x0 + tx];
    __syncthreads();
    out[(y * nx + x0 + ty) * nz + z0 + tx] = s[tx][ty];
}

/* Out = in[permutation], or out[permutation] = in. */
template <typename T> __global__ void pick(T *out, const T *in, const int *from, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = in[from[i]];
}

template <typename T> __global__ void place(T *out, const T *in, const int *to, int n)
{
    int i = own_index();
    if (i < n)
        out[to[i]] = in[i];
}

/* Structures of 7 floats to arrays: directly, or through shared memory. */
__global__ void unpack7(float *out, const float *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < 7; k++)
        out[k * n + i] = in[i * 7 + k];
}

__global__ void unpack7Shared(float *out, const float *in, int n)
{
    __shared__ float s[128 * 7];
    int first = blockIdx.x * 128, t = threadIdx.x, many = min(128, n - first);
    for (int k = t; k < many * 7; k += 128)
        s[k] = in[first * 7 + k];
    __syncthreads();
    if (t < many)
#pragma unroll
        for (int k = 0; k < 7; k++)
            out[k * n + first + t] = s[t * 7 + k];
}

/* Rows turned by their number; halos packed for a neighbour. */
__global__ void rollRows(int *out, const int *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w)
        out[y * w + (x + y) % w] = in[y * w + x];
}

__global__ void packColumn(double *out, const double *in, int n, int column)
{
    int i = own_index();
    if (i < n)
        out[i] = in[(size_t)i * n + column];
}

__global__ void packRow(double *out, const double *in, int n, int row)
{
    int i = own_index();
    if (i < n)
        out[i] = in[(size_t)row * n + i];
}

int main()
{
    const int w = 1200, h = 900, n = w * h;
    auto in = made<int>(n, [](size_t i) { return (int)scrambled(i); });
    int *out = zeros<int>(n);
    auto turned = [&](int width, int height) {
        return [&, width, height](size_t i) { return in[i % height * width + i / height]; };
    };
    dim3 tiles(blocks_for(w, 32), blocks_for(h, 32)), block(32, 8);
    TWICE(transposeTile<int, 0><<<tiles, block>>>(out, in.device, w, h));
    expect("transposeTile", out, n, turned(w, h));
    TWICE(transposeTile<int, 1><<<tiles, block>>>(out, in.device, w, h));
    expect("transposeTile, padded", out, n, turned(w, h));
    TWICE(transposeTile<int, 1><<<dim3(4, 4), block>>>(out, in.device, 128, 128));
    expect("transposeTile, small", out, 128 * 128, turned(128, 128));
    TWICE(transposeDirect<int>
          <<<dim3(blocks_for(w, 32), blocks_for(h, 8)), block>>>(out, in.device, w, h));
    expect("transposeDirect", out, n, turned(w, h));
    TWICE(transposeDirect<int>
          <<<dim3(blocks_for(w, 4), blocks_for(h, 64)), dim3(4, 64)>>>(out, in.device, w, h));
    expect("transposeDirect, tall", out, n, turned(w, h));
    TWICE(transposeShuffles<<<dim3(28, 28), 32>>>(out, in.device, 896));
    expect("transposeShuffles", out, 896 * 896, turned(896, 896));
    auto bytes = made<unsigned char>(n, [](size_t i) { return (unsigned char)scrambled(i); });
    auto doubles = random_between<double>(n, 0, 1);
    unsigned char *bout = zeros<unsigned char>(n);
    double *dout = zeros<double>(n);
    TWICE(transposeTile<unsigned char, 4><<<tiles, block>>>(bout, bytes.device, w, h));
    expect("transposeTile, bytes", bout, n, [&](size_t i) { return bytes[i % h * w + i / h]; });
    TWICE(transposeTile<double, 1><<<tiles, block>>>(dout, doubles.device, w, h));
    expect("transposeTile, double", dout, n, [&](size_t i) { return doubles[i % h * w + i / h]; });
    TWICE(transposeDirect<double>
          <<<dim3(blocks_for(w, 32), blocks_for(h, 8)), block>>>(dout, doubles.device, w, h));
    expect("transposeDirect, double", dout, n,
           [&](size_t i) { return doubles[i % h * w + i / h]; });

    const int nx = 128, ny = 60, nz = 96;
    float *fout = zeros<float>(nx * ny * nz), *fin = (float *)in.device;
    auto axes = [&](size_t i) { return in[(i % nz * ny + i / nz / nx) * nx + i / nz % nx]; };
    TWICE(turnAxes<<<dim3(nx / 32, ny / 4, nz), dim3(32, 4)>>>(fout, fin, nx, ny, nz));
    expect("turnAxes", (int *)fout, nx * ny * nz, axes);
    CHECK(cudaMemset(fout, 0, nx * ny * nz * 4));
    TWICE(turnAxesTile<<<dim3(nx / 16, nz / 16, ny), dim3(16, 16)>>>(fout, fin, nx, ny, nz));
    expect("turnAxesTile", (int *)fout, nx * ny * nz, axes);

    const int m = 1 << 19;
    auto random = made<int>(m, [](size_t i) { return (int)((i * 2654435761u + 12345) & (m - 1)); });
    auto near = made<int>(m, [](size_t i) { return (int)(i ^ (scrambled(i / 64) & 63)); });
    for (auto *p : {&random, &near}) {
        TWICE(pick<int><<<m / 256, 256>>>(out, in.device, p->device, m));
        expect("pick", out, m, [&](size_t i) { return in[(*p)[i]]; });
        std::vector<int> want(m);
        for (int i = 0; i < m; i++)
            want[(*p)[i]] = in[i];
        TWICE(place<int><<<m / 256, 256>>>(out, in.device, p->device, m));
        expect("place", out, m, [&](size_t i) { return want[i]; });
    }
    int4 *wide = zeros<int4>(m / 2), *wide_in = (int4 *)doubles.device;
    auto quarter =
        made<int>(m / 2, [](size_t i) { return (int)((i * 2654435761u + 12345) & (m / 2 - 1)); });
    TWICE(pick<int4><<<m / 2 / 256, 256>>>(wide, wide_in, quarter.device, m / 2));
    expect("pick, wide", (double *)wide, m,
           [&](size_t i) { return doubles[2 * quarter[i / 2] + i % 2]; });
    const int structures = 150000;
    auto seven = random_between<float>(7 * structures, 0, 1);
    float *planes = zeros<float>(7 * structures);
    auto plane = [&](size_t i) { return seven[i % structures * 7 + i / structures]; };
    TWICE(unpack7<<<blocks_for(structures, 128), 128>>>(planes, seven.device, structures));
    expect("unpack7", planes, 7 * structures, plane);
    CHECK(cudaMemset(planes, 0, 28 * structures));
    TWICE(unpack7Shared<<<blocks_for(structures, 128), 128>>>(planes, seven.device, structures));
    expect("unpack7Shared", planes, 7 * structures, plane);
    TWICE(rollRows<<<dim3(blocks_for(w, 256), h), 256>>>(out, in.device, w, h));
    expect("rollRows", out, n,
           [&](size_t i) { return in[i / w * w + (i % w + w * 900 - i / w) % w]; });
    const int side = 1000;
    TWICE(packColumn<<<blocks_for(side, 128), 128>>>(dout, doubles.device, side, 7));
    expect("packColumn", dout, side, [&](size_t i) { return doubles[i * side + 7]; });
    TWICE(packRow<<<blocks_for(side, 128), 128>>>(dout, doubles.device, side, 7));
    expect("packRow", dout, side, [&](size_t i) { return doubles[7 * side + i]; });
    return 0;
}
