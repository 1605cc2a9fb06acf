/* Computes the fingerprint of a built program from the PTX in its fat binaries. */
#ifndef SIMILAR_PROGRAM_H
#define SIMILAR_PROGRAM_H

#include "similar/fingerprint.h"

/* Adds the marks of the executable PROGRAM, which is not trusted. Returns false if it cannot be
 * read, its PTX cannot be unpacked, or it has more PTX than a student writes. */
bool fingerprint_add_program(const char *program, struct fingerprint *fingerprint);

#endif
