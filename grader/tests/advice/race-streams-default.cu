// Fills an array in a stream that does not wait for the default stream, then doubles it there.
__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

int main()
{
    int *data, last;
    cudaStream_t stream;
    cudaMalloc(&data, 256 * sizeof(int));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    fill<<<1, 256, 0, stream>>>(data);
    twice<<<1, 256>>>(data);
    cudaDeviceSynchronize();
    cudaMemcpy(&last, data + 255, sizeof last, cudaMemcpyDeviceToHost);
    return last != 2 * 255;
}
