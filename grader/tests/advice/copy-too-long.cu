// Allocates 256 bytes for 256 ints.
int main()
{
    int numbers[256] = {3}, back[256] = {0}, *a;
    cudaMalloc(&a, 256);
    cudaMemcpy(a, numbers, 256 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(back, a, 256 * sizeof(int), cudaMemcpyDeviceToHost);
    return back[0] != 3;
}
