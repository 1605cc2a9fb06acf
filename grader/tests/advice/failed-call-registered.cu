// Registers the same memory for each copy.
int main()
{
    static int numbers[1024];
    int *a;
    cudaMalloc(&a, sizeof numbers);
    for (int round = 0; round < 2; round++) {
        if (cudaHostRegister(numbers, sizeof numbers, cudaHostRegisterDefault))
            return 1;
        cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    }
    return 0;
}
