/* Texts and searches for the tests of edits. */
#ifndef TESTS_GRADE_EDIT_TEXTS_H
#define TESTS_GRADE_EDIT_TEXTS_H

#include <string.h>

#include "grade/edits.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Makes a function whose body is TEXT, which begins in line 3. */
#define BODY(text) "__global__ void f(int n)\n{\n" text "\n}\n"

/* Returns the place of the first of EDITS with SAYS in its message, or EDITS_MOST. */
static inline size_t find_says(const struct edits *edits, const char *says)
{
    size_t i = 0;
    while (i < edits->count && !strstr(edits->list[i].says, says))
        ++i;
    return i < edits->count ? i : EDITS_MOST;
}

#endif
