// Frees memory that cudaDeviceReset() has freed.
int main()
{
    int *a;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaDeviceReset();
    cudaFree(a);
    return cudaGetLastError();
}
