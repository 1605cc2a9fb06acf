// Stores one double in memory for a float.
__global__ void store(double *result)
{
    *result = 2;
}

int main()
{
    double *result, back = 0;
    cudaMalloc(&result, sizeof(float));
    store<<<1, 1>>>(result);
    if (cudaDeviceSynchronize())
        return 1;
    cudaMemcpy(&back, result, sizeof back, cudaMemcpyDeviceToHost);
    return back != 2;
}
