// Copies 8,192 numbers to an array on the host that has room for 1,024.
int main()
{
    int *a, *back = (int *)malloc(1024 * sizeof(int));
    cudaMalloc(&a, 8192 * sizeof(int));
    cudaMemset(a, 0, 8192 * sizeof(int));
    if (cudaMemcpy(back, a, 8192 * sizeof(int), cudaMemcpyDeviceToHost))
        return 1;
    return back[8191] != 0;
}
