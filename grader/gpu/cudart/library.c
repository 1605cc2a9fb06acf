/* Implements libraries: code that the program loads at run time, such as PTX from a file or from a
 * compiler inside the program. A library is a module (module.c) that is not part of the executable.
 * The program's cudaLibrary_t is the address of the module. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cudart/work.h"
#include "gpu/fatbin/fatbin.h"

/* --- loading ---------------------------------------------------------------------------------- */

static cudaError_t no_ptx(const struct fatbin_summary *summary)
{
    char message[FATBIN_MESSAGE];
    fatbin_explain(summary, EMU_CAPABILITY, message);
    rt_finding("no-ptx", NULL, "this library cannot be loaded: %s", message);
    return cudaErrorNoKernelImageForDevice;
}

/* Gets the PTX of a fat binary in the program's memory. Its length is in its header. */
static cudaError_t unpack(const void *code, char **text, size_t *size)
{
    struct fatbin_summary summary = {0};
    char message[FATBIN_MESSAGE];
    uint64_t length;
    memcpy(&length, (const char *)code + FATBIN_HEADER_SIZE - sizeof length, sizeof length);
    if (!rt_is_mapped(code, FATBIN_HEADER_SIZE + length) ||
        !fatbin_summarise(&summary, code, FATBIN_HEADER_SIZE + length, EMU_CAPABILITY, message))
        return cudaErrorInvalidKernelImage;
    if (!summary.has_ptx)
        return no_ptx(&summary);
    *text = fatbin_text(&summary.ptx, size, message);
    return *text ? cudaSuccess : cudaErrorInvalidKernelImage;
}

/* Gets the PTX of CODE. CODE is a fat binary, or PTX that ends with a NUL. Fails for machine
 * code. */
static cudaError_t text_of(const void *code, char **text, size_t *size)
{
    uint32_t magic = 0;
    *text = NULL;
    if (!code)
        return cudaErrorInvalidValue;
    memcpy(&magic, code, strnlen(code, sizeof magic));
    if (magic == FATBIN_MAGIC)
        return unpack(code, text, size);
    if (memcmp(&magic, "\177ELF", sizeof magic) == 0)
        return no_ptx(&(struct fatbin_summary){.elf_count = 1});
    *text = strdup(code);
    *size = *text ? strlen(*text) : 0;
    return *text ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t load(cudaLibrary_t *library, const void *code)
{
    struct emu_device *device;
    struct rt_module *module;
    char *text;
    size_t size = 0;
    cudaError_t error = rt_device(&device);
    if (error == cudaSuccess)
        error = library ? text_of(code, &text, &size) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = rt_module_add(text, size, &module);
    if (error == cudaSuccess)
        *library = (cudaLibrary_t)module;
    return error;
}

/* Ignores all options. They are hints or compiler options, but nothing is compiled here. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned jit_count, enum cudaLibraryOption *options, void **values,
                                unsigned count)
{
    return rt_return(load(library, code));
}

/* Returns the contents of the file PATH, followed by a NUL. The caller frees them. On failure
 * returns NULL and sets errno. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb"), *memory;
    char *bytes = NULL, part[4096];
    size_t size, got;
    if (!file)
        return NULL;
    if ((memory = open_memstream(&bytes, &size))) {
        while ((got = fread(part, 1, sizeof part, file)) > 0)
            fwrite(part, 1, got, memory);
        fclose(memory);
    }
    fclose(file);
    return bytes;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    enum cudaJitOption *jit_options, void **jit_values,
                                    unsigned jit_count, enum cudaLibraryOption *options,
                                    void **values, unsigned count)
{
    bool legal = library && path;
    for (unsigned i = 0; i < count && legal; i++)
        /* this option is only allowed for code in memory */
        legal = options && options[i] != cudaLibraryBinaryIsPreserved;
    if (!legal)
        return rt_return(cudaErrorInvalidValue);
    char *code = read_file(path);
    cudaError_t error = code              ? load(library, code)
                        : errno == ENOENT ? cudaErrorFileNotFound
                                          : cudaErrorInvalidValue;
    free(code);
    return rt_return(error);
}

