/* Implements vector clocks (see order.h). */
#ifndef GPU_ORDER_CLOCK_H
#define GPU_ORDER_CLOCK_H

#include "gpu/order/order.h"

/* Returns the number of the latest work in a stream that the clock contains. PLACE is the stream's
 * index in the list of streams. */
static inline uint64_t clock_get(const struct order_clock *clock, size_t place)
{
    return place < clock->count ? clock->last[place] : 0;
}

/* Advance the clock where it is earlier than NUMBER or OTHER. Return false when out of memory. The
 * clock is then too early, and work would count as not ordered, so the callers give up. */
bool clock_raise(struct order_clock *clock, size_t place, uint64_t number);
bool clock_join(struct order_clock *clock, const struct order_clock *other);
void clock_free(struct order_clock *clock);

#endif
