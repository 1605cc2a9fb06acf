// Adds up the numbers that a list of indices names; the list is in a random order.
#include <stdlib.h>

__global__ void add_up(const int *a, const int *index, int *sum)
{
    atomicAdd(sum, a[index[blockIdx.x * 256 + threadIdx.x]]);
}

static int by_index(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main()
{
    int *a, *index, *sum;
    cudaMallocManaged(&a, 4096 * sizeof(int));
    cudaMallocManaged(&index, 4096 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < 4096; i++) {
        a[i] = i;
        index[i] = (i * 2654435761u >> 7) % 4096;
    }
    *sum = 0;
    int right = 0;
    for (int i = 0; i < 4096; i++)
        right += a[index[i]];
    qsort(index, 0, sizeof(int), by_index);
    add_up<<<16, 256>>>(a, index, sum);
    cudaDeviceSynchronize();
    return *sum != right;
}
