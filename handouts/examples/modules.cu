// Loads a kernel from PTX while the program runs, and launches it by its name: the runtime's calls for what a program
// does with the driver's cuModuleLoadData(), cuModuleGetFunction() and cuLaunchKernel().
#include "lab.h"

// Fills COUNT numbers of the GPU's memory with 0, 1, 2 and so on, by the kernel "number" in the text PTX.
static void number(const char *ptx, int *numbers, int count)
{
    cudaLibrary_t library; // cuModuleLoadData(&module, ptx)
    CHECK_CUDA(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    cudaKernel_t kernel; // cuModuleGetFunction(&function, module, "number")
    CHECK_CUDA(cudaLibraryGetKernel(&kernel, library, "number"));
    void *arguments[] = {&numbers}; // cuLaunchKernel(function, 1, 1, 1, count, 1, 1, 0, NULL, ...)
    CHECK_CUDA(cudaLaunchKernel(kernel, 1, count, arguments, 0, NULL));
    CHECK_CUDA(cudaDeviceSynchronize());    // cuCtxSynchronize()
    CHECK_CUDA(cudaLibraryUnload(library)); // cuModuleUnload(module)
}

int main()
{
    // p[t] = t for each thread t. nvcc -ptx writes such text.
    static const char ptx[] = ".version 7.5\n"
                              ".target sm_75\n"
                              ".address_size 64\n"
                              ".visible .entry number(.param .u64 p)\n"
                              "{\n"
                              "    .reg .b64 %address, %offset;\n"
                              "    .reg .b32 %t;\n"
                              "    ld.param.u64 %address, [p];\n"
                              "    mov.u32 %t, %tid.x;\n"
                              "    mul.wide.u32 %offset, %t, 4;\n"
                              "    add.u64 %address, %address, %offset;\n"
                              "    st.global.u32 [%address], %t;\n"
                              "    ret;\n"
                              "}\n";
    int *numbers, last;
    CHECK_CUDA(cudaMalloc(&numbers, 100 * sizeof *numbers));
    number(ptx, numbers, 100);
    CHECK_CUDA(cudaMemcpy(&last, numbers + 99, sizeof last, cudaMemcpyDeviceToHost));
    printf("the last of 100 numbers is %d\n", last);
    CHECK_CUDA(cudaFree(numbers));
    return 0;
}
