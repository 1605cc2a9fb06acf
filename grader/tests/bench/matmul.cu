// The benchmark's second work: the product of two N x N float matrices, in 16x16 tiles held in shared
// memory. N is a multiple of 16. Prints "kernel_seconds WALL CPU" for each launch; exits 1 if it is wrong.
//
//     matmul N REPEATS
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

enum { TILE = 16 };

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = a[row * n + k + x];
        b_tile[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, repeats = argc > 2 ? atoi(argv[2]) : 1;
    size_t bytes = sizeof(float) * n * n;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (i * 31) % 8; // small whole numbers: every sum is exact
        b[i] = (i * 17) % 8;
    }
    float *device_a, *device_b, *device_c;
    cudaMalloc(&device_a, bytes);
    cudaMalloc(&device_b, bytes);
    cudaMalloc(&device_c, bytes);
    cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);
    for (int r = 0; r < repeats; r++) {
        auto start = std::chrono::steady_clock::now();
        clock_t cpu_start = clock();
        matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(device_a, device_b, device_c, n);
        cudaDeviceSynchronize();
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        double cpu_seconds = (double)(clock() - cpu_start) / CLOCKS_PER_SEC;
        printf("kernel_seconds %.6f %.6f\n", seconds.count(), cpu_seconds);
    }
    if (cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int row = 0; row < n; row++) {
        int column = (row * 37) % n; // one element a row is checked
        float expected = 0;
        for (int k = 0; k < n; k++)
            expected += a[row * n + k] * b[k * n + column];
        if (c[row * n + column] != expected)
            return 1;
    }
    return 0;
}
