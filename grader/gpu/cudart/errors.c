/* Holds the names and texts of errors, and the last error of each thread. */
#include "gpu/cudart/rt.h"

#define UNRECOGNIZED "unrecognized error code"

static _Thread_local cudaError_t last_error;

cudaError_t rt_remember(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    RT_CALLED();
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    RT_CALLED();
    return last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    RT_CALLED();
    switch (error) {
#define E(name, text)                                                                              \
    case name:                                                                                     \
        return #name;
#include "gpu/cudart/errors.def"
#undef E
    default:
        return UNRECOGNIZED;
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    RT_CALLED();
    switch (error) {
#define E(name, text)                                                                              \
    case name:                                                                                     \
        return text;
#include "gpu/cudart/errors.def"
#undef E
    default:
        return UNRECOGNIZED;
    }
}

__attribute__((weak)) const cudaError_t rt_shape_error = cudaErrorInvalidValue;

cudaError_t rt_error(enum emu_status status)
{
    switch (status) {
    case EMU_OK:
    case EMU_PARKED: /* not a failure: the launch just has not ended yet */
        return cudaSuccess;
    case EMU_INVALID_VALUE:
    case EMU_INVALID_ADDRESS:
    case EMU_NOT_FOUND:
        return cudaErrorInvalidValue;
    case EMU_INVALID_CONFIG:
        return rt_shape_error;
    case EMU_OUT_OF_MEMORY:
        return cudaErrorMemoryAllocation;
    case EMU_INVALID_PTX:
        return cudaErrorInvalidPtx;
    case EMU_OUT_OF_RESOURCES:
        return cudaErrorLaunchOutOfResources;
    case EMU_ILLEGAL_ADDRESS:
        return cudaErrorIllegalAddress;
    case EMU_MISALIGNED_ADDRESS:
        return cudaErrorMisalignedAddress;
    case EMU_TRAP:
        return cudaErrorLaunchFailure;
    case EMU_BAD_INSTRUCTION:
        return cudaErrorIllegalInstruction;
    case EMU_ASSERT:
        return cudaErrorAssert;
    case EMU_DEADLOCK: /* a GPU would hang until a watchdog stops the kernel */
    case EMU_TIMEOUT:
        return cudaErrorLaunchTimeout;
    case EMU_INTERNAL:
        break;
    }
    return cudaErrorUnknown;
}
