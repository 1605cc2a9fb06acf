/* Implements the device: keeps the handles of modules and kernels, a lock and the last error. Other
 * folders of the emulator do the work. */
#include "gpu/device/device_parts.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/device/schedule.h"
#include "gpu/execute/texture.h"
#include "gpu/predict/predict.h"
#include "gpu/ptx/arena.h"
#include "gpu/record/record.h"
#include "gpu/tools.h"

#define DEFAULT_MEMORY ((uint64_t)16 << 30)

static _Thread_local char last_message[512];

enum emu_status device_failed(enum emu_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_message, sizeof last_message, format, args);
    va_end(args);
    return status;
}

const char *emu_message(struct emu_device *device)
{
    (void)device;
    return last_message;
}

enum emu_status device_unlock(struct emu_device *device, enum emu_status status)
{
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static bool is_serial(const struct emu_options *options)
{
    const struct observer *observers[OBS_MAX];
    unsigned count = observers_choose(options, true, observers);
    bool is_serial = false;
    for (unsigned i = 0; i < count; i++)
        is_serial |= observers[i]->is_serial;
    return is_serial;
}

/* Returns the highest number of workers for a launch. Called only once for a device, because
 * finding out the number of cores takes longer than a small launch. */
static unsigned most_workers(const struct emu_options *options)
{
    if (options->deterministic || (is_serial(options) && !options->watch_budget))
        return 1;
    long cores = options->workers ? (long)options->workers : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > EMU_MAX_WORKERS ? EMU_MAX_WORKERS : (unsigned)cores;
}

static bool predict(struct emu_device *device, const struct emu_chip *chip)
{
    device->predictor = predictor_new(chip);
    device->schedule = schedule_open(device, chip);
    return device->predictor && device->schedule;
}

/* Makes malloc() keep what a launch frees for the next launch. A launch needs a few hundred bytes
 * for each instruction of its kernel. For a large kernel, getting them from the operating system
 * again takes longer than a short launch. */
static void keep_freed_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
}

