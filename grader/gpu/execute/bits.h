/* Converts between floating-point numbers and their bits. */
#ifndef GPU_EXECUTE_BITS_H
#define GPU_EXECUTE_BITS_H

#include <stdint.h>
#include <string.h>

#include "gpu/lanes.h"

LANES_INLINE float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANES_INLINE uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

LANES_INLINE double bits_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANES_INLINE uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
