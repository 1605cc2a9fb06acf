/* Finds near-duplicates in a class: pairs of students whose programs for a lab share more than
 * independent programs do. A human then compares excerpts of the two programs. Compares compiled
 * kernels (similar/kernels.h) and sources (similar/source.h). */
#ifndef BATCH_PAIRS_H
#define BATCH_PAIRS_H

#include <jansson.h>
#include <stdbool.h>

#include "batch/scan.h"
#include "batch/store.h"

struct batch_pairs {
    struct batch_store *store;
    const struct batch_lab *labs;
    size_t lab_count;
    enum grading_device device;
    const char *gpu_arch;
};

/* Sets two members of CLASS (lanewise/class/v1): "similar", with the most similar pairs first, and
 * "alike". Removes the fingerprints from its gradings. Compiles skeletons and solutions once, and
 * keeps their fingerprints in the store. On failure returns false, and ERROR (SIZE bytes) says why
 * in one line. */
bool batch_pairs(const struct batch_pairs *similar, json_t *class, char *error, size_t size);

#endif
