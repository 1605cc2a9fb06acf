/* Limits the CPU time of one input, because the fuzzer also finds inputs that are slow. CPU time,
 * unlike wall-clock time, raises no false alarm on a busy machine. libFuzzer's -timeout catches
 * inputs that wait without computing. */
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

/* Gives the next input SECONDS of CPU time; 0 removes the limit. */
static inline void budget(unsigned seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    signal(SIGPROF, budget_spent);
    setitimer(ITIMER_PROF, &timer, NULL);
}

#endif
