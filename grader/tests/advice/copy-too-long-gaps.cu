// Copies 100 vectors of 12 bytes to places 16 bytes apart, but allocates 12 bytes for each.
int main()
{
    float vectors[300] = {0}, last = 0;
    char *places;
    size_t size = 3 * sizeof(float), pitch = 4 * sizeof(float);
    vectors[297] = 5;
    cudaMalloc(&places, 100 * size);
    cudaMemcpy2D(places, pitch, vectors, size, size, 100, cudaMemcpyHostToDevice);
    cudaMemcpy(&last, places + 99 * pitch, sizeof last, cudaMemcpyDeviceToHost);
    return last != 5;
}
