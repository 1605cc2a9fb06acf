// Lets another stream join a capture, but not end before it.
int main()
{
    int *a;
    cudaStream_t stream, other;
    cudaEvent_t begun, ended;
    cudaGraph_t graph;
    cudaMalloc(&a, 4);
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&begun);
    cudaEventCreate(&ended);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, 4, stream);
    cudaEventRecord(begun, stream);
    cudaStreamWaitEvent(other, begun);
    cudaMemsetAsync(a, 0, 4, other);
    cudaEventRecord(ended, other);
    return cudaStreamEndCapture(stream, &graph);
}
