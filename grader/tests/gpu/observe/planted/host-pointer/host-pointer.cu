/* Accesses through a pointer to the host's memory. */
#include "tests/gpu/observe/planted/memory.cuh"

// host-pointer
__global__ void host_pointer(int *a, int n)
{
    a[threadIdx.x] = n; // B
}

// fine
__global__ void pointer_to_pinned_memory(int *a, int n)
{
    a[threadIdx.x] = n;
}

int main()
{
    apart([] { host_pointer<<<1, 32>>>(host, N); });
    apart([] {
        int *pinned;
        cudaMallocHost(&pinned, N * sizeof *pinned);
        pointer_to_pinned_memory<<<1, 32>>>(pinned, N);
    });
}
