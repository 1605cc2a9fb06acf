// Loads PTX with an instruction that Lanewise does not support.
static const char ptx[] = ".version 8.0\n"
                          ".target sm_90a\n"
                          ".address_size 64\n"
                          ".visible .entry fill()\n"
                          "{\n"
                          "    wgmma.fence.sync.aligned;\n"
                          "    ret;\n"
                          "}\n";

int main()
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    if (cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) ||
        cudaLibraryGetKernel(&kernel, library, "fill"))
        return 1;
    return cudaLaunchKernel((const void *)kernel, 1, 32, NULL, 0, 0) || cudaDeviceSynchronize();
}
