/* Loads modules and prepares their kernels: places variables in device memory, and decodes a kernel
 * when it is used first. */
#include "gpu/device/device_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/predict.h"
#include "gpu/ptx/arena.h"
#include "gpu/record/record.h"

/* --- modules ---------------------------------------------------------------------------------- */

/* Returns the address of a module's variable, or 0 if the variable is not in device memory. */
static uint64_t variable_address(void *context, const struct ptx_variable *variable)
{
    const struct module *module = context;
    return variable->number ? module->variables[ptx_definition(variable)->number - 1] : 0;
}

/* Copies the variable's name, for findings. The copy is freed with the module. When out of memory,
 * returns NULL; findings then do not name the variable. */
static const char *name_of(const struct module *module, const struct ptx_variable *variable)
{
    char *name = ptx_arena_take(module->ptx->arena, variable->name.length + 1u);
    if (name)
        memcpy(name, variable->name.text, variable->name.length);
    return name;
}

static bool place_variable(struct emu_device *device, const struct module *module,
                           const struct ptx_variable *variable, uint64_t *addr)
{
    if ((variable->space != PTX_GLOBAL && variable->space != PTX_CONST) || !variable->size)
        return true;
    struct mem_block *block = mem_alloc(&device->memory, variable->size);
    if (!block)
        return false;
    *addr = block->addr;
    mem_assume_written(block);
    block->is_constant = variable->space == PTX_CONST;
    block->name = name_of(module, variable);
    if (variable->initial)
        memcpy(block->host, variable->initial, variable->size);
    else
        mem_zero(&device->memory, block);
    return true;
}

/* Writes the addresses of other variables and functions into the initial value of V. */
static void place_pointers(struct emu_device *device, struct module *module,
                           const struct ptx_variable *v)
{
    for (const struct ptx_pointer *p = v->pointers; p; p = p->next) {
        const struct ptx_function *f = ptx_find_function(module->ptx, p->target, v->unit);
        const struct ptx_variable *target = ptx_find_variable(module->ptx, p->target, v->unit);
        if (!f && !target)
            continue;
        uint64_t value =
            f ? kernel_function_address(f) : variable_address(module, target) + (uint64_t)p->addend;
        uint8_t *word =
            mem_range(&device->memory, variable_address(module, v) + p->at, sizeof value);
        if (word)
            memcpy(word, &value, sizeof value);
    }
}

static bool place_variables(struct emu_device *device, struct module *module)
{
    const struct ptx_variable *all = module->ptx->variables;
    uint32_t count = all ? all->last->number : 0;
    module->variables = calloc((size_t)count + 1, sizeof *module->variables);
    bool ok = module->variables != NULL;
    for (const struct ptx_variable *v = all; v && ok; v = v->next)
        ok = v->definition || place_variable(device, module, v, &module->variables[v->number - 1]);
    for (const struct ptx_variable *v = all; v && ok; v = v->next)
        place_pointers(device, module, v);
    return ok;
}

static void free_variables(struct emu_device *device, const struct module *module)
{
    uint32_t i = 0;
    for (const struct ptx_variable *v = module->ptx->variables; v && module->variables;
         v = v->next) {
        uint64_t addr = module->variables[i++];
        struct mem_block *block = addr ? mem_block_at(&device->memory, addr) : NULL;
        if (block)
            block->name = NULL; /* the module owns the name and will free it */
        mem_free(&device->memory, addr);
    }
}

void device_close_module(struct emu_device *device, struct module *module)
{
    repeats_clear(&device->repeats);
    predictor_forget_kernels(device->predictor);
    free_variables(device, module);
    for (uint32_t i = 0; i < device->kernel_count; i++) {
        if (device->kernels[i].module != module)
            continue;
        mem_free(&device->memory, device->kernels[i].kernel->params_at);
        kernel_free(device->kernels[i].kernel);
        device->kernels[i] = (struct kernel_handle){0};
    }
    ptx_free(module->ptx);
    free(module->variables);
    free(module);
}

