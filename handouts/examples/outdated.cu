// What programs of 2007 use and the compiler no longer knows. It does not compile.
#include <cuda_runtime.h>

texture<float, 2> picture;

int main()
{
    cudaThreadSynchronize();
    return 0;
}
