/* The machine's C compiler, for kernels that run long. */
#ifndef CUDART_COMPILER_H
#define CUDART_COMPILER_H

#include "emulator/device.h"

extern const struct emu_compiler compiler_of_machine;

#endif
