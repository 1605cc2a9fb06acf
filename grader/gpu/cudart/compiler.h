/* The machine's C compiler, for kernels that run long. */
#ifndef GPU_CUDART_COMPILER_H
#define GPU_CUDART_COMPILER_H

#include "gpu/device.h"

extern const struct emu_compiler compiler_of_machine;

#endif
