// Clears a matrix of 10 rows of 100 ints, but swaps width and height.
int main()
{
    int last = 1, *a;
    size_t pitch;
    cudaMallocPitch(&a, &pitch, 100 * sizeof(int), 10);
    cudaMemset2D(a, pitch, 0, 10 * sizeof(int), 100);
    cudaMemcpy(&last, (char *)a + 9 * pitch, sizeof last, cudaMemcpyDeviceToHost);
    return last != 0;
}
