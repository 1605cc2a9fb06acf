/* Copies of rows: so many copies of one row, once it is sure that all of them can be made. */
#include "emulator/device.h"

/* Whether ROWS, PITCH bytes apart, lie in one allocation; emu_message() says why not. */
static enum emu_status check_side(struct emu_device *device, emu_addr at,
                                  const struct emu_rows *rows, uint64_t pitch)
{
    uint64_t span, size;
    emu_addr base;
    if (rows->width == 0 || rows->count == 0 || pitch < rows->width ||
        __builtin_mul_overflow(rows->count - 1, pitch, &span) ||
        __builtin_add_overflow(span, rows->width, &span))
        return emu_copy(device, 0, 0, UINT64_MAX); /* there is no such memory */
    if (emu_find(device, at, &base, &size) == EMU_OK && span <= size - (at - base))
        return EMU_OK;
    return emu_copy(device, at, at, span); /* which says why */
}

enum emu_status emu_write_rows(struct emu_device *device, emu_addr to, const void *from,
                               const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, to, rows, rows->to_pitch);
    for (uint64_t i = 0; i < rows->count && status == EMU_OK; i++)
        status = emu_write(device, to + i * rows->to_pitch,
                           (const char *)from + i * rows->from_pitch, rows->width);
    return status;
}

enum emu_status emu_read_rows(struct emu_device *device, void *to, emu_addr from,
                              const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, from, rows, rows->from_pitch);
    for (uint64_t i = 0; i < rows->count && status == EMU_OK; i++)
        status = emu_read(device, (char *)to + i * rows->to_pitch, from + i * rows->from_pitch,
                          rows->width);
    return status;
}

enum emu_status emu_copy_rows(struct emu_device *device, emu_addr to, emu_addr from,
                              const struct emu_rows *rows)
{
    enum emu_status status = check_side(device, from, rows, rows->from_pitch);
    if (status == EMU_OK)
        status = check_side(device, to, rows, rows->to_pitch);
    for (uint64_t i = 0; i < rows->count && status == EMU_OK; i++)
        status =
            emu_copy(device, to + i * rows->to_pitch, from + i * rows->from_pitch, rows->width);
    return status;
}
