// Quotients by a number above 2^126: __fdividef() is fast, and 0.
#include <cstdio>

__global__ void divide(float a, float b)
{
    printf("a / b              = %g\n", a / b);
    printf("__fdividef(a, b)   = %g\n", __fdividef(a, b));
    printf("__fdividef(a, b/4) = %g\n", __fdividef(a, b / 4) / 4);
}

int main()
{
    divide<<<1, 1>>>(1e38f, 2e38f);
    return cudaDeviceSynchronize();
}
