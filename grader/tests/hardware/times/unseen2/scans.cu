/* Prefix sums. */
#include "common.cuh"

/* Every block scans its part, by shuffles: first in warps, then the warps' sums. */
static __device__ int block_scan(int x, int *sums)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(~0u, x, d);
        if (lane >= d)
            x += y;
    }
    if (lane == 31)
        sums[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int y = __shfl_up_sync(~0u, s, d);
            if (lane >= d)
                s += y;
        }
        sums[lane] = s;
    }
    __syncthreads();
    return warp ? x + sums[warp - 1] : x;
}

__global__ void scanBlocks(int *out, int *totals, const int *in, int n)
{
    __shared__ int sums[32];
    int i = own_index(), x = block_scan(i < n ? in[i] : 0, sums);
    if (i < n)
        out[i] = x;
    if (threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = x;
}

/* Four numbers per thread, as int4. */
__global__ void scanBlocks4(int4 *out, int *totals, const int4 *in, int n)
{
    __shared__ int sums[32];
    int i = own_index();
    int4 v = i < n ? in[i] : make_int4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int x = block_scan(v.w, sums), before = x - v.w;
    if (i < n)
        out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (threadIdx.x == blockDim.x - 1)
        totals[blockIdx.x] = x;
}

__global__ void addTotals(int *out, const int *in, const int *totals, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = in[i] + (blockIdx.x ? totals[blockIdx.x - 1] : 0);
}

/* One block goes through everything, 1024 at a time. */
__global__ void scanOneBlock(int *out, const int *in, int n)
{
    __shared__ int sums[32];
    int before = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        int i = first + threadIdx.x, x = block_scan(i < n ? in[i] : 0, sums);
        if (i < n)
            out[i] = before + x;
        before += sums[blockDim.x / 32 - 1];
        __syncthreads();
    }
}

/* Brent and Kung's tree, padded against conflicts or not. */
template <bool PAD> __global__ void scanTree(float *out, const float *in)
{
    __shared__ float s[1024 + 32];
    auto at = [](int i) { return PAD ? i + i / 32 : i; };
    int t = threadIdx.x, n = blockDim.x * 2, first = blockIdx.x * n;
    s[at(t)] = in[first + t];
    s[at(t + n / 2)] = in[first + t + n / 2];
    for (int d = 1; d < n; d *= 2) {
        __syncthreads();
        int i = (t + 1) * d * 2 - 1;
        if (i < n)
            s[at(i)] += s[at(i - d)];
    }
    for (int d = n / 4; d; d /= 2) {
        __syncthreads();
        int i = (t + 1) * d * 2 - 1;
        if (i + d < n)
            s[at(i + d)] += s[at(i)];
    }
    __syncthreads();
    out[first + t] = s[at(t)];
    out[first + t + n / 2] = s[at(t + n / 2)];
}

/* Segments begin where a flag is. */
__global__ void scanSegments(int *out, const int *in, const unsigned char *flag, int n)
{
    __shared__ int values[512];
    __shared__ unsigned char flags[512];
    int t = threadIdx.x, i = own_index();
    values[t] = i < n ? in[i] : 0;
    flags[t] = i < n ? flag[i] : 1;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int v = values[t];
        unsigned char f = flags[t];
        if (t >= d && !f) {
            v += values[t - d];
            f = flags[t - d];
        }
        __syncthreads();
        values[t] = v;
        flags[t] = f;
        __syncthreads();
    }
    if (i < n)
        out[i] = values[t];
}

/* Running maxima of rows, a warp per row. */
__global__ void rowMaxima(float *out, const float *in, int width, int rows)
{
    int row = own_index() / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float most = -1e30f;
    for (int c = lane; c < width; c += 32) {
        float x = in[row * width + c];
        for (int d = 1; d < 32; d *= 2) {
            float y = __shfl_up_sync(~0u, x, d);
            if (lane >= d)
                x = fmaxf(x, y);
        }
        x = fmaxf(x, most);
        out[row * width + c] = x;
        most = __shfl_sync(~0u, x, 31);
    }
}

/* The two passes of an integral image, a thread per row or a column. */
__global__ void integralRows(unsigned *out, const unsigned char *in, int width, int height)
{
    int y = own_index();
    if (y >= height)
        return;
    unsigned sum = 0;
    for (int x = 0; x < width; x++)
        out[y * width + x] = sum += in[y * width + x];
}

