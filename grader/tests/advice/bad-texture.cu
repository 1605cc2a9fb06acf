// Destroys a texture before the kernel that reads through it is launched.
__global__ void copy(cudaTextureObject_t texture, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}

int main()
{
    int *a, *out;
    cudaTextureObject_t texture;
    cudaResourceDesc memory = {};
    cudaTextureDesc how = {};
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&out, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = a;
    memory.res.linear.desc = cudaCreateChannelDesc<int>();
    memory.res.linear.sizeInBytes = 256 * sizeof(int);
    cudaCreateTextureObject(&texture, &memory, &how, NULL);
    cudaDestroyTextureObject(texture);
    copy<<<1, 256>>>(texture, out);
    if (cudaDeviceSynchronize())
        return 1;
    return out[255] != 255;
}
