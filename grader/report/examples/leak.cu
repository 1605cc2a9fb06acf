// Allocates memory in each step. wrong() never frees it.
static void right()
{
    float *a;
    cudaMalloc(&a, 256 * sizeof(float));
    cudaFree(a);
}

static void wrong()
{
    float *a;
    cudaMalloc(&a, 256 * sizeof(float));
}

int main()
{
    for (int step = 0; step < 3; step++) {
        right();
        wrong();
    }
    return 0;
}
