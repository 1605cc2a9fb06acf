/* Finds out how many bytes an array of the program has, from what the C library's malloc() (glibc)
 * writes before each block. A copy that does not fit would overwrite that, and the program would
 * crash later, somewhere else.
 *
 * The word before a block is its size; the lowest bits are flags. Whether a word is such a size is
 * only known from where it leads: in the heap, from block to block exactly to the heap's end. A
 * large block has pages of its own and begins right after their first 16 bytes. */
#include "gpu/cudart/rt.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAD = 16,   /* bytes from a block's head to its first byte; the last word is the size */
    MAPPED = 2,  /* flag: the block has pages of its own */
    FLAGS = 7,   /* all flags */
    PAGE = 4096, /* the smallest page */
};

/* Returns the size and the flags of the block with this HEAD. The program's memory may have been
 * built with a tool that forbids to look there. */
__attribute__((no_sanitize("address"))) static uint64_t size_at(uintptr_t head)
{
    return *(const volatile uint64_t *)(head + sizeof(uint64_t));
}

__attribute__((no_sanitize("address"))) static uint64_t word_at(uintptr_t head)
{
    return *(const volatile uint64_t *)head;
}

/* Returns whether the sizes lead from HEAD to the end of the heap. */
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
    /* a block can use the first word of the next block's head */
    uint64_t room = bytes - sizeof(uint64_t);
    bool is_block = bytes >= 2 * HEAD && room < wanted && head < end &&
                    rt_is_mapped((const void *)head, end - head) && leads_to_end(head, end);
    return is_block ? room : SIZE_MAX;
}