__global__ void integralColumns(unsigned *out, const unsigned *in, int width, int height)
{
    int x = own_index();
    if (x >= width)
        return;
    unsigned sum = 0;
    for (int y = 0; y < height; y++)
        out[y * width + x] = sum += in[y * width + x];
}

int main()
{
    const int n = 1200000;
    auto in = random_below(n, 100);
    int *out = zeros<int>(n), *totals = zeros<int>(1 << 16), *added = zeros<int>(n);
    auto partial = [&](int each) {
        std::vector<int> sums(n);
        for (int i = 0; i < n; i++)
            sums[i] = in[i] + (i % each ? sums[i - 1] : 0);
        return sums;
    };
    for (int block : {128, 1024}) {
        auto sums = partial(block);
        TWICE(scanBlocks<<<blocks_for(n, block), block>>>(out, totals, in.device, n));
        expect("scanBlocks", out, n, [&](size_t i) { return sums[i]; });
    }
    auto sums = partial(1024);
    TWICE(scanBlocks4<<<blocks_for(n, 1024), 256>>>((int4 *)out, totals, (int4 *)in.device, n / 4));
    expect("scanBlocks4", out, n, [&](size_t i) { return sums[i]; });
    TWICE(scanBlocks4<<<12, 256>>>((int4 *)out, totals, (int4 *)in.device, 3000));
    TWICE(addTotals<<<blocks_for(n, 1024), 1024>>>(added, in.device, totals, n));
    auto last = fetched(totals, blocks_for(n, 1024));
    expect("addTotals", added, n,
           [&](size_t i) { return in[i] + (i < 1024 ? 0 : last[i / 1024 - 1]); });
    auto all = partial(n);
    TWICE(scanOneBlock<<<1, 1024>>>(out, in.device, 100000));
    expect("scanOneBlock", out, 100000, [&](size_t i) { return all[i]; });
    TWICE(scanOneBlock<<<1, 128>>>(out, in.device, 10000));
    expect("scanOneBlock", out, 10000, [&](size_t i) { return all[i]; });

    const int m = 1 << 20;
    auto fin = random_between<float>(m, 0, 1);
    float *fout = zeros<float>(m);
    std::vector<double> fsums(m);
    for (int i = 0; i < m; i++)
        fsums[i] = fin[i] + (i % 1024 ? fsums[i - 1] : 0);
    TWICE(scanTree<false><<<m / 1024, 512>>>(fout, fin.device));
    expect(
        "scanTree", fout, m, [&](size_t i) { return fsums[i]; }, 1e-4);
    TWICE(scanTree<true><<<m / 1024, 512>>>(fout, fin.device));
    expect(
        "scanTree, padded", fout, m, [&](size_t i) { return fsums[i]; }, 1e-4);
    TWICE(scanTree<true><<<32, 64>>>(fout, fin.device));

    auto flag =
        made<unsigned char>(n, [](size_t i) { return (unsigned char)(scrambled(i) % 20 == 0); });
    for (int block : {128, 512}) {
        TWICE(
            scanSegments<<<blocks_for(n / 2, block), block>>>(out, in.device, flag.device, n / 2));
        int run = 0;
        std::vector<int> want(n / 2);
        for (int i = 0; i < n / 2; i++)
            want[i] = run = in[i] + (i % block && !flag[i] ? run : 0);
        expect("scanSegments", out, n / 2, [&](size_t i) { return want[i]; });
    }
    TWICE(rowMaxima<<<256, 128>>>(fout, fin.device, 1024, 1024));
    expect(
        "rowMaxima", fout, m,
        [&](size_t i) {
            return *std::max_element(fin.host.begin() + i / 1024 * 1024, fin.host.begin() + i + 1);
        },
        0, 13);
    auto image = made<unsigned char>(m, [](size_t i) { return (unsigned char)scrambled(i); });
    unsigned *rows = zeros<unsigned>(m), *columns = zeros<unsigned>(m);
    std::vector<unsigned> along(m), down(m);
    for (int i = 0; i < m; i++) {
        along[i] = image[i] + (i % 1024 ? along[i - 1] : 0);
        down[i] = along[i] + (i >= 1024 ? down[i - 1024] : 0);
    }
    TWICE(integralRows<<<16, 64>>>(rows, image.device, 1024, 1024));
    expect("integralRows", rows, m, [&](size_t i) { return along[i]; });
    TWICE(integralColumns<<<16, 64>>>(columns, rows, 1024, 1024));
    expect("integralColumns", columns, m, [&](size_t i) { return down[i]; });
    TWICE(integralColumns<<<4, 256>>>(columns, rows, 1024, 256));
    return 0;
}
