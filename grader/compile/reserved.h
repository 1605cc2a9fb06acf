/* Finds symbols that a submission may not define if its program shares a process with the CUDA
 * runtime. */
#ifndef COMPILE_RESERVED_H
#define COMPILE_RESERVED_H

#include <stdbool.h>
#include <stddef.h>

/* Searches the object file OBJECT for a global symbol that CUDA or the C library also defines. A
 * program with its own cudaEventElapsedTime(), clock_gettime() or malloc() could falsify the
 * runtime's measurements. Returns true if there is such a symbol or the file cannot be read as an
 * object. NAME (SIZE bytes) is then the first such symbol, or "". */
bool compile_find_reserved(const char *object, char *name, size_t size);

#endif
