/* The runtime's answers about libraries: code that the program loads while it runs. Like in
 * api_answers.cu, each scenario runs in its own process.
 *
 * api_libraries.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To
 * record it again: nvcc -o a api_libraries.cu && ./a >api_libraries.expected The emulator must
 * answer the same. */
#include <cstdio>
#include <cstring>

#include "tests/support/scenarios.cuh"

#define TRY(call) show(#call, call)

/* The kernel count(p) stores p[thread] = start + thread; start is a variable. There is a second
 * kernel. */
static const char ptx[] = ".version 7.5\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .u32 start = 40;\n"
                          ".visible .const .align 4 .b8 table[24];\n"
                          ".visible .entry count(.param .u64 p)\n"
                          "{\n"
                          "    .reg .b64 %rd<4>;\n"
                          "    .reg .b32 %r<4>;\n"
                          "    ld.param.u64 %rd1, [p];\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    ld.global.u32 %r2, [start];\n"
                          "    add.u32 %r3, %r1, %r2;\n"
                          "    mul.wide.u32 %rd2, %r1, 4;\n"
                          "    add.u64 %rd3, %rd1, %rd2;\n"
                          "    st.global.u32 [%rd3], %r3;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry idle()\n"
                          "{\n"
                          "    ret;\n"
                          "}\n";

__global__ void own(int *p)
{
    p[threadIdx.x] = 1;
}

static void show(const char *call, cudaError_t error)
{
    printf("  %s -> %d %s\n", call, error, cudaGetErrorName(error));
    cudaGetLastError();
}

