// Begins a capture of a stream that is captured already.
int main()
{
    int *a;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaMalloc(&a, 4);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, 4, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 1, 4, stream);
    return cudaStreamEndCapture(stream, &graph) || cudaGetLastError();
}
