/* Reads the code that all programs for a lab may have in common: the skeleton, and the solution,
 * because the handout leads to it. Computes fingerprints of the sources and of the compiled kernels
 * (similar/fingerprint.h). */
#ifndef BATCH_COMMON_CODE_H
#define BATCH_COMMON_CODE_H

#include <stdbool.h>

#include "batch/scan.h"
#include "batch/store.h"
#include "similar/source.h"

/* Starts as {0}; common_code_free() frees it. */
struct common_code {
    struct text skeleton, solution; /* the solution is empty in a kit without solutions */
    struct similar_source skeleton_source, solution_source;
    struct fingerprint statements, kernels; /* fingerprints of skeleton and solution together */
    char error[PATH_SIZE + 200];            /* why reading failed, in one line */
};

/* Reads the common code of LAB. The kernels for DEVICE (GPU_ARCH) are compiled once, and their
 * fingerprint is kept in STORE. */
bool common_code_read(struct common_code *given, struct batch_store *store,
                      const struct batch_lab *lab, enum grading_device device,
                      const char *gpu_arch);
void common_code_free(struct common_code *given);

/* Returns true if HEX is the SHA-256 of the unchanged skeleton or of the unchanged solution. */
bool common_code_is_file(const struct common_code *given, const char *hex);

#endif
