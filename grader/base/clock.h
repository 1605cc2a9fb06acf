/* The clock that measures durations and time limits. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Returns the time in seconds of a monotonic clock, which changes of the system's date do not
 * affect. */
double clock_seconds(void);

#endif
