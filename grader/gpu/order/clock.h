/* Implements vector clocks (see order.h). */
#ifndef GPU_ORDER_CLOCK_H
#define GPU_ORDER_CLOCK_H

#include "gpu/order/order.h"

/* Returns the number of the latest work in a stream that the clock contains. PLACE is the stream's
 * index in the list of streams (order.c). */
static inline uint64_t clock_get(const struct order_clock *clock, size_t place)
{
    return place < clock->count ? clock->last[place] : 0;
}

/* Advance the clock: clock_raise() sets the number at PLACE to at least NUMBER, clock_join() sets
 * each number to at least OTHER's. Return false, and leave the clock unchanged, when out of
 * memory. */
bool clock_raise(struct order_clock *clock, size_t place, uint64_t number);
bool clock_join(struct order_clock *clock, const struct order_clock *other);
void clock_free(struct order_clock *clock);

#endif
