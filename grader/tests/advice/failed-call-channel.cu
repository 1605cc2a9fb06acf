// Makes an array of elements with three members.
int main()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    return cudaMallocArray(&array, &format, 64, 4);
}
