// Clears memory of the host with cudaMemset().
int main()
{
    int numbers[32] = {7}, first = 7, *a;
    cudaMalloc(&a, sizeof numbers);
    cudaMemset(numbers, 0, sizeof numbers);
    cudaMemcpy(&first, a, sizeof first, cudaMemcpyDeviceToHost);
    return first != 0;
}
