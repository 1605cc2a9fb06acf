// Fills a surface of 64 x 4 ints. The index was multiplied by the element's size twice.
__global__ void fill(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x * sizeof(int) * sizeof(int);
    surf2Dwrite((int)threadIdx.x, surface, x, threadIdx.y);
}

int main()
{
    int last = 0;
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaResourceDesc memory = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 64, 4, cudaArraySurfaceLoadStore);
    memory.resType = cudaResourceTypeArray;
    memory.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &memory);
    fill<<<1, dim3(64, 4)>>>(surface);
    cudaMemcpy2DFromArray(&last, sizeof last, array, 63 * sizeof last, 3, sizeof last, 1,
                          cudaMemcpyDeviceToHost);
    return last != 63;
}
