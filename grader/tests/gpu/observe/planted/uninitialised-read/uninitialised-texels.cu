// Uninitialised reads through textures: rows of three numbers were copied into texels of four, so
// that the last channel of each texel has no value.
#include <cuda_runtime.h>

#define THREADS 64

// fine
__global__ void without_the_padding(cudaTextureObject_t texels, float *to)
{
    float4 v = tex1Dfetch<float4>(texels, threadIdx.x);
    to[threadIdx.x] = v.x + v.y + v.z;
}

// uninitialised-read
__global__ void with_the_padding(cudaTextureObject_t texels, float *to)
{
    float4 v = tex1Dfetch<float4>(texels, threadIdx.x); // B
    to[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main()
{
    static float rows[3 * THREADS];
    float4 *on_gpu;
    float *to;
    cudaTextureObject_t texels;
    cudaResourceDesc memory = {};
    cudaTextureDesc how = {};
    cudaMalloc(&on_gpu, THREADS * sizeof *on_gpu); // A
    cudaMalloc(&to, THREADS * sizeof *to);
    cudaMemcpy2D(on_gpu, sizeof *on_gpu, rows, 12, 12, THREADS, cudaMemcpyHostToDevice);
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = on_gpu;
    memory.res.linear.desc = cudaCreateChannelDesc<float4>();
    memory.res.linear.sizeInBytes = THREADS * sizeof *on_gpu;
    cudaCreateTextureObject(&texels, &memory, &how, NULL);
    without_the_padding<<<1, THREADS>>>(texels, to);
    with_the_padding<<<1, THREADS>>>(texels, to);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texels);
    cudaFree(to);
    cudaFree(on_gpu);
    return 0;
}
