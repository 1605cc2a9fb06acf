// Waits for a stream that is already destroyed.
int main()
{
    int *a;
    cudaStream_t stream;
    cudaMalloc(&a, 4);
    cudaStreamCreate(&stream);
    cudaMemsetAsync(a, 0, 4, stream);
    cudaStreamDestroy(stream);
    return cudaStreamSynchronize(stream);
}
