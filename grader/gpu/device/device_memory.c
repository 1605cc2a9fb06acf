/* Implements the part of the device's interface that is about memory: allocations, memory that the
 * host shares, copies, and the limits of stack and heap. After each copy, it updates the marks that
 * initcheck and the tool "origins" read (memory/memory.h). */
#include "gpu/device/device_parts.h"

#include <string.h>

#include "gpu/record/record.h"

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
