/* Implements managed memory: the program and its kernels access the same bytes at the same address.
 *
 * The device allocates addresses that are unused on the host. This file maps host pages at these
 * addresses and lends them to the device. So both sides access the same bytes, and nothing is
 * copied. */
#include "gpu/cudart/order.h"

#include <sys/mman.h>

#define PAGE 4096ull

static emu_addr pages_start(emu_addr addr)
{
    return addr & ~(PAGE - 1);
}

static size_t pages_size(emu_addr addr, size_t size)
{
    return ((addr + size + PAGE - 1) & ~(PAGE - 1)) - pages_start(addr);
}

/* Maps host pages for SIZE bytes at ADDR. No two device allocations share a page. */
static bool map(emu_addr addr, size_t size)
{
    void *wanted = (void *)pages_start(addr);
    void *pages = mmap(wanted, pages_size(addr, size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (pages == wanted)
        return true;
    if (pages != MAP_FAILED) /* Linux before 4.17 may ignore the address */
        munmap(pages, pages_size(addr, size));
    return false;
}

static void unmap(emu_addr addr, size_t size)
{
    munmap((void *)pages_start(addr), pages_size(addr, size));
}

bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size, enum rt_kind kind,
                    unsigned flags)
{
    if (!map(addr, size))
        return false;
    struct rt_range range = {.ptr = (void *)addr, .size = size, .kind = kind, .flags = flags};
    bool added = rt_range_add(range);
    if (added && emu_lend(device, addr, (void *)addr, size) == EMU_OK) {
        rt_order_share(&range);
        return true;
    }
    if (added)
        rt_range_take((void *)addr, kind, &range);
    unmap(addr, size);
    return false;
}

void rt_managed_unmap(const struct rt_range *range)
{
    rt_advice_forget(range);
    rt_order_unshare(range);
    unmap((emu_addr)range->ptr, range->size);
}
