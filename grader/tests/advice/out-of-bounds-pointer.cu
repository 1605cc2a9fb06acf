// Fills an array through a __device__ pointer that nobody has set.
__device__ int *a;

__global__ void fill()
{
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *memory, last;
    cudaMalloc(&memory, 256 * sizeof(int));
    fill<<<1, 256>>>();
    cudaMemcpy(&last, memory + 255, sizeof last, cudaMemcpyDeviceToHost);
    return last != 255;
}
