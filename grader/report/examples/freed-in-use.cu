// Frees memory in the order of a stream. wrong() names the wrong stream.
__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

static void right(cudaStream_t stream)
{
    int *data;
    cudaMallocAsync(&data, 256 * sizeof(int), stream);
    fill<<<1, 256, 0, stream>>>(data);
    cudaFreeAsync(data, stream);
}

static void wrong(cudaStream_t stream, cudaStream_t other)
{
    int *data;
    cudaMallocAsync(&data, 256 * sizeof(int), stream);
    fill<<<1, 256, 0, stream>>>(data);
    cudaFreeAsync(data, other);
}

int main()
{
    cudaStream_t stream, other;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    right(stream);
    wrong(stream, other);
    return cudaDeviceSynchronize();
}
