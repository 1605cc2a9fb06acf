/* Copies of rows that begin a pitch apart: one call per row, after a check that every row is
 * valid. */
#include "gpu/device.h"

enum emu_status emu_alloc_rows(struct emu_device *device, uint64_t width, uint64_t count,
                               emu_addr *addr, uint64_t *pitch)
{
    uint64_t row, size;
    if (__builtin_add_overflow(width, EMU_PITCH - 1, &row) ||
        __builtin_mul_overflow(row / EMU_PITCH * EMU_PITCH, count, &size))
        size = UINT64_MAX; /* larger than any memory */
    enum emu_status status = emu_alloc(device, size, addr);
    if (status == EMU_OK)
        *pitch = row / EMU_PITCH * EMU_PITCH;
    return status;
}

/* Checks that ROWS, PITCH bytes apart, are inside one allocation; if not, emu_message() gives
 * the reason. */
static enum emu_status check_side(struct emu_device *device, emu_addr at,
                                  const struct emu_rows *rows, uint64_t pitch)
{
    uint64_t span, size;
    emu_addr base;
    if (rows->width == 0 || rows->count == 0 || pitch < rows->width ||
        __builtin_mul_overflow(rows->count - 1, pitch, &span) ||
        __builtin_add_overflow(span, rows->width, &span))
        return emu_copy(device, 0, 0, UINT64_MAX); /* fails: no memory is that large */
    if (emu_find(device, at, &base, &size) == EMU_OK && span <= size - (at - base))
        return EMU_OK;
    return emu_copy(device, at, at, span); /* fails with a message that gives the reason */
}

/* Joins rows that are contiguous on both sides into one. */
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
