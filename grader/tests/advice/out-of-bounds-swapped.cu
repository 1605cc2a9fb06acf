// Fills 8 rows of 96 numbers: blockIdx.y is the row. The launch swaps x and y of the grid.
__global__ void fill(int *rows)
{
    rows[blockIdx.y * 96 + blockIdx.x * 4 + threadIdx.x] = blockIdx.y;
}

int main()
{
    int *rows, last;
    cudaMalloc(&rows, 8 * 96 * sizeof(int));
    fill<<<dim3(8, 24), 4>>>(rows);
    if (cudaDeviceSynchronize())
        return 1;
    cudaMemcpy(&last, rows + 8 * 96 - 1, sizeof last, cudaMemcpyDeviceToHost);
    return last != 7;
}
