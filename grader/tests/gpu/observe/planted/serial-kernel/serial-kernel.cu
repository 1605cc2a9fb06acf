/* Kernels of which one lane does nearly all of the work. */
#define N 4096 /* elements */

// serial-kernel
__global__ void one_thread(float *a)
{
    for (int i = 0; i < N; i++)
        a[i] *= 2; // B
}

// serial-kernel
__global__ void one_thread_of_a_block(float *a)
{
    float sum = 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < N; i++)
            sum += a[i]; // B
        a[0] = sum;
    }
}

// fine
__global__ void all_threads(float *a)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        a[i] *= 2;
}

/* There is nothing to share. */
// fine
__global__ void one_thread_for_one_number(float *a)
{
    a[0] = 1;
}

int main()
{
    float *a;
    cudaMalloc(&a, N * sizeof *a);
    cudaMemset(a, 0, N * sizeof *a);
    one_thread<<<1, 1>>>(a);
    one_thread_of_a_block<<<1, 256>>>(a);
    all_threads<<<1, 256>>>(a);
    one_thread_for_one_number<<<1, 1>>>(a);
    cudaFree(a);
    return 0;
}
