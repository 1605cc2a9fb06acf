/* What a lab gives to all: its skeleton, and its solution, to which the handout leads. As sources, and as prints
 * of what they compile to. */
#ifndef BATCH_COMMON_CODE_H
#define BATCH_COMMON_CODE_H

#include <stdbool.h>

#include "batch/scan.h"
#include "batch/store.h"
#include "similar/source.h"

/* Begins as {0}; common_code_free() frees it. */
struct common_code {
    struct text skeleton, solution; /* no bytes: a kit without solutions */
    struct similar_source skeleton_source, solution_source;
    struct fingerprint statements, kernels; /* of both */
    char error[PATH_SIZE + 200];            /* why it could not be read, in one line */
};

/* Reads what LAB gives. What it compiles to on DEVICE (GPU_ARCH) is found out once, and kept in STORE. */
bool common_code_read(struct common_code *given, struct batch_store *store,
                      const struct batch_lab *lab, enum grading_device device,
                      const char *gpu_arch);
void common_code_free(struct common_code *given);

/* Is the file with this hash one of the two as they are? */
bool common_code_is_file(const struct common_code *given, const char *hex);

#endif
