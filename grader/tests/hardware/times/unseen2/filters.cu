/* Filters of images. */
#include "common.cuh"

static __host__ __device__ int clamped(int x, int n)
{
    return x < 0 ? 0 : x >= n ? n - 1 : x;
}

static __device__ void order(unsigned char &a, unsigned char &b)
{
    unsigned char low = min(a, b);
    b = max(a, b);
    a = low;
}

/* Median of a cross of five, by a network; and of 5 x 5, by counting. */
__global__ void medianCross(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned char a = in[y * w + x], b = in[y * w + clamped(x - 1, w)],
                  c = in[y * w + clamped(x + 1, w)];
    unsigned char d = in[clamped(y - 1, h) * w + x], e = in[clamped(y + 1, h) * w + x];
    order(a, b);
    order(d, e);
    order(a, d);
    order(b, e);
    order(b, c);
    order(c, d);
    order(b, c);
    out[y * w + x] = c;
}

__global__ void median25(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned char v[25];
    for (int k = 0; k < 25; k++)
        v[k] = in[clamped(y + k / 5 - 2, h) * w + clamped(x + k % 5 - 2, w)];
    int low = 0, high = 255; // the smallest with at least 13 not above it
    while (low < high) {
        int middle = (low + high) / 2, count = 0;
#pragma unroll
        for (int k = 0; k < 25; k++)
            count += v[k] <= middle;
        if (count >= 13)
            high = middle;
        else
            low = middle + 1;
    }
    out[y * w + x] = low;
}

/* Smooths where colours are alike. */
template <int R, bool FAST>
__global__ void bilateral(float *out, const float *in, int w, int h, float space, float range)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float me = in[y * w + x], sum = 0, weights = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            float v = in[clamped(y + dy, h) * w + clamped(x + dx, w)];
            float e = -(dx * dx + dy * dy) * space - (v - me) * (v - me) * range;
            float g = FAST ? __expf(e) : expf(e);
            sum += g * v;
            weights += g;
        }
    out[y * w + x] = FAST ? __fdividef(sum, weights) : sum / weights;
}

/* Sobel's gradient of bytes, by a tile or not. */
static __device__ unsigned char gradient(int a, int b, int c, int d, int f, int g, int h, int i)
{
    int gx = c + 2 * f + i - a - 2 * d - g, gy = g + 2 * h + i - a - 2 * b - c;
    return (unsigned char)min(255, abs(gx) + abs(gy));
}

__global__ void sobelBytes(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    const unsigned char *p = in + y * w + x;
    out[y * w + x] = gradient(p[-w - 1], p[-w], p[-w + 1], p[-1], p[1], p[w - 1], p[w], p[w + 1]);
}

__global__ void sobelTile(unsigned char *out, const unsigned char *in, int w, int h)
{
    __shared__ unsigned char s[18][36];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
    for (int k = t; k < 18 * 34; k += 512)
        s[k / 34][k % 34] = in[clamped(y0 + k / 34 - 1, h) * w + clamped(x0 + k % 34 - 1, w)];
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    unsigned char *p = &s[threadIdx.y + 1][threadIdx.x + 1];
    out[y * w + x] = gradient(p[-37], p[-36], p[-35], p[-1], p[1], p[35], p[36], p[37]);
}

/* A separable filter: rows, then columns. */
__constant__ float taps[17];

__global__ void rowsFilter(float *out, const float *in, int w, int h)
{
    extern __shared__ float line[];
    int x0 = blockIdx.x * blockDim.x, y = blockIdx.y;
    for (int k = threadIdx.x; k < blockDim.x + 16; k += blockDim.x)
        line[k] = in[y * w + clamped(x0 + k - 8, w)];
    __syncthreads();
    int x = x0 + threadIdx.x;
    if (x >= w)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 17; k++)
        sum += taps[k] * line[threadIdx.x + k];
    out[y * w + x] = sum;
}

__global__ void columnsFilter(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 17; k++)
        sum += taps[k] * in[clamped(y + k - 8, h) * w + x];
    out[y * w + x] = sum;
}

/* Mean of 2 R + 1 pixels of a column: a thread slides down, or everyone adds. */
__global__ void slideColumns(float *out, const float *in, int w, int h, int r)
{
    int x = own_index();
    if (x >= w)
        return;
    float sum = 0, by = 1.0f / (2 * r + 1);
    for (int y = -r; y <= r; y++)
        sum += in[clamped(y, h) * w + x];
    for (int y = 0; y < h; y++) {
        out[y * w + x] = sum * by;
        sum += in[clamped(y + r + 1, h) * w + x] - in[clamped(y - r, h) * w + x];
    }
}

