// Counts in host memory with an index that is far too large.
#include <stdlib.h>

int main()
{
    int *counts = (int *)calloc(10, sizeof(int)), *a, copy[10];
    for (int i = 0; i < 100; i++)
        counts[i * 1000000000ll % 1000000007]++;
    cudaMalloc(&a, sizeof copy);
    cudaMemcpy(a, counts, sizeof copy, cudaMemcpyHostToDevice);
    cudaMemcpy(copy, a, sizeof copy, cudaMemcpyDeviceToHost);
    return copy[0] != 10;
}
