/* Manages modules. A module holds kernels and variables that an executable registers before main().
 * The PTX of a module is loaded when the module is first used.
 *
 *   __cudaRegisterFatBinary   makes a struct rt_module for a translation unit or linked program
 *   __cudaRegisterFunction    adds a kernel to the module
 *   __cudaRegisterVar         adds a variable to the module
 *   rt_find_function(), rt_find_symbol()   load the module's PTX if necessary, and look up a name
 *
 * With -rdc=true, the registered fat binary contains only linked machine code. The field `extra` of
 * the wrapper lists a fat binary with PTX for each object file. All these PTX texts are loaded as
 * one module of the device, which links them. */
#include "gpu/cudart/order.h"
#include "gpu/fatbin/fatbin.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1

enum { WRAPPER_PLAIN = 1, WRAPPER_LINKED = 2 };

struct wrapper { /* The data in the executable's section .nvFatBinSegment. */
    int magic, version;
    const void *data;
    void *extra; /* for WRAPPER_LINKED: a list of fat binaries that ends with NULL */
};

struct variable {
    const void *host; /* the host variable that represents this variable in the program */
    void **managed;   /* for a __managed__ variable: the program's pointer to it; otherwise NULL */
    char *name;
    struct variable *next;
};

enum module_state { REGISTERED, LOADED, FAILED };

struct rt_module {
    const struct wrapper *wrapper;
    char *text; /* PTX of a library, which has no wrapper; NULL for other modules */
    size_t text_size;
    enum module_state state;
    cudaError_t error; /* if FAILED: the error of loading */
    uint32_t image;    /* if LOADED: handle of the module on the device */
    struct rt_function *functions;
    struct variable *variables;
    struct rt_module *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_module *modules; /* modules that are registered at present */
static struct rt_module *retired; /* modules that were unregistered; they are never freed */

/* --- loading ---------------------------------------------------------------------------------- */

struct segment {
    uintptr_t addr;
    size_t left; /* bytes from `addr` to the end of its segment */
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *wanted)
{
    struct segment *segment = wanted;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        size_t length = info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && segment->addr - start < length) {
            segment->left = length - (segment->addr - start);
            return 1;
        }
    }
    return 0;
}

/* Returns the number of bytes from DATA to the end of its segment in the executable. */
static size_t readable(const void *data)
{
    struct segment segment = {(uintptr_t)data, 0};
    return dl_iterate_phdr(find_segment, &segment) ? segment.left : SIZE_MAX - segment.addr;
}

/* Several PTX texts, concatenated. */
struct texts {
    char *bytes;
    size_t size;
};

