// Copies rows of 16 ints into an array, with a pitch in elements.
int main()
{
    int numbers[4][16] = {{0}, {7}}, second = 0;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 16, 4);
    cudaMemcpy2DToArray(array, 0, 0, numbers, 16, 16 * sizeof(int), 4, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(&second, sizeof(int), array, 0, 1, sizeof(int), 1,
                          cudaMemcpyDeviceToHost);
    return second != 7;
}
