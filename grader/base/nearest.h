/* Typing errors: the word that was probably meant. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The one of the COUNT NAMES that was probably meant by WORD: WORD is its beginning, or one or two
 * typing errors away. NULL: none is similar enough. */
const char *base_nearest(const char *word, const char *const *names, size_t count);

#endif
