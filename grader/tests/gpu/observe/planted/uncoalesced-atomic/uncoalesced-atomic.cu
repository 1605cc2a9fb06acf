/* Atomics by which a warp touches more sectors than its words need. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// uncoalesced-atomic: each lane updates 4 of every 64 bytes (stride 16 elements)
__global__ void counters_far_apart(float *a)
{
    atomicAdd(&a[INDEX * 16], 1); // B
}

// uncoalesced-atomic: each lane updates 4 of every 12 bytes (stride 3 elements)
__global__ void old_values_far_apart(float *a, float *out)
{
    out[INDEX] = atomicAdd(&a[INDEX * 3], 1); // B
}

// fine
__global__ void counters_side_by_side(float *a)
{
    atomicAdd(&a[INDEX], 1);
}

// fine
__global__ void counters_of_a_block_first(float *a)
{
    __shared__ float sums[256];
    int t = threadIdx.x;
    sums[t] = 0;
    __syncthreads();
    atomicAdd(&sums[t * 17 % 256], 1);
    __syncthreads();
    atomicAdd(&a[t], sums[t]);
}

/* Nobody can choose where the bins lie. */
// fine
__global__ void histogram(float *a)
{
    atomicAdd(&a[INDEX * 2654435761u >> 16], 1);
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    counters_far_apart<<<32, 256>>>(a);
    old_values_far_apart<<<32, 256>>>(a, out);
    counters_side_by_side<<<32, 256>>>(a);
    counters_of_a_block_first<<<32, 256>>>(a);
    histogram<<<32, 256>>>(a);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
