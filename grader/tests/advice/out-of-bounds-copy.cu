// Copies into a pointer that nobody has set.
int main()
{
    int numbers[256] = {3}, first = 0, *a = NULL;
    cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemcpy(&first, a, sizeof first, cudaMemcpyDeviceToHost);
    return first != 3;
}