enum emu_status emu_open(const struct emu_options *options, struct emu_device **device)
{
    keep_freed_memory();
    *device = calloc(1, sizeof **device);
    if (!*device)
        return device_failed(EMU_OUT_OF_MEMORY, "out of memory");
    (*device)->options = *options;
    (*device)->next_module = 1;
    (*device)->workers = most_workers(options);
    if (options->chip && !predict(*device, options->chip)) {
        schedule_close((*device)->schedule);
        predictor_free((*device)->predictor);
        free(*device);
        *device = NULL;
        return device_failed(EMU_OUT_OF_MEMORY, "out of memory");
    }
    pthread_mutex_init(&(*device)->lock, NULL);
    pthread_mutex_init(&(*device)->output.lock, NULL);
    heap_init(&(*device)->heap);
    (*device)->limits[EMU_STACK] = 1024;
    (*device)->limits[EMU_HEAP] = 8 << 20;
    (*device)->limits[EMU_PRINT] = 8650752;
    mem_init(&(*device)->memory, options->memory_bytes ? options->memory_bytes : DEFAULT_MEMORY,
             options->poison);
    (*device)->memory.tracks[MEM_WRITTEN] = options->tools & EMU_INITCHECK;
    (*device)->memory.tracks[MEM_FROM_KERNEL] = options->tools & EMU_ORIGINS;
    return EMU_OK;
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

static void close_module(struct emu_device *device, struct module *module)
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

void emu_close(struct emu_device *device)
{
    if (!device)
        return;
    device_finish_parked(device, NULL);
    schedule_close(device->schedule);
    while (device->modules) {
        struct module *module = device->modules;
        device->modules = module->next;
        close_module(device, module);
    }
    predictor_free(device->predictor);
    heap_close(&device->heap);
    free(device->conditions.values);
    mem_close(&device->memory);
    for (int i = 0; i < EMU_STREAMS; i++)
        free(device->output.streams[i].text);
    pthread_mutex_destroy(&device->output.lock);
    free(device->kernels);
    free(device->textures);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

/* --- memory ----------------------------------------------------------------------------------- */

enum emu_status emu_alloc(struct emu_device *device, uint64_t size, emu_addr *addr)
{
    if (!size)
        return device_failed(EMU_INVALID_VALUE, "an allocation must have at least 1 byte");
    pthread_mutex_lock(&device->lock);
    const struct mem_block *block = mem_alloc(&device->memory, size);
    if (block)
        *addr = block->addr;
    else
        device_failed(EMU_OUT_OF_MEMORY, "the device does not have %llu bytes of free memory",
                      (unsigned long long)size);
    return device_unlock(device, block ? EMU_OK : EMU_OUT_OF_MEMORY);
}

enum emu_status emu_free(struct emu_device *device, emu_addr addr)
{
    if (!addr)
        return EMU_OK;
    pthread_mutex_lock(&device->lock);
    bool ok = mem_free(&device->memory, addr);
    if (!ok)
        device_failed(EMU_INVALID_VALUE, "no live allocation begins at 0x%llx",
                      (unsigned long long)addr);
    return device_unlock(device, ok ? EMU_OK : EMU_INVALID_VALUE);
}

enum emu_status emu_find(struct emu_device *device, emu_addr addr, emu_addr *base, uint64_t *size)
{
    pthread_mutex_lock(&device->lock);
    const struct mem_block *block = mem_block_at(&device->memory, addr);
    bool ok = block && block->host && addr - block->addr < block->size;
    if (ok && base)
        *base = block->addr;
    if (ok && size)
        *size = block->size;
    if (!ok)
        device_failed(EMU_NOT_FOUND, "no live allocation contains 0x%llx",
                      (unsigned long long)addr);
    return device_unlock(device, ok ? EMU_OK : EMU_NOT_FOUND);
}

void emu_set_place(struct emu_device *device, emu_addr addr, struct emu_place place, bool fills)
{
    pthread_mutex_lock(&device->lock);
    struct mem_block *block = mem_block_at(&device->memory, addr);
    if (block && block->addr == addr)
        mem_set_place(!block->host ? &block->freed
                      : fills      ? &block->fill
                                   : &block->made,
                      place.file, place.line);
    pthread_mutex_unlock(&device->lock);
}

enum emu_status emu_lend(struct emu_device *device, emu_addr addr, void *host, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    bool ok = size && mem_lend(&device->memory, addr, host, size);
    if (!ok)
        device_failed(EMU_INVALID_VALUE, "cannot share %llu bytes with the device at 0x%llx",
                      (unsigned long long)size, (unsigned long long)addr);
    return device_unlock(device, ok ? EMU_OK : EMU_INVALID_VALUE);
}

void emu_watch_lent(struct emu_device *device, emu_addr addr, bool cleared)
{
    pthread_mutex_lock(&device->lock);
    struct mem_block *block = mem_block_at(&device->memory, addr);
    if (block && block->addr == addr && block->is_lent) {
        mem_track_lent(&device->memory, MEM_FROM_KERNEL, block);
        mem_mark(&device->memory, MEM_FROM_KERNEL, addr, block->size, cleared);
    }
    pthread_mutex_unlock(&device->lock);
}

uint64_t emu_find_made(struct emu_device *device, emu_addr *at)
{
    pthread_mutex_lock(&device->lock);
    const struct mem_block *block = mem_block_at(&device->memory, *at);
    uint64_t size = 0;
    if (block && block->marks[MEM_FROM_KERNEL] && *at - block->addr < block->size) {
        uint64_t offset = *at - block->addr;
        offset += mem_first_marked(block, MEM_FROM_KERNEL, offset, block->size - offset);
        size = mem_first_unmarked(block, MEM_FROM_KERNEL, offset, block->size - offset);
        *at = size ? block->addr + offset : *at;
    }
    pthread_mutex_unlock(&device->lock);
    return size;
}

uint64_t emu_take_written(struct emu_device *device, emu_addr *at)
{
    pthread_mutex_lock(&device->lock);
    struct mem_block *block = mem_block_at(&device->memory, *at);
    uint64_t size = block ? block->wrote_to - block->wrote_from : 0;
    if (size) {
        *at = block->addr + block->wrote_from;
        block->wrote_from = block->wrote_to = 0;
    }
    pthread_mutex_unlock(&device->lock);
    return size;
}

/* Returns the host address of the SIZE bytes at ADDR. If they are not inside one live allocation,
 * sets the message and returns NULL. The caller holds the lock. */
static uint8_t *range(struct emu_device *device, emu_addr addr, uint64_t size)
{
    uint8_t *bytes = mem_range(&device->memory, addr, size);
    if (!bytes)
        device_failed(EMU_INVALID_ADDRESS,
                      "%llu bytes at 0x%llx are not inside one live allocation",
                      (unsigned long long)size, (unsigned long long)addr);
    return bytes;
}

/* Marks the SIZE bytes at TO as written by the host. If all of them are zero, they count as cleared
 * memory, not as the host's values. */
static void mark_written(struct emu_device *device, emu_addr to, const uint8_t *bytes,
                         uint64_t size)
{
    mem_mark(&device->memory, MEM_WRITTEN, to, size, true);
    mem_note_constants(&device->memory, to, size);
    /* only this mark needs the check for zeros, which is slow because it reads all bytes */
    if (!device->memory.tracks[MEM_FROM_KERNEL])
        return;
    bool zeros = !size || (!bytes[0] && memcmp(bytes, bytes + 1, size - 1) == 0);
    mem_mark(&device->memory, MEM_FROM_KERNEL, to, size, zeros);
}

enum emu_status emu_write(struct emu_device *device, emu_addr to, const void *from, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    uint8_t *bytes = range(device, to, size);
    if (bytes && size)
        memcpy(bytes, from, size);
    if (bytes)
        mark_written(device, to, bytes, size);
    return device_unlock(device, bytes ? EMU_OK : EMU_INVALID_ADDRESS);
}

enum emu_status emu_read(struct emu_device *device, void *to, emu_addr from, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    const uint8_t *bytes = range(device, from, size);
    if (bytes && size)
        memcpy(to, bytes, size);
    return device_unlock(device, bytes ? EMU_OK : EMU_INVALID_ADDRESS);
}

bool emu_note_read(struct emu_device *device, emu_addr from, const void *seen, uint64_t size,
                   bool same)
{
    pthread_mutex_lock(&device->lock);
    bool watched = device->memory.tracks[MEM_FROM_KERNEL] && device->options.record_fd >= 0 &&
                   size && mem_range(&device->memory, from, size) &&
                   device->copies++ < RECORD_COPIES;
    const struct mem_block *block = mem_block_at(&device->memory, from);
    bool made = watched && block->marks[MEM_FROM_KERNEL] &&
                mem_first_unmarked(block, MEM_FROM_KERNEL, from - block->addr, size) == size;
    if (watched && record_is_open(&device->options))
        record_copy(device->options.record_fd, seen, size,
                    (struct record_origin){.made = made, .same = same});
    pthread_mutex_unlock(&device->lock);
    return made;
}

enum emu_status emu_copy(struct emu_device *device, emu_addr to, emu_addr from, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    const uint8_t *source = range(device, from, size);
    uint8_t *target = source ? range(device, to, size) : NULL;
    if (target && size)
        memmove(target, source, size);
    if (target) {
        mem_copy_marks(&device->memory, to, from, size);
        mem_note_constants(&device->memory, to, size);
    }
    return device_unlock(device, target ? EMU_OK : EMU_INVALID_ADDRESS);
}

static void repeat(uint8_t *bytes, uint64_t size, uint32_t pattern)
{
    uint8_t first = (uint8_t)pattern;
    if (pattern == first * 0x01010101u)
        memset(bytes, first, size);
    else
        for (uint64_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(pattern >> 8 * (i % 4));
}

enum emu_status emu_set(struct emu_device *device, emu_addr to, uint32_t pattern, uint64_t size)
{
    pthread_mutex_lock(&device->lock);
    uint8_t *bytes = range(device, to, size);
    if (bytes && size)
        repeat(bytes, size, pattern);
    if (bytes)
        mark_written(device, to, bytes, size);
    return device_unlock(device, bytes ? EMU_OK : EMU_INVALID_ADDRESS);
}

void emu_memory(struct emu_device *device, uint64_t *free_bytes, uint64_t *total_bytes)
{
    pthread_mutex_lock(&device->lock);
    *total_bytes = device->memory.limit;
    *free_bytes = device->memory.limit - device->memory.used;
    pthread_mutex_unlock(&device->lock);
}

enum emu_status emu_set_limit(struct emu_device *device, enum emu_limit limit, uint64_t bytes)
{
    pthread_mutex_lock(&device->lock);
    bool too_much = limit == EMU_STACK && bytes > MAX_STACK;
    bool too_late = limit == EMU_HEAP && device->heap.first;
    bool ok = bytes && !too_much && !too_late;
    if (ok)
        device->limits[limit] = bytes;
    else
        device_failed(EMU_INVALID_VALUE,
                      too_late ? "the heap's size cannot change after a kernel has used the heap"
                               : "a limit of %llu bytes is not possible",
                      (unsigned long long)bytes);
    return device_unlock(device, ok ? EMU_OK : EMU_INVALID_VALUE);
}

uint64_t emu_get_limit(struct emu_device *device, enum emu_limit limit)
{
    pthread_mutex_lock(&device->lock);
    uint64_t bytes = device->limits[limit];
    pthread_mutex_unlock(&device->lock);
    return bytes;
}

/* --- conditions of graphs --------------------------------------------------------------------- */

enum emu_status emu_condition_make(struct emu_device *device, uint64_t *handle)
{
    pthread_mutex_lock(&device->lock);
    struct conditions *all = &device->conditions;
    uint32_t *more = realloc(all->values, (all->count + 1) * sizeof *more);
    if (more) {
        all->values = more;
        more[all->count] = 0;
        *handle = CONDITION_FIRST + all->count++;
    } else {
        device_failed(EMU_OUT_OF_MEMORY, "out of memory");
    }
    return device_unlock(device, more ? EMU_OK : EMU_OUT_OF_MEMORY);
}

/* Finds a condition. The caller holds the lock. */
static uint32_t *find_condition(struct emu_device *device, uint64_t handle)
{
    pthread_mutex_lock(&device->lock);
    uint32_t *value = condition_find(&device->conditions, handle);
    if (!value)
        device_failed(EMU_NOT_FOUND, "there is no condition with handle %#llx",
                      (unsigned long long)handle);
    return value;
}

enum emu_status emu_condition_set(struct emu_device *device, uint64_t handle, uint32_t value)
{
    uint32_t *condition = find_condition(device, handle);
    if (condition)
        *condition = value;
    return device_unlock(device, condition ? EMU_OK : EMU_NOT_FOUND);
}

enum emu_status emu_condition_get(struct emu_device *device, uint64_t handle, uint32_t *value)
{
    const uint32_t *condition = find_condition(device, handle);
    if (condition)
        *value = *condition;
    return device_unlock(device, condition ? EMU_OK : EMU_NOT_FOUND);
}

/* --- textures --------------------------------------------------------------------------------- */

enum emu_status emu_texture_open(struct emu_device *device, const struct emu_texture *texture,
                                 uint64_t *handle)
{
    if (!texture_is_legal(texture))
        return device_failed(EMU_INVALID_VALUE,
                             "the texture has an invalid size, format or number of levels");
    pthread_mutex_lock(&device->lock);
    bool ok = texture_keep(&device->textures, &device->texture_count, texture, handle);
    if (!ok)
        device_failed(EMU_OUT_OF_MEMORY, "out of memory");
    return device_unlock(device, ok ? EMU_OK : EMU_OUT_OF_MEMORY);
}

enum emu_status emu_texture_close(struct emu_device *device, uint64_t handle)
{
    pthread_mutex_lock(&device->lock);
    bool live = handle - 1 < device->texture_count && device->textures[handle - 1].width;
    if (live)
        device->textures[handle - 1].width = 0;
    else
        device_failed(EMU_NOT_FOUND, "there is no texture with handle %llu",
                      (unsigned long long)handle);
    return device_unlock(device, live ? EMU_OK : EMU_NOT_FOUND);
}

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
        close_module(device, module);
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
    close_module(device, module);
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

/* --- what kernels print ----------------------------------------------------------------------- */

void emu_output(struct emu_device *device, enum emu_stream stream, char **text, size_t *length)
{
    pthread_mutex_lock(&device->output.lock);
    *text = device->output.streams[stream].text;
    *length = device->output.streams[stream].length;
    device->output.streams[stream].text = NULL;
    device->output.streams[stream].length = 0;
    pthread_mutex_unlock(&device->output.lock);
}

/* --- the record ------------------------------------------------------------------------------- */

bool emu_has_record(struct emu_device *device)
{
    return device->options.record_fd >= 0;
}

/* Writes the line with one call of write(), so that lines from several processes do not mix. */
enum emu_status emu_note(struct emu_device *device, const char *line, size_t size)
{
    char *text = emu_has_record(device) ? malloc(size + 1) : NULL;
    if (!text)
        return device_failed(EMU_NOT_FOUND,
                             "the emulated device kept no record of the program's run");
    memcpy(text, line, size);
    text[size] = '\n';
    bool written = !record_is_open(&device->options) ||
                   write(device->options.record_fd, text, size + 1) == (ssize_t)size + 1;
    free(text);
    return written
               ? EMU_OK
               : device_failed(EMU_INTERNAL, "the record of the program's run cannot be written");
}

/* --- the order of work ------------------------------------------------------------------------ */

bool emu_is_timed(struct emu_device *device)
{
    return device->schedule;
}

void emu_step(struct emu_device *device, const struct emu_step *step)
{
    if (!device->schedule)
        return;
    pthread_mutex_lock(&device->lock);
    schedule_step(device->schedule, step);
    pthread_mutex_unlock(&device->lock);
}

bool emu_event_time(struct emu_device *device, uint64_t event, double *us)
{
    if (!device->schedule)
        return false;
    pthread_mutex_lock(&device->lock);
    *us = schedule_event_time(device->schedule, event);
    pthread_mutex_unlock(&device->lock);
    return true;
}
