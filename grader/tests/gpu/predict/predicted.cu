// Kernels with one limit each, whose predicted times test_predicted.c compares with its golden file.
#include <cstdio>

__global__ void copy(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void copy_columns(const float *in, float *out, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[x * n + y];
}

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void count(const float *in, int *result)
{
    if (in[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        atomicAdd(&result[threadIdx.x % 2], 1);
}

int main()
{
    int n = 512;
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    cudaMemset(in, 0, n * n * sizeof(float));
    cudaMemset(out, 0, n * n * sizeof(float));
    copy<<<n * n / 256, 256>>>(in, out);
    copy_columns<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
    count<<<n * n / 256, 256>>>(in, (int *)out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
