// Copies the results to the host. wrong() names the opposite direction.
static void right(float *host, float *device)
{
    cudaMemcpy(host, device, 256 * sizeof(float), cudaMemcpyDeviceToHost);
}

static void wrong(float *host, float *device)
{
    cudaMemcpy(host, device, 256 * sizeof(float), cudaMemcpyHostToDevice);
}

int main()
{
    float host[256], *device;
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    right(host, device);
    wrong(host, device);
    cudaFree(device);
}
