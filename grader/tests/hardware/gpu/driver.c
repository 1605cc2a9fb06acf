#include "tests/hardware/gpu/driver.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The driver's library is opened at run time, so that this program builds on machines without it. */

static struct {
    CUresult (*init)(unsigned);
    CUresult (*device)(CUdevice *, int);
    CUresult (*name)(char *, int, CUdevice);
    CUresult (*context)(CUcontext *, CUdevice);
    CUresult (*set_context)(CUcontext);
    CUresult (*load)(CUmodule *, const void *);
    CUresult (*unload)(CUmodule);
    CUresult (*function)(CUfunction *, CUmodule, const char *);
    CUresult (*alloc)(CUdeviceptr *, size_t);
    CUresult (*free)(CUdeviceptr);
    CUresult (*write)(CUdeviceptr, const void *, size_t);
    CUresult (*read)(void *, CUdeviceptr, size_t);
    CUresult (*set)(CUdeviceptr, unsigned char, size_t);
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, CUstream, void **, void **);
} cuda;

static char gpu_name[100];

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "answers: %s: CUDA error %d\n", what, (int)result);
    exit(2);
}

static void open_library(void)
{
    static const struct {
        void *place;
        const char *name;
    } symbols[] = {
        {&cuda.init, "cuInit"},
        {&cuda.device, "cuDeviceGet"},
        {&cuda.name, "cuDeviceGetName"},
        {&cuda.context, "cuDevicePrimaryCtxRetain"},
        {&cuda.set_context, "cuCtxSetCurrent"},
        {&cuda.load, "cuModuleLoadData"},
        {&cuda.unload, "cuModuleUnload"},
        {&cuda.function, "cuModuleGetFunction"},
        {&cuda.alloc, "cuMemAlloc_v2"},
        {&cuda.free, "cuMemFree_v2"},
        {&cuda.write, "cuMemcpyHtoD_v2"},
        {&cuda.read, "cuMemcpyDtoH_v2"},
        {&cuda.set, "cuMemsetD8_v2"},
        {&cuda.launch, "cuLaunchKernel"},
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = library ? dlsym(library, symbols[i].name) : NULL;
        if (!symbol) {
            fprintf(stderr, "answers: this machine has no NVIDIA driver (libcuda.so.1, %s)\n",
                    symbols[i].name);
            exit(2);
        }
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
}

void gpu_open(void)
{
    CUdevice device;
    CUcontext context;
    open_library();
    must(cuda.init(0), "cuInit");
    must(cuda.device(&device, 0), "no GPU");
    must(cuda.name(gpu_name, sizeof gpu_name, device), "no GPU");
    must(cuda.context(&context, device), "no context");
    must(cuda.set_context(context), "no context");
}

void gpu_print_head(const char *target)
{
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    printf("# %s, %s, by `make %s`\n", gpu_name, date, target);
}

static void launch_plain(const struct gpu_launch *launch, CUmodule module)
{
    CUfunction function;
    CUdeviceptr in, out;
    void *params[] = {&in, &out};
    must(cuda.function(&function, module, "plain"), launch->name);
    must(cuda.alloc(&in, launch->in_bytes), "no memory");
    must(cuda.alloc(&out, launch->out_bytes), "no memory");
    must(cuda.write(in, launch->in, launch->in_bytes), launch->name);
    must(cuda.set(out, 0, launch->out_bytes), launch->name);
    must(cuda.launch(function, launch->blocks, 1, 1, launch->threads, 1, 1, 0, NULL, params, NULL),
         launch->name);
    must(cuda.read(launch->out, out, launch->out_bytes), launch->name);
    must(cuda.free(in), launch->name);
    must(cuda.free(out), launch->name);
}

bool gpu_run(const struct gpu_launch *launch)
{
    CUmodule module;
    CUresult loaded = cuda.load(&module, launch->ptx);
    if (loaded != CUDA_SUCCESS) {
        fprintf(stderr, "answers: %s: the driver refuses its PTX (%d)\n", launch->name,
                (int)loaded);
        return false;
    }
    launch_plain(launch, module);
    must(cuda.unload(module), launch->name);
    return true;
}
