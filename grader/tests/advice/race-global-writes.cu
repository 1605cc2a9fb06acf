// Each block writes its number to the same word.
__global__ void number(int *last)
{
    if (threadIdx.x == 0)
        *last = blockIdx.x;
}

int main()
{
    int *last;
    cudaMallocManaged(&last, sizeof(int));
    number<<<8, 32>>>(last);
    cudaDeviceSynchronize();
    return *last != 7;
}
