/* Detects the host's accesses to memory that work in flight uses; see guard.c. */
#ifndef GPU_CUDART_ORDER_GUARD_H
#define GPU_CUDART_ORDER_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Number of protected pages; nearly always 0. */
extern volatile size_t guard_protected;

/* The host is about to pass SIZE bytes at MEMORY to a system call, which reads or WRITES them. */
void guard_touch(const void *memory, size_t size, bool writes);

#endif
