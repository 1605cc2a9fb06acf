/* The clock that measures durations and time limits. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Returns the seconds since some fixed moment. The clock is monotonic: setting the system's date
 * does not change it. */
double clock_seconds(void);

#endif
