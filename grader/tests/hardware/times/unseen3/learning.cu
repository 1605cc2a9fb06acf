/* Statistics and learning. */
#include "expect.cuh"

#define FEATURES 16
#define CENTRES  12

static __constant__ float centres[CENTRES][FEATURES];

/* The nearest centre of each point, as Rodinia's kmeans. BY_FEATURE: the first feature of all points comes first. */
template <bool BY_FEATURE> static __global__ void assign(int *nearest, const float *points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
#pragma unroll
        for (int f = 0; f < FEATURES; f++) {
            float off = points[BY_FEATURE ? f * n + i : i * FEATURES + f] - centres[c][f];
            distance += off * off;
        }
        if (distance < least)
            least = distance, best = c;
    }
    nearest[i] = best;
}

/* One column of Gauss's elimination, as the second kernel of Rodinia's gaussian. */
static __global__ void eliminate(float *out, const float *in, const float *factor, int n,
                                 int column)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + column;
    int y = blockIdx.y * blockDim.y + threadIdx.y + column + 1;
    if (x < n && y < n)
        out[y * n + x] = in[y * n + x] - factor[y] * in[column * n + x];
}

/* Softmax of rows, a block each: as in many courses on neural networks. */
static __global__ void softmax(float *out, const float *in, int n)
{
    __shared__ float part[32];
    int t = threadIdx.x, lane = t % 32, warps = blockDim.x / 32;
    const float *row = in + (size_t)blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (int i = t; i < n; i += blockDim.x)
        most = fmaxf(most, row[i]);
    for (int apart = 16; apart > 0; apart /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, apart));
    if (lane == 0)
        part[t / 32] = most;
    __syncthreads();
    for (int w = 0; w < warps; w++)
        most = fmaxf(most, part[w]);
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
        sum += expf(row[i] - most);
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0u, sum, apart);
    if (lane == 0)
        part[t / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < warps; w++)
        sum += part[w];
    for (int i = t; i < n; i += blockDim.x)
        out[(size_t)blockIdx.x * n + i] = expf(row[i] - most) / sum;
}

static float point_of(size_t i, int f)
{
    return scrambled(i * FEATURES + f) % 1000 / 1000.0f;
}

int main()
{
    const int n = 1 << 16;
    float host_centres[CENTRES][FEATURES];
    for (int c = 0; c < CENTRES; c++)
        for (int f = 0; f < FEATURES; f++)
            host_centres[c][f] = point_of(5000 + c, f);
    CHECK(cudaMemcpyToSymbol(centres, host_centres, sizeof host_centres));
    float *by_point =
        filled<float>(n * FEATURES, [](size_t i) { return point_of(i / FEATURES, i % FEATURES); });
    int *nearest = zeros<int>(n);
    auto expect_nearest = [&](int count) {
        std::vector<int> found = fetched(nearest, count);
        for (int i = 0; i < count; i += 37) {
            double least = 1e30, chosen = 0;
            for (int c = 0; c < CENTRES; c++) {
                double distance = 0;
                for (int f = 0; f < FEATURES; f++)
                    distance += pow(point_of(i, f) - host_centres[c][f], 2);
                least = fmin(least, distance);
                if (c == found[i])
                    chosen = distance;
            }
            EXPECT(near(chosen, least));
        }
        clear(nearest, count);
    };
    for (int count : {1 << 13, n}) {
        float *by_feature = filled<float>(
            count * FEATURES, [=](size_t i) { return point_of(i % count, (int)(i / count)); });
        TWICE(assign<false><<<count / 128, 128>>>(nearest, by_point, count));
        expect_nearest(count);
        TWICE(assign<true><<<count / 128, 128>>>(nearest, by_feature, count));
        expect_nearest(count);
    }

    const int side = 1024;
    float *factor = fractions<float>(side), *in = fractions<float>(side * side),
          *out = zeros<float>(side * side);
    std::vector<float> before = fetched(in, side * side), factors = fetched(factor, side);
    auto expect_eliminated = [&](int column) {
        std::vector<float> after = fetched(out, side * side);
        for (int y = column + 1; y < side; y += 7) {
            int x = column + y * 31 % (side - column);
            EXPECT(near(after[y * side + x],
                        before[y * side + x] - factors[y] * before[column * side + x]));
        }
        clear(out, side * side);
    };
    TWICE(eliminate<<<dim3(64, 64), dim3(16, 16)>>>(out, in, factor, side, 0));
    expect_eliminated(0);
    TWICE(eliminate<<<dim3(256, 256), dim3(4, 4)>>>(out, in, factor, side, 0));
    expect_eliminated(0);
    TWICE(eliminate<<<dim3(8, 8), dim3(16, 16)>>>(out, in, factor, side, side - 128));
    expect_eliminated(side - 128);

    for (int length : {64, side}) {
        TWICE(softmax<<<side, 128>>>(out, in, length));
        std::vector<float> shares = fetched(out, side * length);
        for (int row = 0; row < side; row += 101) {
            double sum = 0;
            for (int i = 0; i < length; i++)
                sum += shares[row * length + i];
            EXPECT(near(sum, 1));
            EXPECT(near(shares[row * length + 1] / shares[row * length],
                        exp(before[row * length + 1] - before[row * length]), 1e-3));
        }
        clear(out, side * side);
    }
    return 0;
}
