// One stream fills an array, and another one doubles it. In wrong(), the second does not wait.
__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

__global__ void twice(int *data)
{
    data[threadIdx.x] *= 2;
}

static void right(int *data, cudaStream_t first, cudaStream_t second, cudaEvent_t filled)
{
    fill<<<1, 256, 0, first>>>(data);
    cudaEventRecord(filled, first);
    cudaStreamWaitEvent(second, filled);
    twice<<<1, 256, 0, second>>>(data);
    cudaDeviceSynchronize();
}

static void wrong(int *data, cudaStream_t first, cudaStream_t second)
{
    fill<<<1, 256, 0, first>>>(data);
    twice<<<1, 256, 0, second>>>(data);
    cudaDeviceSynchronize();
}

int main()
{
    int *data, last;
    cudaStream_t first, second;
    cudaEvent_t filled;
    cudaMalloc(&data, 256 * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&filled);
    right(data, first, second, filled);
    wrong(data, first, second);
    cudaMemcpy(&last, data + 255, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(data);
    return last != 2 * 255;
}
