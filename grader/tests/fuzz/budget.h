/* Limits the CPU time for one input, so that the fuzzer also reports slow inputs. CPU time, unlike
 * wall-clock time, gives no false alarm on a busy machine. libFuzzer's -timeout reports inputs that
 * wait without computing. */
#ifndef FUZZ_BUDGET_H
#define FUZZ_BUDGET_H

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void budget_spent(int signal)
{
    static const char text[] = "too slow: one input took more than its CPU time\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    abort();
}

/* Limits the CPU time for the next input to SECONDS; 0 removes the limit. */
static inline void budget(unsigned seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    signal(SIGPROF, budget_spent);
    setitimer(ITIMER_PROF, &timer, NULL);
}

#endif
