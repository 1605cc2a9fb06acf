/* Checks whether an executable can run on the emulator, without running it.
 *
 * The executable must be a CUDA program that is linked with the shared runtime library, which
 * Lanewise replaces. It must also contain PTX, which Lanewise executes. nvcc links the static
 * runtime by default, so most programs that fail here need one more flag. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false if PATH cannot run on the emulator. MESSAGE (SIZE bytes) says why, and what to
 * change, in one line. */
bool cli_check_program(const char *path, char *message, size_t size);

/* Returns the PTX that the emulator executes for the program at PATH, or NULL if there is none. The
 * caller frees it. If the program has several files, this is the PTX of one of them. */
char *cli_program_ptx(const char *path);

#endif
