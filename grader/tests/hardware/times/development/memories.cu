// Other memories: local arrays, constants, textures, words of bytes; votes that compact.
#include "../launch.cuh"

__constant__ float coefficients[1024];

// Its index is not known when the code is compiled, so the array lies in local memory.
__global__ void local_array(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, counts[32] = {}, best = 0;
    for (int k = 0; k < 32; k++)
        counts[in[(i + k * 32) & 0xfffff] & 31]++;
    for (int k = 0; k < 32; k++)
        best = max(best, counts[k]);
    out[i] = best;
}

// More numbers than 32 registers can hold.
__global__ void __launch_bounds__(1024, 2) spills(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[48];
#pragma unroll
    for (int k = 0; k < 48; k++)
        v[k] = in[(i + k * 1024) & 0xfffff];
    for (int step = 0; step < 4; step++)
#pragma unroll
        for (int k = 0; k < 48; k++)
            v[k] = v[k] * v[(k + 7) % 48] + v[(k + 13) % 48];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 48; k++)
        sum += v[k];
    out[i] = sum;
}

__global__ void constants_uniform(const float *in, float *out, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = 0;
    for (int k = 0; k < terms; k++)
        y = y * x + coefficients[k];
    out[i] = y;
}

__global__ void constants_scattered(const int *in, float *out, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = 0;
    for (int k = 0; k < terms; k++)
        y += coefficients[(in[i] + k) & 1023];
    out[i] = y;
}

__global__ void table_in_global(const int *in, const float *table, float *out, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y = 0;
    for (int k = 0; k < terms; k++)
        y += table[(in[i] + k) & 1023];
    out[i] = y;
}

__global__ void blur_texture(cudaTextureObject_t image, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += tex2D<float>(image, x + i + 0.5f, y + j + 0.5f);
    out[y * n + x] = sum / 9;
}

__global__ void blur_global(const float *image, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += image[min(max(y + j, 0), n - 1) * n + min(max(x + i, 0), n - 1)];
    out[y * n + x] = sum / 9;
}

__global__ void grey(const unsigned char *rgb, unsigned char *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (rgb[3 * i] * 77 + rgb[3 * i + 1] * 151 + rgb[3 * i + 2] * 28) >> 8;
}

__global__ void grey4(const uchar4 *rgba, unsigned char *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 p = rgba[i];
    out[i] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;
}

__global__ void compact(const int *in, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, first = 0;
    bool take = in[i] % 3 == 0;
    unsigned votes = __ballot_sync(~0u, take);
    if (lane == 0)
        first = atomicAdd(count, __popc(votes));
    first = __shfl_sync(~0u, first, 0);
    if (take)
        out[(first + __popc(votes & ((1u << lane) - 1))) & 0xfffff] = in[i];
}

static cudaTextureObject_t texture_of(int n)
{
    float *host = (float *)malloc(n * n * sizeof *host);
    for (int i = 0; i < n * n; i++)
        host[i] = (scrambled(i) & 255) / 255.0f;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, n, n));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, n * sizeof *host, n * sizeof *host, n,
                              cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    free(host);
    return texture;
}

int main()
{
    int n = 1 << 20;
    float *in = fractions<float>(n), *out = zeros<float>(n);
    int *numbers = integers(n, 1 << 20), *count = zeros<int>(1);
    TWICE(local_array<<<n / 4 / 256, 256>>>(numbers, (int *)out));
    TWICE(spills<<<n / 4 / 1024, 1024>>>(in, out));
    TWICE(constants_uniform<<<n / 256, 256>>>(in, out, 32));
    TWICE(constants_scattered<<<n / 8 / 256, 256>>>(numbers, out, 32));
    TWICE(table_in_global<<<n / 8 / 256, 256>>>(numbers, in, out, 32));
    cudaTextureObject_t image = texture_of(1024);
    TWICE(blur_texture<<<dim3(32, 128), dim3(32, 8)>>>(image, out, 1024));
    TWICE(blur_global<<<dim3(32, 128), dim3(32, 8)>>>(in, out, 1024));
    TWICE(grey<<<n / 256, 256>>>((unsigned char *)in, (unsigned char *)out));
    TWICE(grey4<<<n / 256, 256>>>((uchar4 *)in, (unsigned char *)out));
    TWICE(compact<<<n / 256, 256>>>(numbers, (int *)out, count));
}
