/* Handles Ctrl-C while a kernel runs. The kernel stops, and the record gets its launch and the line
 * that it had reached. Then the program ends as if there were no handler. A second Ctrl-C ends the
 * program immediately. */
#include "gpu/cudart/rt.h"

#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t caught;

static void on_interrupt(int number)
{
    signal(number, SIG_DFL);
    if (emu_interrupt())
        caught = number;
    else
        raise(number);
}

void rt_end_if_interrupted(void)
{
    if (caught)
        raise(caught);
}

/* Installs the handler if the program was started with a record, as by `lanewise run`, which reads
 * it even after Ctrl-C. A program that handles these signals itself replaces this handler by its
 * own. */
__attribute__((constructor)) static void watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction old;
    for (size_t i = 0; getenv("LANEWISE_RECORD") && i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            signal(signals[i], on_interrupt);
}
