// Frees an array of the host as if it was the GPU's.
#include <stdlib.h>

int main()
{
    int *numbers = (int *)malloc(256 * sizeof(int)), *a;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaMemset(a, 0, 256 * sizeof(int));
    cudaMemcpy(numbers, a, 256 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(numbers);
    return cudaGetLastError();
}
