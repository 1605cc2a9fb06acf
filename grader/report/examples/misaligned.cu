// Loads four floats at once. wrong() starts one float after a multiple of 16 bytes.
__global__ void right(const float *a, float4 *out)
{
    out[threadIdx.x] = ((const float4 *)a)[threadIdx.x];
}

__global__ void wrong(const float *a, float4 *out)
{
    out[threadIdx.x] = ((const float4 *)(a + 1))[threadIdx.x];
}

int main()
{
    float *a;
    float4 *one, *other;
    cudaMallocManaged(&a, 129 * sizeof(float));
    cudaMallocManaged(&one, 32 * sizeof(float4));
    cudaMallocManaged(&other, 32 * sizeof(float4));
    for (int i = 0; i < 129; i++)
        a[i] = i;
    right<<<1, 32>>>(a, one);
    wrong<<<1, 32>>>(a, other);
    if (cudaDeviceSynchronize())
        return 1;
    return one[31].w != 127 || (other[31].w != 127 && other[31].w != 128);
}
