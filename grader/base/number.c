#include "base/number.h"

const char *base_number(uint64_t value, char text[NUMBER_SIZE])
{
    char *at = text + NUMBER_SIZE - 1;
    *at = '\0';
    for (int digits = 0; value || digits == 0; value /= 10, digits++) {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + value % 10);
    }
    return at;
}
