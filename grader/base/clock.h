/* The clock that measures durations and time limits. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since some fixed moment. Monotonic: setting the system's date does not change it. */
double clock_seconds(void);

#endif
