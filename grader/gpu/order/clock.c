#include "gpu/order/clock.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct order_clock *clock, size_t count)
{
    if (count <= clock->count)
        return true;
    uint64_t *more = realloc(clock->last, count * sizeof *more);
    if (!more)
        return false;
    memset(more + clock->count, 0, (count - clock->count) * sizeof *more);
    *clock = (struct order_clock){more, count};
    return true;
}

bool clock_raise(struct order_clock *clock, size_t place, uint64_t number)
{
    if (!grow(clock, place + 1))
        return false;
    if (clock->last[place] < number)
        clock->last[place] = number;
    return true;
}

bool clock_join(struct order_clock *clock, const struct order_clock *other)
{
    if (!grow(clock, other->count))
        return false;
    for (size_t i = 0; i < other->count; i++)
        if (clock->last[i] < other->last[i])
            clock->last[i] = other->last[i];
    return true;
}

void clock_free(struct order_clock *clock)
{
    free(clock->last);
    *clock = (struct order_clock){0};
}
