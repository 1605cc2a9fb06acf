// Ends a capture twice.
int main()
{
    int *a;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaMalloc(&a, 4);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, 4, stream);
    cudaStreamEndCapture(stream, &graph);
    return cudaStreamEndCapture(stream, &graph);
}
