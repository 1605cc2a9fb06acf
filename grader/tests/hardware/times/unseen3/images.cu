/* Filters of images. */
#include "expect.cuh"

#define RADIUS 8
#define TILE_W 32
#define TILE_H 8

typedef unsigned char byte;

static __constant__ float weights[2 * RADIUS + 1];

__host__ __device__ static byte edge(int nw, int n, int ne, int w, int e, int sw, int s, int se)
{
    int across = ne + 2 * e + se - nw - 2 * w - sw, down = sw + 2 * s + se - nw - 2 * n - ne;
    int sum = abs(across) + abs(down);
    return sum > 255 ? 255 : sum;
}

/* Edges, as CUDA samples' SobelFilter. The image's border stays. */
static __global__ void sobel(byte *out, const byte *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const byte *p = in + y * width + x;
    out[y * width + x] = edge(p[-width - 1], p[-width], p[-width + 1], p[-1], p[1], p[width - 1],
                              p[width], p[width + 1]);
}

/* The same, from a tile with a rim. */
static __global__ void sobel_tile(byte *out, const byte *in, int width, int height)
{
    __shared__ byte tile[TILE_H + 2][TILE_W + 2];
    int left = blockIdx.x * TILE_W - 1, top = blockIdx.y * TILE_H - 1;
    for (int i = threadIdx.y * TILE_W + threadIdx.x; i < (TILE_H + 2) * (TILE_W + 2);
         i += TILE_W * TILE_H) {
        int x = left + i % (TILE_W + 2), y = top + i / (TILE_W + 2);
        x = min(max(x, 0), width - 1), y = min(max(y, 0), height - 1);
        tile[i / (TILE_W + 2)][i % (TILE_W + 2)] = in[y * width + x];
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    out[y * width + x] =
        edge(tile[ty - 1][tx - 1], tile[ty - 1][tx], tile[ty - 1][tx + 1], tile[ty][tx - 1],
             tile[ty][tx + 1], tile[ty + 1][tx - 1], tile[ty + 1][tx], tile[ty + 1][tx + 1]);
}

/* One direction of a separable filter, as CUDA samples' convolutionSeparable. */
template <bool DOWN>
static __global__ void convolve(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int r = -RADIUS; r <= RADIUS; r++) {
        int from_x = DOWN ? x : min(max(x + r, 0), width - 1);
        int from_y = DOWN ? min(max(y + r, 0), height - 1) : y;
        sum += weights[RADIUS + r] * in[from_y * width + from_x];
    }
    out[y * width + x] = sum;
}

/* As CUDA samples' simpleTexture. */
static __global__ void rotate(float *out, cudaTextureObject_t in, int width, int height, float sine,
                              float cosine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float u = x - width / 2.0f, v = y - height / 2.0f;
    out[y * width + x] = tex2D<float>(in, u * cosine - v * sine + width / 2.0f + 0.5f,
                                      v * cosine + u * sine + height / 2.0f + 0.5f);
}

static cudaTextureObject_t texture_of(const float *image, int width, int height)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image, width * sizeof(float), width * sizeof(float),
                              height, cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

int main()
{
    const int width = 1920, height = 1080, n = width * height;
    byte *grays = filled<byte>(n, [](size_t i) { return (byte)(scrambled(i) >> 24); });
    byte *edges = zeros<byte>(n);
    float *in = fractions<float>(n), *out = zeros<float>(n);
    std::vector<byte> gray = fetched(grays, n);
    std::vector<float> value = fetched(in, n);

    dim3 grid(width / 32, height / 8), upper(width / 32, blocks(height / 2, 8)), block(32, 8);
    auto expect_edges = [&] {
        std::vector<byte> found = fetched(edges, n);
        for (int y = 1; y < height - 1; y += 31)
            for (int x = 1; x < width - 1; x += 67) {
                const byte *p = &gray[y * width + x];
                EXPECT(found[y * width + x] == edge(p[-width - 1], p[-width], p[-width + 1], p[-1],
                                                    p[1], p[width - 1], p[width], p[width + 1]));
            }
        clear(edges, n);
    };
    TWICE(sobel<<<grid, block>>>(edges, grays, width, height));
    expect_edges();
    TWICE(sobel<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(edges, grays, width, height));
    expect_edges();
    TWICE(sobel_tile<<<grid, block>>>(edges, grays, width, height));
    expect_edges();

    std::vector<float> host_weights(2 * RADIUS + 1);
    for (int i = 0; i <= 2 * RADIUS; i++)
        host_weights[i] = (1 + i % 5) / 64.0f;
    CHECK(cudaMemcpyToSymbol(weights, host_weights.data(), host_weights.size() * sizeof(float)));
    auto expect_convolved = [&](int step) {
        std::vector<float> found = fetched(out, n);
        for (int i = width * RADIUS + RADIUS; i < n / 2 - width * RADIUS; i += 50021) {
            if (i % width < RADIUS || i % width >= width - RADIUS)
                continue;
            float sum = 0;
            for (int r = -RADIUS; r <= RADIUS; r++)
                sum += host_weights[RADIUS + r] * value[i + r * step];
            EXPECT(near(found[i], sum));
        }
        clear(out, n);
    };
    TWICE(convolve<false><<<upper, block>>>(out, in, width, height / 2));
    expect_convolved(1);
    TWICE(convolve<true><<<upper, block>>>(out, in, width, height / 2));
    expect_convolved(width);

    cudaTextureObject_t texture = texture_of(in, width, height);
    TWICE(rotate<<<grid, block>>>(out, texture, width, height, 0.25f, 0.9682458f));
    TWICE(rotate<<<grid, block>>>(out, texture, width, height, 1, 0));
    std::vector<float> turned = fetched(out, n);
    for (int y = 0; y < height; y += 31)
        for (int x = width / 2 - 400; x < width / 2 + 400; x += 67)
            EXPECT(turned[y * width + x] ==
                   value[(x - width / 2 + height / 2) * width + width / 2 - (y - height / 2)]);
    return 0;
}
