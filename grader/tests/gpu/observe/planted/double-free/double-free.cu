/* Memory that is freed twice. */
#include "tests/gpu/observe/planted/memory.cuh"

// double-free
__global__ void heap_freed_twice(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    a[threadIdx.x] = own[n / 500 + a[threadIdx.x]];
    free(own);
    free(own); // B
}

// double-free
static void frees_twice()
{
    cudaFree(g); // A
    cudaFree(g); // B
}

// fine
static void frees_once()
{
    cudaFree(g);
    cudaFree(NULL);
}

// fine
__global__ void heap_freed_once(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own), *none = NULL;
    own[n / 500] = n;
    a[threadIdx.x] = own[n / 500 + a[threadIdx.x]];
    free(own);
    free(none);
}

int main()
{
    LAUNCH(heap_freed_twice, 1, 32);
    LAUNCH(heap_freed_once, 1, 32);
    CALL(frees_twice);
    CALL(frees_once);
}
