// Reads words of a table in an order that looks random; all of them are in one bank.
__device__ int place_of(int i)
{
    return i;
}

__global__ void look_up(const int *index, int *out)
{
    __shared__ int table[1024 + 31];
    for (int i = threadIdx.x; i < 1024; i += 32)
        table[place_of(i)] = i;
    __syncthreads();
    out[threadIdx.x] = table[place_of(index[threadIdx.x])];
}

int main()
{
    int *index, *out, wrong = 0;
    cudaMallocManaged(&index, 32 * sizeof(int));
    cudaMallocManaged(&out, 32 * sizeof(int));
    for (int i = 0; i < 32; i++)
        index[i] = i * (i + 1) / 2 % 32 * 32;
    look_up<<<1, 32>>>(index, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        wrong += out[i] != index[i];
    return wrong != 0;
}
