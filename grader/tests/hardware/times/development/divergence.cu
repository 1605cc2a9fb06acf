// Branches: by lane, by warp, loops of different lengths, Mandelbrot and Collatz.
#include "../launch.cuh"

__device__ float work(float a, float b)
{
    for (int i = 0; i < 64; i++)
        a = a * b + 0.5f;
    return a;
}

__global__ void by_lane(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2)
        data[i] = work(data[i], 0.25f);
    else
        data[i] = work(data[i], 0.75f) + 1;
}

__global__ void by_warp(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / 32 % 2)
        data[i] = work(data[i], 0.25f);
    else
        data[i] = work(data[i], 0.75f) + 1;
}

__global__ void eight_ways(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = data[i];
    switch (i % 8) {
    case 0:
        a = sinf(a);
        break;
    case 1:
        a = expf(a);
        break;
    case 2:
        a = sqrtf(a);
        break;
    case 3:
        a = 1 / (1 + a);
        break;
    case 4:
        a = logf(1 + a);
        break;
    case 5:
        a = a * a;
        break;
    case 6:
        a = tanhf(a);
        break;
    default:
        a = cosf(a);
    }
    data[i] = a;
}

__global__ void mandelbrot(int *out, int n, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
    float cr = 3.0f * x / n - 2, ci = 2.0f * y / n - 1, r = 0, im = 0;
    while (i < most && r * r + im * im < 4) {
        float next = r * r - im * im + cr;
        im = 2 * r * im + ci;
        r = next;
        i++;
    }
    out[y * n + x] = i;
}

__global__ void collatz(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    for (unsigned n = i + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2)
        steps++;
    out[i] = steps;
}

int main()
{
    int n = 1 << 20;
    float *data = fractions<float>(n);
    TWICE(by_lane<<<n / 256, 256>>>(data));
    TWICE(by_warp<<<n / 256, 256>>>(data));
    TWICE(eight_ways<<<n / 256, 256>>>(data));
    TWICE(mandelbrot<<<dim3(32, 64), dim3(16, 8)>>>((int *)data, 512, 200));
    TWICE(mandelbrot<<<dim3(2, 512), dim3(256, 1)>>>((int *)data, 512, 200));
    TWICE(collatz<<<512, 256>>>((int *)data));
}
