// Waits for a stream while it is captured.
int main()
{
    int *a;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaMalloc(&a, 4);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, 4, stream);
    cudaStreamSynchronize(stream);
    return cudaStreamEndCapture(stream, &graph);
}
