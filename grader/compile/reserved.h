/* Symbols that no submission may define, where its program shares a process with the CUDA runtime. */
#ifndef COMPILE_RESERVED_H
#define COMPILE_RESERVED_H

#include <stdbool.h>
#include <stddef.h>

/* Looks through the object file OBJECT for a global symbol that CUDA or the C library has, too: a program that
 * defines its own cudaEventElapsedTime(), clock_gettime() or malloc() stands between the runtime and the
 * machine. True: NAME (SIZE bytes) is the first one, or "" if the file cannot be read as an object. */
bool compile_find_reserved(const char *object, char *name, size_t size);

#endif