static cudaError_t load(cudaLibrary_t *library, const void *code)
{
    return cudaLibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

static cudaError_t load_file(cudaLibrary_t *library, const char *path)
{
    return cudaLibraryLoadFromFile(library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

static void use(cudaLibrary_t library)
{
    cudaKernel_t kernel;
    int *p, got[8] = {};
    cudaMalloc(&p, sizeof got);
    void *args[] = {&p};
    TRY(cudaLibraryGetKernel(&kernel, library, "count"));
    TRY(cudaLaunchKernel((void *)kernel, dim3(1), dim3(8), args, 0, 0));
    TRY(cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost));
    printf("  %d %d\n", got[0], got[7]);
}

/* Prints the answers of queries about a library that contains no code. */
static void ask(cudaLibrary_t library)
{
    cudaKernel_t kernel;
    void *ptr;
    unsigned count = 77;
    TRY(cudaLibraryGetKernelCount(&count, library));
    printf("  %u\n", count);
    TRY(cudaLibraryGetKernel(&kernel, library, "count"));
    TRY(cudaLibraryGetGlobal(&ptr, nullptr, library, "start"));
}

static void loading()
{
    cudaLibrary_t library = nullptr;
    cudaLibraryOption preserved[] = {cudaLibraryBinaryIsPreserved};
    cudaJitOption level[] = {cudaJitOptimizationLevel};
    void *yes[] = {(void *)1};
    TRY(load(nullptr, ptx));
    TRY(load(&library, nullptr));
    TRY(load(&library, "this is no code"));
    ask(library);
    TRY(cudaLibraryUnload(library));
    TRY(load(&library, ".version 7.5\n.target sm_75\n.address_size 64\nnonsense\n"));
    ask(library);
    TRY(cudaLibraryUnload(library));
    TRY(load(&library, ptx));
    use(library);
    TRY(cudaLibraryUnload(library));
    TRY(cudaLibraryLoadData(&library, ptx, level, yes, 1, preserved, yes, 1));
    use(library);
    TRY(cudaLibraryUnload(library));
    TRY(cudaLibraryUnload(nullptr));
    TRY(load_file(&library, nullptr));
    TRY(load_file(nullptr, "library.ptx"));
    TRY(load_file(&library, "no/such/file"));
    FILE *file = fopen("library.ptx", "w");
    fputs(ptx, file);
    fclose(file);
    TRY(load_file(&library, "library.ptx"));
    use(library);
    TRY(cudaLibraryUnload(library));
    TRY(cudaLibraryLoadFromFile(&library, "library.ptx", nullptr, nullptr, 0, preserved, yes, 1));
    remove("library.ptx");
}

static void asking()
{
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel, kernels[3] = {};
    cudaFuncAttributes attributes;
    const char *name = "";
    void *ptr;
    size_t size = 0;
    unsigned count = 0;
    int value = 60;
    load(&library, ptx);
    TRY(cudaLibraryGetKernel(&kernel, library, "idle"));
    TRY(cudaLibraryGetKernel(&kernel, library, "none"));
    TRY(cudaLibraryGetKernel(&kernel, library, "start"));
    TRY(cudaLibraryGetKernel(nullptr, library, "idle"));
    TRY(cudaLibraryGetKernel(&kernel, library, nullptr));
    TRY(cudaLibraryGetKernel(&kernel, nullptr, "idle"));
    TRY(cudaLibraryGetKernel(&kernel, library, "count"));
    TRY(cudaFuncGetAttributes(&attributes, (void *)kernel));
    printf("  threads %d\n", attributes.maxThreadsPerBlock);
    TRY(cudaFuncGetName(&name, (void *)kernel));
    printf("  %s\n", name);
    TRY(cudaFuncSetAttribute((void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    TRY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 999,
                                        0));
    TRY(cudaLibraryGetGlobal(&ptr, &size, library, "start"));
    printf("  %zu\n", size);
    TRY(cudaMemcpy(ptr, &value, sizeof value, cudaMemcpyHostToDevice));
    use(library);
    TRY(cudaLibraryGetGlobal(&ptr, &size, library, "table"));
    printf("  %zu\n", size);
    TRY(cudaLibraryGetGlobal(&ptr, nullptr, library, "start"));
    TRY(cudaLibraryGetGlobal(nullptr, &size, library, "start"));
    TRY(cudaLibraryGetGlobal(nullptr, nullptr, library, "start"));
    TRY(cudaLibraryGetGlobal(&ptr, &size, library, "none"));
    TRY(cudaLibraryGetGlobal(&ptr, &size, library, "count"));
    TRY(cudaLibraryGetGlobal(&ptr, &size, library, nullptr));
    TRY(cudaLibraryGetGlobal(&ptr, &size, nullptr, "start"));
    TRY(cudaLibraryGetManaged(&ptr, &size, library, "start"));
    TRY(cudaLibraryGetManaged(&ptr, &size, library, "none"));
    TRY(cudaLibraryGetManaged(nullptr, nullptr, library, "start"));
    TRY(cudaLibraryGetUnifiedFunction(&ptr, library, "none"));
    TRY(cudaLibraryGetUnifiedFunction(nullptr, library, "none"));
    TRY(cudaLibraryGetKernelCount(&count, library));
    printf("  %u\n", count);
    TRY(cudaLibraryGetKernelCount(nullptr, library));
    TRY(cudaLibraryGetKernelCount(&count, nullptr));
    TRY(cudaLibraryEnumerateKernels(kernels, 1, library));
    printf("  %d %d\n", kernels[0] != nullptr, kernels[1] != nullptr);
    TRY(cudaLibraryEnumerateKernels(kernels, 3, library));
    printf("  %d %d\n", kernels[1] != nullptr, kernels[2] != nullptr);
    TRY(cudaLibraryEnumerateKernels(kernels, 0, library));
    TRY(cudaLibraryEnumerateKernels(nullptr, 1, library));
    TRY(cudaLibraryUnload(library));
}

static void handles()
{
    cudaFunction_t handle;
    int *p;
    cudaMalloc(&p, 64);
    TRY(cudaGetFuncBySymbol(&handle, (void *)own));
    void *args[] = {&p};
    TRY(cudaLaunchKernel((void *)handle, dim3(1), dim3(8), args, 0, 0));
    TRY(cudaDeviceSynchronize());
}

/* Prints the answers of an invalid launch and of the calls after it. */
static void bad_launches()
{
    int *p;
    cudaMalloc(&p, 64);
    own<<<1, 2048>>>(p);
    TRY(cudaPeekAtLastError());
    own<<<dim3(1, 65536), 1>>>(p);
    TRY(cudaPeekAtLastError());
    own<<<0, 1>>>(p);
    TRY(cudaPeekAtLastError());
    own<<<1, 1, 200000>>>(p);
    TRY(cudaPeekAtLastError());
}

int main()
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    play("loading", loading);
    play("asking", asking);
    play("handles", handles);
    play("bad launches", bad_launches);
    return 0;
}
