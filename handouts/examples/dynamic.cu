// Reverses an array in shared memory. Its size is known only at the launch.
#include <cuda_runtime.h>
#include <stdio.h>

// Like right() of race-shared.cu, but for any number of threads.
__global__ void turn_around(int *a)
{
    extern __shared__ int words[]; // no length: the launch sets the number of bytes
    words[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}

// One block, with room for an int for each of its threads.
static void launch(int *a, int threads)
{
    turn_around<<<1, threads, threads * sizeof(int)>>>(a);
}

int main()
{
    int numbers[] = {1, 2, 3, 4, 5, 6, 7}, *on_device;
    cudaMalloc(&on_device, sizeof numbers);
    cudaMemcpy(on_device, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    launch(on_device, 7);
    cudaMemcpy(numbers, on_device, sizeof numbers, cudaMemcpyDeviceToHost);
    cudaFree(on_device);
    for (int number : numbers)
        printf("%d ", number);
    printf("\n");
    return cudaGetLastError();
}
