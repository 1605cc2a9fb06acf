#include <string.h>

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
    float a[256] = {0}, b[256] = {0}, *device;
    cudaMalloc(&device, sizeof a);
    cudaMemset(device, 1, sizeof a);
    right(a, device);
    wrong(b, device);
    cudaFree(device);
    return memcmp(a, b, sizeof a) != 0;
}
