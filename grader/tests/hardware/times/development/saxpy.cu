// y = a x + y: with one or many numbers per thread, vectors, doubles, small and large arrays.
#include "../launch.cuh"

template <typename T> __global__ void one_each(int n, T a, const T *x, T *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

template <int EACH> __global__ void some_each(float a, const float *x, float *y)
{
    int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int i = first + k * blockDim.x;
        y[i] = a * x[i] + y[i];
    }
}

__global__ void grid_stride(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

__global__ void vectors(float a, const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 u = x[i], v = y[i];
    y[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}

int main()
{
    for (int n : {1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 24}) { // the last: 64 MiB each
        float *x = fractions<float>(n), *y = fractions<float>(n);
        TWICE(one_each<float><<<n / 256, 256>>>(n, 2, x, y));
        if (n >= 1 << 20) {
            TWICE(some_each<4><<<n / 1024, 256>>>(2, x, y));
            TWICE(vectors<<<n / 1024, 256>>>(2, (float4 *)x, (float4 *)y));
            TWICE(grid_stride<<<264, 1024>>>(n, 2, x, y));
        }
        if (n == 1 << 20) {
            TWICE(some_each<16><<<n / 4096, 256>>>(2, x, y));
            TWICE(one_each<float><<<n / 32, 32>>>(n, 2, x, y));
            TWICE(one_each<float><<<n / 1024, 1024>>>(n, 2, x, y));
            TWICE(one_each<double><<<n / 512, 256>>>(n / 2, 2, (double *)x, (double *)y));
        }
        CHECK(cudaFree(x));
        CHECK(cudaFree(y));
    }
}
