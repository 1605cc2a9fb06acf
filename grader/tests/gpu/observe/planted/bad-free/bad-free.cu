/* Frees of addresses that no allocation returned. */
#include "tests/gpu/observe/planted/memory.cuh"

// bad-free
__global__ void heap_freed_in_the_middle(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    a[threadIdx.x] = own[n / 500 + a[threadIdx.x]];
    free(own + n / 500); // B
}

// fine
__global__ void heap_freed_at_its_start(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own), *middle = own + n / 500;
    *middle = n;
    a[threadIdx.x] = middle[a[threadIdx.x]];
    free(middle - n / 500);
}

// bad-free
static void frees_a_part()
{
    cudaFree(g + 10); // B
}

// bad-free
static void frees_the_hosts()
{
    cudaFree(host); // B
}

// fine
static void frees_each_as_it_was_allocated()
{
    int *pinned;
    cudaMallocHost(&pinned, 100);
    cudaFreeHost(pinned);
    cudaFree(g);
}

int main()
{
    LAUNCH(heap_freed_in_the_middle, 1, 32);
    LAUNCH(heap_freed_at_its_start, 1, 32);
    CALL(frees_a_part);
    CALL(frees_the_hosts);
    CALL(frees_each_as_it_was_allocated);
}
