/* Small kernels that use local memory, whose counts Nsight Compute recorded on a real GPU. Each launch in main()
 * is a row of local.tsv, in the same order. test_hardware_local.c compares.
 *
 * Loops are not unrolled and indices come from memory, so that arrays cannot be kept in registers and the
 * machine code makes exactly the accesses that PTX shows. The last kernel is the exception: its local accesses
 * are spills, which ptxas adds. */
#include <cstdio>
#include <cuda_runtime.h>

#define COUNT 32

// Stores with the same index in all lanes; a load whose index differs by STRIDE from lane to lane.
template <typename T, int STRIDE> __global__ void scalar(const int *in, int *out)
{
    T a[COUNT];
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        a[i] = (T)in[i];
    out[threadIdx.x] = (int)a[(threadIdx.x * STRIDE + in[0]) % COUNT];
}

// The same with 16 bytes per element, which one instruction accesses.
template <int STRIDE> __global__ void vectors(const int4 *in, int4 *out)
{
    int4 a[COUNT];
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        a[i] = in[i];
    out[threadIdx.x] = a[(threadIdx.x * STRIDE + in[0].x) % COUNT];
}

// Stores with an index of each lane's own.
__global__ void scattered_stores(const int *in, int *out)
{
    int a[COUNT], sum = 0;
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        a[(i + threadIdx.x) % COUNT] = in[i];
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        sum += i * a[i];
    out[threadIdx.x] = sum;
}

// All lanes store; those of every second group of four load.
__global__ void some_lanes(const int *in, int *out)
{
    int a[COUNT];
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        a[i] = in[i];
    if (threadIdx.x / 4 % 2)
        out[threadIdx.x] = a[in[threadIdx.x]];
}

// An array that a called function fills: it must have an address.
__device__ __noinline__ void fill(int *a, const int *in)
{
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        a[i] = in[i];
}

__global__ void called(const int *in, int *out)
{
    int a[COUNT];
    fill(a, in);
    out[threadIdx.x] = a[in[threadIdx.x]];
}

// More values than 64 registers hold: ptxas spills, which PTX does not show.
__global__ void __launch_bounds__(1024) spilled(const float *in, float *out)
{
    float v[96];
#pragma unroll
    for (int i = 0; i < 96; i++)
        v[i] = in[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 96; i++)
        v[i] = v[i] * v[95 - i] + v[(i * 7 + 3) % 96];
#pragma unroll
    for (int i = 0; i < 96; i++)
        out[i * 1024 + threadIdx.x] = v[i];
}

int main()
{
    int *in, *out;
    cudaMalloc(&in, 1 << 20);
    cudaMalloc(&out, 1 << 20);
    cudaMemset(in, 0, 1 << 20);
    scalar<int, 0><<<1, 32>>>(in, out);
    scalar<int, 1><<<1, 32>>>(in, out);
    scalar<int, 2><<<1, 32>>>(in, out);
    scalar<int, 1><<<1, 20>>>(in, out);
    scalar<int, 0><<<2, 256>>>(in, out);
    scalar<char, 0><<<1, 32>>>(in, out);
    scalar<char, 1><<<1, 32>>>(in, out);
    scalar<short, 1><<<1, 32>>>(in, out);
    scalar<double, 0><<<1, 32>>>(in, out);
    scalar<double, 1><<<1, 32>>>(in, out);
    vectors<0><<<1, 32>>>((int4 *)in, (int4 *)out);
    vectors<1><<<1, 32>>>((int4 *)in, (int4 *)out);
    scattered_stores<<<1, 32>>>(in, out);
    some_lanes<<<1, 32>>>(in, out);
    called<<<1, 32>>>(in, out);
    spilled<<<1, 1024>>>((float *)in, (float *)out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
