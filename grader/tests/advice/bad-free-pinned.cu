// Frees page-locked memory with cudaFree().
int main()
{
    int *numbers;
    cudaMallocHost(&numbers, 256 * sizeof(int));
    cudaFree(numbers);
    return cudaGetLastError();
}
