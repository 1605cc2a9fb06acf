// Frees the same memory twice.
static void right(float *a)
{
    cudaFree(a);
    a = NULL;
    cudaFree(a); // does nothing
}

static void wrong(float *a)
{
    cudaFree(a);
    cudaFree(a);
}

int main()
{
    float *a, *b;
    cudaMalloc(&a, 256 * sizeof(float));
    cudaMalloc(&b, 256 * sizeof(float));
    right(a);
    wrong(b);
}
