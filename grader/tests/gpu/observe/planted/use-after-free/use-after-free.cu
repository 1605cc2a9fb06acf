/* Accesses to memory that was freed before. */
#include "tests/gpu/observe/planted/memory.cuh"

// use-after-free
__global__ void freed(int *a, int n)
{
    a[threadIdx.x] = n; // B
}

// use-after-free
__global__ void freed_and_only_read(int *a, int n)
{
    if (a[threadIdx.x] == 12345) // B
        __nanosleep(100);
}

// fine
__global__ void freed_later(int *a, int n)
{
    a[threadIdx.x] = n;
}

// use-after-free
__global__ void heap_freed(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    free(own);
    a[threadIdx.x] = own[n / 500]; // B
}

// fine
__global__ void heap_freed_last(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    a[threadIdx.x] = own[n / 500];
    free(own);
}

// use-after-free
static void copies_freed()
{
    cudaFree(g);
    cudaMemcpy(host, g, 100, cudaMemcpyDeviceToHost); // B
}

// use-after-free
static void sets_freed()
{
    cudaFree(g);
    cudaMemset(g, 0, 100); // B
}

// fine
static void copies_and_sets_before_it_frees()
{
    cudaMemset(g, 0, 100);
    cudaMemcpy(host, g, 100, cudaMemcpyDeviceToHost);
    cudaFree(g);
}

int main()
{
    apart([] {
        allocate();
        cudaFree(g);
        freed<<<1, 32>>>(g, N);
    });
    apart([] {
        allocate();
        cudaFree(g);
        freed_and_only_read<<<1, 32>>>(g, N);
    });
    apart([] {
        allocate();
        freed_later<<<1, 32>>>(g, N);
        cudaFree(g);
    });
    LAUNCH(heap_freed, 1, 32);
    LAUNCH(heap_freed_last, 1, 32);
    CALL(copies_freed);
    CALL(sets_freed);
    CALL(copies_and_sets_before_it_frees);
}
