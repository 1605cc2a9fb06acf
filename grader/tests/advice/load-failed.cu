// Loads PTX with tables of 4 GB each.
#include <stdio.h>
#include <string.h>

int main()
{
    static char ptx[4096] = ".version 8.0\n.target sm_80\n.address_size 64\n";
    cudaLibrary_t library;
    cudaKernel_t kernel;
    for (int i = 0; i < 40; i++)
        sprintf(ptx + strlen(ptx), ".global .align 4 .b8 table%d[4000000000];\n", i);
    strcat(ptx, ".visible .entry nothing()\n{\n    ret;\n}\n");
    if (cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) ||
        cudaLibraryGetKernel(&kernel, library, "nothing"))
        return 1;
    return cudaLaunchKernel((const void *)kernel, 1, 32, NULL, 0, 0) || cudaDeviceSynchronize();
}
