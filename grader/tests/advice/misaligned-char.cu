// Goes to row 1 of 33 ints, but a char pointer counts bytes.
__global__ void fill(int *rows, int width)
{
    int *row = (int *)((char *)rows + blockIdx.x * width);
    row[threadIdx.x] = blockIdx.x;
}

int main()
{
    int *rows, last;
    cudaMalloc(&rows, 2 * 33 * sizeof(int));
    fill<<<2, 33>>>(rows, 33);
    if (cudaDeviceSynchronize())
        return 1;
    cudaMemcpy(&last, rows + 65, sizeof last, cudaMemcpyDeviceToHost);
    return last != 1;
}
