// Counts devices from 1.
int main()
{
    int *a;
    if (cudaSetDevice(1))
        return 1;
    return cudaMalloc(&a, 4);
}
