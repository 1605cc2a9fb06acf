// Arrays whose index the compiler does not know are in local memory.
#include "lab.h"

#define COUNT 32

// Each thread fills an array of its own. Then all threads read the same element of theirs.
__global__ void same_element(const int *in, int *out)
{
    int a[COUNT];
#pragma unroll 1
    for (int i = 0; i < COUNT; ++i)
        a[i] = in[i];
    out[threadIdx.x] = a[in[0]];
}

// Each thread reads another element.
__global__ void other_element(const int *in, int *out)
{
    int a[COUNT];
#pragma unroll 1
    for (int i = 0; i < COUNT; ++i)
        a[i] = in[i];
    out[threadIdx.x] = a[(threadIdx.x + in[0]) % COUNT];
}

// The compiler unrolls the loops, knows all indices, and keeps the array in registers.
__global__ void in_registers(const int *in, int *out)
{
    int a[4], sum = 0;
    for (int i = 0; i < 4; ++i)
        a[i] = in[i];
    for (int i = 0; i < 4; ++i)
        sum += a[i] * a[3 - i];
    out[threadIdx.x] = sum;
}

int main()
{
    int *in, *out;
    CHECK_CUDA(cudaMalloc(&in, COUNT * sizeof(int)));
    CHECK_CUDA(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK_CUDA(cudaMemset(in, 0, COUNT * sizeof(int)));
    same_element<<<1, 32>>>(in, out);
    other_element<<<1, 32>>>(in, out);
    in_registers<<<1, 32>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaFree(in));
    CHECK_CUDA(cudaFree(out));
    return 0;
}