enum emu_status emu_load(struct emu_device *device, const char *ptx, size_t size, uint32_t *id)
{
    char error[300];
    struct ptx_module *parsed = ptx_parse(ptx, size, error, sizeof error);
    struct module *module = parsed ? calloc(1, sizeof *module) : NULL;
    if (!module) {
        ptx_free(parsed);
        return device_failed(EMU_INVALID_PTX, "%s", parsed ? "out of memory" : error);
    }
    module->ptx = parsed;
    pthread_mutex_lock(&device->lock);
    if (!place_variables(device, module)) {
        device_close_module(device, module);
        device_failed(EMU_OUT_OF_MEMORY, "the device has no memory for the module's variables");
        return device_unlock(device, EMU_OUT_OF_MEMORY);
    }
    module->id = *id = device->next_module++;
    module->next = device->modules;
    device->modules = module;
    return device_unlock(device, EMU_OK);
}

static struct module *find_module(const struct emu_device *device, uint32_t id)
{
    struct module *module = device->modules;
    while (module && module->id != id)
        module = module->next;
    return module;
}

enum emu_status emu_unload(struct emu_device *device, uint32_t id)
{
    pthread_mutex_lock(&device->lock);
    struct module **place = &device->modules, *module = find_module(device, id);
    if (!module) {
        device_failed(EMU_NOT_FOUND, "there is no module with number %u", id);
        return device_unlock(device, EMU_NOT_FOUND);
    }
    while (*place != module)
        place = &(*place)->next;
    *place = module->next;
    device_finish_parked(device, module);
    device_close_module(device, module);
    return device_unlock(device, EMU_OK);
}

enum emu_status emu_symbol(struct emu_device *device, uint32_t id, const char *name, emu_addr *addr,
                           uint64_t *size)
{
    pthread_mutex_lock(&device->lock);
    const struct module *module = find_module(device, id);
    struct ptx_name wanted = {name, (uint32_t)strlen(name)};
    const struct ptx_variable *variable =
        module ? ptx_find_variable(module->ptx, wanted, PTX_ANY_UNIT) : NULL;
    if (!variable || !module->variables[variable->number - 1]) {
        device_failed(EMU_NOT_FOUND, "the module has no variable '%s'", name);
        return device_unlock(device, EMU_NOT_FOUND);
    }
    *addr = module->variables[variable->number - 1];
    *size = variable->size;
    return device_unlock(device, EMU_OK);
}

/* --- kernels ---------------------------------------------------------------------------------- */

static const struct ptx_function *find_function(const struct module *module, const char *name)
{
    struct ptx_name wanted = {name, (uint32_t)strlen(name)};
    const struct ptx_function *f =
        module ? ptx_find_function(module->ptx, wanted, PTX_ANY_UNIT) : NULL;
    return f && f->is_kernel ? f : NULL;
}

/* Allocates read-only device memory for a kernel's parameters, because the kernel takes their
 * address. */
static bool place_parameters(struct emu_device *device, struct kernel *kernel)
{
    uint64_t bytes = kernel->function->param_bytes ? kernel->function->param_bytes : 1;
    struct mem_block *block = mem_alloc(&device->memory, bytes);
    if (!block)
        return false;
    block->is_constant = true;
    block->name = "the kernel's parameters";
    mem_assume_written(block);
    kernel->params_at = block->addr;
    return true;
}

/* Sets a message such as "a.cu:12: kernel 'NAME': WHY", and fails. */
static enum emu_status refuse(const struct module *module, const struct ptx_function *function,
                              const struct refusal *refusal)
{
    char *name = record_demangle(function->name), place[200] = "";
    struct ptx_name path = ptx_file_path(module->ptx, refusal->at.file);
    int length = (int)path.length;
    if (refusal->at.line && length && length < (int)sizeof place - 16)
        snprintf(place, sizeof place, "%.*s:%u: ", length, path.text, refusal->at.line);
    device_failed(EMU_INVALID_PTX, "%skernel '%.100s%s': %s", place, name ? name : "?",
                  name && strlen(name) > 100 ? "..." : "", refusal->why);
    free(name);
    return EMU_INVALID_PTX;
}

