/* Counts as people read them: 1234567 as "1,234,567". */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

#define NUMBER_SIZE 32

/* Returns where in TEXT it begins. */
const char *base_number(uint64_t value, char text[NUMBER_SIZE]);
/* The same, valid in the block that it is written in. */
#define NUMBER(value) base_number(value, (char[NUMBER_SIZE]){0})

/* A / B, or 0 if there is no B. */
static inline double base_ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

#endif
