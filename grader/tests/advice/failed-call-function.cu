// Asks for the attributes of a function that is no kernel.
__global__ void nothing()
{
}

static void launch()
{
    nothing<<<1, 32>>>();
}

int main()
{
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)launch))
        return 1;
    launch();
    return attributes.maxThreadsPerBlock < 32;
}
