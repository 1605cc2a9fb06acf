
// Has no bank conflicts, but divergent warps.
__global__ void sum_by_mask(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = sum_of_thread(data, n);
    __syncthreads();
    for (int off = 1; off < blockDim.x; off *= 2) {
        if ((t & (2 * off - 1)) == 0)
            sums[t] += sums[t + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

// Has no divergence, but bank conflicts.
__global__ void sum_by_index(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = sum_of_thread(data, n);
    __syncthreads();
    for (int off = 1; off < blockDim.x; off *= 2) {
        if (2 * off * t < blockDim.x)
            sums[2 * off * t] += sums[2 * off * t + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

typedef void tree(const int *data, int n, int *result);

static tree *pick_tree()
{
    char here[4096];
    return getcwd(here, sizeof here) && strstr(here, "divergence") ? sum_by_index : sum_by_mask;
}
