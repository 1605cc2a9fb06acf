/* Finds the size of an array of the program. The C library's malloc() (glibc) stores the size of
 * each block before the block. A copy that is too long would overwrite the size of the next block,
 * and the program would crash later, at another place.
 *
 * The word before a block holds the size of the block; its lowest bits are flags. The array may not
 * come from malloc(). So the word counts as a size only if, from there on, sizes lead from block to
 * block exactly to the end of the heap. A large block is different: it has its own pages and begins
 * 16 bytes after the start of the first page. */
#include "gpu/cudart/rt.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
    /* bytes from the head of a block to its first usable byte; the size is in the last word of the
     * head */
    HEAD = 16,
    MAPPED = 2,  /* flag: the block has its own pages */
    FLAGS = 7,   /* all flags */
    PAGE = 4096, /* bytes of the smallest page */
};

/* Returns the size and the flags of the block with this HEAD. A sanitizer in the program would
 * forbid this access. */
__attribute__((no_sanitize("address"))) static uint64_t size_at(uintptr_t head)
{
    return *(const volatile uint64_t *)(head + sizeof(uint64_t));
}

__attribute__((no_sanitize("address"))) static uint64_t word_at(uintptr_t head)
{
    return *(const volatile uint64_t *)head;
}

/* Returns whether the sizes lead from block to block, from HEAD exactly to END of the heap. */
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
    /* a block may also use the first word of the next block's head */
    uint64_t room = bytes - sizeof(uint64_t);
    bool is_block = bytes >= 2 * HEAD && room < wanted && head < end &&
                    rt_is_mapped((const void *)head, end - head) && leads_to_end(head, end);
    return is_block ? room : SIZE_MAX;
}
