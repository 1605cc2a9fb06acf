/* Lennard-Jones forces, after SHOC's md and Rodinia's lavaMD: neighbour lists, cells, pairs with atomics. */
#include "expect.cuh"

template <typename T> __device__ __host__ inline T strength(T r2)
{
    T inverse = 1 / r2, six = inverse * inverse * inverse;
    return inverse * six * (six * T(1.5) - T(2));
}

/* neighbours[k][i]: coalesced over the atoms. */
__global__ void list_quads(const float4 *at, const int *neighbours, float4 *force, int n, int count,
                           float cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 me = at[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < count; k++) {
        float4 you = __ldg(&at[neighbours[k * n + i]]);
        float dx = me.x - you.x, dy = me.y - you.y, dz = me.z - you.z,
              r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut) {
            float f = strength(r2);
            fx += dx * f, fy += dy * f, fz += dz * f;
        }
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

/* neighbours[i][k]: a thread walks its own row; positions in three arrays of T. */
template <typename T>
__global__ void list_rows(const T *x, const T *y, const T *z, const int *neighbours, T *fx, T *fy,
                          T *fz, int count, T cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T a = 0, b = 0, c = 0;
    for (int k = 0; k < count; k++) {
        int j = neighbours[i * count + k];
        T dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j], r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut) {
            T f = strength(r2);
            a += dx * f, b += dy * f, c += dz * f;
        }
    }
    fx[i] = a, fy[i] = b, fz[i] = c;
}

/* A warp an atom, a lane a neighbour. */
__global__ void list_warp(const float4 *at, const int *neighbours, float4 *force, int count,
                          float cut)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float4 me = at[i];
    float fx = 0, fy = 0, fz = 0;
    for (int k = lane; k < count; k += 32) {
        float4 you = at[neighbours[i * count + k]];
        float dx = me.x - you.x, dy = me.y - you.y, dz = me.z - you.z,
              r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut) {
            float f = strength(r2);
            fx += dx * f, fy += dy * f, fz += dz * f;
        }
    }
    for (int d = 16; d; d /= 2) {
        fx += __shfl_down_sync(~0u, fx, d);
        fy += __shfl_down_sync(~0u, fy, d);
        fz += __shfl_down_sync(~0u, fz, d);
    }
    if (lane == 0)
        force[i] = make_float4(fx, fy, fz, 0);
}

/* Coordination numbers: both atoms of a close pair are counted by atomics, each pair seen once. */
__global__ void pairs_atomic(const float4 *at, const int *neighbours, int *close, int n, int count,
                             float cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
    int j = neighbours[k * n + i];
    float4 me = at[i], you = at[j];
    float dx = me.x - you.x, dy = me.y - you.y, dz = me.z - you.z;
    if (j > i && dx * dx + dy * dy + dz * dz < cut) {
        atomicAdd(&close[i], 1);
        atomicAdd(&close[j], 1);
    }
}

/* A block a cell of 64 atoms; the cells around come through shared memory (a ring of cells). */
template <typename T> __global__ void cells(const T *xyz, T *energy, int around, T alpha)
{
    __shared__ T s[64 * 3];
    int cell = blockIdx.x, t = threadIdx.x;
    T x = xyz[(cell * 64 + t) * 3], y = xyz[(cell * 64 + t) * 3 + 1],
      z = xyz[(cell * 64 + t) * 3 + 2], sum = 0;
    for (int d = -around; d <= around; d++) {
        int other = (cell + d + gridDim.x) % gridDim.x;
        for (int k = t; k < 192; k += 64)
            s[k] = xyz[other * 192 + k];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            T dx = x - s[k * 3], dy = y - s[k * 3 + 1], dz = z - s[k * 3 + 2];
            sum += exp(-alpha * (dx * dx + dy * dy + dz * dz));
        }
        __syncthreads();
    }
    energy[cell * 64 + t] = sum;
}