static cudaError_t add_text(struct texts *texts, const struct fatbin_entry *ptx)
{
    char message[FATBIN_MESSAGE];
    size_t size;
    char *text = fatbin_text(ptx, &size, message);
    if (!text) {
        rt_finding("bad-fat-binary", NULL, "%s", message);
        return cudaErrorInvalidKernelImage;
    }
    size = strnlen(text, size); /* without the padding after the text */
    char *bytes = realloc(texts->bytes, texts->size + size + 1);
    if (bytes) {
        memcpy(bytes + texts->size, text, size);
        bytes[texts->size + size] = '\n';
        *texts = (struct texts){bytes, texts->size + size + 1};
    }
    free(text);
    return bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Appends the PTX of the fat binary DATA to TEXTS. Sets *SUMMARY to a summary of its contents. */
static cudaError_t add_data(struct texts *texts, const void *data, struct fatbin_summary *summary)
{
    char message[FATBIN_MESSAGE];
    summary->has_ptx = false;
    if (!fatbin_summarise(summary, data, readable(data), EMU_CAPABILITY, message)) {
        rt_finding("bad-fat-binary", NULL, "%s", message);
        return cudaErrorInvalidKernelImage;
    }
    return summary->has_ptx ? add_text(texts, &summary->ptx) : cudaSuccess;
}

static cudaError_t add_all(struct texts *texts, const struct wrapper *wrapper)
{
    struct fatbin_summary summary = {0};
    cudaError_t error = add_data(texts, wrapper->data, &summary);
    if (wrapper->version == WRAPPER_LINKED && !texts->size)
        for (void **data = wrapper->extra; data && *data && error == cudaSuccess; data++)
            error = add_data(texts, *data, &summary);
    if (error == cudaSuccess && !texts->size) {
        char message[FATBIN_MESSAGE];
        fatbin_explain(&summary, EMU_CAPABILITY, message);
        rt_finding("no-ptx", NULL, "this program cannot run: %s", message);
        error = cudaErrorNoKernelImageForDevice;
    }
    return error;
}

static cudaError_t load_text(struct emu_device *device, struct rt_module *module, const char *text,
                             size_t size)
{
    enum emu_status status = emu_load(device, text, size, &module->image);
    if (status != EMU_OK)
        rt_finding(status == EMU_INVALID_PTX ? "invalid-ptx" : "load-failed", NULL, "%s",
                   emu_message(device));
    return status == EMU_OK ? cudaSuccess : rt_error(status);
}

static cudaError_t load_image(struct emu_device *device, struct rt_module *module)
{
    struct texts texts = {0};
    if (module->text && !strstr(module->text, ".version")) {
        rt_finding("invalid-ptx", NULL, "the library is neither PTX nor a fat binary");
        return cudaErrorInvalidKernelImage;
    }
    if (module->text)
        return load_text(device, module, module->text, module->text_size);
    if (!module->wrapper)
        return cudaErrorInvalidKernelImage;
    cudaError_t error = add_all(&texts, module->wrapper);
    if (error == cudaSuccess)
        error = load_text(device, module, texts.bytes, texts.size);
    free(texts.bytes);
    return error;
}

/* Loads MODULE unless it is already loaded. The caller holds the lock. */
static cudaError_t load(struct emu_device *device, struct rt_module *module)
{
    if (module->state == REGISTERED) {
        module->error = load_image(device, module);
        module->state = module->error == cudaSuccess ? LOADED : FAILED;
    }
    return module->error;
}

/* Unmaps the host pages of a __managed__ variable, which the device has already unloaded. */
static void unmap_variable(const struct variable *v)
{
    struct rt_range range;
    if (!v->managed || !*v->managed)
        return;
    if (rt_range_take(*v->managed, RT_VARIABLE, &range))
        rt_managed_unmap(&range);
    *v->managed = NULL;
}

static void unload(struct emu_device *device, struct rt_module *module)
{
    if (module->state == LOADED)
        emu_unload(device, module->image);
    for (struct variable *v = module->variables; v; v = v->next)
        unmap_variable(v);
    module->state = REGISTERED;
    for (struct rt_function *f = module->functions; f; f = f->next)
        f->loaded = false;
}

void rt_modules_reset(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    for (struct rt_module *module = modules; module; module = module->next)
        unload(device, module);
    pthread_mutex_unlock(&lock);
}

/* --- lookups; callers of the static functions hold the lock ----------------------------------- */

static struct rt_function *find_function(const void *func)
{
    for (struct rt_module *module = modules; module; module = module->next)
        for (struct rt_function *f = module->functions; f; f = f->next)
            if (f->host == func || f == func)
                return f;
    return NULL;
}

/* Reports the device's message about invalid PTX. If the message begins with "FILE:LINE: ", the
 * finding is reported on that line. */
static void report_invalid_ptx(struct emu_device *device, const char *kernel)
{
    const char *message = emu_message(device);
    char file[256];
    unsigned line;
    int length = 0;
    if (emu_has_record(device) && sscanf(message, "%255[^:]:%u: %n", file, &line, &length) == 2)
        rt_finding_at("invalid-ptx", kernel, &(struct rt_places){.at = {file, line}}, 1, "%s",
                      message + length);
    else
        rt_finding("invalid-ptx", kernel, "%s", message);
}

static cudaError_t load_function(struct emu_device *device, struct rt_function *function)
{
    cudaError_t error = load(device, function->module);
    if (error != cudaSuccess || function->loaded)
        return error;
    enum emu_status status =
        emu_kernel(device, function->module->image, function->name, &function->kernel);
    if (status == EMU_OK)
        status = emu_kernel_info(device, function->kernel, &function->info);
    if (status == EMU_OK) {
        function->loaded = true;
        return cudaSuccess;
    }
    if (status == EMU_INVALID_PTX)
        report_invalid_ptx(device, function->name);
    else
        rt_finding("no-kernel", function->name, "%s", emu_message(device));
    return status == EMU_NOT_FOUND ? cudaErrorInvalidDeviceFunction : rt_error(status);
}

cudaError_t rt_find_function(struct emu_device *device, const void *func,
                             struct rt_function **function)
{
    if (!func)
        return cudaErrorInvalidDeviceFunction;
    pthread_mutex_lock(&lock);
    *function = find_function(func);
    cudaError_t error =
        *function ? load_function(device, *function) : cudaErrorInvalidResourceHandle;
    pthread_mutex_unlock(&lock);
    return error;
}

static cudaError_t variable_range(struct emu_device *device, struct rt_module *module,
                                  const struct variable *variable, emu_addr *addr, size_t *size)
{
    cudaError_t error = load(device, module);
    if (error != cudaSuccess)
        return error;
    uint64_t bytes = 0;
    enum emu_status status = emu_symbol(device, module->image, variable->name, addr, &bytes);
    *size = bytes;
    return status == EMU_OK ? cudaSuccess : cudaErrorInvalidSymbol;
}

/* Returns whether the program's argument SYMBOL refers to VARIABLE. For a __managed__ variable,
 * SYMBOL can be the address of the program's pointer to the variable, or the value of this
 * pointer. */
static bool is_meant(const struct variable *variable, const void *symbol)
{
    return variable->host == symbol ||
           (variable->managed && *variable->managed == symbol && symbol != NULL);
}

cudaError_t rt_find_symbol(struct emu_device *device, const void *symbol, emu_addr *addr,
                           size_t *size)
{
    cudaError_t error = cudaErrorInvalidSymbol;
    bool found = false;
    pthread_mutex_lock(&lock);
    for (struct rt_module *module = modules; module && !found; module = module->next)
        for (struct variable *v = module->variables; v && !found; v = v->next)
            if ((found = is_meant(v, symbol)))
                error = variable_range(device, module, v, addr, size);
    pthread_mutex_unlock(&lock);
    return error;
}

/* --- libraries: modules that the program loads at run time ------------------------------------ */

static void list_module(struct rt_module *module)
{
    pthread_mutex_lock(&lock);
    module->next = modules;
    modules = module;
    pthread_mutex_unlock(&lock);
}

/* Removes MODULE from the list. Does not free it, because another thread may still be running one
 * of its kernels when the process ends. */
static bool retire_module(struct rt_module *module)
{
    pthread_mutex_lock(&lock);
    struct rt_module **at = &modules;
    while (*at && *at != module)
        at = &(*at)->next;
    bool found = *at != NULL;
    if (found) {
        *at = module->next;
        module->next = retired;
        retired = module;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static struct rt_function *new_function(struct rt_module *module, const void *host,
                                        const char *device_name)
{
    struct rt_function *function = calloc(1, sizeof *function);
    char *name = function ? strdup(device_name) : NULL;
    if (!name) {
        free(function);
        return NULL;
    }
    *function = (struct rt_function){
        .host = host, .name = name, .module = module, .max_dynamic_shared = -1, .carveout = -1};
    return function;
}

cudaError_t rt_module_add(char *text, size_t size, struct rt_module **module)
{
    struct rt_module *made = calloc(1, sizeof *made);
    if (!made) {
        free(text);
        return cudaErrorMemoryAllocation;
    }
    made->text = text;
    made->text_size = size;
    list_module(made);
    *module = made;
    return cudaSuccess;
}

bool rt_module_remove(struct emu_device *device, struct rt_module *module)
{
    if (!rt_module_text(module) || !retire_module(module))
        return false;
    unload(device, module);
    free(module->text);
    module->text = NULL;
    return true;
}

const char *rt_module_text(const struct rt_module *module)
{
    pthread_mutex_lock(&lock);
    const struct rt_module *at = modules;
    while (at && at != module)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at ? at->text : NULL;
}

/* Returns the module's kernel NAME if find_kernel() has been called for it before, otherwise
 * NULL. */
static struct rt_function *find_by_name(const struct rt_module *module, const char *name)
{
    struct rt_function *at = module->functions;
    while (at && strcmp(at->name, name) != 0)
        at = at->next;
    return at;
}

/* Finds and loads the module's kernel NAME. The caller holds the lock. */
static cudaError_t find_kernel(struct emu_device *device, struct rt_module *module,
                               const char *name, struct rt_function **function)
{
    uint32_t kernel;
    cudaError_t error = load(device, module);
    if (error != cudaSuccess)
        return error;
    if (emu_kernel(device, module->image, name, &kernel) == EMU_NOT_FOUND)
        return cudaErrorSymbolNotFound;
    *function = find_by_name(module, name);
    if (!*function && (*function = new_function(module, NULL, name))) {
        (*function)->next = module->functions;
        module->functions = *function;
    }
    return *function ? load_function(device, *function) : cudaErrorMemoryAllocation;
}

cudaError_t rt_module_kernel(struct emu_device *device, struct rt_module *module, const char *name,
                             struct rt_function **function)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = find_kernel(device, module, name, function);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t rt_module_variable(struct emu_device *device, struct rt_module *module,
                               const char *name, emu_addr *addr, size_t *size)
{
    const struct variable wanted = {.name = (char *)name};
    pthread_mutex_lock(&lock);
    cudaError_t error = variable_range(device, module, &wanted, addr, size);
    pthread_mutex_unlock(&lock);
    return error == cudaErrorInvalidSymbol ? cudaErrorSymbolNotFound : error;
}

/* --- registration: functions that code from nvcc calls before and after main() ---------------- */

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct rt_module *module = calloc(1, sizeof *module);
    if (!module)
        return NULL;
    module->wrapper = wrapper;
    if (module->wrapper && module->wrapper->magic != WRAPPER_MAGIC)
        module->wrapper = NULL; /* loading this module will fail with InvalidKernelImage */
    list_module(module);
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
}

void __cudaUnregisterFatBinary(void **handle)
{
    retire_module((struct rt_module *)handle);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_function,
                            const char *device_name, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *warp_size)
{
    struct rt_module *module = (struct rt_module *)handle;
    struct rt_function *function = module ? new_function(module, host, device_name) : NULL;
    if (!function)
        return;
    pthread_mutex_lock(&lock);
    function->next = module->functions;
    module->functions = function;
    pthread_mutex_unlock(&lock);
}

static void add_variable(void **handle, const void *host, void **managed, const char *name)
{
    struct rt_module *module = (struct rt_module *)handle;
    struct variable *variable = module ? calloc(1, sizeof *variable) : NULL;
    char *copy = variable ? strdup(name) : NULL;
    if (!copy) {
        free(variable);
        return;
    }
    *variable = (struct variable){.host = host, .managed = managed, .name = copy};
    pthread_mutex_lock(&lock);
    variable->next = module->variables;
    module->variables = variable;
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device_address, const char *device_name,
                       int external, size_t size, int constant, int global)
{
    add_variable(handle, host, NULL, device_name);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device_address,
                              const char *device_name, int external, size_t size, int constant,
                              int global)
{
    rt_order_new_variable();
    add_variable(handle, host, host, device_name);
}

/* Maps the __managed__ variable V on the host, at its device address. */
static cudaError_t share(struct emu_device *device, struct rt_module *module, struct variable *v)
{
    emu_addr addr;
    size_t size;
    if (!v->managed || *v->managed)
        return cudaSuccess;
    cudaError_t error = variable_range(device, module, v, &addr, &size);
    if (error != cudaSuccess)
        return error;
    if (!rt_managed_add(device, addr, size, RT_VARIABLE, cudaMemAttachGlobal))
        return rt_unsupported("a __managed__ variable at an address that the host already uses");
    *v->managed = (void *)addr;
    return cudaSuccess;
}

/* Loads a module. Code from nvcc calls this function before the first use of a __managed__
 * variable. */
char __cudaInitModule(void **handle)
{
    struct rt_module *module = (struct rt_module *)handle;
    struct emu_device *device;
    cudaError_t error = module ? rt_device(&device) : cudaErrorInvalidKernelImage;
    pthread_mutex_lock(&lock);
    struct variable *v = error == cudaSuccess ? module->variables : NULL;
    for (; v && error == cudaSuccess; v = v->next)
        error = share(device, module, v);
    pthread_mutex_unlock(&lock);
    return rt_return(error) == cudaSuccess;
}

/* --- kernels by handle ------------------------------------------------------------------------ */

static cudaError_t get_kernel(cudaKernel_t *kernel, const void *func)
{
    if (!kernel)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    struct rt_function *function = func ? find_function(func) : NULL;
    pthread_mutex_unlock(&lock);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
    return rt_return(get_kernel(kernel, func));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *func)
{
    return rt_return(get_kernel(kernel, func));
}

static cudaError_t function_name(const char **name, const void *func)
{
    cudaKernel_t kernel;
    if (!name)
        return cudaErrorInvalidValue;
    cudaError_t error = get_kernel(&kernel, func);
    if (error == cudaSuccess)
        *name = ((struct rt_function *)kernel)->name;
    return error;
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    return rt_return(function_name(name, func));
}
