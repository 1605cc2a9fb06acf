// Allocates a negative number of bytes.
int main()
{
    int *a = NULL, n = 1 << 29, count = 4;
    cudaMalloc(&a, (size_t)(n * count));
    return a == NULL;
}
