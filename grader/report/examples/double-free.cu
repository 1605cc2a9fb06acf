// right() sets the pointer to NULL after it has freed the memory. wrong() frees the memory twice.
static void right(float *a)
{
    cudaFree(a);
    a = NULL;
    cudaFree(a); // does nothing, because a is NULL
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
    return cudaGetLastError();
}
