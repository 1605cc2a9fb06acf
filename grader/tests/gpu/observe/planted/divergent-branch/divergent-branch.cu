/* Branches by which the lanes of a warp take different paths. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// divergent-branch: lanes work on average
__global__ void mask_tree(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    a += 256 * blockIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int off = 1; off < 256; off *= 2) {
        if (t % (2 * off) == 0) // B
            s[t] += s[t + off];
        __syncthreads();
    }
    a[t] = s[0];
}

// fine
__global__ void tree(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    a += 256 * blockIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int off = 128; off > 0; off /= 2) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        a[0] = s[0];
}

// divergent-branch: 5.4 of 32 lanes work on average until the warp reconverges
__global__ void mask_tree_of_256(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    a += 256 * blockIdx.x;
    s[t] = a[t];
    for (int off = 1; off < 256; off *= 2) {
        __syncthreads();
        if (t % (2 * off) == 0) // B
            s[t] += s[t + off];
    }
    if (t == 0)
        a[0] = s[0];
}

// fine
__global__ void tree_unrolled(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    a += 256 * blockIdx.x;
    s[t] = a[t];
#pragma unroll
    for (int off = 128; off > 0; off /= 2) {
        __syncthreads();
        if (t < off)
            s[t] += s[t + off];
    }
    if (t == 0)
        a[0] = s[0];
}

__device__ __noinline__ float sines(float x)
{
    for (int k = 0; k < 20; k++)
        x = __sinf(x) + 1;
    return x;
}

__device__ __noinline__ float cosines(float x)
{
    for (int k = 0; k < 20; k++)
        x = __cosf(x) + 1;
    return x;
}

// divergent-branch: 16.0 of 32 lanes work on average until the warp reconverges
__global__ void calls_by_lane(float *a)
{
    float x = a[INDEX];
    a[INDEX] = threadIdx.x & 1 ? sines(x) : cosines(x); // B
}

// fine
__global__ void calls_by_warp(float *a)
{
    float x = a[INDEX];
    a[INDEX] = threadIdx.x & 32 ? sines(x) : cosines(x);
}

/* A warp goes round as often as its slowest lane, and few of its rounds lose a lane. */
// divergent-branch: lanes work on average
__global__ void rounds_by_lane(float *a)
{
    float x = a[INDEX];
    int left = (threadIdx.x % 32) * 40;
    while (left-- > 0) // B
        x = x * 0.5f + 1.0f / (x + 2);
    a[INDEX] = x;
}

// fine
__global__ void rounds_by_warp(float *a)
{
    float x = a[INDEX];
    int left = (threadIdx.x / 32) * 40;
    while (left-- > 0)
        x = x * 0.5f + 1.0f / (x + 2);
    a[INDEX] = x;
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    mask_tree<<<8, 256>>>(a);
    tree<<<8, 256>>>(a);
    mask_tree_of_256<<<32, 256>>>(a);
    tree_unrolled<<<32, 256>>>(a);
    calls_by_lane<<<32, 256>>>(a);
    calls_by_warp<<<32, 256>>>(a);
    rounds_by_lane<<<32, 256>>>(a);
    rounds_by_warp<<<32, 256>>>(a);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
