/* Limits the processor time of one input: the fuzzer also finds inputs that are slow. The limit
 * counts the process's own seconds, not wall-clock time: a busy machine raises no alarm.
 * libFuzzer's -timeout catches inputs that wait without computing. */
#ifndef FUZZ_BUDGET_H
#define FUZZ_BUDGET_H

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void budget_spent(int signal)
{
    static const char text[] = "too slow: one input took more than its processor time\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    abort();
}

/* Gives the next input SECONDS; 0 ends the limit. */
static inline void budget(unsigned seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    signal(SIGPROF, budget_spent);
    setitimer(ITIMER_PROF, &timer, NULL);
}

#endif
