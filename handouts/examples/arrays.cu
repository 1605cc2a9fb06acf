// Several arrays in one piece of dynamic shared memory: the widest type comes first.
#include "lab.h"

// Reverses n doubles and n bytes.
__global__ void widest_first(double *wide, char *narrow, int n)
{
    extern __shared__ double shared[]; // aligned for doubles: n of them, then n bytes
    double *doubles = shared;
    char *bytes = (char *)(doubles + n);
    int t = threadIdx.x;
    doubles[t] = wide[t];
    bytes[t] = narrow[t];
    __syncthreads();
    wide[t] = doubles[n - 1 - t];
    narrow[t] = bytes[n - 1 - t];
}

// The same, but after n bytes no double can begin unless n is a multiple of 8.
__global__ void bytes_first(double *wide, char *narrow, int n)
{
    extern __shared__ double shared[];
    char *bytes = (char *)shared;
    double *doubles = (double *)(bytes + n);
    int t = threadIdx.x;
    doubles[t] = wide[t];
    bytes[t] = narrow[t];
    __syncthreads();
    wide[t] = doubles[n - 1 - t];
    narrow[t] = bytes[n - 1 - t];
}

int main(int argc, char **argv)
{
    int n = 100;
    double *wide;
    char *narrow;
    CHECK_CUDA(cudaMalloc(&wide, n * sizeof *wide));
    CHECK_CUDA(cudaMalloc(&narrow, n));
    CHECK_CUDA(cudaMemset(wide, 0, n * sizeof *wide));
    CHECK_CUDA(cudaMemset(narrow, 0, n));
    size_t bytes = n * (sizeof *wide + 1);
    if (argc == 1)
        widest_first<<<1, n, bytes>>>(wide, narrow, n);
    else
        bytes_first<<<1, n, bytes>>>(wide, narrow, n);
    CHECK_CUDA(cudaDeviceSynchronize());
    printf("right\n");
    CHECK_CUDA(cudaFree(wide));
    CHECK_CUDA(cudaFree(narrow));
    return 0;
}
