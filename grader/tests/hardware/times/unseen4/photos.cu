/* Images: grey from packed and planar colours, a bilateral filter and a rotation through textures, a median, Sobel from
 * shared memory, an integral image, a lookup table. */
#include "expect.cuh"
#include <algorithm>

__constant__ float gauss[11];

__global__ void grey_packed(const unsigned char *rgb, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

__global__ void grey_quads(const uchar4 *rgba, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 p = rgba[i];
        out[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
    }
}

__global__ void grey_planes(const uchar4 *r, const uchar4 *g, const uchar4 *b, uchar4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 p = r[i], q = g[i], s = b[i];
    out[i] =
        make_uchar4((77 * p.x + 150 * q.x + 29 * s.x) >> 8, (77 * p.y + 150 * q.y + 29 * s.y) >> 8,
                    (77 * p.z + 150 * q.z + 29 * s.z) >> 8, (77 * p.w + 150 * q.w + 29 * s.w) >> 8);
}

__global__ void bilateral_texture(cudaTextureObject_t in, float *out, int width, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float centre = tex2D<float>(in, x + 0.5f, y + 0.5f), sum = 0, total = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            float v = tex2D<float>(in, x + dx + 0.5f, y + dy + 0.5f), d = v - centre;
            float w = gauss[dx + 5] * gauss[dy + 5] * __expf(-d * d * 10);
            sum += w * v, total += w;
        }
    out[y * width + x] = sum / total;
}

__global__ void bilateral_global(const float *in, float *out, int width, int height, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float centre = in[y * width + x], sum = 0, total = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            float v = in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)],
                  d = v - centre;
            float w = gauss[dx + 5] * gauss[dy + 5] * __expf(-d * d * 10);
            sum += w * v, total += w;
        }
    out[y * width + x] = sum / total;
}

__global__ void rotate_texture(cudaTextureObject_t in, float *out, int width, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] =
        tex2D<float>(in, floorf(c * x - s * y) + 0.5f, floorf(s * x + c * y) + 0.5f);
}

__device__ inline void order(float &a, float &b)
{
    float low = fminf(a, b);
    b = fmaxf(a, b);
    a = low;
}

__global__ void median(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float v[9];
#pragma unroll
    for (int k = 0; k < 9; k++)
        v[k] = in[min(max(y + k / 3 - 1, 0), height - 1) * width +
                  min(max(x + k % 3 - 1, 0), width - 1)];
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[1]), order(v[3], v[4]),
        order(v[6], v[7]);
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[3]), order(v[5], v[8]),
        order(v[4], v[7]);
    order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]), order(v[4], v[7]), order(v[4], v[2]),
        order(v[6], v[4]);
    order(v[4], v[2]);
    out[y * width + x] = v[4];
}

/* A general window, sorted by selection in local memory. */
__global__ void median_window(const float *in, float *out, int width, int height, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float v[25];
    int count = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            v[count++] =
                in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
    for (int i = 0; i <= count / 2; i++) {
        int best = i;
        for (int j = i + 1; j < count; j++)
            if (v[j] < v[best])
                best = j;
        float t = v[i];
        v[i] = v[best];
        v[best] = t;
    }
    out[y * width + x] = v[count / 2];
}

__global__ void sobel_shared(const float *in, float *out, int width, int height)
{
    extern __shared__ float s[];
    int w = blockDim.x + 2, x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int r = threadIdx.y; r < blockDim.y + 2; r += blockDim.y)
        for (int c = threadIdx.x; c < w; c += blockDim.x) {
            int sx = min(max((int)(blockIdx.x * blockDim.x) + c - 1, 0), width - 1);
            int sy = min(max((int)(blockIdx.y * blockDim.y) + r - 1, 0), height - 1);
            s[r * w + c] = in[sy * width + sx];
        }
    __syncthreads();
    float *p = s + (threadIdx.y + 1) * w + threadIdx.x + 1;
    float gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
    float gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
    out[y * width + x] = sqrtf(gx * gx + gy * gy);
}

/* A row's running sums by a warp. */
__global__ void integral_rows(const unsigned char *in, int *out, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, run = 0;
    for (int x = lane; x < width; x += 32) {
        int v = in[row * width + x];
        for (int d = 1; d < 32; d *= 2) {
            int u = __shfl_up_sync(~0u, v, d);
            v += lane >= d ? u : 0;
        }
        out[row * width + x] = run + v;
        run += __shfl_sync(~0u, v, 31);
    }
}

__global__ void integral_columns(const int *in, int *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, run = 0;
    for (int y = 0; y < height; y++)
        out[y * width + x] = run += in[y * width + x];
}