static cudaError_t unload(cudaLibrary_t library)
{
    struct emu_device *device;
    rt_finish_all(); /* a kernel of the library may be parked (work.h) */
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    return rt_module_remove(device, (struct rt_module *)library) ? cudaSuccess
                                                                 : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return rt_return(unload(library));
}

/* --- the contents of a library ---------------------------------------------------------------- */

/* Gets the device and the module of LIBRARY. Fails if LEGAL, which says whether the API call's
 * other arguments are legal, is false. */
static cudaError_t find(cudaLibrary_t library, bool legal, struct emu_device **device,
                        struct rt_module **module)
{
    cudaError_t error = rt_device(device);
    *module = (struct rt_module *)library;
    if (error != cudaSuccess)
        return error;
    if (!rt_module_text(*module))
        return cudaErrorInvalidResourceHandle;
    return legal ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    struct emu_device *device;
    struct rt_module *module;
    struct rt_function *function;
    cudaError_t error = find(library, kernel && name, &device, &module);
    if (error == cudaSuccess)
        error = rt_module_kernel(device, module, name, &function);
    if (error == cudaSuccess)
        *kernel = (cudaKernel_t)function;
    return rt_return(error);
}

cudaError_t cudaLibraryGetGlobal(void **ptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    struct emu_device *device;
    struct rt_module *module;
    struct rt_function *function;
    emu_addr addr;
    size_t size;
    cudaError_t error = find(library, (ptr || bytes) && name, &device, &module);
    if (error == cudaSuccess)
        error = rt_module_variable(device, module, name, &addr, &size);
    if (error == cudaErrorSymbolNotFound &&
        rt_module_kernel(device, module, name, &function) == cudaSuccess)
        error = cudaErrorInvalidValue; /* NAME is a kernel, not a variable */
    if (error == cudaSuccess && ptr)
        *ptr = (void *)addr;
    if (error == cudaSuccess && bytes)
        *bytes = size;
    return rt_return(error);
}

/* Always fails, because PTX does not show which variables are managed. */
cudaError_t cudaLibraryGetManaged(void **ptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name)
{
    struct emu_device *device;
    struct rt_module *module;
    cudaError_t error = find(library, (ptr || bytes) && name, &device, &module);
    return rt_return(error == cudaSuccess ? cudaErrorSymbolNotFound : error);
}

/* Always fails, because no function can run on both the host and the device. */
cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library,
                                          const char *symbol)
{
    struct emu_device *device;
    struct rt_module *module;
    cudaError_t error = find(library, function && symbol, &device, &module);
    return rt_return(error == cudaSuccess ? cudaErrorInvalidValue : error);
}

/* --- all kernels ------------------------------------------------------------------------------ */

/* Searches *TEXT for the next ".entry". Returns the name of the kernel after it, and moves *TEXT to
 * the end of this name. The caller frees the name. Returns NULL if there are no more kernels. */
static char *next_kernel(const char **text)
{
    static const char word[] = ".entry";
    const char *found = strstr(*text, word);
    if (!found)
        return NULL;
    found += strlen(word);
    found += strspn(found, " \t\r\n");
    size_t length = strcspn(found, " \t\r\n(");
    *text = found + length;
    return strndup(found, length);
}

/* Stores at most ROOM kernels in KERNELS. If COUNT is not NULL, sets *COUNT to the number of all
 * kernels. */
static cudaError_t list_kernels(cudaLibrary_t library, cudaKernel_t *kernels, size_t room,
                                unsigned *count)
{
    struct emu_device *device;
    struct rt_module *module;
    struct rt_function *function;
    char *name;
    cudaError_t error = find(library, kernels || count, &device, &module);
    const char *text = error == cudaSuccess ? rt_module_text(module) : "";
    unsigned found = 0;
    while (error == cudaSuccess && (count || found < room) && (name = next_kernel(&text))) {
        if (kernels)
            error = rt_module_kernel(device, module, name, &function);
        if (kernels && error == cudaSuccess)
            kernels[found] = (cudaKernel_t)function;
        free(name);
        found++;
    }
    if (count)
        *count = found;
    return error;
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    return rt_return(list_kernels(library, NULL, 0, count));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned room, cudaLibrary_t library)
{
    return rt_return(list_kernels(library, kernels, room, NULL));
}
