// Gives the GPU access to itself.
int main()
{
    int *a;
    if (cudaDeviceEnablePeerAccess(0, 0))
        return 1;
    return cudaMalloc(&a, 4);
}
