/* Accesses to a surface of 64 x 4 ints. */
#include "tests/support/kernel_rows.cuh"

// outside-surface
__global__ void bytes_multiplied_twice(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x * sizeof(int);
    surf2Dwrite(1, surface, x * (int)sizeof(int), 0); // B
}

// outside-surface
__global__ void row_beyond_the_last(cudaSurfaceObject_t surface)
{
    for (int y = 1; y <= 4; y++)
        surf2Dwrite(1, surface, threadIdx.x * (int)sizeof(int), y); // B
}

// fine
__global__ void all_rows(cudaSurfaceObject_t surface)
{
    for (int y = 0; y < 4; y++)
        surf2Dwrite(1, surface, threadIdx.x * (int)sizeof(int), y);
}

static void with_a_surface(void (*kernel)(cudaSurfaceObject_t))
{
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaResourceDesc memory = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 64, 4, cudaArraySurfaceLoadStore);
    memory.resType = cudaResourceTypeArray;
    memory.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &memory);
    kernel<<<1, 64>>>(surface);
}

int main()
{
    apart([] { with_a_surface(bytes_multiplied_twice); });
    apart([] { with_a_surface(row_beyond_the_last); });
    apart([] { with_a_surface(all_rows); });
}
