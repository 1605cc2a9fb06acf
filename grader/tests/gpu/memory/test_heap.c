/* Tests the heap of kernels. Chunks never overlap, all memory can be freed, and an allocation takes
 * the same time for any number of chunks. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "gpu/memory/heap.h"

#define BASE 0x10000u

static void open_heap(struct heap *heap, uint64_t size)
{
    heap_init(heap);
    cr_assert(heap_open(heap, BASE, size));
}

Test(heap, gives_all_its_memory_and_takes_it_back)
{
    struct heap heap;
    open_heap(&heap, 4096);
    for (int round = 0; round < 3; round++) {
        cr_expect_eq(heap_alloc(&heap, 4096), BASE, "the whole heap, round %d", round);
        cr_expect_eq(heap_alloc(&heap, 1), 0);
        heap_free(&heap, BASE);
        uint64_t a = heap_alloc(&heap, 1000), b = heap_alloc(&heap, 1000),
                 c = heap_alloc(&heap, 2000);
        cr_expect(a && b && c && a % 16 == 0 && b % 16 == 0 && c % 16 == 0);
        heap_free(&heap, b); /* both neighbours of b are in use; c's will be free */
        heap_free(&heap, a);
        heap_free(&heap, c);
    }
    heap_close(&heap);
}

Test(heap, refuses_what_it_cannot_give)
{
    struct heap heap;
    open_heap(&heap, 1024);
    cr_expect_eq(heap_alloc(&heap, 0), 0);
    cr_expect_eq(heap_alloc(&heap, 1025), 0);
    cr_expect_eq(heap_alloc(&heap, UINT64_MAX), 0);
    cr_expect_eq(heap_alloc(&heap, UINT64_MAX / 2), 0);
    heap_free(&heap, BASE + 16); /* an address that was never allocated */
    heap_free(&heap, 0);
    cr_expect_eq(heap_alloc(&heap, 1024), BASE);
    heap_free(&heap, BASE);
    heap_free(&heap, BASE); /* freed twice */
    cr_expect_eq(heap_alloc(&heap, 1024), BASE);
    heap_close(&heap);
}

/* Makes random requests, and compares them with a map that has the owner of each 16 bytes. */
Test(heap, never_gives_the_same_bytes_twice)
{
    enum { GRAINS = 4096, OWNERS = 500, STEPS = 200000 };
    static unsigned short owner[GRAINS];
    static uint64_t addr[OWNERS], size[OWNERS];
    struct heap heap;
    open_heap(&heap, GRAINS * 16);
    srand(7);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned who = (unsigned)rand() % OWNERS;
        if (addr[who]) {
            for (uint64_t g = 0; g < size[who] / 16; g++)
                owner[(addr[who] - BASE) / 16 + g] = 0;
            heap_free(&heap, addr[who]);
            addr[who] = 0;
            continue;
        }
        size[who] = 16u << rand() % 7;
        size[who] += 16u * ((unsigned)rand() % 20);
        addr[who] = heap_alloc(&heap, size[who] - (unsigned)rand() % 16);
        for (uint64_t g = 0; addr[who] && g < size[who] / 16; g++) {
            unsigned short *place = &owner[(addr[who] - BASE) / 16 + g];
            cr_assert_eq(*place, 0, "step %u: bytes of %u given to %u", step, *place - 1u, who);
            *place = (unsigned short)(who + 1);
        }
    }
    for (unsigned who = 0; who < OWNERS; who++)
        heap_free(&heap, addr[who]);
    cr_expect_eq(heap_alloc(&heap, GRAINS * 16), BASE, "the free chunks were not merged into one");
    heap_close(&heap);
}

/* If each allocation scanned a list, so many chunks would take minutes. */
Test(heap, holds_half_a_million_chunks, .timeout = 600)
{
    enum { CHUNKS = 1 << 19 };
    struct heap heap;
    open_heap(&heap, (uint64_t)CHUNKS * 16);
    for (unsigned i = 0; i < CHUNKS; i++)
        cr_assert_neq(heap_alloc(&heap, 16), 0);
    cr_expect_eq(heap_alloc(&heap, 1), 0);
    for (unsigned i = 0; i < CHUNKS; i += 2)
        heap_free(&heap, BASE + 16 * i);
    cr_expect_eq(heap_alloc(&heap, 32), 0, "two free chunks are neighbours");
    for (unsigned i = 1; i < CHUNKS; i += 2)
        heap_free(&heap, BASE + 16 * i);
    cr_expect_eq(heap_alloc(&heap, (uint64_t)CHUNKS * 16), BASE);
    heap_close(&heap);
}
