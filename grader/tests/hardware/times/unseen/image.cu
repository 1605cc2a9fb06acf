// Pictures: resize, edges, median, rotation, colour, dilation.
#include "../launch.cuh"

typedef unsigned char byte;

__global__ void resizeBilinear(const float *src, int sw, int sh, float *dst, int dw, int dh)
{
    const int dx = blockIdx.x * blockDim.x + threadIdx.x;
    const int dy = blockIdx.y * blockDim.y + threadIdx.y;
    if (dx >= dw || dy >= dh)
        return;
    const float fx = (dx + 0.5f) * sw / dw - 0.5f, fy = (dy + 0.5f) * sh / dh - 0.5f;
    const int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0);
    const int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
    const float wx = fx - x0, wy = fy - y0;
    const float top = src[y0 * sw + x0] * (1 - wx) + src[y0 * sw + x1] * wx;
    const float bottom = src[y1 * sw + x0] * (1 - wx) + src[y1 * sw + x1] * wx;
    dst[dy * dw + dx] = top * (1 - wy) + bottom * wy;
}

__global__ void sobelEdges(const float *img, float *mag, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1)
        return;
    const float *p = img + y * w + x;
    const float gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[w - 1];
    const float gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w];
    mag[y * w + x] = sqrtf(gx * gx + gy * gy);
}

__device__ void order(float &a, float &b)
{
    const float lo = fminf(a, b), hi = fmaxf(a, b);
    a = lo;
    b = hi;
}

__global__ void median9(const float *img, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1)
        return;
    float v[9];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            v[j * 3 + i] = img[(y + j - 1) * w + x + i - 1];
    order(v[1], v[2]);
    order(v[4], v[5]);
    order(v[7], v[8]);
    order(v[0], v[1]);
    order(v[3], v[4]);
    order(v[6], v[7]);
    order(v[1], v[2]);
    order(v[4], v[5]);
    order(v[7], v[8]);
    order(v[0], v[3]);
    order(v[5], v[8]);
    order(v[4], v[7]);
    order(v[3], v[6]);
    order(v[1], v[4]);
    order(v[2], v[5]);
    order(v[4], v[7]);
    order(v[4], v[2]);
    order(v[6], v[4]);
    order(v[4], v[2]);
    out[y * w + x] = v[4];
}

__global__ void rotateQuarter(const unsigned *src, unsigned *dst, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    dst[x * n + (n - 1 - y)] = src[y * n + x];
}

__global__ void rotateQuarterTiled(const unsigned *src, unsigned *dst, int n)
{
    __shared__ unsigned part[16][17];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    part[threadIdx.y][threadIdx.x] = src[y * n + x];
    __syncthreads();
    const int row = blockIdx.x * 16 + threadIdx.y, column = n - 16 - blockIdx.y * 16 + threadIdx.x;
    dst[row * n + column] = part[15 - threadIdx.x][threadIdx.y];
}

__global__ void toHsv(const byte *rgb, float *hsv, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    const float r = rgb[3 * i] / 255.f, g = rgb[3 * i + 1] / 255.f, b = rgb[3 * i + 2] / 255.f;
    const float most = fmaxf(r, fmaxf(g, b)), d = most - fminf(r, fminf(g, b));
    float hue = 0;
    if (d > 0) {
        if (most == r)
            hue = fmodf((g - b) / d + 6, 6);
        else if (most == g)
            hue = (b - r) / d + 2;
        else
            hue = (r - g) / d + 4;
    }
    hsv[3 * i] = hue * 60;
    hsv[3 * i + 1] = most > 0 ? d / most : 0;
    hsv[3 * i + 2] = most;
}

#define R 5

__global__ void dilateRows(const byte *in, byte *out, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int best = 0;
    for (int k = -R; k <= R; ++k) {
        const int at = min(max(x + k, 0), w - 1);
        best = max(best, (int)in[y * w + at]);
    }
    out[y * w + x] = best;
}

__global__ void dilateRowsShared(const byte *in, byte *out, int w)
{
    __shared__ byte line[256 + 2 * R];
    const int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 256 + 2 * R; i += 256)
        line[i] = in[y * w + min(max((int)blockIdx.x * 256 + i - R, 0), w - 1)];
    __syncthreads();
    int best = 0;
    for (int k = 0; k <= 2 * R; ++k)
        best = max(best, (int)line[threadIdx.x + k]);
    out[y * w + x] = best;
}

int main()
{
    const int n = 1024;
    float *pic = fractions<float>(n * n), *res = zeros<float>(3 * n * n);
    const dim3 grid(n / 16, n / 16), block(16, 16);
    TWICE(resizeBilinear<<<dim3(50, 50), block>>>(pic, n, n, res, 800, 800));
    TWICE(sobelEdges<<<grid, block>>>(pic, res, n, n));
    TWICE(median9<<<grid, block>>>(pic, res, n, n));
    TWICE(rotateQuarter<<<grid, block>>>((unsigned *)pic, (unsigned *)res, n));
    TWICE(rotateQuarterTiled<<<grid, block>>>((unsigned *)pic, (unsigned *)res, n));
    TWICE(toHsv<<<n * n / 128, 128>>>((byte *)pic, res, n * n));
    TWICE(dilateRows<<<dim3(n / 256, n), 256>>>((byte *)pic, (byte *)res, n));
    TWICE(dilateRowsShared<<<dim3(n / 256, n), 256>>>((byte *)pic, (byte *)res, n));
}
