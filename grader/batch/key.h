/* Computes the key of a grading, which is the SHA-256 of everything that the grade depends on.
 * Equal keys mean equal grades. */
#ifndef BATCH_KEY_H
#define BATCH_KEY_H

#include "base/files.h"
#include "course/lab.h"
#include "grade/seed.h"

/* Sets HEX to a hash of everything that decides a grade in LAB on DEVICE, except the submission and
 * the seed. Returns false when out of memory. */
bool batch_grader_hash(const struct lab *lab, enum grading_device device, const char *gpu_arch,
                       char hex[HASH_SIZE]);

void batch_key_hash(const char *source_hash, const char *lab, const char *grader_hash,
                    enum grading_device device, const struct grade_seed *seed, char hex[HASH_SIZE]);

#endif
