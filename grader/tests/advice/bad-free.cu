// Moves the pointer through its array and frees the address where it ends.
int main()
{
    int *a, *begin;
    cudaMalloc(&a, 256 * sizeof(int));
    begin = a;
    for (int i = 0; i < 4; i++, a += 64)
        cudaMemset(a, i, 64 * sizeof(int));
    cudaFree(begin + 128);
    return cudaGetLastError();
}
