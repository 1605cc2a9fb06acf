// Allocates memory in the order of one stream. wrong() fills the memory in another stream.
static void right(cudaStream_t stream)
{
    int *data;
    cudaMallocAsync(&data, 256 * sizeof(int), stream);
    cudaMemsetAsync(data, 0, 256 * sizeof(int), stream);
    cudaFreeAsync(data, stream);
}

static void wrong(cudaStream_t stream, cudaStream_t other)
{
    int *data;
    cudaMallocAsync(&data, 256 * sizeof(int), stream);
    cudaMemsetAsync(data, 0, 256 * sizeof(int), other);
    cudaStreamSynchronize(other);
    cudaFreeAsync(data, stream);
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
