// The host writes past the end of page-locked memory.
int main()
{
    int *numbers, last;
    cudaMallocHost(&numbers, 1024 * sizeof(int));
    for (int i = 0; i <= 1024; i++)
        numbers[i] = i;
    last = numbers[1023];
    cudaFreeHost(numbers);
    return last != 1023;
}
