// The benchmark's first work: the sum of squares of N ints by 32 blocks of 256 threads, each thread
// reading every 8192nd int. Prints "kernel_seconds WALL CPU" for each launch; exits 1 if a sum is wrong.
//
//     sumsq N REPEATS
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

enum { BLOCKS = 32, THREADS = 256 };

__global__ void sumsq(const int *data, int n, int *block_sums)
{
    __shared__ int sums[THREADS];
    int sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS)
        sum += data[i] * data[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        block_sums[blockIdx.x] = sums[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, repeats = argc > 2 ? atoi(argv[2]) : 1;
    std::vector<int> data(n);
    unsigned expected = 0; // sums wrap, on both sides alike
    for (int i = 0; i < n; i++) {
        data[i] = (int)((unsigned)i * 7919u % 1000);
        expected += (unsigned)(data[i] * data[i]);
    }
    int *on_device, *block_sums, sums[BLOCKS];
    cudaMalloc(&on_device, n * sizeof(int));
    cudaMalloc(&block_sums, sizeof sums);
    cudaMemcpy(on_device, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    for (int r = 0; r < repeats; r++) {
        auto start = std::chrono::steady_clock::now();
        clock_t cpu_start = clock();
        sumsq<<<BLOCKS, THREADS>>>(on_device, n, block_sums);
        cudaDeviceSynchronize();
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        double cpu_seconds = (double)(clock() - cpu_start) / CLOCKS_PER_SEC;
        printf("kernel_seconds %.6f %.6f\n", seconds.count(), cpu_seconds);
    }
    if (cudaMemcpy(sums, block_sums, sizeof sums, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    unsigned sum = 0;
    for (int b = 0; b < BLOCKS; b++)
        sum += (unsigned)sums[b];
    return sum != expected;
}
