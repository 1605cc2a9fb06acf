// Sends two messages through one buffer. wrong() refills the buffer before it has been copied.
static void right(int *device, int *buffer, cudaStream_t stream)
{
    cudaMemcpyAsync(device, buffer, 256 * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    buffer[0] = 2;
    cudaMemcpyAsync(device + 256, buffer, 256 * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
}

static void wrong(int *device, int *buffer, cudaStream_t stream)
{
    cudaMemcpyAsync(device, buffer, 256 * sizeof(int), cudaMemcpyHostToDevice, stream);
    buffer[0] = 2;
    cudaMemcpyAsync(device + 256, buffer, 256 * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
}

int main()
{
    int *device, *buffer, first;
    cudaStream_t stream;
    cudaMalloc(&device, 512 * sizeof(int));
    cudaMallocHost(&buffer, 256 * sizeof(int));
    cudaStreamCreate(&stream);
    for (int i = 0; i < 256; i++)
        buffer[i] = 1;
    right(device, buffer, stream);
    buffer[0] = 1;
    wrong(device, buffer, stream);
    cudaMemcpy(&first, device, sizeof first, cudaMemcpyDeviceToHost);
    cudaStreamDestroy(stream);
    cudaFreeHost(buffer);
    cudaFree(device);
    return first != 1;
}
