/* Allocates and copies rows, which begin a pitch apart in memory. A copy first checks that all rows
 * are inside memory, then makes one copy for each row. */
#include "gpu/device/device_parts.h"

/* Records the width and pitch of the rows in the block at ADDR, for observers. */
static void note_rows(struct emu_device *device, emu_addr addr, uint64_t width, uint64_t pitch)
{
    pthread_mutex_lock(&device->lock);
    struct mem_block *block = mem_block_at(&device->memory, addr);
    if (block && block->addr == addr) {
        block->width = width;
        block->pitch = pitch;
    }
    pthread_mutex_unlock(&device->lock);
}

enum emu_status emu_alloc_rows(struct emu_device *device, uint64_t width, uint64_t count,
                               emu_addr *addr, uint64_t *pitch)
{
    uint64_t more = device->options.wider_pitch * EMU_PITCH, row, size;
    if (__builtin_add_overflow(width, more + EMU_PITCH - 1, &row) ||
        __builtin_mul_overflow(row / EMU_PITCH * EMU_PITCH, count, &size))
        size = UINT64_MAX; /* larger than the device's memory, so that the allocation fails */
    enum emu_status status = emu_alloc(device, size, addr);
    if (status != EMU_OK)
        return status;
    *pitch = row / EMU_PITCH * EMU_PITCH;
    note_rows(device, *addr, width, *pitch);
    return EMU_OK;
}

/* Checks that ROWS are inside one allocation. The first row is at address AT, and rows begin PITCH
 * bytes apart. If the check fails, sets the message. */
static enum emu_status check_side(struct emu_device *device, emu_addr at,
                                  const struct emu_rows *rows, uint64_t pitch)
{
    uint64_t span, size;
    emu_addr base;
    if (rows->width == 0 || rows->count == 0 || pitch < rows->width ||
        __builtin_mul_overflow(rows->count - 1, pitch, &span) ||
        __builtin_add_overflow(span, rows->width, &span))
        /* fails, because no memory is so large; sets the message */
        return emu_copy(device, 0, 0, UINT64_MAX);
    if (emu_find(device, at, &base, &size) == EMU_OK && span <= size - (at - base))
        return EMU_OK;
    /* fails and sets the message, because the rows are not inside one allocation */
    return emu_copy(device, at, at, span);
}

/* Returns the rows as one row if they are contiguous in both the source and the target. Otherwise,
 * returns them unchanged. */
static struct emu_rows joined(const struct emu_rows *rows)
{
    if (rows->to_pitch != rows->width || rows->from_pitch != rows->width)
        return *rows;
    return (struct emu_rows){.width = rows->width * rows->count, .count = 1};
}

enum emu_status emu_write_rows(struct emu_device *device, emu_addr to, const void *from,
                               const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, to, rows, rows->to_pitch);
    const struct emu_rows few = joined(rows);
    for (uint64_t i = 0; i < few.count && status == EMU_OK; i++)
        status = emu_write(device, to + i * few.to_pitch, (const char *)from + i * few.from_pitch,
                           few.width);
    return status;
}

enum emu_status emu_read_rows(struct emu_device *device, void *to, emu_addr from,
                              const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, from, rows, rows->from_pitch);
    const struct emu_rows few = joined(rows);
    for (uint64_t i = 0; i < few.count && status == EMU_OK; i++)
        status =
            emu_read(device, (char *)to + i * few.to_pitch, from + i * few.from_pitch, few.width);
    return status;
}

enum emu_status emu_copy_rows(struct emu_device *device, emu_addr to, emu_addr from,
                              const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, from, rows, rows->from_pitch);
    if (status == EMU_OK)
        status = check_side(device, to, rows, rows->to_pitch);
    const struct emu_rows few = joined(rows);
    for (uint64_t i = 0; i < few.count && status == EMU_OK; i++)
        status = emu_copy(device, to + i * few.to_pitch, from + i * few.from_pitch, few.width);
    return status;
}

enum emu_status emu_set_rows(struct emu_device *device, emu_addr to, uint32_t pattern,
                             const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, to, rows, rows->to_pitch);
    for (uint64_t i = 0; i < rows->count && status == EMU_OK; i++)
        status = emu_set(device, to + i * rows->to_pitch, pattern, rows->width);
    return status;
}
