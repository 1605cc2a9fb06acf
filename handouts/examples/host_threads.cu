// Four threads of the host work with one GPU, and with each other's memory.
#include "lab.h"

#include <thread>

#define THREADS 4

__global__ void fill(int *numbers, int value)
{
    numbers[threadIdx.x] = value;
}

int main()
{
    int *numbers, result[THREADS * 32], sum = 0;
    std::thread threads[THREADS];
    CHECK_CUDA(cudaMalloc(&numbers, sizeof result)); // by the main thread, for all of them
    for (int i = 0; i < THREADS; ++i)
        threads[i] = std::thread([=] { fill<<<1, 32>>>(numbers + 32 * i, i + 1); });
    for (int i = 0; i < THREADS; ++i)
        threads[i].join();
    CHECK_CUDA(cudaMemcpy(result, numbers, sizeof result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS * 32; ++i)
        sum += result[i];
    printf("%d threads of the host, sum %d\n", THREADS, sum);
    CHECK_CUDA(cudaFree(numbers));
    return 0;
}
