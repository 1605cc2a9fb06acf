/* Detects the host's accesses to memory that work in flight uses (see guard.c). */
#ifndef GPU_CUDART_ORDER_GUARD_H
#define GPU_CUDART_ORDER_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* The number of protected pages, which is nearly always 0. */
extern volatile size_t guard_protected;

/* Checks SIZE bytes at MEMORY that the host is about to pass to a system call. WRITES says whether
 * the system call writes them; otherwise it reads them. */
void guard_touch(const void *memory, size_t size, bool writes);

#endif
