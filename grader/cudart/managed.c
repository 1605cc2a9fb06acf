/* Managed memory: one address, read and written by the program and by kernels.
 *
 * The device's memory is never the host's, so each managed range has a second copy: pages of the host
 * mapped at the device's address. Outside launches the host's copy is the true one (copies and
 * memsets work on it); around each launch its bytes go to the device and come back. */
#include "cudart/rt.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096ull

struct range {
    emu_addr addr;
    size_t size;
    struct range *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;

static emu_addr pages_start(const struct range *range)
{
    return range->addr & ~(PAGE - 1);
}

static size_t pages_size(const struct range *range)
{
    emu_addr end = (range->addr + range->size + PAGE - 1) & ~(PAGE - 1);
    return end - pages_start(range);
}

bool rt_managed_add(struct emu_device *device, emu_addr addr, size_t size)
{
    struct range *range = malloc(sizeof *range);
    if (!range)
        return false;
    *range = (struct range){.addr = addr, .size = size};
    void *wanted = (void *)pages_start(range);
    void *pages = mmap(wanted, pages_size(range), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    bool mapped = pages == wanted; /* kernels before 4.17 take the address for a hint */
    if (!mapped && pages != MAP_FAILED)
        munmap(pages, pages_size(range));
    if (!mapped || emu_read(device, (void *)addr, addr, size) != EMU_OK) {
        if (mapped)
            munmap(pages, pages_size(range));
        free(range);
        return false;
    }
    pthread_mutex_lock(&lock);
    range->next = ranges;
    ranges = range;
    pthread_mutex_unlock(&lock);
    return true;
}

bool rt_managed_remove(emu_addr addr)
{
    pthread_mutex_lock(&lock);
    struct range **at = &ranges;
    while (*at && (*at)->addr != addr)
        at = &(*at)->next;
    struct range *range = *at;
    if (range)
        *at = range->next;
    pthread_mutex_unlock(&lock);
    if (range)
        munmap((void *)pages_start(range), pages_size(range));
    free(range);
    return range != NULL;
}

bool rt_managed_find(const void *ptr, size_t *left)
{
    emu_addr addr = (emu_addr)ptr;
    pthread_mutex_lock(&lock);
    struct range *range = ranges;
    while (range && addr - range->addr >= range->size)
        range = range->next;
    if (range)
        *left = range->size - (addr - range->addr);
    pthread_mutex_unlock(&lock);
    return range != NULL;
}

void rt_managed_to_device(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    for (struct range *range = ranges; range; range = range->next)
        emu_write(device, range->addr, (void *)range->addr, range->size);
    pthread_mutex_unlock(&lock);
}

void rt_managed_to_host(struct emu_device *device)
{
    pthread_mutex_lock(&lock);
    for (struct range *range = ranges; range; range = range->next)
        emu_read(device, (void *)range->addr, range->addr, range->size);
    pthread_mutex_unlock(&lock);
}
