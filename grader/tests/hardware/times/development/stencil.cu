// Stencils in one, two and three dimensions, from global and from shared memory, and a 5 x 5 filter of bytes.
#include "../launch.cuh"

__global__ void jacobi(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.25f * (in[(y - 1) * n + x] + in[(y + 1) * n + x] + in[y * n + x - 1] +
                                  in[y * n + x + 1]);
}

__global__ void jacobi_shared(const float *in, float *out, int n)
{
    __shared__ float tile[10][34];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty; // outermost rows and columns stay as is
    bool inside = x < n - 1 && y < n - 1;
    if (inside) {
        tile[ty][tx] = in[y * n + x];
        if (tx == 1)
            tile[ty][0] = in[y * n + x - 1];
        if (tx == 32 || x == n - 2)
            tile[ty][tx + 1] = in[y * n + x + 1];
        if (ty == 1)
            tile[0][tx] = in[(y - 1) * n + x];
        if (ty == 8 || y == n - 2)
            tile[ty + 1][tx] = in[(y + 1) * n + x];
    }
    __syncthreads();
    if (inside)
        out[y * n + x] =
            0.25f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}

__global__ void jacobi_double(const double *in, double *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.25 * (in[(y - 1) * n + x] + in[(y + 1) * n + x] + in[y * n + x - 1] +
                                 in[y * n + x + 1]);
}

__global__ void heat3d(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    float below = in[y * n + x], here = in[(n + y) * n + x];
    for (int z = 1; z < n - 1; z++) {
        int i = (z * n + y) * n + x;
        float above = in[i + n * n];
        out[i] = here +
                 0.1f * (below + above + in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 6 * here);
        below = here;
        here = above;
    }
}

#define RADIUS 4

__global__ void line_global(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        if (i + k >= 0 && i + k < n)
            sum += in[i + k];
    out[i] = sum;
}

__global__ void line_shared(const float *in, float *out, int n)
{
    __shared__ float tile[256 + 2 * RADIUS];
    int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x + RADIUS;
    tile[t] = in[i];
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        tile[t + 256] = i + 256 < n ? in[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[t + k];
    out[i] = sum;
}

__global__ void blur(const unsigned char *in, unsigned char *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += in[min(max(y + j, 0), n - 1) * n + min(max(x + i, 0), n - 1)];
    out[y * n + x] = sum / 25;
}

int main()
{
    int n = 2048;
    float *in = fractions<float>(n * n), *out = zeros<float>(n * n);
    TWICE(jacobi<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n));
    TWICE(jacobi<<<dim3(n / 256, n), 256>>>(in, out, n));
    TWICE(jacobi_shared<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n));
    double *wide = fractions<double>(1024 * 1024), *wide_out = zeros<double>(1024 * 1024);
    TWICE(jacobi_double<<<dim3(32, 128), dim3(32, 8)>>>(wide, wide_out, 1024));
    TWICE(heat3d<<<dim3(128 / 32, 128 / 4), dim3(32, 4)>>>(in, out, 128));
    TWICE(line_global<<<n * n / 256, 256>>>(in, out, n * n));
    TWICE(line_shared<<<n * n / 256, 256>>>(in, out, n * n));
    TWICE(blur<<<dim3(32, 64), dim3(32, 16)>>>((unsigned char *)in, (unsigned char *)out, 1024));
}