int main()
{
    const int n = 32768, count = 64, side = 32;
    const float cut = 6.0f;
    /* A jittered grid; the neighbours are near in number, hence mostly near in space. */
    auto place = [=](size_t i, int axis) {
        int c = axis == 0 ? i % side : axis == 1 ? i / side % side : i / side / side;
        return c * 1.2f + (scrambled(i * 3 + axis) & 0xff) / 1024.0f;
    };
    auto partner = [=](size_t i, size_t k) {
        int dx = k % 4 + 1, dy = k / 4 % 4 - 2, dz = k / 16 - 2;
        return (int)((i + dx + dy * side + dz * side * side + n) % n);
    };
    float4 *at = filled<float4>(
        n, [=](size_t i) { return make_float4(place(i, 0), place(i, 1), place(i, 2), 0); });
    int *by_rank = filled<int>(n * count, [=](size_t i) { return partner(i % n, i / n); });
    int *by_atom = filled<int>(n * count, [=](size_t i) { return partner(i / count, i % count); });
    float4 *force = zeros<float4>(n);
    float *f[3], *x[3];
    double *df[3], *dx[3];
    for (int a = 0; a < 3; a++) {
        x[a] = filled<float>(n, [=](size_t i) { return place(i, a); });
        dx[a] = filled<double>(n, [=](size_t i) { return place(i, a); });
        f[a] = zeros<float>(n), df[a] = zeros<double>(n);
    }
    int *close = zeros<int>(n);

    auto wanted = [&](size_t i, double *out) {
        out[0] = out[1] = out[2] = 0;
        for (int k = 0; k < count; k++) {
            double d[3], r2 = 0;
            for (int a = 0; a < 3; a++)
                d[a] = (double)place(i, a) - place(partner(i, k), a), r2 += d[a] * d[a];
            if (r2 < cut)
                for (int a = 0; a < 3; a++)
                    out[a] += d[a] * strength(r2);
        }
    };
    auto quads = [&](const char *what) {
        auto h = fetched(force, n);
        for (size_t i : places(n, 300)) {
            double w[3];
            wanted(i, w);
            expect_near(what, i, h[i].x, w[0], 2e-4);
            expect_near(what, i, h[i].y, w[1], 2e-4);
            expect_near(what, i, h[i].z, w[2], 2e-4);
        }
        CHECK(cudaMemset(force, 0, n * sizeof *force));
    };
    TWICE(list_quads<<<n / 256, 256>>>(at, by_rank, force, n, count, cut));
    quads("list_quads");
    TWICE(list_quads<<<n / 64, 64>>>(at, by_rank, force, n, count, cut));
    quads("list_quads");
    TWICE(list_warp<<<n / 8, 256>>>(at, by_atom, force, count, cut));
    quads("list_warp");
    TWICE(list_rows<<<n / 128, 128>>>(x[0], x[1], x[2], by_atom, f[0], f[1], f[2], count, cut));
    TWICE(list_rows<<<n / 256, 256>>>(dx[0], dx[1], dx[2], by_atom, df[0], df[1], df[2], count,
                                      (double)cut));
    for (int a = 0; a < 3; a++) {
        auto h = fetched(f[a], n);
        auto g = fetched(df[a], n);
        for (size_t i : places(n, 200)) {
            double w[3];
            wanted(i, w);
            expect_near("rows", i, h[i], w[a], 2e-4);
            expect_near("rows", i, g[i], w[a], 1e-9);
        }
    }
    TWICE(pairs_atomic<<<dim3(n / 256, count), 256>>>(at, by_rank, close, n, count, cut));
    {
        std::vector<int> w(n);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < count; k++) {
                int j = partner(i, k);
                float a = place(i, 0) - place(j, 0), b = place(i, 1) - place(j, 1),
                      c = place(i, 2) - place(j, 2);
                if (j > i && a * a + b * b + c * c < cut)
                    w[i]++, w[j]++;
            }
        auto h = fetched(close, n);
        double total = 0, should = 0;
        for (int i = 0; i < n; i++)
            total += h[i], should += w[i];
        double times = std::round(total / should);
        expect_near("pairs", 0, total, times * should, 1e-4);
    }
    const int cell_count = 512;
    float *xyz = fractions<float>(cell_count * 192), *energy = zeros<float>(cell_count * 64);
    double *dxyz = fractions<double>(cell_count * 192), *denergy = zeros<double>(cell_count * 64);
    TWICE(cells<<<cell_count, 64>>>(xyz, energy, 2, 0.5f));
    TWICE(cells<<<128, 64>>>(dxyz, denergy, 1, 0.5));
    auto hx = fetched(dxyz, cell_count * 192);
    auto he = fetched(energy, cell_count * 64);
    auto hd = fetched(denergy, 128 * 64);
    auto sum = [&](size_t i, int around, int all) {
        double s = 0;
        for (int d = -around; d <= around; d++)
            for (int k = 0; k < 64; k++) {
                size_t j = ((i / 64 + d + all) % all) * 64 + k;
                double r2 = 0;
                for (int a = 0; a < 3; a++)
                    r2 += (hx[i * 3 + a] - hx[j * 3 + a]) * (hx[i * 3 + a] - hx[j * 3 + a]);
                s += exp(-0.5 * r2);
            }
        return s;
    };
    for (size_t i : places(cell_count * 64, 100))
        expect_near("cells", i, he[i], sum(i, 2, cell_count), 1e-4);
    for (size_t i : places(128 * 64, 100))
        expect_near("cells", i, hd[i], sum(i, 1, 128), 1e-10);
    return verdict("molecules");
}
