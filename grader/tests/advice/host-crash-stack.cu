// Keeps 40 MB of numbers on the stack.
#include <stdlib.h>
#include <string.h>

static int first_of(const int *device, size_t count)
{
    int numbers[10000000];
    memset(numbers, 0, sizeof numbers);
    cudaMemcpy(numbers, device, count * sizeof(int), cudaMemcpyDeviceToHost);
    return numbers[0] + numbers[count - 1];
}

int main()
{
    int *a, five = 5;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaMemset(a, 0, 256 * sizeof(int));
    cudaMemcpy(a, &five, sizeof five, cudaMemcpyHostToDevice);
    return first_of(a, 256) != 5;
}
