// Copies more than fits into a __constant__ variable.
__constant__ int table[32];

int main()
{
    int numbers[32] = {7}, first = 0;
    cudaMemcpyToSymbol(table, numbers, 32 * sizeof numbers);
    cudaMemcpyFromSymbol(&first, table, sizeof first);
    return first != 7;
}
