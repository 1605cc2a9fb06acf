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
    float4 *out;
    cudaMalloc(&a, 129 * sizeof(float));
    cudaMalloc(&out, 32 * sizeof(float4));
    cudaMemset(a, 0, 129 * sizeof(float));
    right<<<1, 32>>>(a, out);
    wrong<<<1, 32>>>(a, out);
    return cudaDeviceSynchronize();
}
