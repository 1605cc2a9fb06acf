// Asks for the granularity of an array's memory before the array is filled.
int main()
{
    int numbers[16] = {5}, first = 0;
    cudaArray_t array;
    cudaArrayMemoryRequirements needs;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 4, 4);
    if (cudaArrayGetMemoryRequirements(&needs, array, 0))
        return 1;
    cudaMemcpy2DToArray(array, 0, 0, numbers, 16, 16, 4, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(&first, sizeof first, array, 0, 0, sizeof first, 1,
                          cudaMemcpyDeviceToHost);
    return first != 5;
}