enum emu_status device_add_kernel(struct emu_device *device, struct module *module,
                                  const struct ptx_function *function, uint32_t *handle)
{
    struct refusal refusal;
    for (uint32_t i = 0; i < device->kernel_count; i++) {
        if (device->kernels[i].kernel && device->kernels[i].kernel->function == function) {
            *handle = i + 1;
            return EMU_OK;
        }
    }
    struct kernel *kernel =
        kernel_decode(module->ptx, function, variable_address, module, &refusal);
    if (kernel && kernel->takes_param_addresses && !place_parameters(device, kernel)) {
        kernel_free(kernel);
        return device_failed(EMU_OUT_OF_MEMORY,
                             "the device has no memory for a kernel's parameters");
    }
    if (!kernel)
        return refuse(module, function, &refusal);
    if (device->options.scrambles)
        kernel_scramble(kernel, device->options.scrambles);
    if (device->options.backwards)
        kernel_part_lanes(kernel);
    if (device->kernel_count == device->kernel_room) {
        uint32_t room = device->kernel_room ? 2 * device->kernel_room : 16;
        struct kernel_handle *kernels = realloc(device->kernels, room * sizeof *kernels);
        if (!kernels) {
            kernel_free(kernel);
            return device_failed(EMU_OUT_OF_MEMORY, "out of memory");
        }
        device->kernels = kernels;
        device->kernel_room = room;
    }
    device->kernels[device->kernel_count++] =
        (struct kernel_handle){.module = module, .kernel = kernel};
    *handle = device->kernel_count;
    return EMU_OK;
}

enum emu_status emu_kernel(struct emu_device *device, uint32_t id, const char *name,
                           uint32_t *handle)
{
    pthread_mutex_lock(&device->lock);
    struct module *module = find_module(device, id);
    const struct ptx_function *function = find_function(module, name);
    if (!function) {
        device_failed(EMU_NOT_FOUND, "the PTX has no kernel '%s'", name);
        return device_unlock(device, EMU_NOT_FOUND);
    }
    return device_unlock(device, device_add_kernel(device, module, function, handle));
}

const struct kernel *device_kernel(const struct emu_device *device, uint32_t handle)
{
    const struct kernel *kernel =
        handle && handle <= device->kernel_count ? device->kernels[handle - 1].kernel : NULL;
    if (!kernel)
        device_failed(EMU_NOT_FOUND, "there is no kernel with handle %u", handle);
    return kernel;
}

enum emu_status emu_kernel_info(struct emu_device *device, uint32_t handle,
                                struct emu_kernel_info *info)
{
    pthread_mutex_lock(&device->lock);
    const struct kernel *kernel = device_kernel(device, handle);
    if (!kernel)
        return device_unlock(device, EMU_NOT_FOUND);
    const struct ptx_function *f = kernel->function;
    *info = (struct emu_kernel_info){
        .param_count = f->param_count,
        .params = kernel->params,
        .param_bytes = f->param_bytes,
        .registers = kernel->registers,
        .shared_bytes = kernel->shared_bytes,
        .local_bytes = kernel->local_bytes - (kernel->uses_stack ? KERNEL_STACK : 0),
        .const_bytes = kernel->module->const_bytes,
        .max_threads = f->max_threads,
        .ptx_version = kernel->module->version,
        .sm_version = kernel->module->sm,
        .max_cluster = f->max_cluster ? f->max_cluster : EMU_MAX_CLUSTER,
        .needs_cluster = f->needs_cluster && !f->cluster[0],
    };
    memcpy(info->cluster, f->cluster, sizeof info->cluster);
    return device_unlock(device, EMU_OK);
}
