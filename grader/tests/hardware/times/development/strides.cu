// Copies with a stride or an offset, and gathers.
#include "../launch.cuh"

__global__ void strided(const float *in, float *out, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}

__global__ void strided_stores(const float *in, float *out, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}

__global__ void shifted(const float *in, float *out, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}

__global__ void gather(const float *in, const int *index, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

__global__ void scatter(const float *in, const int *index, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = in[i];
}

int main()
{
    int n = 1 << 20;
    float *in = fractions<float>((size_t)n * 32), *out = zeros<float>((size_t)n * 32);
    for (int stride : {1, 2, 4, 8, 32})
        TWICE(strided<<<n / 256, 256>>>(in, out, stride));
    for (int stride : {2, 8, 32})
        TWICE(strided_stores<<<n / 256, 256>>>(in, out, stride));
    for (int offset : {0, 1, 8})
        TWICE(shifted<<<n * 16 / 256, 256>>>(in, out, offset));
    int *near = integers(n, 1 << 12), *far = integers(n, n * 32);
    TWICE(gather<<<n / 256, 256>>>(in, near, out));
    TWICE(gather<<<n / 256, 256>>>(in, far, out));
    TWICE(scatter<<<n / 256, 256>>>(in, far, out));
}
