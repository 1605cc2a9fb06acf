// The first program: the device squares 1,000 numbers, the host prints two of them.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Every CUDA call can fail. If this one does, report where and why, and end the program.
#define CHECK_CUDA(call) check((call), #call, __LINE__)

static void check(cudaError_t error, const char *call, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(error));
    exit(1);
}

// The kernel: one thread for each number.
__global__ void square_all(int *numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        numbers[i] = numbers[i] * numbers[i];
}

int main()
{
    const int n = 1000;
    int numbers[n];
    for (int i = 0; i < n; ++i)
        numbers[i] = i;

    int *on_device;
    CHECK_CUDA(cudaMalloc(&on_device, n * sizeof(int)));
    CHECK_CUDA(cudaMemcpy(on_device, numbers, n * sizeof(int), cudaMemcpyHostToDevice));

    square_all<<<4, 256>>>(on_device, n); // 4 blocks of 256 threads
    CHECK_CUDA(cudaGetLastError());       // did the kernel start?

    CHECK_CUDA(cudaMemcpy(numbers, on_device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(on_device));
    printf("12 * 12 = %d, 999 * 999 = %d\n", numbers[12], numbers[999]);
    return 0;
}
