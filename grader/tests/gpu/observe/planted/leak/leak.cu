/* Memory that is never freed: the end of the process shows it. */

// leak
static void allocates_in_a_loop()
{
    for (int i = 0; i < 3; i++) {
        float *kept, *freed;
        cudaMalloc(&kept, 1000); // B
        cudaMalloc(&freed, 10);
        cudaFree(freed);
    }
}

// leak
static void forgets_an_array()
{
    cudaArray_t image;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&image, &format, 10, 5); // B
}

// fine
static void frees_all()
{
    cudaArray_t image;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float *memory;
    cudaMallocArray(&image, &format, 10, 5);
    cudaMalloc(&memory, 1000);
    cudaFreeArray(image);
    cudaFree(memory);
}

int main()
{
    allocates_in_a_loop();
    forgets_an_array();
    frees_all();
}
