// The host frees page-locked memory with free().
#include <stdlib.h>

int main()
{
    int *numbers, last;
    cudaMallocHost(&numbers, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    last = numbers[255];
    free(numbers);
    return last != 255;
}
