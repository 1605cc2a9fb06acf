/* Textures that do not exist. */
#include "tests/gpu/observe/planted/memory.cuh"

// bad-texture
__global__ void texture_that_was_destroyed(int *a, cudaTextureObject_t texture)
{
    a[threadIdx.x + 100] = tex1Dfetch<int>(texture, threadIdx.x); // B
}

// fine
__global__ void texture_that_exists(int *a, cudaTextureObject_t texture)
{
    a[threadIdx.x + 100] = tex1Dfetch<int>(texture, threadIdx.x);
}

static cudaTextureObject_t make_texture()
{
    cudaTextureObject_t texture;
    cudaResourceDesc memory = {};
    cudaTextureDesc how = {};
    allocate();
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = g;
    memory.res.linear.desc = cudaCreateChannelDesc<int>();
    memory.res.linear.sizeInBytes = 100 * sizeof *g;
    cudaCreateTextureObject(&texture, &memory, &how, NULL);
    return texture;
}

int main()
{
    apart([] {
        cudaTextureObject_t texture = make_texture();
        cudaDestroyTextureObject(texture);
        texture_that_was_destroyed<<<1, 32>>>(g, texture);
    });
    apart([] {
        cudaTextureObject_t texture = make_texture();
        texture_that_exists<<<1, 32>>>(g, texture);
        cudaDestroyTextureObject(texture);
    });
}
