// How long a kernel takes: the time between two events.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void square_all(int *numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        numbers[i] = numbers[i] * numbers[i];
}

// The time of one launch, in milliseconds.
static float time_once(int *numbers, int n)
{
    cudaEvent_t begin, end;
    float milliseconds;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    square_all<<<(n + 255) / 256, 256>>>(numbers, n);
    cudaEventRecord(end);
    cudaEventSynchronize(end); // waits until the device has reached `end`
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return milliseconds;
}

int main()
{
    const int n = 1 << 20;
    int *numbers;
    cudaMalloc(&numbers, n * sizeof(int));
    cudaMemset(numbers, 0, n * sizeof(int));
    time_once(numbers, n); // the first launch loads the kernel
    float fastest = time_once(numbers, n);
    for (int i = 0; i < 9; ++i)
        fastest = fminf(fastest, time_once(numbers, n));
    cudaFree(numbers);
    printf("the fastest of ten launches took %.3f ms\n", fastest);
    return cudaGetLastError();
}
