/* The clock for durations and time limits. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Returns the time in seconds of a monotonic clock, which does not jump when the system's date is
 * changed. */
double clock_seconds(void);

#endif
