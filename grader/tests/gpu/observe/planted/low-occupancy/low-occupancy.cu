/* Kernels of which a multiprocessor holds few warps at once. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// low-occupancy: 32 of 64 warps fit on a multiprocessor, limited by blocks
__global__ void blocks_of_a_warp(float *a) // B
{
    a[INDEX] *= 2;
}

// fine
__global__ void blocks_of_8_warps(float *a)
{
    a[INDEX] *= 2;
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    blocks_of_a_warp<<<200, 32>>>(a);
    blocks_of_8_warps<<<200, 256>>>(a);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
