/* Runs kernels on this machine's GPU, through the CUDA driver. */
#ifndef TESTS_HARDWARE_GPU_DRIVER_H
#define TESTS_HARDWARE_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the GPU, or ends the program with a message. */
void gpu_open(void);

/* Prints the first line of a record: "# NVIDIA …, 2026-11-22, by `make TARGET`". */
void gpu_print_head(const char *target);

struct gpu_launch {
    const char *name; /* for messages */
    const char *ptx;  /* has the kernel "plain"; its parameters are the addresses of in and out */
    unsigned blocks, threads;
    const void *in;
    void *out; /* contains zeros before the launch */
    size_t in_bytes, out_bytes;
};

/* Runs a kernel. Returns false, after a message, if the driver rejects the PTX. Any other error
 * ends the program. */
bool gpu_run(const struct gpu_launch *launch);

#endif
