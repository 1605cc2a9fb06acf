#include <cstdio>

__global__ void add_up(const int *data, int n, int *result)
{
    int sum;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += data[i];
    result[threadIdx.x] = sum;
}

int main()
{
    int data[64], result[32], *on_gpu, *result_on_gpu, wrong = 0;
    for (int i = 0; i < 64; i++)
        data[i] = i;
    cudaMalloc(&on_gpu, sizeof data);
    cudaMalloc(&result_on_gpu, sizeof result);
    cudaMemcpy(on_gpu, data, sizeof data, cudaMemcpyHostToDevice);
    add_up<<<1, 32>>>(on_gpu, 64, result_on_gpu);
    cudaMemcpy(result, result_on_gpu, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += result[i] != 2 * i + 32;
    cudaFree(on_gpu);
    cudaFree(result_on_gpu);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
