/* Finds the size of an array of the program on the host. A copy that is too long would overwrite
 * the data after the array, and the program would crash later, somewhere else.
 *
 * The C library's malloc() (glibc) stores the size of each block in the word before the block; the
 * lowest bits of this word are flags. But the array may not come from malloc(). So the word is
 * taken for a size only if the sizes of this block and the following blocks lead exactly to the end
 * of the heap. A large block has its own pages instead, and begins 16 bytes after the start of the
 * first page. */
#include "gpu/cudart/rt.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    /* number of bytes from the head of a block to its first usable byte; the size of the block is
     * in the last word of the head */
    HEAD = 16,
    MAPPED = 2,  /* flag: the block has its own pages */
    FLAGS = 7,   /* all flags */
    PAGE = 4096, /* size of the smallest page in bytes */
};

/* Returns the size and the flags of the block with this HEAD. An address sanitizer in the program
 * would report this access as an error. */
__attribute__((no_sanitize("address"))) static uint64_t size_at(uintptr_t head)
{
    return *(const volatile uint64_t *)(head + sizeof(uint64_t));
}

__attribute__((no_sanitize("address"))) static uint64_t word_at(uintptr_t head)
{
    return *(const volatile uint64_t *)head;
}

/* Returns whether the sizes of consecutive blocks, from HEAD on, lead exactly to END, the end of
 * the heap. */
static bool leads_to_end(uintptr_t head, uintptr_t end)
{
    while (head < end) {
        uint64_t size = size_at(head), bytes = size & ~(uint64_t)FLAGS;
        if (bytes < 2 * HEAD || bytes % HEAD != 0 || bytes > end - head ||
            (size & FLAGS & ~(uint64_t)1) != 0)
            return false;
        head += bytes;
    }
    return head == end;
}

static bool has_own_pages(uintptr_t head, uint64_t size)
{
    return head % PAGE == 0 && (size & FLAGS) == MAPPED && (size & ~(uint64_t)FLAGS) % PAGE == 0 &&
           size > PAGE && word_at(head) == 0;
}

size_t rt_host_room(const void *ptr, size_t wanted)
{
    uintptr_t head = (uintptr_t)ptr - HEAD, end = (uintptr_t)sbrk(0);
    if ((uintptr_t)ptr % HEAD != 0 || !rt_is_mapped((const void *)head, HEAD))
        return SIZE_MAX;
    uint64_t size = size_at(head), bytes = size & ~(uint64_t)FLAGS;
    if (has_own_pages(head, size))
        return bytes - HEAD;
    /* the usable bytes of a block include the first word of the next block's head */
    uint64_t room = bytes - sizeof(uint64_t);
    bool is_block = bytes >= 2 * HEAD && room < wanted && head < end &&
                    rt_is_mapped((const void *)head, end - head) && leads_to_end(head, end);
    return is_block ? room : SIZE_MAX;
}
