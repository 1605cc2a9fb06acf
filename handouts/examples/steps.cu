// Steps of a solver in one block: each number becomes the mean of its neighbours. Two steps need two barriers.
#include "lab.h"

#define N     256
#define STEPS 10

// Two steps, from `even` to `odd` and back, behind one barrier.
__global__ void one_barrier(float *numbers)
{
    __shared__ float even[N], odd[N];
    int t = threadIdx.x, left = t > 0 ? t - 1 : 0, right = t < N - 1 ? t + 1 : N - 1;
    even[t] = numbers[t];
    __syncthreads();
    for (int step = 0; step < STEPS; step += 2) {
        odd[t] = (even[left] + even[right]) / 2;
        even[t] = (odd[left] + odd[right]) / 2;
        __syncthreads();
    }
    numbers[t] = even[t];
}

int main()
{
    float *numbers;
    CHECK_CUDA(cudaMalloc(&numbers, N * sizeof *numbers));
    CHECK_CUDA(cudaMemset(numbers, 0, N * sizeof *numbers));
    one_barrier<<<1, N>>>(numbers);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaFree(numbers));
    return 0;
}
