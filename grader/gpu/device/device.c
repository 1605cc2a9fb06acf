/* Implements the device: opens and closes it, and keeps a lock and the last error. This file also
 * has the small parts of the interface: conditions, textures, output, the record and the order of
 * work. */
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

void emu_close(struct emu_device *device)
{
    if (!device)
        return;
    device_finish_parked(device, NULL);
    schedule_close(device->schedule);
    while (device->modules) {
        struct module *module = device->modules;
        device->modules = module->next;
        device_close_module(device, module);
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
