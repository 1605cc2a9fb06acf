// Copies a row of 32 ints into an array of 16 columns.
int main()
{
    int numbers[32] = {7}, first = 0;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 16, 4);
    cudaMemcpy2DToArray(array, 0, 0, numbers, sizeof numbers, sizeof numbers, 1,
                        cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(&first, sizeof(int), array, 0, 0, sizeof(int), 1, cudaMemcpyDeviceToHost);
    return first != 7;
}
