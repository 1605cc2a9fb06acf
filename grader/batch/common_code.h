/* What a lab gives to all: its skeleton, and its solution, to which the handout leads. As sources, and as prints
 * of what they compile to. */
#ifndef BATCH_COMMON_CODE_H
#define BATCH_COMMON_CODE_H

#include <stdbool.h>

#include "batch/scan.h"
#include "batch/store.h"
#include "similar/source.h"

/* Begins as {0}; batch_given_free() frees it. */
struct batch_given {
    struct run_text skeleton, solution; /* no bytes: a kit without solutions */
    struct judge_source skeleton_source, solution_source;
    struct judge_print statements, kernels; /* of both */
    char error[RUN_PATH_SIZE + 200];        /* why it could not be read, in one line */
};

/* Reads what LAB gives. What it compiles to on DEVICE (GPU_ARCH) is found out once, and kept in STORE. */
bool batch_given_read(struct batch_given *given, struct batch_store *store,
                      const struct batch_lab *lab, enum run_device device, const char *gpu_arch);
void batch_given_free(struct batch_given *given);

/* Is the file with this hash one of the two as they are? */
bool batch_given_is_file(const struct batch_given *given, const char *hex);

#endif
