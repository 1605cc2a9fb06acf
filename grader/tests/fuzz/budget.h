/* A limit on the processor time of one input, so that the fuzzer finds what is slow as well as what
 * crashes. It counts the process's own seconds, not the wall's: a busy machine raises no alarm. What
 * waits without computing is left to libFuzzer's -timeout. */
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

/* The input that begins now may take SECONDS; 0 ends the limit. */
static inline void budget(unsigned seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    signal(SIGPROF, budget_spent);
    setitimer(ITIMER_PROF, &timer, NULL);
}

#endif
