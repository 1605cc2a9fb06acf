/* Finds symbols that a submission must not define if its program shares a process with the CUDA
 * runtime. */
#ifndef COMPILE_RESERVED_H
#define COMPILE_RESERVED_H

#include <stdbool.h>
#include <stddef.h>

/* Searches the object file OBJECT for a global symbol that CUDA or the C library also defines. With
 * its own cudaEventElapsedTime(), clock_gettime() or malloc(), a program could falsify the
 * runtime's measurements. Returns whether there is such a symbol, and writes the first one to NAME
 * (SIZE bytes). If OBJECT cannot be read, also returns true, and NAME is "". */
bool compile_find_reserved(const char *object, char *name, size_t size);

#endif
