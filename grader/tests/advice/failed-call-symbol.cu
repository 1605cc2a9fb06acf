// Gives the name of a variable in quotes.
__constant__ int table[32];

int main()
{
    int numbers[32] = {7}, first = 0;
    cudaMemcpyToSymbol("table", numbers, sizeof numbers);
    cudaMemcpyFromSymbol(&first, table, sizeof first);
    return first != 7;
}
