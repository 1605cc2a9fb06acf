// Reads its only argument, which it does not get.
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), *a;
    cudaMalloc(&a, (n + 1) * sizeof(int));
    cudaFree(a);
    return cudaGetLastError();
}
