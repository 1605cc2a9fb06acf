/* Looks into an executable, without running it, for whether it can run on the emulator.
 *
 * It must be a CUDA program linked with the shared runtime library, which Lanewise replaces, and
 * carry PTX, which Lanewise executes. nvcc's default is the static runtime: most programs that fail
 * here need one flag more. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* False: PATH cannot run on the emulator, and MESSAGE (SIZE bytes) says why in one line, with what
 * to change. */
bool cli_check_program(const char *path, char *message, size_t size);

#endif
