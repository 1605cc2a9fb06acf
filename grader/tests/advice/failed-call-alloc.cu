// Passes cudaMalloc() the pointer itself, which is NULL.
int main()
{
    int *a = NULL, first = 7;
    if (cudaMalloc((void **)a, 32 * sizeof(int)))
        return 1;
    cudaMemset(a, 0, 32 * sizeof(int));
    cudaMemcpy(&first, a, sizeof first, cudaMemcpyDeviceToHost);
    return first != 0;
}
