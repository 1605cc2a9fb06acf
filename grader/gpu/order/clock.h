/* Implements vector clocks (see order.h). */
#ifndef GPU_ORDER_CLOCK_H
#define GPU_ORDER_CLOCK_H

#include "gpu/order/order.h"

/* Returns the number of the last work in the stream at PLACE that came before. */
static inline uint64_t clock_get(const struct order_clock *clock, size_t place)
{
    return place < clock->count ? clock->last[place] : 0;
}

/* Advance the clock, if it is earlier. When out of memory, it stays too early. Work would then
 * count as not ordered, so the callers give up. */
bool clock_raise(struct order_clock *clock, size_t place, uint64_t number);
bool clock_join(struct order_clock *clock, const struct order_clock *other);
void clock_free(struct order_clock *clock);

#endif
