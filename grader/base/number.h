/* Writes numbers in a readable form: 1234567 as "1,234,567". */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

#define NUMBER_SIZE 32

/* Writes VALUE with commas to the end of TEXT. Returns a pointer to the first digit. */
const char *base_number(uint64_t value, char text[NUMBER_SIZE]);
/* Returns VALUE as text in a temporary buffer, which is valid until the enclosing block ends. */
#define NUMBER(value) base_number(value, (char[NUMBER_SIZE]){0})

/* Returns the plural ending of a noun after COUNT: "" for 1, otherwise "s". */
static inline const char *base_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Returns A / B, or 0 if B is 0. */
static inline double base_ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

#endif
