// Gives a number as the direction of a copy.
int main()
{
    int numbers[4] = {7}, first = 0, *a;
    cudaMalloc(&a, sizeof numbers);
    cudaMemcpy(a, numbers, sizeof numbers, (cudaMemcpyKind)16);
    cudaMemcpy(&first, a, sizeof first, cudaMemcpyDeviceToHost);
    return first != 7;
}