int main()
{
    const int width = 1024, height = 512, n = width * height;
    unsigned char *rgb = filled<unsigned char>(n * 4, [](size_t i) { return scrambled(i) >> 24; }),
                  *grey = zeros<unsigned char>(n);
    auto hr = fetched(rgb, n * 4);
    auto check_grey = [&](const char *what, size_t pixel, size_t plane) {
        auto h = fetched(grey, n);
        for (size_t i : places(n, 1000))
            expect_same(what, i, h[i],
                        (77 * hr[i * pixel] + 150 * hr[i * pixel + plane] +
                         29 * hr[i * pixel + 2 * plane]) >>
                            8);
        CHECK(cudaMemset(grey, 0, n));
    };
    TWICE(grey_packed<<<n / 256, 256>>>(rgb, grey, n));
    check_grey("packed", 3, 1);
    TWICE(grey_quads<<<n / 256, 256>>>((uchar4 *)rgb, grey, n));
    check_grey("quads", 4, 1);
    TWICE(grey_quads<<<n / 64, 64>>>((uchar4 *)rgb, grey, n));
    TWICE(grey_planes<<<n / 4 / 128, 128>>>((uchar4 *)rgb, (uchar4 *)(rgb + n),
                                            (uchar4 *)(rgb + 2 * n), (uchar4 *)grey, n / 4));
    check_grey("planes", 1, n);

    float *in = fractions<float>(n), *out = zeros<float>(n);
    auto h = fetched(in, n);
    std::vector<float> g(11);
    for (int i = 0; i < 11; i++)
        g[i] = exp(-(i - 5) * (i - 5) / 8.0);
    CHECK(cudaMemcpyToSymbol(gauss, g.data(), sizeof gauss));
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, h.data(), width * 4, width * 4, height,
                              cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, 0));
    auto at = [&](int x, int y) {
        return h[std::min(std::max(y, 0), height - 1) * width +
                 std::min(std::max(x, 0), width - 1)];
    };
    auto check_bilateral = [&](const char *what, int radius) {
        auto o = fetched(out, n);
        for (size_t i : places(n, 200)) {
            double sum = 0, total = 0;
            for (int dy = -radius; dy <= radius; dy++)
                for (int dx = -radius; dx <= radius; dx++) {
                    double v = at(i % width + dx, i / width + dy),
                           w = g[dx + 5] * g[dy + 5] * exp(-10 * (v - h[i]) * (v - h[i]));
                    sum += w * v, total += w;
                }
            expect_near(what, i, o[i], sum / total, 1e-4);
        }
        CHECK(cudaMemset(out, 0, n * 4));
    };
    TWICE(
        bilateral_texture<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(texture, out, width, 3));
    check_bilateral("texture", 3);
    TWICE(bilateral_texture<<<dim3(width / 32, height / 4), dim3(32, 4)>>>(texture, out, width, 1));
    check_bilateral("texture", 1);
    TWICE(bilateral_global<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(in, out, width, height,
                                                                            3));
    check_bilateral("global", 3);
    TWICE(bilateral_global<<<dim3(width / 256, height), dim3(256, 1)>>>(in, out, width, height, 1));
    check_bilateral("global", 1);
    TWICE(
        rotate_texture<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(texture, out, width, 0, 1));
    auto o = fetched(out, n);
    for (size_t i : places(n, 500))
        expect_same("rotate", i, o[i], at(-(int)(i / width), i % width));
    TWICE(rotate_texture<<<dim3(width / 128, height), dim3(128, 1)>>>(texture, out, width, 0.8f,
                                                                      0.6f));
    auto check_median = [&](const char *what, int radius) {
        auto m = fetched(out, n);
        for (size_t i : places(n, 500)) {
            std::vector<float> v;
            for (int dy = -radius; dy <= radius; dy++)
                for (int dx = -radius; dx <= radius; dx++)
                    v.push_back(at(i % width + dx, i / width + dy));
            std::sort(v.begin(), v.end());
            expect_same(what, i, m[i], v[v.size() / 2]);
        }
    };
    TWICE(median<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(in, out, width, height));
    check_median("median", 1);
    TWICE(median<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(in, out, width, height));
    TWICE(median_window<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(in, out, width, height, 1));
    check_median("window", 1);
    TWICE(sobel_shared<<<dim3(width / 32, height / 16), dim3(32, 16), 34 * 18 * 4>>>(in, out, width,
                                                                                     height));
    TWICE(sobel_shared<<<dim3(width / 64, height / 2), dim3(64, 2), 66 * 4 * 4>>>(in, out, width,
                                                                                  height));
    auto s = fetched(out, n);
    for (size_t i : places(n, 500)) {
        int x = i % width, y = i / width;
        double gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) -
                    2 * at(x - 1, y) - at(x - 1, y + 1);
        double gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) -
                    2 * at(x, y - 1) - at(x + 1, y - 1);
        expect_near("sobel", i, s[i], sqrt(gx * gx + gy * gy), 1e-5);
    }
    int *rows = zeros<int>(n), *sums = zeros<int>(n);
    TWICE(integral_rows<<<height / 4, 128>>>(rgb, rows, width));
    TWICE(integral_columns<<<width / 64, 64>>>(rows, sums, width, height));
    TWICE(integral_columns<<<width / 256, 256>>>(rows, sums, width, height));
    auto hi = fetched(sums, n);
    std::vector<int> wanted(n);
    for (int y = 0; y < height; y++)
        for (int x = 0, run = 0; x < width; x++) {
            run += hr[y * width + x];
            wanted[y * width + x] = run + (y ? wanted[(y - 1) * width + x] : 0);
            expect_same("integral", y * width + x, hi[y * width + x], wanted[y * width + x]);
        }
    return verdict("photos");
}
