__global__ void decide(cudaGraphConditionalHandle handle, int *number)
{
    cudaGraphSetConditional(handle, *number < 10);
}

int main()
{
    int *number;
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle = 0;
    cudaMalloc(&number, sizeof *number);
    cudaMemset(number, 0, sizeof *number);
    cudaGraphCreate(&graph, 0);
    decide<<<1, 1>>>(handle, number);
    if (cudaDeviceSynchronize())
        return 1;
    cudaGraphDestroy(graph);
    cudaFree(number);
    return 0;
}
