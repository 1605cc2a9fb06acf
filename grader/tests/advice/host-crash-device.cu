// The host clears an array of the GPU.
int main()
{
    int *a, last;
    cudaMalloc(&a, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    cudaMemcpy(&last, a + 255, sizeof last, cudaMemcpyDeviceToHost);
    return last != 255;
}
