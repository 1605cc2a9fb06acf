/* Tests the limits of a run on a busy machine. While a program waits for a CPU, its time does not
 * count; while it sleeps, it does. CPU time also counts. */
#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/process.h"
#include "tests/support/patience.h"

TestSuite(limits, .timeout = 600);

static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};

static struct process_command command_for(const char *const words[])
{
    return (struct process_command){.argv = words,
                                    .environment = environment,
                                    .wall_seconds = PATIENCE * 300,
                                    .cpu_seconds = 60,
                                    .idle_seconds = .5,
                                    .output_keep = 100,
                                    .output_limit = 1000};
}

/* This script takes a second or more of CPU time. Its rivals get at least half of the CPU, even if
 * the kernel shares it between sessions, so the script waits for longer than the limit of idle
 * time. */
#define COUNT "i=0; while [ $i -lt 1500000 ]; do i=$((i + 1)); done"

enum { RIVALS = 3 };

/* Binds this process, and all processes that it starts later, to one CPU, which RIVALS use, too. */
static void crowd(pid_t rivals[RIVALS])
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < RIVALS; i++)
        if ((rivals[i] = fork()) == 0)
            for (volatile int k = 0;; k++)
                ;
}

Test(limits, waiting_for_a_cpu_is_not_idle)
{
    const char *const words[] = {"/usr/bin/nice", "-n", "5", "/bin/sh", "-c", COUNT, NULL};
    struct process_command command = command_for(words);
    struct process_outcome outcome;
    pid_t rivals[RIVALS];
    crowd(rivals);
    process_run(&command, &outcome);
    for (int i = 0; i < RIVALS; i++)
        kill(rivals[i], SIGKILL);
    while (wait(NULL) > 0)
        ;
    cr_expect_eq(outcome.end, PROCESS_EXITED, "end %d", outcome.end);
    cr_expect(outcome.seconds - outcome.cpu_seconds > command.idle_seconds,
              "the machine was not busy: %g s, %g s of CPU time", outcome.seconds,
              outcome.cpu_seconds);
    process_outcome_free(&outcome);
}

Test(limits, sleeping_is_idle)
{
    static const char *const scripts[] = {"exec sleep 100", "sleep 100 & sleep 50; exit 3",
                                          "while :; do sleep .01; done"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const char *const words[] = {"/bin/sh", "-c", scripts[i], NULL};
        struct process_command command = command_for(words);
        struct process_outcome outcome;
        process_run(&command, &outcome);
        cr_expect_eq(outcome.end, PROCESS_IDLE, "%s: end %d", scripts[i], outcome.end);
        process_outcome_free(&outcome);
    }
}

Test(limits, cpu_time_is_told_from_wall_time)
{
    const char *const words[] = {"/bin/sh", "-c", "while :; do :; done", NULL};
    struct process_command command = command_for(words);
    struct process_outcome outcome;
    command.cpu_seconds = 1;
    process_run(&command, &outcome);
    cr_expect_eq(outcome.end, PROCESS_TIMED_OUT, "end %d", outcome.end);
    cr_expect(outcome.used_cpu);
    process_outcome_free(&outcome);
    command.cpu_seconds = 100;
    command.wall_seconds = .5;
    process_run(&command, &outcome);
    cr_expect_eq(outcome.end, PROCESS_TIMED_OUT, "end %d", outcome.end);
    cr_expect_not(outcome.used_cpu);
    process_outcome_free(&outcome);
}

Test(limits, a_program_that_ignores_the_signal_is_ended_as_well)
{
    const char *const words[] = {"/bin/sh", "-c", "trap '' XCPU; while :; do :; done", NULL};
    struct process_command command = command_for(words);
    struct process_outcome outcome;
    command.cpu_seconds = 1;
    process_run(&command, &outcome);
    cr_expect_eq(outcome.end, PROCESS_TIMED_OUT, "end %d", outcome.end);
    cr_expect(outcome.used_cpu);
    process_outcome_free(&outcome);
}

/* Runs a PROGRAM that waits for its SERVER. Returns how the program ended. */
static enum process_end served(const char *program, const char *server)
{
    const char *const words[] = {"/bin/sh", "-c", program, NULL};
    const char *const server_words[] = {"/bin/sh", "-c", server, NULL};
    struct process_command command = command_for(words), other = command_for(server_words);
    struct process_outcome outcome, server_outcome;
    other.wall_seconds = .1;
    process_run_served(&command, &other, &outcome, &server_outcome);
    process_outcome_free(&outcome);
    process_outcome_free(&server_outcome);
    return outcome.end;
}

Test(limits, waiting_for_a_busy_server_is_not_idle)
{
    cr_expect_eq(served("exec sleep 1.5", "while :; do :; done"), PROCESS_EXITED);
    cr_expect_eq(served("exec sleep 100", "exec sleep 100"), PROCESS_IDLE);
}

Test(limits, a_program_ends_when_its_server_fails)
{
    cr_expect_eq(served("exec sleep 100", "exit 4"), PROCESS_UNSERVED);
    cr_expect_eq(served("exec sleep .3", "exit 0"), PROCESS_EXITED);
}
