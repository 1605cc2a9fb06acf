/* Runs jobs in child processes. A child returns its result in an unnamed temporary file, which is
 * open in the parent and in the child. If the parent is killed, the children get SIGTERM and clean
 * up. */
#include "sandbox/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/process.h"

#define TICK_NANOSECONDS (100 * 1000 * 1000)

struct child {
    pid_t pid; /* process of the running job, or 0 */
    size_t index;
    FILE *answer;
};

/* A running pool. */
struct state {
    const struct process_pool *pool;
    struct child *children;
    bool stopped;
};

static void run_child(const struct process_pool *pool, size_t index, FILE *to, pid_t parent)
{
    if (!process_end_with(parent, SIGTERM))
        _exit(1);
    json_t *answer = pool->work(index, pool->context);
    int failed = !answer || json_dumpf(answer, to, JSON_ENCODE_ANY) != 0 || fflush(to) != 0;
    _exit(failed);
}

/* Starts job INDEX. If it cannot be started, calls DONE with NULL. */
static void start(struct state *state, struct child *child, size_t index)
{
    const struct process_pool *pool = state->pool;
    pid_t parent = getpid();
    *child = (struct child){.index = index, .answer = tmpfile()};
    fflush(NULL); /* otherwise the child would write the same buffered output again */
    if (child->answer)
        child->pid = fork();
    if (child->answer && child->pid == 0)
        run_child(pool, index, child->answer, parent);
    if (child->pid > 0)
        return;
    child->pid = 0;
    if (child->answer)
        fclose(child->answer);
    if (!pool->done(index, NULL, pool->context))
        state->stopped = true;
}

/* Reads the result of a child that ended with STATUS. */
static void finish(struct state *state, struct child *child, int status)
{
    json_t *answer = NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        rewind(child->answer);
        answer = json_loadf(child->answer, JSON_DECODE_ANY, NULL);
    }
    fclose(child->answer);
    child->pid = 0;
    if (!process_interrupted() && !state->stopped &&
        !state->pool->done(child->index, answer, state->pool->context))
        state->stopped = true;
    json_decref(answer);
}

/* Reads the results of all children that have ended. Does not reap other children of this
 * process. */
static void reap(struct state *state)
{
    for (unsigned i = 0; i < state->pool->jobs; ++i) {
        struct child *child = &state->children[i];
        int status;
        if (child->pid > 0 && waitpid(child->pid, &status, WNOHANG) == child->pid)
            finish(state, child, status);
    }
}

static struct child *find(struct state *state, bool busy)
{
    for (unsigned i = 0; i < state->pool->jobs; ++i)
        if ((state->children[i].pid > 0) == busy)
            return &state->children[i];
    return NULL;
}

/* Waits until a child ends, a signal arrives, or TICK must be called again. SIGCHLD is blocked, so
 * a signal that arrives before the wait is not lost. */
static void wait_a_little(const sigset_t *ended)
{
    static const struct timespec tick = {.tv_nsec = TICK_NANOSECONDS};
    sigtimedwait(ended, NULL, &tick);
}

static void end_children(struct state *state)
{
    for (unsigned i = 0; i < state->pool->jobs; ++i)
        if (state->children[i].pid > 0)
            kill(state->children[i].pid, SIGTERM);
}

static void run_all(struct state *state, const sigset_t *ended)
{
    const struct process_pool *pool = state->pool;
    bool ending = false;
    for (size_t next = 0; next < pool->count || find(state, true);) {
        struct child *free_child = find(state, false);
        bool go_on = !state->stopped && !process_interrupted();
        if (!go_on && !find(state, true))
            break;
        if (go_on && free_child && next < pool->count) {
            state->stopped = pool->prepare && !pool->prepare(next, pool->context);
            if (!state->stopped)
                start(state, free_child, next++);
            continue;
        }
        if (!go_on && !ending) {
            end_children(state);
            ending = true;
        }
        wait_a_little(ended);
        reap(state);
        if (pool->tick && go_on)
            pool->tick(pool->context);
    }
}

bool process_pool_run(const struct process_pool *pool)
{
    struct state state = {.pool = pool, .children = calloc(pool->jobs, sizeof *state.children)};
    sigset_t ended, before;
    if (!state.children)
        return false;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &before);
    run_all(&state, &ended);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(state.children);
    return !state.stopped && !process_interrupted();
}
