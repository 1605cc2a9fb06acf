// Copies from a __device__ variable with an offset in elements, past its end.
__device__ int table[32];

int main()
{
    int numbers[32] = {0, 7}, second = 0;
    cudaMemcpyToSymbol(table, numbers, sizeof numbers);
    cudaMemcpyFromSymbol(&second, table, sizeof second, 126);
    return second != 7;
}
