/* For programs that test a series of scenarios. Each scenario runs in its own process, because an error can make
 * the runtime unusable. */
#pragma once

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

static void play(const char *name, void (*scenario)())
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("%s\n", name);
        scenario();
        fflush(stdout);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status)
        printf("  ended with %x\n", status);
}
