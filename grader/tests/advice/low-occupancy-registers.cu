// Each thread keeps 96 numbers in registers at the same time.
__global__ void mix(const float *a, float *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float own[96], sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++)
        own[i] = a[i * 256 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 96; i++)
        sum = sum * 0.5f + own[95 - i] * own[(i * 7) % 96];
    out[t] = sum;
}

int main()
{
    float *a, *out;
    cudaMallocManaged(&a, 96 * 256 * sizeof(float));
    cudaMallocManaged(&out, 264 * 256 * sizeof(float));
    for (int i = 0; i < 96 * 256; i++)
        a[i] = 1;
    mix<<<264, 256>>>(a, out);
    cudaDeviceSynchronize();
    return out[0] < 1.999f || out[0] > 2.001f || out[0] != out[264 * 256 - 1];
}
