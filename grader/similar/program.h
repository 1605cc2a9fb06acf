/* The print (similar/kernels.h) of a built program: of the PTX that its fat binaries hold. */
#ifndef SIMILAR_PROGRAM_H
#define SIMILAR_PROGRAM_H

#include <jansson.h>
#include <stdbool.h>

#include "similar/kernels.h"

/* Adds the marks of PROGRAM, an executable; the file is anyone's. False: it cannot be read, its PTX
 * cannot be unpacked, or there is more of it than a student writes. */
bool fingerprint_program(const char *program, struct fingerprint *print);

/* A print as a JSON string, and back. A text that is none is an empty print. */
json_t *fingerprint_json(const struct fingerprint *print);
bool fingerprint_read(const json_t *text, struct fingerprint *print);

#endif
