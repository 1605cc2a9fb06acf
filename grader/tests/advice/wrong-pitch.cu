// Copies a matrix of 10 rows of 100 ints to rows with a pitch, but swaps the pitches.
int main()
{
    int numbers[10][100] = {{0}, {7}}, second = 0, *a;
    size_t width = 100 * sizeof(int), pitch;
    cudaMallocPitch(&a, &pitch, width, 10);
    cudaMemcpy2D(a, width, numbers, pitch, width, 7, cudaMemcpyHostToDevice);
    cudaMemcpy(&second, (char *)a + pitch, sizeof second, cudaMemcpyDeviceToHost);
    return second != 7;
}