__global__ void addColumns(float *out, const float *in, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    float sum = 0;
    for (int k = -r; k <= r; k++)
        sum += in[clamped(y + k, h) * w + x];
    out[y * w + x] = sum / (2 * r + 1);
}

/* Alpha blending of two images of 4 bytes per pixel. */
__global__ void blend(uchar4 *out, const uchar4 *over, const uchar4 *under, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    uchar4 a = over[i], b = under[i];
    int k = a.w;
    out[i] = make_uchar4((a.x * k + b.x * (255 - k)) / 255, (a.y * k + b.y * (255 - k)) / 255,
                         (a.z * k + b.z * (255 - k)) / 255, 255);
}

/* Turns by any angle. */
__global__ void turn(float *out, const float *in, int w, int h, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float u = cosine * (x - w / 2) + sine * (y - h / 2) + w / 2,
          v = -sine * (x - w / 2) + cosine * (y - h / 2) + h / 2;
    int iu = (int)rintf(u), iv = (int)rintf(v);
    out[y * w + x] = iu >= 0 && iu < w && iv >= 0 && iv < h ? in[iv * w + iu] : 0;
}

int main()
{
    const int w = 1000, h = 700, n = w * h;
    auto bytes = made<unsigned char>(
        n, [=](size_t i) { return (unsigned char)((i % w / 4 + scrambled(i) % 40) & 255); });
    auto in = made<float>(n, [&](size_t i) { return bytes[i] / 256.0f; });
    unsigned char *out = zeros<unsigned char>(n);
    float *fout = zeros<float>(n), *fout2 = zeros<float>(n);
    auto pixel = [&](const auto &image, int x, int y) {
        return image[clamped(y, h) * w + clamped(x, w)];
    };
    auto grid = [=](int x, int y) { return dim3(blocks_for(w, x), blocks_for(h, y)); };

    TWICE(medianCross<<<grid(32, 8), dim3(32, 8)>>>(out, bytes.device, w, h));
    expect("medianCross", out, n, [&](size_t i) {
        int x = i % w, y = i / w,
            v[5] = {bytes[i], pixel(bytes, x - 1, y), pixel(bytes, x + 1, y),
                    pixel(bytes, x, y - 1), pixel(bytes, x, y + 1)};
        std::sort(v, v + 5);
        return v[2];
    });
    TWICE(median25<<<grid(16, 16), dim3(16, 16)>>>(out, bytes.device, w, h));
    expect(
        "median25", out, n,
        [&](size_t i) {
            int v[25];
            for (int k = 0; k < 25; k++)
                v[k] = pixel(bytes, i % w + k % 5 - 2, i / w + k / 5 - 2);
            std::sort(v, v + 25);
            return v[12];
        },
        0, 7);
    TWICE(median25<<<dim3(4, 4), dim3(16, 16)>>>(out, bytes.device, w, h));
    auto smooth = [&](int r) {
        return [&, r](size_t i) {
            double sum = 0, weights = 0;
            for (int dy = -r; dy <= r; dy++)
                for (int dx = -r; dx <= r; dx++) {
                    double v = pixel(in, i % w + dx, i / w + dy), d = v - in[i];
                    double g = std::exp(-(dx * dx + dy * dy) * 0.05 - d * d * 20);
                    sum += g * v;
                    weights += g;
                }
            return sum / weights;
        };
    };
    TWICE(bilateral<3, false><<<grid(16, 16), dim3(16, 16)>>>(fout, in.device, w, h, 0.05f, 20));
    expect("bilateral", fout, n, smooth(3), 1e-3, 97);
    TWICE(bilateral<3, true><<<grid(16, 16), dim3(16, 16)>>>(fout, in.device, w, h, 0.05f, 20));
    expect("bilateral, fast", fout, n, smooth(3), 1e-3, 97);
    TWICE(bilateral<1, true><<<grid(64, 2), dim3(64, 2)>>>(fout, in.device, w, h, 0.05f, 20));
    expect("bilateral, near", fout, n, smooth(1), 1e-3, 97);
    auto edge = [&](size_t i) {
        int x = i % w, y = i / w, gx = 0, gy = 0;
        if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
            return 0;
        for (int k = -1; k <= 1; k++) {
            gx += (2 - k * k) * (bytes[i + k * w + 1] - bytes[i + k * w - 1]);
            gy += (2 - k * k) * (bytes[i + w + k] - bytes[i - w + k]);
        }
        return std::min(255, std::abs(gx) + std::abs(gy));
    };
    CHECK(cudaMemset(out, 0, n));
    TWICE(sobelBytes<<<grid(32, 16), dim3(32, 16)>>>(out, bytes.device, w, h));
    expect("sobelBytes", out, n, edge);
    CHECK(cudaMemset(out, 0, n));
    TWICE(sobelTile<<<grid(32, 16), dim3(32, 16)>>>(out, bytes.device, w, h));
    expect("sobelTile", out, n, edge);
    TWICE(sobelBytes<<<grid(128, 1), dim3(128, 1)>>>(out, bytes.device, w, h));

    std::vector<float> weights(17);
    for (int k = 0; k < 17; k++)
        weights[k] = std::exp(-(k - 8) * (k - 8) / 20.0f) / 8;
    CHECK(cudaMemcpyToSymbol(taps, weights.data(), sizeof taps));
    TWICE(rowsFilter<<<dim3(blocks_for(w, 128), h), 128, 144 * 4>>>(fout, in.device, w, h));
    expect(
        "rowsFilter", fout, n,
        [&](size_t i) {
            double sum = 0;
            for (int k = 0; k < 17; k++)
                sum += weights[k] * pixel(in, i % w + k - 8, i / w);
            return sum;
        },
        1e-5, 3);
    TWICE(columnsFilter<<<grid(32, 8), dim3(32, 8)>>>(fout, in.device, w, h));
    auto columns = [&](size_t i) {
        double sum = 0;
        for (int k = 0; k < 17; k++)
            sum += weights[k] * pixel(in, i % w, i / w + k - 8);
        return sum;
    };
    expect("columnsFilter", fout, n, columns, 1e-5, 3);
    TWICE(columnsFilter<<<grid(4, 64), dim3(4, 64)>>>(fout, in.device, w, h));
    expect("columnsFilter, tall", fout, n, columns, 1e-5, 3);
    for (int r : {3, 20}) {
        auto mean = [&](size_t i) {
            double sum = 0;
            for (int k = -r; k <= r; k++)
                sum += pixel(in, i % w, i / w + k);
            return sum / (2 * r + 1);
        };
        TWICE(slideColumns<<<blocks_for(w, 32), 32>>>(fout, in.device, w, h, r));
        expect("slideColumns", fout, n, mean, 1e-4, 3);
        TWICE(addColumns<<<dim3(blocks_for(w, 256), h), 256>>>(fout2, in.device, w, h, r));
        expect("addColumns", fout2, n, mean, 1e-4, 3);
    }
    auto over = made<unsigned char>(4 * n, [](size_t i) { return (unsigned char)scrambled(i); });
    auto under =
        made<unsigned char>(4 * n, [](size_t i) { return (unsigned char)scrambled(i + 99); });
    unsigned char *mixed = zeros<unsigned char>(4 * n);
    TWICE(blend<<<blocks_for(n, 256), 256>>>((uchar4 *)mixed, (uchar4 *)over.device,
                                             (uchar4 *)under.device, n));
    expect("blend", mixed, 4 * n, [&](size_t i) {
        int k = over[i | 3];
        return i % 4 == 3 ? 255 : (over[i] * k + under[i] * (255 - k)) / 255;
    });
    for (int degrees : {0, 90, 30}) {
        float c = (float)std::cos(degrees * M_PI / 180), s = (float)std::sin(degrees * M_PI / 180);
        TWICE(turn<<<grid(32, 8), dim3(32, 8)>>>(fout, in.device, w, h, c, s));
        if (degrees == 0)
            expect("turn", fout, n, [&](size_t i) { return in[i]; });
        else if (comparing()) { // most pixels: others are rounded in another way
            auto got = fetched(fout, n);
            int wrong = 0;
            for (int i = 0; i < n; i++) {
                double dx = i % w - w / 2, dy = i / w - h / 2;
                int u = (int)std::rint(c * dx + s * dy + w / 2),
                    v = (int)std::rint(-s * dx + c * dy + h / 2);
                wrong += got[i] != (u >= 0 && u < w && v >= 0 && v < h ? in[v * w + u] : 0);
            }
            if (wrong > n / 100) {
                fprintf(stderr, "turn: %d wrong pixels instead of few\n", wrong);
                exit(4);
            }
        }
    }
    return 0;
}
