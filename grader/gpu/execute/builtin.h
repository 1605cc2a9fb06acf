/* The arguments and results of functions that programs call without defining them in PTX. builtin.c
 * has printf, malloc and similar functions of C, and launches; runtime_call.c has the functions of
 * CUDA's runtime that kernels may call. */
#ifndef GPU_EXECUTE_BUILTIN_H
#define GPU_EXECUTE_BUILTIN_H

#include "gpu/execute/state.h"

/* Returns argument I of LANE, which has at most 8 bytes. Returns 0 if the call has no such
 * argument. */
uint64_t builtin_argument(const struct warp *warp, const struct inst *inst, unsigned i,
                          unsigned lane);
void builtin_set_result(const struct warp *warp, const struct inst *inst, unsigned lane,
                        uint64_t value);

/* Allocates SIZE bytes of the device heap and marks them as uninitialised. Returns the address, or
 * 0 if the heap is full. */
uint64_t builtin_allocate(const struct warp *warp, uint64_t size);
/* Frees the memory at ADDR, unless ADDR is 0. If malloc() has not returned ADDR, or ADDR is already
 * free, reports a fault of LANE and returns false. */
bool builtin_free(struct warp *warp, unsigned lane, uint64_t addr);

/* The runtime's codes for the errors that calls in kernels return. */
enum runtime_error {
    RT_SUCCESS = 0,
    RT_INVALID_VALUE = 1,
    RT_NO_MEMORY = 2,
    RT_TOO_DEEP = 65,
    RT_TOO_MANY = 69,
    RT_INVALID_HANDLE = 400
};
/* Makes LANE's call return ERROR. If ERROR is not RT_SUCCESS, the lane's next cudaGetLastError()
 * returns it, too. */
void builtin_set_error(struct warp *warp, const struct inst *inst, unsigned lane, uint32_t error);

/* Returns the function that executes calls of the runtime's function NAME. Returns NULL if kernels
 * cannot call such a function. */
lane_fn *runtime_call_find(struct ptx_name name);

#endif
