/* Corrects typing errors: finds the word that was probably meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Returns the one of the COUNT NAMES that WORD probably means: WORD is the beginning of this name,
 * or differs from it by one or two typing errors. Returns NULL if no name is similar enough. */
const char *base_nearest(const char *word, const char *const *names, size_t count);

#endif
