// Makes a matrix whose rows begin with a line, fills it, and copies it back.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// Numbers the words of each row, beginning with `from`. One block for each row; the pitch is in bytes.
__global__ void number_rows(int *first, size_t pitch, int width, int from)
{
    int *row = (int *)((char *)first + blockIdx.x * pitch);
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        row[x] = from + x;
}

int main()
{
    const int width = 1001, height = 20;
    int *matrix, *numbers = (int *)malloc(width * height * sizeof(int));
    size_t pitch, bytes = width * sizeof(int); // bytes of a row

    cudaMallocPitch(&matrix, &pitch, bytes, height);
    number_rows<<<height, 256>>>(matrix, pitch, width, 100);
    cudaMemcpy2D(numbers, bytes, matrix, pitch, bytes, height, cudaMemcpyDeviceToHost);

    printf("a row has %zu bytes, the next one begins %zu bytes further\n", bytes, pitch);
    printf("the last number is %d\n", numbers[width * height - 1]);
    cudaFree(matrix);
    free(numbers);
    return cudaGetLastError();
}
