// Asks a library for a kernel whose name is spelled differently.
static const char ptx[] = ".version 8.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .entry nothing()\n"
                          "{\n"
                          "    ret;\n"
                          "}\n";

int main()
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    if (cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0))
        return 1;
    return cudaLibraryGetKernel(&kernel, library, "Nothing");
}
