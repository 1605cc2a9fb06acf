/* Loads of the same words again and again. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// redundant-load: a warp loads the same words
__global__ void loads_again(const float *a, int n, float *out)
{
    for (int i = 0; i < n; i++)
        out[256 * i + threadIdx.x] = a[threadIdx.x]; // B
}

/* Only the first and the last lane do. */
// fine
__global__ void loads_others(const float *a, int n, float *out)
{
    int lane = threadIdx.x % 32;
    for (int i = 0; i < n; i++)
        out[256 * i + threadIdx.x] = a[lane == 0 || lane == 31 ? lane : (lane - 1 + i) % 30 + 1];
}

// fine
__global__ void stores_again(volatile float *a, int n)
{
    for (int i = 0; i < n; i++)
        a[threadIdx.x] = i;
}

// redundant-load: a warp loads the same words 40 times
__global__ void coefficient_again(const float *a, float *out, int n)
{
    for (int k = 0; k < n; k++)
        out[k * 8192 + INDEX] = a[0] * k; // B
}

// fine
__global__ void coefficient_once(const float *a, float *out, int n)
{
    float c = a[0];
    for (int k = 0; k < n; k++)
        out[k * 8192 + INDEX] = c * k;
}

// redundant-load: a warp loads the same words 16 times
__global__ void again_unrolled(const float *a, float *out)
{
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[k * 8192 + INDEX] = a[INDEX] * k; // B
}

// redundant-load: a warp loads the same words 20 times
__global__ void again_between_barriers(const float *a, const float *c, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        s[t] = a[k * 256 + t];
        __syncthreads();
        sum += s[255 - t] * c[t]; // B
        __syncthreads();
    }
    out[t] = sum;
}

/* What is loaded again is new each time. */
// fine
__global__ void steps_in_place(float *a, int n)
{
    int at = (threadIdx.y + 1) * 256 + threadIdx.x;
    for (int k = 0; k < n; k++) {
        float sum = a[at - 256] + a[at + 256];
        __syncthreads();
        a[at] = sum;
        __syncthreads();
    }
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    loads_again<<<1, 256>>>(a, 29, out);
    loads_others<<<1, 256>>>(a, 29, out);
    stores_again<<<1, 256>>>(a, 20);
    coefficient_again<<<32, 256>>>(a, out, 40);
    coefficient_once<<<32, 256>>>(a, out, 40);
    again_unrolled<<<32, 256>>>(a, out);
    again_between_barriers<<<8, 256>>>(a, a + 8192, out, 20);
    steps_in_place<<<1, dim3(32, 1)>>>(a, 20);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
