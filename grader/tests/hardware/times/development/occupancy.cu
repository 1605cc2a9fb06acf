// The same work at different occupancies: block sizes, limits by shared memory, few blocks, more loads in flight.
#include "../launch.cuh"

__global__ void chase(const int *next, int *out, int steps)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < steps; i++)
        at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void add_up(const float *in, float *out, int n)
{
    extern __shared__ float unused[];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    if (n < 0)
        unused[0] = sum;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int CHAINS> __global__ void multiply_add(float *out, float b, float c, int steps)
{
    float a[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        a[k] = threadIdx.x + k;
    for (int i = 0; i < steps; i++)
        for (int k = 0; k < CHAINS; k++)
            a[k] = a[k] * b + c;
    float sum = 0;
    for (int k = 0; k < CHAINS; k++)
        sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    int n = 1 << 22;
    int *next = integers(n, n), *found = zeros<int>(n);
    float *in = fractions<float>(n), *out = zeros<float>(n);
    TWICE(chase<<<1, 32>>>(next, found, 256));
    TWICE(chase<<<132, 32>>>(next, found, 64));
    TWICE(chase<<<132, 256>>>(next, found, 64));
    TWICE(chase<<<132, 1024>>>(next, found, 64));
    TWICE(add_up<<<132, 64>>>(in, out, n));
    TWICE(add_up<<<132, 256>>>(in, out, n));
    TWICE(add_up<<<132, 1024>>>(in, out, n));
    CHECK(cudaFuncSetAttribute(add_up, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    TWICE(add_up<<<1056, 128, 100 * 1024>>>(in, out, n));
    TWICE(add_up<<<1056, 128, 25 * 1024>>>(in, out, n));
    TWICE(add_up<<<1056, 128>>>(in, out, n));
    TWICE(multiply_add<1><<<1, 32>>>(out, 0.5f, 1, 4096));
    TWICE(multiply_add<1><<<132, 128>>>(out, 0.5f, 1, 1024));
    TWICE(multiply_add<4><<<132, 128>>>(out, 0.5f, 1, 1024));
    TWICE(multiply_add<1><<<132, 1024>>>(out, 0.5f, 1, 1024));
    TWICE(multiply_add<1><<<133, 1024>>>(out, 0.5f, 1, 1024));
    TWICE(multiply_add<1><<<400, 1024>>>(out, 0.5f, 1, 512));
}
