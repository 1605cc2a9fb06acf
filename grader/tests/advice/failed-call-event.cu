// Measures the time between events of which one was never recorded.
int main()
{
    float time;
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    cudaDeviceSynchronize();
    return cudaEventElapsedTime(&time, start, stop);
}
