/* One program with all edits of a submission: a namespace for each edit, so that one build is
 * enough. A copy of the program whose name ends with -n runs edit n. */
#ifndef GRADE_TRIES_H
#define GRADE_TRIES_H

#include <stdbool.h>
#include <stddef.h>

#include "grade/edits.h"

struct tries {
    const struct edits *edits;
    const bool *is_out;    /* for each edit: whether it is left out */
    const char *source;    /* text of the submission */
    const char *file_name; /* its name in the compiler's messages: "try_n/FILE" for edit n */
};

/* Returns the program's text, which the caller frees, or NULL. SIZE gets its length. */
char *tries_write(const struct tries *tries, size_t *size);

#endif
